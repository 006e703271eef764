// What the trace knows about samples of processor time: which work they belong to, and in which functions they were taken.
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
