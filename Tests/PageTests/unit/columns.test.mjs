import assert from 'node:assert/strict';
import test from 'node:test';
import {decodeColumn, decodeTable, grownTable, readAhead, rowsByOwner} from '../../../Sources/OpTracePage/Page/columns.mjs';

// The bytes that ColumnEncoder.swift writes, made here by the words of its comment.
function encoded(values, bases = []) {
  const bytes = [];
  let previous = 0n;
  values.forEach((value, row) => {
    if (value === null) return bytes.push(0);
    const base = bases[row] ?? null;
    const distance = BigInt(value) - (base === null ? previous : BigInt(base));
    previous = BigInt(value);
    let rest = (distance >= 0n ? distance * 2n : -distance * 2n - 1n) + 1n;
    for (; rest > 127n; rest >>= 7n) bytes.push(Number(rest & 127n) | 128);
    bytes.push(Number(rest));
  });
  return {data: Buffer.from(bytes).toString('base64')};
}

test('a column of times comes back, also before the start and beyond 2^32', () => {
  const values = [0, 5, -3, null, 127, 128, 4294967296, 9007199254740991, null, 1, -9007199254740990];
  const decoded = Array.from(decodeColumn(encoded(values), values.length, Float64Array, NaN));
  assert.deepEqual(decoded.map((one) => (Number.isNaN(one) ? null : one)), values);
});

test('a column of one value is written once', () => {
  assert.deepEqual(Array.from(decodeColumn({all: 7}, 3, Int32Array, -1)), [7, 7, 7]);
  assert.deepEqual(Array.from(decodeColumn({all: null}, 2, Int32Array, -1)), [-1, -1]);
});

test('a column that is the same as another is a copy of it', () => {
  const decoded = decodeTable({count: 3, columns: {end: {of: 'time', base: 'begin'}, begin: {of: 'time', ...encoded([100, null, 300])}}});
  assert.deepEqual([...decoded.end], [100, NaN, 300]);
  assert.notEqual(decoded.end.buffer, decoded.begin.buffer);
});

test('values are relative to another column where that has one, else to the one before', () => {
  const begin = [100, null, 300];
  const end = [110, 50, 360];
  const table = {count: 3, columns: {end: {of: 'time', base: 'begin', ...encoded(end, begin)}, begin: {of: 'time', ...encoded(begin)}}};
  const decoded = decodeTable(table);
  assert.deepEqual(Array.from(decoded.begin), [100, NaN, 300]);
  assert.deepEqual(Array.from(decoded.end), end);
});

test('a base of zero and one of -1 are numbers like others', () => {
  const table = {count: 2, columns: {on: {base: 'operation', ...encoded([0, 1], [0, 1])}, operation: encoded([0, 1])}};
  assert.deepEqual(Array.from(decodeTable(table).on), [0, 1]);
});

test('an empty table has empty columns', () => {
  const decoded = decodeTable({count: 0, columns: {id: {all: null}}});
  assert.equal(decoded.count, 0);
  assert.equal(decoded.id.length, 0);
});

test('distances of any length come back', () => {
  const values = [0];
  for (let bits = 1; bits < 53; bits++) values.push(2 ** bits - 1, -(2 ** bits) + 1, 2 ** (bits - 1));
  assert.deepEqual(Array.from(decodeColumn(encoded(values), values.length, Float64Array, NaN)), values);
});

test('a column is read when it is asked for, with those that it is relative to, and once', () => {
  const begin = [100, 200];
  const table = {count: 2, columns: {begin: encoded(begin), end: {base: 'begin', ...encoded([110, 210], begin)}, never: {data: '!'}}};
  const decoded = decodeTable(table);
  assert.deepEqual(Object.keys(decoded), ['count']);
  const end = decoded.end;
  assert.deepEqual(Object.keys(decoded).sort(), ['begin', 'count', 'end']);
  assert.equal(decoded.end, end);
});

test('reading ahead reads all that nobody has asked for, a column at a time', () => {
  const decoded = decodeTable({count: 2, columns: {one: encoded([1, 2]), two: encoded([3, 4]), three: {all: 5}}});
  void decoded.two;
  assert.equal(readAhead(decoded), true);
  assert.deepEqual(Object.keys(decoded), ['count', 'two', 'one']);
  assert.equal(readAhead(decoded), true);
  assert.equal(readAhead(decoded), false);
  assert.deepEqual([decoded.one, decoded.two, decoded.three].map((column) => Array.from(column)), [[1, 2], [3, 4], [5, 5]]);
  const grown = grownTable(decoded, {count: 3, kept: [0, 0, 2], columns: {one: {all: 9}, two: {all: 9}, three: {all: 9}}});
  assert.equal(readAhead(grown), false);
  assert.deepEqual(Array.from(grown.one), [1, 2, 9]);
});

test('rows by owner keep their order, and what has no owner is in none', () => {
  const {starts, rows} = rowsByOwner([2, 0, -1, 2, 0], 4);
  assert.deepEqual(Array.from(starts), [0, 2, 2, 4, 4]);
  assert.deepEqual(Array.from(rows), [1, 4, 0, 3]);
});
