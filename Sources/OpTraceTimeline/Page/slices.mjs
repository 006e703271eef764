// The lanes of the timeline: slices that do not overlap, sorted by time, in flat arrays. Slices closer together than a
// pixel are drawn as one piece that knows how much of it is covered. So the cost of a frame depends on the number of
// pixels, not on the number of operations.

export class Lane {
  // `kind` is 'execution', 'dependencies', 'slot', 'detail', or 'task', which contains all pieces of tasks. `track` is
  // its index among the model's tracks.
  constructor(kind, track, count) {
    this.kind = kind;
    this.track = track;
    this.begin = new Float64Array(count);
    this.end = new Float64Array(count);
    // The operation (-1: none), and for details their own index.
    this.row = new Int32Array(count);
    this.detail = kind === 'detail' ? new Int32Array(count) : null;
    // The index of the task's piece, and whether its code runs in it.
    this.piece = kind === 'task' ? new Int32Array(count) : null;
    this.runs = kind === 'task' ? new Uint8Array(count) : null;
    this.count = 0;
  }

  add(begin, end, row, detail = -1, runs = false) {
    const at = this.count++;
    if (this.piece) [this.piece[at], this.runs[at]] = [detail, runs ? 1 : 0];
    this.begin[at] = begin;
    this.end[at] = end;
    this.row[at] = row;
    if (this.detail) this.detail[at] = detail;
  }

  // Call this once all slices are there. It sorts them by time, and sums up the time covered before each. For a task,
  // only its runs count.
  close() {
    this.#sort();
    this.busy = new Float64Array(this.count + 1);
    for (let at = 0; at < this.count; at++) this.busy[at + 1] = this.busy[at] + (this.covers(at) ? this.end[at] - this.begin[at] : 0);
    return this;
  }

  // Sorts the slices. Most of them arrive in order, or nearly so. Slices that begin at the same time keep their order.
  #sort() {
    const {begin, count} = this;
    const order = new Int32Array(count);
    let isSorted = true;
    let moves = 8 * count;
    for (let at = 0; at < count; at++) {
      let position = at;
      for (; position > 0 && moves > 0 && begin[order[position - 1]] > begin[at]; position--, moves--) order[position] = order[position - 1];
      order[position] = at;
      if (position !== at) isSorted = false;
    }
    if (isSorted && moves > 0) return;
    if (moves <= 0) order.map((_, at) => at).sort((one, other) => begin[one] - begin[other] || one - other).forEach((at, index) => { order[index] = at; });
    for (const name of ['begin', 'end', 'row', 'detail', 'piece', 'runs']) {
      const values = this[name];
      if (values === null) continue;
      this[name] = new values.constructor(count);
      for (let index = 0; index < count; index++) this[name][index] = values[order[index]];
    }
  }

  covers(at) { return this.runs === null || this.runs[at] === 1; }

  // Returns the first slice from `at` on that begins at `time` or later. O(log distance).
  skip(at, time) {
    let step = 1;
    let low = at;
    while (low + step < this.count && this.begin[low + step] < time) {
      low += step;
      step *= 2;
    }
    let high = Math.min(low + step, this.count);
    if (low >= this.count || this.begin[low] >= time) return low;
    while (low + 1 < high) {
      const middle = (low + high) >> 1;
      if (this.begin[middle] < time) low = middle; else high = middle;
    }
    return high;
  }

  // Returns how much of the time before `time` is covered. O(log n).
  coveredUntil(time) {
    const next = this.count > 0 ? this.skip(0, time) : 0;
    return this.busy[next] - (next > 0 && this.covers(next - 1) ? Math.max(0, this.end[next - 1] - time) : 0);
  }

  // Returns the slice at a time, or the nearest one within `reach` of it; -1: none.
  at(time, reach = 0) {
    const next = this.count > 0 ? this.skip(0, time) : 0;
    const before = this.count > 0 && next < this.count && this.begin[next] === time ? next : next - 1;
    if (before >= 0 && this.end[before] >= time) return before;
    const left = before >= 0 ? time - this.end[before] : Infinity;
    const right = next < this.count ? this.begin[next] - time : Infinity;
    if (Math.min(left, right) > reach) return -1;
    return left <= right ? before : next;
  }

  // Calls `draw(from, to, at, count, coverage)` for what is visible between two times, in order: either one slice, or
  // `count` slices from `at` on that partly cover a cell of the width `cell` (a time).
  visit(from, to, cell, draw) {
    let at = Math.max(0, this.skip(0, from) - 1);
    while (at < this.count && this.end[at] <= from && this.begin[at] < from) at += 1;
    while (at < this.count && this.begin[at] < to) {
      const index = Math.floor((this.begin[at] - from) / cell);
      const cellBegin = from + index * cell;
      const cellEnd = cellBegin + cell;
      if (this.end[at] >= cellEnd) {
        draw(this.begin[at], this.end[at], at, 1, 1);
        at += 1;
        continue;
      }
      let next = this.skip(at, cellEnd);
      // The last one may extend beyond the cell; then it is drawn separately.
      if (next - 1 > at && this.end[next - 1] > cellEnd) next -= 1;
      draw(cellBegin, cellEnd, at, next - at, Math.min(1, (this.busy[next] - this.busy[at]) / cell));
      at = next;
    }
  }
}

// Returns all lanes of a model. Details nest, so each depth of a track becomes a lane of its own.
export function buildLanes(model) {
  const {track, dependencyTrack, slotTrack} = model.operations;
  const {count, begin, end, enqueued, turned, got} = intervalsOf(model);
  const lanes = [];
  const addAll = (kind, tracks, from, to) => {
    const counts = new Int32Array(model.tracks.count);
    // If a time never came to be, at least one of the two is NaN.
    const isThere = (row) => tracks[row] >= 0 && (kind === 'execution' ? to[row] >= from[row] : to[row] > from[row]);
    for (let row = 0; row < count; row++) if (isThere(row)) counts[tracks[row]] += 1;
    const own = Array.from(counts, (size, index) => (size > 0 ? new Lane(kind, index, size) : null));
    for (let row = 0; row < count; row++) if (isThere(row)) own[tracks[row]].add(from[row], to[row], row);
    for (const lane of own) if (lane) lanes.push(lane.close());
  };
  addAll('execution', track, begin, end);
  addAll('slot', slotTrack, turned, got);
  addAll('dependencies', dependencyTrack, enqueued, turned);
  return lanes.concat(taskLanes(model), detailLanes(model)).sort((one, other) => one.track - other.track);
}

// Returns, by row, when all work other than tasks executed and waited: from `begin` to `end`; from `enqueued` to `turned` for dependencies,
// and from there to `got` for a slot or a thread.
function intervalsOf(model) {
  const count = Math.min(model.count, model.firstTask);
  const {enqueued, turned, got, began, ended} = model.moment;
  const untilNow = (times, from) => times.map((time, row) => (Number.isNaN(time) && !Number.isNaN(from[row]) ? model.end : time));
  const open = untilNow(turned, enqueued);
  return {count, begin: began, end: untilNow(ended, began), enqueued, turned: open, got: untilNow(got, open)};
}

// Returns a lane for the tasks of each track, with what they ran and what they waited for.
function taskLanes(model) {
  const {track} = model.operations;
  const {begin, end, kind, row} = model.pieces;
  const running = model.pieceKinds.indexOf('run');
  const indexes = new Map();
  for (let index = 0; index < model.pieces.count; index++) {
    const own = track[row[index]];
    if (own < 0) continue;
    if (!indexes.has(own)) indexes.set(own, []);
    indexes.get(own).push(index);
  }
  return [...indexes].map(([own, list]) => {
    const lane = new Lane('task', own, list.length);
    for (const index of list) lane.add(begin[index], end[index], row[index], index, kind[index] === running);
    return lane.close();
  });
}

function detailLanes(model) {
  const {track, begin, end, operation, count} = model.details;
  const indexes = new Map();
  let open = [];
  for (let index = 0; index < count; index++) {
    if (index === 0 || track[index] !== track[index - 1]) open = [];
    while (open.length > 0 && open[open.length - 1] <= begin[index]) open.pop();
    const key = track[index] * 1000 + open.length;
    open.push(end[index]);
    if (!indexes.has(key)) indexes.set(key, []);
    indexes.get(key).push(index);
  }
  return [...indexes.keys()].sort((one, other) => one - other).map((key) => {
    const own = indexes.get(key);
    const lane = new Lane('detail', Math.floor(key / 1000), own.length);
    for (const index of own) lane.add(begin[index], end[index], operation[index], index);
    return lane.close();
  });
}
