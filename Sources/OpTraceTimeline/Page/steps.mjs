// A counter over time: each value holds until the next one. The highest value in a range is found with a pyramid of
// maxima, so that no peak is lost between two pixels.

const FANOUT = 16;

export class Steps {
  constructor(times, values) {
    this.times = times;
    this.values = values;
    this.levels = [values];
    while (this.levels[this.levels.length - 1].length > FANOUT) {
      const below = this.levels[this.levels.length - 1];
      const level = new Float64Array(Math.ceil(below.length / FANOUT));
      level.fill(-Infinity);
      for (let at = 0; at < below.length; at++) {
        const index = Math.floor(at / FANOUT);
        if (below[at] > level[index]) level[index] = below[at];
      }
      this.levels.push(level);
    }
    this.highest = this.levels[this.levels.length - 1].reduce((most, value) => Math.max(most, value), 0);
  }

  // Returns how many values are at or before `time`. O(log n).
  upTo(time) {
    let low = 0;
    let high = this.times.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.times[middle] <= time) low = middle + 1; else high = middle;
    }
    return low;
  }

  // Returns the value at a time; null before the first value.
  at(time) {
    const index = this.upTo(time) - 1;
    return index < 0 ? null : this.values[index];
  }

  // Returns the highest of the values from index `from` to before index `to`. O(log n).
  highestOf(from, to) {
    let most = -Infinity;
    for (let level = 0; from < to; level++) {
      const values = this.levels[level];
      while (from < to && (from % FANOUT !== 0 || level === this.levels.length - 1)) most = Math.max(most, values[from++]);
      while (from < to && to % FANOUT !== 0) most = Math.max(most, values[--to]);
      from /= FANOUT;
      to /= FANOUT;
    }
    return most;
  }

  // Calls `draw(from, to, value)` for ranges between two times. Within a `cell` of time, the value is the highest one.
  visit(from, to, cell, draw) {
    let index = this.upTo(from);
    let value = index > 0 ? this.values[index - 1] : null;
    let since = from;
    while (index < this.times.length && this.times[index] < to) {
      const time = this.times[index];
      if (value !== null && time > since) draw(since, time, value);
      const cellEnd = from + (Math.floor((time - from) / cell) + 1) * cell;
      const next = this.upTo(cellEnd);
      if (next > index + 1) {
        draw(time, Math.min(cellEnd, to), this.highestOf(index, next));
        since = cellEnd;
        index = next;
      } else {
        since = time;
        index += 1;
      }
      value = this.values[index - 1];
    }
    if (value !== null && since < to) draw(since, to, value);
  }
}

// Returns the counters of each group: {executing, ready, limit}, as far as it has them.
export function buildCounters(model) {
  const kinds = model.counterKinds;
  const collected = new Map();
  const {group, kind, time, value, count} = model.counters;
  for (let row = 0; row < count; row++) {
    const key = group[row] * kinds.length + kind[row];
    if (!collected.has(key)) collected.set(key, {times: [], values: []});
    collected.get(key).times.push(time[row]);
    collected.get(key).values.push(value[row]);
  }
  const counters = new Map();
  for (const [key, {times, values}] of collected) {
    const owner = Math.floor(key / kinds.length);
    if (!counters.has(owner)) counters.set(owner, {});
    counters.get(owner)[kinds[key % kinds.length]] = new Steps(Float64Array.from(times), Float64Array.from(values));
  }
  return counters;
}
