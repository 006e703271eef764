// The timeline's colours: those of the page's style sheet, read again when the colour scheme changes.

const NAMES = ['page', 'text', 'muted', 'line', 'band', 'accent', 'critical', 'waits-for-dependencies', 'waits-for-slot', 'on-fill'];
export const CLASS_COLOURS = 10;

export class Colours {
  constructor(element, stateWords) {
    this.element = element;
    this.stateWords = stateWords;
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
    for (let place = 0; place < CLASS_COLOURS; place++) this.fills.push(value(`class-${place}`));
    this.slotFill = this.fills.push(this.waitsForSlot) - 1;
    this.dependencyFill = this.fills.push(this.waitsForDependencies) - 1;
    this.failedFill = this.stateWords.indexOf('failed');
    this.executingFill = this.stateWords.indexOf('executing');
  }

  // Of an operation, by 'state' or by 'class'.
  fillOf(model, row, by) {
    if (by === 'class') return this.classFill + (model.operations.class[row] % CLASS_COLOURS);
    return model.operations.state[row];
  }

  // Blocks and spans as what runs, waits as what waits, loss as a warning.
  fillOfDetail(kind) { return [this.executingFill, this.executingFill, this.slotFill, this.failedFill][kind]; }
}
