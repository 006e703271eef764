// A range of time that is shown, and its mapping to pixels.

export class Viewport {
  // `from` to `to` is the whole range.
  constructor(from, to) {
    const margin = Math.max(1, (to - from) * 0.01);
    this.first = from - margin;
    this.last = to + margin;
    this.end = to;
    this.from = this.first;
    this.to = this.last;
    // Where the drawing begins and how wide it is, in pixels.
    this.left = 0;
    this.width = 1;
  }

  // Takes a larger range. A view of everything still shows everything, and a view of the end moves along with it;
  // otherwise nothing moves.
  grow(from, to) {
    const {isAll, isAtEnd, end} = this;
    const margin = Math.max(1, (to - from) * 0.01);
    [this.first, this.last, this.end] = [from - margin, to + margin, to];
    if (isAll) this.all();
    else if (isAtEnd) this.show(this.from + to - end, this.to + to - end);
  }

  // Whether the last moment is in view, but not the whole range.
  get isAtEnd() { return !this.isAll && this.from <= this.end && this.to >= this.end; }

  get span() { return this.to - this.from; }
  get perPixel() { return this.span / this.width; }
  get isAll() { return this.from <= this.first && this.to >= this.last; }

  x(time) { return this.left + ((time - this.from) / this.span) * this.width; }
  time(x) { return this.from + ((x - this.left) / this.width) * this.span; }

  // Shows a range. It is never shorter than 100 ns nor longer than the whole range, and never lies outside it.
  show(from, to) {
    const span = Math.max(to - from, 100);
    if (span >= (this.last - this.first) * (1 - 1e-9)) {
      // This is not computed, because the whole range must be exact to the last bit.
      [this.from, this.to] = [this.first, this.last];
      return;
    }
    const middle = (from + to) / 2;
    const begin = Math.min(Math.max(middle - span / 2, this.first), this.last - span);
    this.from = begin;
    this.to = begin + span;
  }

  all() { this.show(this.first, this.last); }

  // Zooms. The time under `x` stays there. A `factor` below 1 zooms in.
  zoom(factor, x) {
    const time = this.time(x);
    const span = Math.min(Math.max(this.span * factor, 100), this.last - this.first);
    const from = time - ((x - this.left) / this.width) * span;
    this.show(from, from + span);
  }

  pan(pixels) { this.show(this.from + pixels * this.perPixel, this.to + pixels * this.perPixel); }

  // Shows an interval in the middle, large enough to be seen, with its surroundings. If it is clearly visible already,
  // nothing moves.
  reveal(begin, end) {
    const length = Math.max(end - begin, 100);
    const isInside = begin >= this.from && end <= this.to;
    if (isInside && length * 40 > this.span) return;
    const span = Math.max(length * 3, Math.min(this.span, length * 20));
    const middle = (begin + end) / 2;
    this.show(middle - span / 2, middle + span / 2);
  }

  // Returns round times for the ruler, about `pixels` apart: 1, 2 or 5 times a power of ten.
  ticks(pixels = 110) {
    const raw = this.perPixel * pixels;
    const power = 10 ** Math.floor(Math.log10(raw));
    const step = [1, 2, 5, 10].map((one) => one * power).find((one) => one >= raw) ?? raw;
    const ticks = [];
    for (let time = Math.ceil(this.from / step) * step; time <= this.to; time += step) ticks.push(time);
    return {step, ticks};
  }
}

// Formats a time on the ruler, as precisely as the step between two marks requires; all marks use the same unit.
export function tickText(time, step, largest) {
  const [unit, size] = largest >= 1e9 ? ['s', 1e9] : largest >= 1e6 ? ['ms', 1e6] : ['µs', 1e3];
  const digits = Math.min(9, Math.max(0, Math.ceil(Math.log10(size / step) - 1e-9)));
  return `${(time / size).toFixed(digits)} ${unit}`;
}
