import assert from 'node:assert/strict';
import test from 'node:test';
import {partsOf, shareText, timesOf} from '../../../Sources/OpTraceSummary/Page/critical-path.mjs';
import {chainText, durationText, grouped, listText, momentText, percentText, queueHeading} from '../../../Sources/OpTracePage/Page/format.mjs';
import {largestRows, sortedRows} from '../../../Sources/OpTracePage/Page/table.mjs';
import {boxAround, partView} from '../../../Sources/OpTraceGraph/Page/graph-geometry.mjs';
import {BUCKETS, bucketOf, bucketRange} from '../../../Sources/OpTraceSummary/Page/histogram.mjs';
import {Debounce, foundText} from '../../../Sources/OpTracePage/Page/search.mjs';

test('durations have three digits and a unit, as the command writes them', () => {
  const texts = [[0, '0 ms'], [850, '850 ns'], [12_300, '12.3 µs'], [50e6, '50 ms'], [1.23e9, '1.23 s'], [999_999, '1 ms'],
    [59.96e9, '1 min 00 s'], [125e9, '2 min 05 s'], [3720e9, '1 h 02 min'], [-850, '−850 ns'], [null, '–']];
  for (const [time, text] of texts) assert.equal(durationText(time), text);
});

test('numbers, moments, shares, lists and cycles', () => {
  assert.equal(grouped(1234567), '1,234,567');
  const moments = [[0, '0 ms'], [850, '850 ns'], [12_999, '12 µs'], [1_495_123, '1.495 ms'], [2_600_332_083, '2.600332 s'], [-471_915_000, '−471.915 ms'], [NaN, '–']];
  for (const [time, text] of moments) assert.equal(momentText(time), text);
  assert.equal(queueHeading({name: 'network', hasName: true}), 'Queue network');
  assert.equal(queueHeading({name: 'queue 7', hasName: false}), 'Queue 7');
  assert.deepEqual([0, 0.004, 0.42].map(percentText), ['0 %', '<1 %', '42 %']);
  assert.equal(listText(['a', 'b', 'c']), 'a, b and c');
  assert.equal(chainText(['A', 'B']), 'A → B → A');
});

test('sorting keeps equal rows in order both ways, and what is missing last', () => {
  const rows = [['a', 2], ['b', null], ['c', 1], ['d', 2]];
  const names = isDescending => sortedRows(rows, row => row[1], isDescending).map(row => row[0]).join('');
  assert.equal(names(false), 'cadb');
  assert.equal(names(true), 'adcb');
});

test('the largest rows come first, and none without a value', () => {
  assert.deepEqual(largestRows(5, row => [3, 0, 9, null, 5][row], 2), [2, 4]);
});

test('every bucket holds its first time and not the next one’s', () => {
  assert.equal(bucketOf(0), 0);
  for (let bucket = 1; bucket < BUCKETS - 1; bucket += 1) {
    const [from, to] = bucketRange(bucket);
    assert.deepEqual([bucketOf(from), bucketOf(to - 1), bucketOf(to)], [bucket, bucket, bucket + 1]);
  }
  assert.equal(bucketOf(1e18), BUCKETS - 1);
});

test('of calls that follow each other closely, the last one runs', () => {
  const timers = new Map(), ran = [];
  const clock = {start: act => { timers.set(timers.size + 1, act); return timers.size; }, stop: timer => timers.set(timer, () => {})};
  const debounce = new Debounce(text => ran.push(text), clock);
  debounce.call(100, 'a');
  debounce.call(100, 'ab');
  for (const act of [...timers.values()]) act();
  assert.deepEqual(ran, ['ab']);
  assert.equal(debounce.isPending, false);
  assert.equal(foundText(50, 1200), '50 of 1,200 found');
});

test('the lead of the critical path counts by the wall time, with what lies before and after', () => {
  const step = {waitingForDependencies: 0, waitingForSlot: 15, waitingForThread: 5, running: 130};
  assert.equal(shareText({steps: [step], before: 0, after: 850}, 1000), '85 % after the last step, 13 % running, 2 % waiting for a slot, <1 % waiting for a thread');
});

test('the parts of the critical path add up, the largest first, whatever names they have', () => {
  const step = (name, waitingForDependencies, waitingForSlot, running) => ({name, waitingForDependencies, waitingForSlot, waitingForThread: 0, running});
  const steps = [step('a', 0, 5, 10), step('__proto__', 1, 0, 40), step('a', 0, 0, 20)];
  const short = ({name, steps: count, took, running}) => [name, count, took, running];
  assert.deepEqual(partsOf(steps, ({name}) => name).map(short), [['__proto__', 1, 41, 40], ['a', 2, 35, 30]]);
  const times = timesOf({steps, before: 8, after: 0}, (_, kind) => kind.text);
  assert.deepEqual(times.map(short), [['running', 3, 70, 70], ['Before the first step', 0, 8, 0], ['waiting for a slot', 1, 5, 0], ['waiting for dependencies', 1, 1, 0]]);
});

test('a part of a picture is shown legibly, with as much of the rest as there is room for', () => {
  const part = boxAround([{x: 500, y: 100, width: 100, height: 40}, {x: 700, y: 300, width: 100, height: 40}]);
  assert.deepEqual(part, {x: 450, y: 80, width: 300, height: 240});
  const content = {x: 0, y: 0, width: 5000, height: 400};
  const {x, y} = partView(part, content, 1000, 600, 1);
  assert.ok(x < 0 && x > -50 && y < 0 && y > -50, 'from the begin of the picture, which is near');
  const middle = partView({...part, x: 2000}, content, 1000, 600, 1);
  assert.ok(middle.x <= 2000 && middle.x + 1000 >= 2300, 'all of the part');
  const edge = partView({x: 4900, y: 0, width: 100, height: 40}, content, 1000, 300, 0.8);
  assert.ok(edge.x + 1000 / edge.scale < 5040, 'no empty half of a window beside the picture');
  const large = partView(content, content, 1000, 600, 0.7);
  assert.ok(large.x <= 0 && large.x > -50, 'from its begin');
});
