// The units of work of a trace, such as requests, as ReportRequests.swift writes them, and answers to questions about
// them.
import {decodeTable} from '../../OpTracePage/Page/columns.mjs';
import {grouped} from '../../OpTracePage/Page/format.mjs';

/** Slices of time that follow one another, all but the last one of the same length. */
class Slices {
  constructor([first, step, count, last]) { Object.assign(this, {first, step, count, last}); }

  /** Returns when a slice begins; for the number of all, when the last one ends. */
  start(index) { return index >= this.count ? this.last : this.first + index * this.step; }

  slice(time) { return Math.max(0, Math.min(this.count - 1, Math.floor((time - this.first) / this.step))); }
}

export class Requests {
  constructor({facts, units, parts, lines, pieces, notes, slices, blameNodes, blameUnits, blameShares}) {
    Object.assign(this, {open: facts.open, moreKinds: facts.moreKinds, moreActors: facts.moreActors, bucketsPerDoubling: facts.bucketsPerDoubling});
    this.whats = facts.whats.map(([word, title]) => ({word, title}));
    this.causes = facts.causes.map(([what, who, code]) => ({what: this.whats[what], who, code: codeOf(code)}));
    this.loops = facts.loops.map((loop) => ({...loop, code: codeOf(loop.code)}));
    this.actors = facts.actors.map((actor) => ({...actor, code: codeOf(actor.code)}));
    this.course = facts.course && new Slices(facts.course);
    let first = 0;
    let [firstSlice, firstNode, firstBlamed] = [0, 0, 0];
    this.kinds = facts.kinds.map((kind) => {
      const breakdown = kind.breakdown.map(([cause, median, tail]) => ({cause, median, tail}));
      const one = {...kind, code: codeOf(kind.code), breakdown, firstUnit: first, firstSlice, blamed: kind.blame[0], nodes: kind.blame[1], firstNode, firstBlamed};
      first += kind.units;
      firstNode += one.nodes;
      firstBlamed += one.blamed;
      if (kind.hasCourse) firstSlice += this.course.count;
      return one;
    });
    this.units = decodeTable(units);
    this.parts = decodeTable(parts);
    this.lines = decodeTable(lines);
    this.pieces = decodeTable(pieces);
    this.notes = decodeTable(notes);
    this.words = facts.words;
    this.slices = decodeTable(slices);
    this.steps = facts.steps.map(([kind, title, text, culprit]) => ({kind, title, text, culprit}));
    this.blameNodes = decodeTable(blameNodes);
    this.blameUnits = decodeTable(blameUnits);
    this.blameShares = decodeTable(blameShares);
    this.shareStarts = startsOf(this.blameUnits.shares);
    this.partStarts = startsOf(this.units.parts);
    this.lineStarts = startsOf(this.units.lines);
    this.pieceStarts = startsOf(this.lines.pieces);
    this.noteStarts = startsOf(this.lines.notes);
  }

  /** Whether the page should open with them. */
  get areLoad() { return this.kinds.some(({isLoad}) => isLoad); }

  /** Returns the name of a unit: `#17`, or `#17:3` for the third round of a task that is known. */
  unitName(unit) {
    const {work, round} = this.units;
    return round[unit] < 0 ? `#${work[unit]}` : `#${work[unit]}:${round[unit]}`;
  }

  /**
   * Returns how many units one unit in the data stands for. The slowest ones stand for themselves; of the others, the data contains an even
   * sample.
   */
  weight(kind, unit) {
    const rest = kind.units - kind.slowest;
    return unit - kind.firstUnit < kind.slowest || rest === 0 ? 1 : (kind.count - kind.slowest) / rest;
  }

  /**
   * Returns the units of a kind that took from `from` to below `to` nanoseconds, the slowest first. `times`: only those that ended from the first of these to before
   * the second; null: all.
   */
  unitsBetween(kind, from = 0, to = Infinity, times = null) {
    const found = [];
    const {began, length} = this.units;
    const [first, last] = times ?? [-Infinity, Infinity];
    for (let unit = kind.firstUnit; unit < kind.firstUnit + kind.units; unit += 1) {
      const ended = began[unit] + length[unit];
      if (length[unit] >= from && length[unit] < to && ended >= first && ended < last) found.push(unit);
    }
    return found;
  }

  /** Returns the slow units of a kind whose blame is known, by durations and times as above: rows of `blameUnits`. */
  blamedBetween(kind, from = 0, to = Infinity, times = null) {
    const {ended, length} = this.blameUnits;
    const [first, last] = times ?? [-Infinity, Infinity];
    return Array.from({length: kind.blamed}, (_, index) => kind.firstBlamed + index)
      .filter((unit) => length[unit] >= from && length[unit] < to && ended[unit] >= first && ended[unit] < last);
  }

  /** Returns how a kind went in each slice of `course`: {count, failed, perSecond, p50, p99}, the last two NaN if none ended. */
  slicesOf(kind) {
    const {units, failed, rate, p50, p99} = this.slices;
    return Array.from({length: this.course.count}, (_, index) => {
      const row = kind.firstSlice + index;
      return {count: units[row], failed: failed[row], perSecond: rate[row] / 1000, p50: p50[row], p99: p99[row]};
    });
  }

  /** Returns where the time of these units went, on average: nanoseconds by cause. */
  means(kind, units) {
    const sums = new Map();
    const {cause, length} = this.parts;
    let whole = 0;
    for (const unit of units) {
      const weight = this.weight(kind, unit);
      whole += weight;
      for (let part = this.partStarts[unit]; part < this.partStarts[unit + 1]; part += 1) sums.set(cause[part], (sums.get(cause[part]) ?? 0) + weight * length[part]);
    }
    return new Map([...sums].map(([one, sum]) => [one, sum / whole]));
  }

  /**
   * Returns where the time of the median unit and of the slowest units went, `{cause, median, tail}`, in order of time. If `units` is
   * given, these are compared with the median instead of the slowest ones.
   */
  breakdown(kind, units = null) {
    const rows = new Map(kind.breakdown.map((share) => [share.cause, {...share, tail: units ? 0 : share.tail}]));
    if (units) {
      const means = this.means(kind, units);
      const least = [...means.values()].reduce((sum, one) => sum + one, 0) * 0.005;
      for (const [cause, tail] of means) if (rows.has(cause) || tail > least) rows.set(cause, {cause, median: rows.get(cause)?.median ?? 0, tail});
    }
    return [...rows.values()].filter(({median, tail}) => median > 0 || tail > 0)
      .sort((one, other) => other.tail - one.tail || other.median - one.median || one.cause - other.cause);
  }

  /** Returns the first time that belongs to a bucket of the histogram. */
  bucketStart(bucket) { return bucket <= 0 ? 0 : 2 ** (bucket / this.bucketsPerDoubling); }

  /** Returns what the program's spans say of a unit, such as `GET /stock, 503`; empty: nothing. */
  said(unit) { return this.words[this.units.words[unit]] ?? ''; }

  /**
   * Returns the unit itself, then what was submitted within its time: {work, depth, began, ended, pieces, notes}. Empty: that is not known. Notes are what took most
   * of the time: {cause, time, count, words}, with words for who had what was waited for.
   */
  tree(unit) {
    const {work, depth, began, ended} = this.lines;
    const found = [];
    for (let line = this.lineStarts[unit]; line < this.lineStarts[unit + 1]; line += 1) {
      const pieces = [];
      for (let piece = this.pieceStarts[line]; piece < this.pieceStarts[line + 1]; piece += 1) {
        pieces.push({cause: this.causes[this.pieces.cause[piece]], began: this.pieces.began[piece], ended: this.pieces.ended[piece]});
      }
      const notes = [];
      for (let note = this.noteStarts[line]; note < this.noteStarts[line + 1]; note += 1) {
        const {cause, time, times, words} = this.notes;
        notes.push({cause: this.causes[cause[note]], time: time[note], count: times[note], words: this.words[words[note]] ?? ''});
      }
      found.push({work: work[line], depth: depth[line], began: began[line], ended: ended[line], pieces, notes});
    }
    return found;
  }

  /** Returns the slowest unit that a piece of work is, or is part of; one with a tree if there is any; -1: none in the data. */
  unitOf(id) {
    const {work, lines} = this.units;
    let other = -1;
    for (let unit = 0; unit < this.units.count; unit += 1) {
      if (lines[unit] > 0 && this.lines.work.subarray(this.lineStarts[unit], this.lineStarts[unit + 1]).includes(id)) return unit;
      if (other < 0 && work[unit] === id) other = unit;
    }
    return other;
  }

  kindOf(unit) { return this.kinds.find(({firstUnit, units}) => unit >= firstUnit && unit < firstUnit + units); }

  hasTree(unit) { return this.units.lines[unit] > 0; }
}

function codeOf([name, at]) { return {name, at}; }

/** `0.4`, `1,200` */
export function rateText(rate) { return rate >= 10 ? grouped(rate) : rate.toFixed(1); }

/** Returns where the rows of each owner begin, for rows that are sorted by owner. */
function startsOf(counts) {
  const starts = new Int32Array(counts.length + 1);
  for (let index = 0; index < counts.length; index += 1) starts[index + 1] = starts[index] + counts[index];
  return starts;
}

/** `waiting for an actor · Cache`: what the unit did, and whom it waited for. */
export function causeText({what, who}) { return who ? `${what.title}: ${who}` : what.title; }

/** `touch(_:) (Cache.swift:31)` */
export function lineOfCode({name, at}) { return name && at ? `${name} (${at})` : name || at; }
