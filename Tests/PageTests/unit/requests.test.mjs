// What the page computes of units of work.
import assert from 'node:assert/strict';
import test from 'node:test';
import {blameTree} from '../../../Sources/OpTraceRequests/Page/blame-flame.mjs';
import {Requests, causeText, lineOfCode, rateText} from '../../../Sources/OpTraceRequests/Page/requests.mjs';

// As ColumnEncoder.swift writes it, for small tables of numbers of at most 28 bits.
function column(values, of) {
  const bytes = [];
  let previous = 0;
  for (const value of values) {
    let rest = value === null ? 0 : ((value - previous) << 1 ^ (value - previous) >> 31) + 1;
    if (value !== null) previous = value;
    for (; rest > 127; rest >>= 7) bytes.push((rest & 127) | 128);
    bytes.push(rest);
  }
  return {...(of && {of}), data: Buffer.from(bytes).toString('base64')};
}
const table = (count, columns, times = []) => ({count, columns: Object.fromEntries(Object.entries(columns).map(([name, values]) => [name, column(values, times.includes(name) ? 'time' : null)]))});

// Two kinds: of the first, all of three units are there; of the second two slowest of ten, and two that stand for four each.
const requests = new Requests({
  facts: {
    open: 0, moreKinds: 0, moreActors: 0, bucketsPerDoubling: 4, whats: [['running', 'running'], ['actor', 'waiting for an actor']],
    causes: [[0, '', ['f()', 'A.swift:1']], [1, 'Cache', ['', '']], [0, '', ['g()', '']]], loops: [], actors: [],
    course: [0, 50, 3, 130], words: ['GET /', 'had meanwhile by \'two\''], steps: [['lock', 'for a lock', 'waits for a lock', ''], ['holder', 'by two', 'work of \'two\' had it', ''], ['running', 'f()', 'runs', 'f()'], ['others', 'others', 'many', '']],
    kinds: [
      {name: 'one', code: ['one()', ''], isLoad: false, count: 3, units: 3, slowest: 3, breakdown: [[1, 10, 90], [0, 10, 10]], firstBucket: 20, buckets: [2, 1], hasCourse: false, pulses: [], blame: [1, 1]},
      {name: 'two', code: ['', ''], isLoad: true, count: 10, units: 4, slowest: 2, breakdown: [], firstBucket: 20, buckets: [10], hasCourse: true, pulses: [], blame: [2, 4]},
    ],
  },
  units: table(7, {
    work: [1, 2, 1, 5, 6, 7, 8], round: [1, null, 2, null, null, null, null], began: [0, 10, 20, 30, 40, 50, 60], length: [100, 20, 20, 80, 60, 40, 20],
    isFailed: [0, 0, 1, 0, 0, 0, 0], parts: [2, 2, 1, 1, 1, 1, 1], lines: [2, 0, 0, 0, 0, 0, 0], words: [0, null, null, null, null, null, null],
  }, ['began', 'length']),
  parts: table(9, {cause: [0, 1, 0, 1, 2, 0, 0, 0, 1], length: [10, 90, 10, 10, 20, 80, 60, 40, 20]}, ['length']),
  lines: table(2, {work: [1, 9], depth: [0, 1], began: [0, 5], ended: [100, 30], pieces: [2, 1], notes: [1, 0]}, ['began', 'ended']),
  notes: table(1, {cause: [1], time: [90], times: [3], words: [1]}, ['time']),
  pieces: table(3, {cause: [0, 1, 2], began: [0, 10, 5], ended: [10, 100, 30]}, ['began', 'ended']),
  slices: table(3, {units: [0, 4, 6], failed: [0, 1, 0], rate: [0, 80000, 75500], p50: [null, 40, 20], p99: [null, 60, 80]}, ['p50', 'p99']),
  // Of the first kind: f(). Of the second one: for a lock, by itself, in f() or others.
  blameNodes: table(5, {parent: [null, null, 0, 1, 1], words: [2, 0, 1, 2, 3]}),
  blameUnits: table(3, {ended: [100, 110, 100], length: [100, 80, 60], shares: [1, 2, 1]}, ['ended', 'length']),
  blameShares: table(4, {node: [0, 2, 3, 2], time: [100, 70, 10, 60]}, ['time']),
});
const [one, two] = requests.kinds;

test('units have their names, and their kinds have them in order', () => {
  assert.deepEqual([0, 1, 2, 3].map((unit) => requests.unitName(unit)), ['#1:1', '#2', '#1:2', '#5']);
  assert.deepEqual(requests.unitsBetween(one), [0, 1, 2]);
  assert.deepEqual(requests.unitsBetween(two, 20, 60), [5, 6]);
  assert.deepEqual(requests.unitsBetween(two, 100), []);
});

test('a unit of a sample stands for several', () => {
  assert.deepEqual([3, 4, 5, 6].map((unit) => requests.weight(two, unit)), [1, 1, 4, 4]);
  assert.deepEqual([0, 1, 2].map((unit) => requests.weight(one, unit)), [1, 1, 1]);
  assert.deepEqual([...requests.means(two, [3, 5])], [[0, (80 + 4 * 40) / 5]]);
});

test('the breakdown of the slowest, and that of a range against the same median', () => {
  assert.deepEqual(requests.breakdown(one), [{cause: 1, median: 10, tail: 90}, {cause: 0, median: 10, tail: 10}]);
  assert.deepEqual(requests.breakdown(one, [1, 2]), [{cause: 2, median: 0, tail: 10}, {cause: 0, median: 10, tail: 5}, {cause: 1, median: 10, tail: 5}]);
  assert.deepEqual(requests.breakdown(two, []), []);
});

test('a tree has its lines with their pieces', () => {
  const [root, child] = requests.tree(0);
  assert.deepEqual([root.work, root.depth, root.began, root.ended, child.work, child.depth], [1, 0, 0, 100, 9, 1]);
  assert.deepEqual(root.pieces.map(({cause, began, ended}) => [causeText(cause), began, ended]), [['running', 0, 10], ['waiting for an actor: Cache', 10, 100]]);
  assert.deepEqual([root.notes.map(({cause, time, count, words}) => [causeText(cause), time, count, words]), child.notes], [[['waiting for an actor: Cache', 90, 3, 'had meanwhile by \'two\'']], []]);
  assert.deepEqual([0, 1].map((unit) => requests.said(unit)), ['GET /', '']);
  assert.deepEqual([1, 9, 6, 77].map((id) => requests.unitOf(id)), [0, 0, 4, -1]);
  assert.deepEqual([0, 2, 3, 6].map((unit) => requests.kindOf(unit).name), ['one', 'one', 'two', 'two']);
  assert.deepEqual([requests.hasTree(0), requests.hasTree(1), requests.tree(1).length], [true, false, 0]);
});

test('a kind has its slices of time, and the units that ended in a range of it', () => {
  assert.deepEqual(requests.slicesOf(two)[1], {count: 4, failed: 1, perSecond: 80, p50: 40, p99: 60});
  assert.deepEqual(requests.slicesOf(two).map(({p99}) => Number.isNaN(p99)), [true, false, false]);
  const {course} = requests;
  assert.deepEqual([0, 1, 2, 3].map((index) => course.start(index)), [0, 50, 100, 130]);
  assert.deepEqual([-5, 0, 49, 50, 129, 1000].map((time) => course.slice(time)), [0, 0, 0, 1, 2, 2]);
  assert.deepEqual(requests.unitsBetween(one, 0, Infinity, [30, 41]), [1, 2]);
  assert.deepEqual(requests.unitsBetween(one, 0, Infinity, [30, 40]), [1]);
  assert.deepEqual(requests.unitsBetween(one, 50, Infinity, [30, 40]), []);
});

test('blame is a flame graph: the time of a unit, on average of those that are shown', () => {
  const said = ({step, weight, start, children}) => `${step?.title ?? 'all'} ${start}+${weight}${children.length > 0 ? ` (${children.map(said).join(', ')})` : ''}`;
  assert.deepEqual(requests.blamedBetween(two), [1, 2]);
  assert.deepEqual(requests.blamedBetween(two, 70), [1]);
  assert.deepEqual(requests.blamedBetween(two, 0, Infinity, [0, 105]), [2]);
  assert.equal(said(blameTree(requests, two, [1, 2])), 'all 0+70 (for a lock 0+70 (by two 0+70 (f() 0+65, others 65+5)))');
  assert.equal(said(blameTree(requests, one, requests.blamedBetween(one))), 'all 0+100 (f() 0+100)');
  assert.equal(said(blameTree(requests, two, [])), 'all 0+0');
});

test('names of code, rates and buckets', () => {
  assert.deepEqual([['f()', 'A.swift:1'], ['f()', ''], ['', 'A.swift:1'], ['', '']].map(([name, at]) => lineOfCode({name, at})), ['f() (A.swift:1)', 'f()', 'A.swift:1', '']);
  assert.deepEqual([0.04, 9.94, 10, 1234.5].map(rateText), ['0.0', '9.9', '10', '1,235']);
  assert.deepEqual([requests.bucketStart(0), requests.bucketStart(40)], [0, 1024]);
  assert.equal(requests.areLoad, true);
});
