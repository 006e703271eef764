// What the parts decide, without a page.
import assert from 'node:assert/strict';
import test from 'node:test';
import {boxTowards, fittedView, reachable, zoomedView} from '../../../Sources/OpTraceGraph/Page/graph-geometry.mjs';
import {shortCount} from '../../../Sources/OpTracePage/Page/format.mjs';
import {bucketText, bucketsInUse, histogramCounts} from '../../../Sources/OpTraceSummary/Page/histogram.mjs';
import {findingCounts, findingOrder} from '../../../Sources/OpTracePage/Page/findings.mjs';
import {searchDelay} from '../../../Sources/OpTracePage/Page/search.mjs';
import {tabAfterKey} from '../../../Sources/OpTracePage/Page/tabs.mjs';
import {pathRows} from '../../../Sources/OpTraceSummary/Page/critical-path.mjs';

test('the rows of the critical path run from before it to after it, and add up', () => {
  const step = {waitingForDependencies: 1, waitingForSlot: 2, waitingForThread: 0, running: 7};
  const {rows, total, isWhole} = pathRows({before: 5, steps: [step, step], after: 75}, 100);
  assert.deepEqual(rows.map(({part, took, total: sum}) => [part ?? 'step', took, sum]), [['before', 5, 5], ['step', 10, 15], ['step', 10, 25], ['after', 75, 100]]);
  assert.equal(total, 100);
  assert.equal(isWhole, true);
  assert.equal(pathRows({before: 0, steps: [step], after: 0}, 11).isWhole, false);
});

test('arrow keys go round the tabs, Home and End to their ends', () => {
  assert.equal(tabAfterKey('ArrowRight', 3, 4), 0);
  assert.equal(tabAfterKey('ArrowLeft', 0, 4), 3);
  assert.equal(tabAfterKey('Home', 2, 4), 0);
  assert.equal(tabAfterKey('End', 0, 4), 3);
  assert.equal(tabAfterKey('x', 0, 4), null);
});

test('errors come first, and what is no known severity last; the doctor\'s order stays', () => {
  const findings = ['note', 'warning', 'error', 'strange', 'error'].map((severity) => ({severity}));
  const severities = ['error', 'warning', 'note'];
  assert.deepEqual(findingOrder(findings, severities), [2, 4, 1, 0, 3]);
  assert.equal(findingCounts(findings, severities), '2 errors, 1 warning and 1 note');
});

test('a search that took long waits for more letters, within reason', () => {
  assert.deepEqual([0, 100, 10_000].map(searchDelay), [60, 200, 600]);
});

test('the histogram counts each known time once, by queue', () => {
  const times = [[0, 1, 5], [0, 2, 5], [3, 1000, 5]];
  const model = {
    count: 3, queue: (row) => (row === 2 ? 1 : 0),
    times: (row) => ({waitingForDependencies: times[row][0], waitingForSlot: times[row][1], waitingForThread: 0, running: times[row][2]}),
  };
  const all = histogramCounts(model, -1);
  assert.equal(all.waitingForDependencies[0], 2);
  assert.equal(all.running.reduce((sum, count) => sum + count), 3);
  assert.deepEqual(bucketsInUse(all.waitingForSlot), [1, 10]);
  assert.deepEqual(bucketsInUse(histogramCounts(model, 1).waitingForSlot), [10, 10]);
  assert.deepEqual(bucketsInUse([0, 0]), [0, -1]);
  assert.equal(bucketText(0), 'none at all');
  assert.equal(bucketText(10), '512 ns to 1.02 µs');
  assert.deepEqual([980, 12_300, 999_600, 3_400_000].map(shortCount), ['980', '12k', '1M', '3.4M']);
});

test('zooming the graph leaves what is under the pointer, within its limits', () => {
  const view = zoomedView({x: 10, y: 20, scale: 1}, 2, 100, 50, {least: 0.1, most: 6});
  assert.deepEqual(view, {x: 60, y: 45, scale: 2});
  assert.equal(zoomedView(view, 100, 0, 0, {least: 0.1, most: 6}).scale, 6);
});

test('a fitted graph is shown whole and in the middle, an empty one too', () => {
  const view = fittedView({x: 0, y: 0, width: 1000, height: 100}, 532, 400, 1);
  assert.equal(view.scale, 0.5);
  assert.equal(view.x + 532 / view.scale / 2, 500);
  assert.ok(Number.isFinite(fittedView({x: 0, y: 0, width: 0, height: 0}, 10, 10, 1).scale));
});

test('everything that links lead to is highlighted, through cycles too', () => {
  const links = new Map([['a', [['b', 1]]], ['b', [['c', 2], ['a', 3]]]]);
  const {ids, passed} = reachable('a', links);
  assert.deepEqual([...ids].sort(), ['a', 'b', 'c']);
  assert.deepEqual(passed.sort(), [1, 2, 3]);
});

test('an arrow key leads to the nearest box in its direction, preferring one with an edge', () => {
  const box = (id, x, y) => ({id, x, y});
  const boxes = [box('right', 100, 0), box('far', 300, 0), box('linked', 120, 10), box('below', 0, 90)];
  assert.equal(boxTowards('ArrowRight', box('me', 0, 0), boxes, new Set()).id, 'right');
  assert.equal(boxTowards('ArrowRight', box('me', 0, 0), boxes, new Set(['linked'])).id, 'linked');
  assert.equal(boxTowards('ArrowDown', box('me', 0, 0), boxes, new Set()).id, 'below');
  assert.equal(boxTowards('ArrowLeft', box('me', 0, 0), boxes, new Set()), null);
});
