// How the units of a kind went over time: their latency as lines, their rate as bars with those that failed, and when periodic work was done to which the
// slow ones lose time. A range of time can be chosen, which is that of the whole page.
import {counted, durationText} from '../../OpTracePage/Page/format.mjs';
import {h, svg} from '../../OpTracePage/Page/dom.mjs';
import {Viewport, tickText} from '../../OpTracePage/Page/viewport.mjs';
import {Tip} from '../../COpTraceScripts/Scripts/elements.mjs';
import {Brush} from './brush.mjs';
import {rateText} from './requests.mjs';

// The plots' own units. Lines keep their width in pixels.
const WIDE = 1000;
const HIGH = 100;
const LEAST_FAILED = 4;

/** `times` is asked for the range of time that the page shows, null: all; `changed(from, to)` chooses another one, without values: all. */
export class Course extends Brush {
  constructor(requests, kind, times, changed) {
    super(requests.course.count - 1, changed);
    Object.assign(this, {kind, times, axis: requests.course});
    this.slices = requests.slicesOf(kind);
    this.highest = Math.max(1, ...this.slices.map(({p99}) => p99 || 0));
    this.busiest = Math.max(0.001, ...this.slices.map(({perSecond}) => perSecond));
    this.plots = h('div', {class: 'course-plots'},
      this.plot('latency', [...this.line('p99'), ...this.line('p50')], durationText(this.highest)),
      this.plot('rate', this.slices.map((slice, index) => this.bar(slice, index)), `${rateText(this.busiest)} / s`),
      h('div', {class: 'course-axis', 'aria-hidden': 'true'}, this.ticks()));
    this.tip = new Tip(this.plots);
    this.slider('course', `Latency, rate and failures of ${kind.name} over time`, this.plots);
    this.element.addEventListener('pointermove', (event) => this.tip.show(this.at(event) < 0 ? null : this.lines(this.at(event)), event));
    this.element.addEventListener('pointerleave', () => this.tip.show(null));
    this.legend = h('ul', {class: 'course-legend faint'}, h('li', {}, h('i', {class: 'key-p99'}), 'p99'), h('li', {}, h('i', {class: 'key-p50'}), 'median'),
      h('li', {}, h('i', {class: 'key-rate'}), 'units a second'), kind.failed > 0 && h('li', {}, h('i', {class: 'key-failed'}), 'failed'),
      kind.pulses.map(({text}, index) => h('li', {class: 'pulse-words'}, h('i', {class: `key-pulse pulse-${index}`}), h('span', {}, text))));
    this.show();
  }

  // MARK: Drawing

  x(time) { return WIDE * (time - this.axis.first) / (this.axis.last - this.axis.first); }

  /** Returns a rectangle over all the height. It is never too narrow to be seen. */
  band(css, from, to) {
    const [left, right] = [this.x(from), this.x(to)].map((x) => Math.max(0, Math.min(WIDE, x)));
    return svg('rect', {class: css, x: left.toFixed(1), y: 0, width: Math.max(2.5, right - left).toFixed(1), height: HIGH});
  }

  plot(name, content, top) {
    const pulses = this.kind.pulses.flatMap(({times}, index) => times.map(([from, to]) => this.band(`pulse pulse-${index}`, from, to)));
    return [h('div', {class: 'course-scale faint', 'aria-hidden': 'true'}, h('span', {}, top), h('span', {}, '0')),
      svg('svg', {class: `course-plot course-${name}`, viewBox: `0 0 ${WIDE} ${HIGH}`, preserveAspectRatio: 'none', 'aria-hidden': 'true'},
        svg('g', {class: 'course-range'}), pulses, content)];
  }

  /** Returns a line with a gap where no unit ended, and dots for those that have no neighbour. */
  line(key) {
    let path = '';
    let dots = '';
    this.slices.forEach((slice, index) => {
      if (Number.isNaN(slice[key])) return;
      const x = this.x((this.axis.start(index) + this.axis.start(index + 1)) / 2).toFixed(1);
      const y = (HIGH - 3 - (HIGH - 8) * slice[key] / this.highest).toFixed(1);
      const isNext = index > 0 && !Number.isNaN(this.slices[index - 1][key]);
      path += `${isNext ? 'L' : 'M'}${x} ${y}`;
      dots += `M${x} ${y}h.01`;
    });
    return [svg('path', {class: `line-${key}`, d: path}), svg('path', {class: `line-${key} dots`, d: dots})];
  }

  bar({count, failed, perSecond}, index) {
    if (count === 0) return [];
    const [left, right] = [this.x(this.axis.start(index)), this.x(this.axis.start(index + 1))];
    const height = Math.max(1.5, (HIGH - 6) * perSecond / this.busiest);
    const box = (css, high) => svg('rect', {class: css, x: (left + 1).toFixed(1), y: (HIGH - high).toFixed(1), width: Math.max(1, right - left - 2).toFixed(1), height: high.toFixed(1)});
    return [box('rate-bar', height), failed > 0 && box('failed-bar', Math.min(height, Math.max(LEAST_FAILED, height * failed / count)))].filter(Boolean);
  }

  ticks() {
    const view = new Viewport(this.axis.first, this.axis.last);
    [view.from, view.to, view.width] = [this.axis.first, this.axis.last, 500];
    const {step, ticks} = view.ticks(90);
    return ticks.filter((time) => this.x(time) < WIDE * 0.95).map((time) => h('span', {css: {left: `${this.x(time) / WIDE * 100}%`}}, tickText(time, step, this.axis.last)));
  }

  show() {
    const range = this.times();
    [this.from, this.to] = range ? [this.axis.slice(range[0]), this.axis.slice(range[1] - 1)] : [-1, -1];
    for (const group of this.plots.querySelectorAll('.course-range')) {
      group.replaceChildren(...[range && this.band('chosen', ...range), this.band('pointed', this.axis.start(this.cursor), this.axis.start(this.cursor + 1))].filter(Boolean));
    }
    super.show();
  }

  // MARK: Words

  span(from, to) { return `${durationText(this.axis.start(from))} to ${durationText(this.axis.start(to + 1))}`; }

  /** Returns what there is to say of a slice. */
  lines(index) {
    const {count, failed, perSecond, p50, p99} = this.slices[index];
    const [from, to] = [this.axis.start(index), this.axis.start(index + 1)];
    const pulses = this.kind.pulses.filter(({times}) => times.some(([began, ended]) => began < to && ended >= from));
    return [this.span(index, index), count === 0 ? 'no unit ended' : `${counted(count, 'unit')}, ${rateText(perSecond)} a second`, count > 0 && `median ${durationText(p50)}, p99 ${durationText(p99)}`,
      failed > 0 && `${counted(failed, 'unit')} failed`, ...pulses.map(({name}) => `meanwhile: ${name}`)].filter(Boolean);
  }

  words(index) { return this.lines(index).join(', '); }

  rangeWords() { return `${this.span(this.from, this.to)} chosen; ${this.words(this.cursor)}`; }

  // MARK: Choosing

  /** The range is the page's: it is asked for it again to show it. */
  choose(one, other) {
    const [from, to] = [Math.min(one, other), Math.max(one, other)];
    if (one < 0 ? !this.isChosen : from === this.from && to === this.to) return;
    if (one < 0) this.changed(); else this.changed(this.axis.start(from), this.axis.start(to + 1) + (to === this.last ? 1 : 0));
    this.show();
  }

  at(event) {
    const box = this.plots.querySelector('svg').getBoundingClientRect();
    const share = (event.clientX - box.left) / Math.max(1, box.width);
    if (share < -0.1 || share > 1.05) return -1;
    const {first, last} = this.axis;
    return this.axis.slice(first + Math.max(0, Math.min(1, share)) * (last - first));
  }
}
