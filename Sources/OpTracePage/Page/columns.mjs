// Reads the columns of the report's data. ColumnEncoder.swift writes them and describes the format.

// Returns the bytes of a base64 text.
function bytesOf(text) {
  if (Uint8Array.fromBase64) return Uint8Array.fromBase64(text);
  const binary = atob(text);
  const bytes = new Uint8Array(binary.length);
  for (let at = 0; at < binary.length; at++) bytes[at] = binary.charCodeAt(at);
  return bytes;
}

// Returns the numbers of one column, with `missing` where there is no value. `base` is the column that values are
// relative to, or that the column equals, if any. Numbers up to 2^53 are exact.
export function decodeColumn(column, count, Type, missing, base = null) {
  const values = new Type(count);
  if ('all' in column) return values.fill(column.all ?? missing);
  if (!('data' in column)) return base.slice();
  const bytes = bytesOf(column.data);
  let at = 0;
  let previous = 0;
  for (let row = 0; row < count; row++) {
    let byte = bytes[at++];
    // These are the lowest 28 bits. Nearly all distances have no more.
    let low = byte & 127;
    for (let shift = 7; byte > 127 && shift < 28; shift += 7) {
      byte = bytes[at++];
      low |= (byte & 127) << shift;
    }
    // The bits above them are kept apart, so that all 53 bits of a number are available for the distance.
    let high = 0;
    for (let scale = 1; byte > 127; scale *= 128) {
      byte = bytes[at++];
      high += (byte & 127) * scale;
    }
    if (low === 0 && high === 0) {
      values[row] = missing;
      continue;
    }
    if (low === 0) {
      low = 0xfffffff;
      high -= 1;
    } else {
      low -= 1;
    }
    const half = high === 0 ? low >> 1 : (low >> 1) + high * 0x8000000;
    const distance = (low & 1) === 0 ? half : -half - 1;
    const from = base !== null && base[row] === base[row] && base[row] !== missing ? base[row] : previous;
    previous = from + distance;
    values[row] = previous;
  }
  return values;
}

// Returns the columns of a table by name. Each of them is read when it is first used. Columns of times have NaN where
// there is no value; the others contain integers, and -1 where there is no value.
export function decodeTable(table) {
  const unread = {...table.columns};
  // A column that has been read becomes a property of the table itself, and hides its reader.
  const readers = {};
  for (const name of Object.keys(unread)) {
    Object.defineProperty(readers, name, {get() {
      const base = unread[name].base ? this[unread[name].base] : null;
      const isTime = unread[name].of === 'time';
      const value = decodeColumn(unread[name], table.count, isTime ? Float64Array : Int32Array, isTime ? NaN : -1, base);
      Object.defineProperty(this, name, {value, enumerable: true});
      // The text of the column is no longer needed.
      unread[name] = null;
      return value;
    }});
  }
  const decoded = Object.create(readers);
  decoded.count = table.count;
  return decoded;
}

// Reads a column of the table that nothing has used yet. Returns false if there is none.
export function readAhead(table) {
  const readers = Object.getPrototypeOf(table);
  // A table that has grown was assembled as a whole.
  if (readers === Object.prototype) return false;
  const next = Object.getOwnPropertyNames(readers).find((name) => !Object.hasOwn(table, name));
  return next !== undefined && table[next] !== undefined;
}

// Returns a table that has grown: `last`, with the changes in `table`. Its `kept` lists runs of rows that stay: where
// each run was, where it is, and how many rows it has; all other rows come with `table`. `moved` says where the numbers
// in the columns have moved, by what the numbers are `of`.
export function grownTable(last, table, moved = {}) {
  if (!table.kept) return decodeTable(table);
  const {count, kept, columns} = table;
  const gaps = gapsBetween(kept, count);
  const fresh = decodeTable({count: gaps.reduce((sum, [from, to]) => sum + to - from, 0), columns});
  const grown = {count};
  for (const name of Object.keys(columns)) {
    const values = keptValues(last[name], kept, count);
    const renumber = moved[columns[name].of];
    if (renumber) for (let run = 0; run < kept.length; run += 3) renumber(values, kept[run + 1], kept[run + 1] + kept[run + 2]);
    let at = 0;
    for (const [from, to] of gaps) {
      if (to - from === 1) values[from] = fresh[name][at++];
      else {
        values.set(fresh[name].subarray(at, at + to - from), from);
        at += to - from;
      }
    }
    grown[name] = values;
  }
  return grown;
}

function gapsBetween(kept, count) {
  const gaps = [];
  let from = 0;
  for (let run = 0; run < kept.length; run += 3) {
    if (kept[run + 1] > from) gaps.push([from, kept[run + 1]]);
    from = kept[run + 1] + kept[run + 2];
  }
  if (count > from) gaps.push([from, count]);
  return gaps;
}

// Returns the kept values: in the same memory if every row stays where it is and there is room; otherwise in new
// memory.
function keptValues(last, kept, count) {
  let isStill = true;
  for (let run = 0; run < kept.length; run += 3) if (kept[run] !== kept[run + 1]) isStill = false;
  const Type = last.constructor;
  if (isStill && last.buffer.byteLength >= count * Type.BYTES_PER_ELEMENT) return new Type(last.buffer, 0, count);
  const values = new Type(new ArrayBuffer(Math.ceil(count * 1.25) * Type.BYTES_PER_ELEMENT), 0, count);
  if (isStill) values.set(last.subarray(0, Math.min(last.length, count)));
  else for (let run = 0; run < kept.length; run += 3) values.set(last.subarray(kept[run], kept[run] + kept[run + 2]), kept[run + 1]);
  return values;
}

// Finds, for each of `count` owners, where its rows begin in a list sorted by owner: at `starts[owner]`, up to
// `starts[owner + 1]`. `owners` contains the owner of each row, or -1 for none. Also returns the rows in that order.
export function rowsByOwner(owners, count) {
  const starts = new Int32Array(count + 1);
  for (const owner of owners) if (owner >= 0) starts[owner + 1] += 1;
  for (let owner = 0; owner < count; owner++) starts[owner + 1] += starts[owner];
  const next = starts.slice(0, count);
  const rows = new Int32Array(starts[count]);
  for (let row = 0; row < owners.length; row++) if (owners[row] >= 0) rows[next[owners[row]]++] = row;
  return {starts, rows};
}
