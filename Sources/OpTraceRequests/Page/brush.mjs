// A chart in which a range of its columns can be chosen with the pointer or the keyboard.
import {h} from '../../OpTracePage/Page/dom.mjs';

/**
 * The columns are numbered from 0 to `last`. Who extends it says `at(event)`, the column under the pointer, -1: beside all; `words(index)`; `rangeWords()`, of
 * the chosen ones; `show()`, which draws the choice and ends with that of this class; and is told by `changed()`.
 */
export class Brush {
  constructor(last, changed) { Object.assign(this, {last, changed, from: -1, to: -1, anchor: -1, cursor: 0, isDragging: false}); }

  /** Makes the element that has the pointer and the keyboard. */
  slider(css, label, ...children) {
    this.element = h('div', {
      class: css, role: 'slider', tabindex: '0', 'aria-label': label, 'aria-valuemin': '0', 'aria-valuemax': String(this.last),
      'aria-keyshortcuts': 'ArrowLeft ArrowRight Escape', onkeydown: event => this.key(event), onpointerdown: event => this.begin(event),
      onpointermove: event => this.drag(event), onpointerup: () => this.end(), onpointercancel: () => this.end(),
    }, ...children);
    return this.element;
  }

  get isChosen() { return this.from >= 0; }

  /** Chooses the columns from one to another, both included; -1: none. */
  choose(one, other) {
    const [from, to] = one < 0 ? [-1, -1] : [Math.min(one, other), Math.max(one, other)];
    if (from === this.from && to === this.to) return;
    [this.from, this.to] = [from, to];
    this.show();
    this.changed();
  }

  show() {
    this.element.setAttribute('aria-valuenow', String(this.cursor));
    this.element.setAttribute('aria-valuetext', this.isChosen ? this.rangeWords() : `${this.words(this.cursor)}; nothing is chosen`);
  }

  begin(event) {
    if (event.button !== 0) return;
    const index = this.at(event);
    if (index < 0) return this.choose(-1, -1);
    this.element.setPointerCapture?.(event.pointerId);
    this.isDragging = true;
    // A click on a column that is the only chosen one clears the choice.
    const isOff = this.from === index && this.to === index;
    [this.anchor, this.cursor] = [index, index];
    this.choose(isOff ? -1 : index, index);
  }

  drag(event) {
    const index = this.isDragging ? this.at(event) : -1;
    if (index < 0 || (index === this.cursor && index === this.anchor)) return;
    this.cursor = index;
    this.choose(this.anchor, index);
  }

  end() { this.isDragging = false; }

  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const next = {ArrowLeft: this.cursor - 1, ArrowRight: this.cursor + 1, Home: 0, End: this.last, Enter: this.cursor, ' ': this.cursor}[event.key];
    if (event.key === 'Escape' && this.isChosen) this.choose(-1, -1);
    else if (next === undefined) return;
    else {
      this.cursor = Math.max(0, Math.min(this.last, next));
      if (!event.shiftKey || !this.isChosen) this.anchor = this.cursor;
      this.choose(this.anchor, this.cursor);
      this.show();
    }
    event.preventDefault();
    event.stopPropagation();
  }
}
