// How long the units of a kind took: a histogram in which a range can be chosen.
import {counted, durationText, shortCount} from '../../OpTracePage/Page/format.mjs';
import {h} from '../../OpTracePage/Page/dom.mjs';
import {Brush} from './brush.mjs';

const MOST_LABELS = 9;

/** `changed()` is called when other durations are chosen. */
export class Latency extends Brush {
  constructor(requests, kind, changed) {
    super(kind.buckets.length - 1, changed);
    Object.assign(this, {requests, kind});
    const highest = Math.max(1, ...kind.buckets);
    const every = Math.max(1, Math.ceil(kind.buckets.length / MOST_LABELS));
    this.columns = kind.buckets.map((count, index) => h('span', {class: 'bar-column', title: this.words(index)},
      h('span', {class: 'bar-count', css: {bottom: `${100 * count / highest}%`}}, count && kind.buckets.length < 40 ? shortCount(count) : ''),
      h('span', {class: count ? 'bar running-time' : 'bar empty-bar', css: {height: `${100 * count / highest}%`}}),
      index % every === 0 && h('span', {class: 'bar-label'}, durationText(this.start(index)))));
    this.bars = h('div', {class: 'bars latency-bars'}, this.columns);
    this.slider('latency', `How long units of ${kind.name} took`, this.bars);
    this.show();
  }

  start(index) { return this.requests.bucketStart(this.kind.firstBucket + index); }

  words(index) { return `${durationText(this.start(index))} to ${durationText(this.start(index + 1))}: ${counted(this.kind.buckets[index], 'unit')}`; }

  rangeWords() { return `${durationText(this.start(this.from))} to ${durationText(this.start(this.to + 1))} chosen, ${counted(this.count, 'unit')}`; }

  /** The number of units in the chosen buckets, including those that are not in the data. */
  get count() { return this.isChosen ? this.kind.buckets.slice(this.from, this.to + 1).reduce((sum, one) => sum + one, 0) : this.kind.count; }

  /** The chosen range of durations in nanoseconds. Null: none. */
  get range() { return this.isChosen ? [this.start(this.from), this.start(this.to + 1)] : null; }

  show() {
    for (const [index, column] of this.columns.entries()) {
      column.classList.toggle('brushed', this.isChosen && index >= this.from && index <= this.to);
      column.classList.toggle('pointed', index === this.cursor);
    }
    super.show();
  }

  at(event) {
    const box = this.bars.getBoundingClientRect();
    const columns = this.columns.map((column) => column.getBoundingClientRect());
    if (event.clientX > box.right + 20) return -1;
    const index = columns.findIndex(({right}) => event.clientX <= right);
    return index < 0 ? this.last : index;
  }
}
