// Reads the columns of the report's data. ColumnEncoder.swift writes them and describes the format.

// The bytes of a base64 text.
function bytesOf(text) {
  if (Uint8Array.fromBase64) return Uint8Array.fromBase64(text);
  const binary = atob(text);
  const bytes = new Uint8Array(binary.length);
  for (let at = 0; at < binary.length; at++) bytes[at] = binary.charCodeAt(at);
  return bytes;
}

// The numbers of one column, `missing` where there is none. `base`: the column that values are relative to, if any.
// Numbers up to 2^53 are exact.
export function decodeColumn(column, count, Type, missing, base = null) {
  const values = new Type(count);
  if ('all' in column) return values.fill(column.all ?? missing);
  const bytes = bytesOf(column.data);
  let at = 0;
  let previous = 0;
  for (let row = 0; row < count; row++) {
    let byte = bytes[at++];
    // The lowest 28 bits; nearly all distances have no more.
    let low = byte & 127;
    for (let shift = 7; byte > 127 && shift < 28; shift += 7) {
      byte = bytes[at++];
      low |= (byte & 127) << shift;
    }
    // The bits above them: apart, so that all 53 bits of a number are there for the distance.
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

// A table's columns by name, each of which is read when it is asked for first. Columns of times have NaN where there is none; the others hold
// whole numbers, and -1 where there is none.
export function decodeTable(table) {
  const unread = {...table.columns};
  // What is read becomes a property of the table itself, and hides its reader.
  const readers = {};
  for (const name of Object.keys(unread)) {
    Object.defineProperty(readers, name, {get() {
      const base = unread[name].base ? this[unread[name].base] : null;
      const isTime = unread[name].of === 'time';
      const value = decodeColumn(unread[name], table.count, isTime ? Float64Array : Int32Array, isTime ? NaN : -1, base);
      Object.defineProperty(this, name, {value, enumerable: true});
      // Its text is of no more use.
      unread[name] = null;
      return value;
    }});
  }
  const decoded = Object.create(readers);
  decoded.count = table.count;
  return decoded;
}

// Reads a column of the table that nobody has asked for yet; false: there is none.
export function readAhead(table) {
  const readers = Object.getPrototypeOf(table);
  // One that has grown was put together as a whole.
  if (readers === Object.prototype) return false;
  const next = Object.getOwnPropertyNames(readers).find((name) => !Object.hasOwn(table, name));
  return next !== undefined && table[next] !== undefined;
}

// A table that has grown: `last`, with what `table` says has changed. Its `kept` are runs of rows that stay: where each was, where it is, how
// many they are; all other rows come with it. `moved`: where the numbers have gone that columns hold, by what they are `of`.
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

// Where every row stays where it is, in the same memory, which has some room; else in new memory.
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

// For each of `count` owners, where its rows begin in a list that is sorted by owner: `starts[owner]` to
// `starts[owner + 1]`. `owners`: each row's owner, -1 for none. Also gives the rows in that order.
export function rowsByOwner(owners, count) {
  const starts = new Int32Array(count + 1);
  for (const owner of owners) if (owner >= 0) starts[owner + 1] += 1;
  for (let owner = 0; owner < count; owner++) starts[owner + 1] += starts[owner];
  const next = starts.slice(0, count);
  const rows = new Int32Array(starts[count]);
  for (let row = 0; row < owners.length; row++) if (owners[row] >= 0) rows[next[owners[row]]++] = row;
  return {starts, rows};
}
