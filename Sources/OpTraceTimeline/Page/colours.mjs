// The colours of the timeline. They come from the page's style sheet, and are read again when the colour scheme
// changes.
import {isStuck} from '../../OpTracePage/Page/words.mjs';

const NAMES = ['page', 'text', 'muted', 'line', 'band', 'accent', 'critical', 'waits-for-dependencies', 'waits-for-slot', 'thread-blocked', 'suspended', 'stuck', 'on-fill'];
export const CLASS_COLOURS = 10;

// Returns the CSS class for the colour of a wait, given the state of its operation. It is that of the wait's sort, or
// that of the state if the wait never ends.
export function waitFillOf(state, sort) {
  return isStuck(state) ? `fill-of-${state}` : `waits-for-${sort}`;
}

// Returns the names of classes and functions, in the order of the kinds of work, and of each kind those that ran longest first.
function kindsByTime(model) {
  const names = model.rowRanges().flatMap(({first, end}) => {
    const times = new Map();
    for (let row = first; row < end; row++) {
      const own = model.operations.class[row];
      times.set(own, (times.get(own) ?? 0) + model.running(row));
    }
    const kinds = [...times].map(([own, time]) => ({name: model.strings[own], time}));
    return kinds.sort((one, other) => other.time - one.time || (one.name < other.name ? -1 : 1)).map(({name}) => name);
  });
  return [...new Set(names)];
}

export class Colours {
  constructor(element, model) {
    this.element = element;
    this.stateWords = model.stateWords;
    // The names of classes and functions, by rank.
    this.classes = [];
    this.rank(model);
    this.read();
  }

  // Gives each class the colour of its rank, so that the first classes differ. A class that comes later has a later rank.
  rank(model) {
    const known = new Set(this.classes);
    this.classes.push(...kindsByTime(model).filter((name) => !known.has(name)));
    const ranks = new Map(this.classes.map((name, rank) => [name, rank % CLASS_COLOURS]));
    // The index is the number of the name.
    this.classOfName = model.strings.map((text) => ranks.get(text) ?? 0);
  }

  read() {
    const style = getComputedStyle(this.element);
    const value = (name) => style.getPropertyValue(`--${name}`).trim() || '#808080';
    for (const name of NAMES) this[name.replace(/-(.)/g, (_, letter) => letter.toUpperCase())] = value(name);
    this.font = style.fontFamily;
    // The fills of slices, by number: the states, the classes, and the rest.
    this.fills = this.stateWords.map((word) => value(`fill-${word}`));
    this.classFill = this.fills.length;
    for (let index = 0; index < CLASS_COLOURS; index++) this.fills.push(value(`class-${index}`));
    this.slotFill = this.fills.push(this.waitsForSlot) - 1;
    this.dependencyFill = this.fills.push(this.waitsForDependencies) - 1;
    this.blockedFill = this.fills.push(this.threadBlocked) - 1;
    this.suspendedFill = this.fills.push(this.suspended) - 1;
    this.failedFill = this.stateWords.indexOf('failed');
    this.executingFill = this.stateWords.indexOf('executing');
    this.isStuck = this.stateWords.map(isStuck);
  }

  // Returns the fill of an operation, by 'state' or by 'class'.
  fillOf(model, row, by) {
    if (by === 'class') return this.classFill + this.classOfName[model.operations.class[row]];
    return model.operations.state[row];
  }

  // Returns the fill of a wait: that of its sort, or that of the state if the wait never ended because its operation is
  // stuck.
  fillOfWait(model, row, sort) {
    const state = model.operations.state[row];
    return this.isStuck[state] ? state : sort === 'slot' ? this.slotFill : this.dependencyFill;
  }

  // Returns the fill of a piece of a task that is not a run.
  fillOfPiece(kind) { return kind === 'turn' ? this.slotFill : this.suspendedFill; }

  // Returns the fill of a detail: waits look like a blocked thread, loss like a warning, everything else (blocks,
  // spans) like running work.
  fillOfDetail(kind) { return {wait: this.blockedFill, loss: this.failedFill}[kind] ?? this.executingFill; }
}
