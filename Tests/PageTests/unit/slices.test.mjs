import assert from 'node:assert/strict';
import test from 'node:test';
import {Lane} from '../../../Sources/OpTraceTimeline/Page/slices.mjs';
import {seeded} from '../support/random.mjs';

function lane(intervals) {
  const made = new Lane('execution', 0, intervals.length);
  intervals.forEach(([begin, end], row) => made.add(begin, end, row));
  return made.close();
}

function visited(of, from, to, cell) {
  const pieces = [];
  of.visit(from, to, cell, (begin, end, at, count, coverage) => pieces.push({begin, end, at, count, coverage}));
  return pieces;
}

test('slices that are wider than a cell are drawn one by one, from the one that reaches in', () => {
  const pieces = visited(lane([[0, 50], [60, 90], [100, 200]]), 40, 150, 10);
  assert.deepEqual(pieces.map(({begin, end, count}) => [begin, end, count]), [[0, 50, 1], [60, 90, 1], [100, 200, 1]]);
});

test('what lies within one cell becomes one piece that knows how much is covered', () => {
  const pieces = visited(lane([[0, 1], [2, 4], [5, 6], [30, 32]]), 0, 100, 10);
  assert.deepEqual(pieces.map(({begin, end, count, coverage}) => [begin, end, count, coverage]), [[0, 10, 3, 0.4], [30, 40, 1, 0.2]]);
});

test('a long slice after short ones in a cell keeps its own length', () => {
  const pieces = visited(lane([[0, 1], [2, 3], [8, 55]]), 0, 100, 10);
  assert.deepEqual(pieces.map(({begin, end, count}) => [begin, end, count]), [[0, 10, 2], [8, 55, 1]]);
});

test('an empty lane shows nothing, and has nothing at any time', () => {
  const empty = lane([]);
  assert.deepEqual(visited(empty, 0, 10, 1), []);
  assert.equal(empty.at(5, 100), -1);
});

test('the slice at a time is the one around it, or the nearest in reach', () => {
  const own = lane([[10, 20], [30, 30], [40, 50]]);
  assert.equal(own.at(15), 0);
  assert.equal(own.at(10), 0);
  assert.equal(own.at(30), 1);
  assert.equal(own.at(25, 4), -1);
  assert.equal(own.at(26, 4), 1);
  assert.equal(own.at(5, 5), 0);
  assert.equal(own.at(60, 5), -1);
});

test('in any view nothing is lost, nothing is counted twice, and coverage is exact', () => {
  const {random, seed} = seeded();
  for (let round = 0; round < 300; round++) {
    const intervals = [];
    let time = Math.floor(random() * 50);
    while (intervals.length < 60) {
      const end = time + Math.floor(random() ** 3 * 40);
      intervals.push([time, end]);
      time = Math.max(end, time + 1) + Math.floor(random() ** 4 * 60);
    }
    const own = lane(intervals);
    const from = Math.floor(random() * time);
    const to = from + 1 + Math.floor(random() * time);
    const cell = 1 + Math.floor(random() * 30);
    const pieces = visited(own, from, to, cell);
    const seen = pieces.flatMap(({at, count}) => Array.from({length: count}, (_, one) => at + one));
    const expected = intervals.flatMap(([begin, end], row) => (begin < to && (end > from || begin >= from) ? [row] : []));
    const beyond = seen.filter((row) => !expected.includes(row));
    assert.deepEqual(expected.filter((row) => !seen.includes(row)), [], `lost, seed ${seed}`);
    // The last cell may reach beyond the view.
    assert.ok(beyond.every((row) => intervals[row][0] < to + cell), `too much, seed ${seed}`);
    assert.equal(new Set(seen).size, seen.length, `twice, seed ${seed}`);
    for (const {begin, end, at, count, coverage} of pieces.filter((one) => one.count > 1)) {
      const covered = intervals.slice(at, at + count).reduce((sum, one) => sum + one[1] - one[0], 0);
      assert.ok(Math.abs(coverage - Math.min(1, covered / (end - begin))) < 1e-9, `coverage, seed ${seed}`);
    }
  }
});

test('how much is covered until a time', () => {
  const own = lane([[10, 20], [30, 30], [40, 60]]);
  assert.deepEqual([0, 10, 15, 20, 35, 50, 100].map((time) => own.coveredUntil(time)), [0, 0, 5, 10, 10, 20, 30]);
  assert.equal(lane([]).coveredUntil(5), 0);
});
