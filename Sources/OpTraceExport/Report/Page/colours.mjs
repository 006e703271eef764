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
    this.states = this.stateWords.map((word) => value(`fill-${word}`));
    this.classes = Array.from({length: CLASS_COLOURS}, (_, place) => value(`class-${place}`));
  }

  // `by`: 'state' or 'class'.
  ofOperation(model, row, by) {
    if (row < 0) return this.muted;
    return by === 'class' ? this.classes[model.operations.class[row] % CLASS_COLOURS] : this.states[model.operations.state[row]];
  }
}
