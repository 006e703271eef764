// Where samples of processor time are on the timeline.
import {callOf} from '../../OpTracePage/Page/samples.mjs';

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
