// The timeline's colours: those of the page's style sheet, read again when the colour scheme changes.
import {isStuck} from './words.mjs';

const NAMES = ['page', 'text', 'muted', 'line', 'band', 'accent', 'critical', 'waits-for-dependencies', 'waits-for-slot', 'thread-blocked', 'suspended', 'stuck', 'on-fill'];
export const CLASS_COLOURS = 10;

// The style sheet's class with the colour of a wait, by the state of its operation: its sort's, or where it never ends that of the state.
export function waitFillOf(state, sort) {
  return isStuck(state) ? `fill-of-${state}` : `waits-for-${sort}`;
}

export class Colours {
  constructor(element, model) {
    this.element = element;
    this.stateWords = model.stateWords;
    // A class has the colour of its rank, so that the first ones differ; by the number of its name.
    const ranks = new Map([...model.classes, ...model.functions, ...model.tasks].map(({name}, rank) => [name, rank % CLASS_COLOURS]));
    this.classOfName = model.strings.map((text) => ranks.get(text) ?? 0);
    this.read();
  }

  read() {
    const style = getComputedStyle(this.element);
    const value = (name) => style.getPropertyValue(`--${name}`).trim() || '#808080';
    for (const name of NAMES) this[name.replace(/-(.)/g, (_, letter) => letter.toUpperCase())] = value(name);
    this.font = style.fontFamily;
    // What slices are filled with, by number: the states, the classes, and the rest.
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

  // Of an operation, by 'state' or by 'class'.
  fillOf(model, row, by) {
    if (by === 'class') return this.classFill + this.classOfName[model.operations.class[row]];
    return model.operations.state[row];
  }

  // A wait has the colour of its sort; one that never ended, because its operation is stuck, that of the state.
  fillOfWait(model, row, sort) {
    const state = model.operations.state[row];
    return this.isStuck[state] ? state : sort === 'slot' ? this.slotFill : this.dependencyFill;
  }

  // Of a task that is no run.
  fillOfPiece(kind) { return kind === 'turn' ? this.slotFill : this.suspendedFill; }

  // Waits as a thread that is blocked, loss as a warning, all else (blocks, spans) as what runs.
  fillOfDetail(kind) { return {wait: this.blockedFill, loss: this.failedFill}[kind] ?? this.executingFill; }
}
