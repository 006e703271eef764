// How long the units of a kind took: a histogram in which a range can be chosen with the pointer or the keyboard.
import {counted, durationText} from './format.mjs';
import {h} from './dom.mjs';
import {shortCount} from './histogram.mjs';

const MOST_LABELS = 9;

/** `changed(from, to)` is called with the chosen buckets, including `to`; (-1, -1): none. */
export class Latency {
  constructor(requests, kind, changed) {
    Object.assign(this, {requests, kind, changed, from: -1, to: -1, anchor: -1, cursor: 0, isDragging: false});
    this.last = kind.buckets.length - 1;
    const highest = Math.max(1, ...kind.buckets);
    const every = Math.max(1, Math.ceil(kind.buckets.length / MOST_LABELS));
    this.columns = kind.buckets.map((count, index) => h('span', {class: 'bar-column', title: this.words(index)},
      h('span', {class: 'bar-count', css: {bottom: `${100 * count / highest}%`}}, count && kind.buckets.length < 40 ? shortCount(count) : ''),
      h('span', {class: count ? 'bar running-time' : 'bar empty-bar', css: {height: `${100 * count / highest}%`}}),
      index % every === 0 && h('span', {class: 'bar-label'}, durationText(this.start(index)))));
    this.bars = h('div', {class: 'bars latency-bars'}, this.columns);
    this.element = h('div', {
      class: 'latency', role: 'slider', tabindex: '0', 'aria-label': `How long units of ${kind.name} took`, 'aria-valuemin': '0', 'aria-valuemax': String(this.last),
      'aria-keyshortcuts': 'ArrowLeft ArrowRight Escape', onkeydown: event => this.key(event), onpointerdown: event => this.begin(event),
      onpointermove: event => this.drag(event), onpointerup: () => this.end(), onpointercancel: () => this.end(),
    }, this.bars);
    this.show();
  }

  start(index) { return this.requests.bucketStart(this.kind.firstBucket + index); }

  words(index) { return `${durationText(this.start(index))} to ${durationText(this.start(index + 1))}: ${counted(this.kind.buckets[index], 'unit')}`; }

  /** The number of units in the chosen buckets, including those that are not in the data. */
  get count() { return this.from < 0 ? this.kind.count : this.kind.buckets.slice(this.from, this.to + 1).reduce((sum, one) => sum + one, 0); }

  /** The chosen range of durations in nanoseconds. Null: none. */
  get range() { return this.from < 0 ? null : [this.start(this.from), this.start(this.to + 1)]; }

  choose(one, other) {
    const [from, to] = one < 0 ? [-1, -1] : [Math.min(one, other), Math.max(one, other)];
    if (from === this.from && to === this.to) return;
    [this.from, this.to] = [from, to];
    this.show();
    this.changed();
  }

  show() {
    for (const [index, column] of this.columns.entries()) {
      column.classList.toggle('brushed', this.from >= 0 && index >= this.from && index <= this.to);
      column.classList.toggle('pointed', index === this.cursor);
    }
    this.element.setAttribute('aria-valuenow', String(this.cursor));
    this.element.setAttribute('aria-valuetext', this.from < 0 ? `${this.words(this.cursor)}; nothing is chosen`
      : `${durationText(this.start(this.from))} to ${durationText(this.start(this.to + 1))} chosen, ${counted(this.count, 'unit')}`);
  }

  // MARK: Pointer and keys

  at(event) {
    const box = this.bars.getBoundingClientRect();
    const columns = this.columns.map((column) => column.getBoundingClientRect());
    if (event.clientX > box.right + 20) return -1;
    const index = columns.findIndex(({right}) => event.clientX <= right);
    return index < 0 ? this.last : index;
  }

  begin(event) {
    if (event.button !== 0) return;
    const index = this.at(event);
    if (index < 0) return this.choose(-1, -1);
    this.element.setPointerCapture?.(event.pointerId);
    this.isDragging = true;
    // A click on a bar that is the only chosen one clears the choice.
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
    if (event.key === 'Escape' && this.from >= 0) this.choose(-1, -1);
    else if (next === undefined) return;
    else {
      this.cursor = Math.max(0, Math.min(this.last, next));
      if (!event.shiftKey || this.from < 0) this.anchor = this.cursor;
      this.choose(this.anchor, this.cursor);
      this.show();
    }
    event.preventDefault();
    event.stopPropagation();
  }
}
