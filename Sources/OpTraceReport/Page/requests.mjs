// The units of work of a trace, such as requests, as ReportRequests.swift writes them, and answers to questions about
// them.
import {decodeTable} from './columns.mjs';

export class Requests {
  constructor({facts, units, parts, lines, pieces}) {
    Object.assign(this, {open: facts.open, moreKinds: facts.moreKinds, moreActors: facts.moreActors, bucketsPerDoubling: facts.bucketsPerDoubling});
    this.whats = facts.whats.map(([word, title]) => ({word, title}));
    this.causes = facts.causes.map(([what, who, code]) => ({what: this.whats[what], who, code: codeOf(code)}));
    this.loops = facts.loops.map((loop) => ({...loop, code: codeOf(loop.code)}));
    this.actors = facts.actors.map((actor) => ({...actor, code: codeOf(actor.code)}));
    let first = 0;
    this.kinds = facts.kinds.map((kind) => {
      const breakdown = kind.breakdown.map(([cause, median, tail]) => ({cause, median, tail}));
      const one = {...kind, code: codeOf(kind.code), breakdown, firstUnit: first};
      first += kind.units;
      return one;
    });
    this.units = decodeTable(units);
    this.parts = decodeTable(parts);
    this.lines = decodeTable(lines);
    this.pieces = decodeTable(pieces);
    this.partStarts = startsOf(this.units.parts);
    this.lineStarts = startsOf(this.units.lines);
    this.pieceStarts = startsOf(this.lines.pieces);
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

  /** Returns the units of a kind that took from `from` to below `to` nanoseconds, the slowest first. */
  unitsBetween(kind, from = 0, to = Infinity) {
    const found = [];
    const {length} = this.units;
    for (let unit = kind.firstUnit; unit < kind.firstUnit + kind.units; unit += 1) if (length[unit] >= from && length[unit] < to) found.push(unit);
    return found;
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

  /** Returns the unit itself, then what was submitted within its time: {work, depth, began, ended, pieces}. Empty: that is not known. */
  tree(unit) {
    const {work, depth, began, ended} = this.lines;
    const found = [];
    for (let line = this.lineStarts[unit]; line < this.lineStarts[unit + 1]; line += 1) {
      const pieces = [];
      for (let piece = this.pieceStarts[line]; piece < this.pieceStarts[line + 1]; piece += 1) {
        pieces.push({cause: this.causes[this.pieces.cause[piece]], began: this.pieces.began[piece], ended: this.pieces.ended[piece]});
      }
      found.push({work: work[line], depth: depth[line], began: began[line], ended: ended[line], pieces});
    }
    return found;
  }

  hasTree(unit) { return this.units.lines[unit] > 0; }
}

function codeOf([name, at]) { return {name, at}; }

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
