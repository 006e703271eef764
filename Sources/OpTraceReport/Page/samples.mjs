// What the trace knows about samples of processor time: which work they belong to, in which functions they were taken,
// and where they are on the timeline.
import {rowsOf} from './model.mjs';
import {CALLS} from './words.mjs';

// Returns the indexes of the samples that were taken in this work's code.
export function samplesOfWork(model, row) { return rowsOf(row, model.samplesOf); }

// Returns those of all work with the same name in lists of work: operations of its class, blocks and tasks of its
// function.
export function samplesLike(model, row) {
  const own = model.operations.class[row];
  const {first, end} = model.rowRanges().find((range) => row >= range.first && row < range.end);
  const indexes = [];
  let works = 0;
  for (let other = first; other < end; other++) {
    if (model.operations.class[other] !== own) continue;
    works += 1;
    for (const index of samplesOfWork(model, other)) indexes.push(index);
  }
  return {name: model.className(row), works, indexes};
}

// Returns a function in merged stacks. `flag` says what it is besides; null: an ordinary function, or not known.
export function callOf(model, row) {
  const [flags, index] = [model.calls.flags[row], model.calls.function[row]];
  const flag = Object.keys(CALLS).find((word) => (flags & model.callFlags[word]) !== 0) ?? null;
  const {name, place: location, module, flags: functionFlags} = model.sampledFunctions;
  const text = (column) => (index < 0 ? null : model.strings[column[index]] ?? null);
  return {title: text(name) ?? CALLS[flag]?.title ?? '[unknown]', location: text(location), module: text(module), flag,
    isOwn: index >= 0 && (functionFlags[index] & model.frameFlags.own) !== 0};
}

// Returns when a sample was taken, in nanoseconds.
export function sampleTime(model, index) { return model.samples.time[index] * 1000; }

// Returns the position of the first sample of a track at or after a time, in the list of all tracks in `marksOf`.
export function firstMark(model, track, time) {
  const {starts, rows} = model.marksOf;
  let [low, high] = [starts[track], starts[track + 1]];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (sampleTime(model, rows[middle]) < time) low = middle + 1; else high = middle;
  }
  return low;
}

// Returns the sample on a track that is nearest in time, within `reach`; -1: none.
export function markAt(model, track, time, reach) {
  const {starts, rows} = model.marksOf;
  const next = firstMark(model, track, time);
  const distance = (index) => Math.abs(sampleTime(model, index) - time);
  const near = [next - 1, next].filter((at) => at >= starts[track] && at < starts[track + 1]).map((at) => rows[at]);
  return near.filter((index) => distance(index) <= reach).sort((one, other) => distance(one) - distance(other))[0] ?? -1;
}

// Says in a few words where a sample was taken: the innermost of the program's own functions, or else the innermost of
// all.
export function sampleText(model, index) {
  const {caller} = model.calls;
  const innermost = model.samples.call[index];
  let own = innermost;
  while (own >= 0 && !callOf(model, own).isOwn) own = caller[own] < own ? caller[own] : -1;
  const {title, location} = callOf(model, own >= 0 ? own : innermost);
  return title + (location ? ` at ${location}` : '');
}
