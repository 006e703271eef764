// Blocks of dispatch queues, as the page reads them out of a report.
import assert from 'node:assert/strict';
import {readFileSync} from 'node:fs';
import {join} from 'node:path';
import test from 'node:test';
import {Model} from '../../../Sources/OpTracePage/Page/model.mjs';
import {findWork} from '../../../Sources/OpTracePage/Page/search.mjs';
import {buildLanes} from '../../../Sources/OpTraceTimeline/Page/slices.mjs';
import {layOut} from '../../../Sources/OpTraceTimeline/Page/rows.mjs';
import {buildCounters} from '../../../Sources/OpTraceTimeline/Page/steps.mjs';
import {dataOf, root, written} from '../support/reports.mjs';

const golden = () => new Model(dataOf(written('dispatch', readFileSync(join(root, 'Tests/OpTraceModelTests/Golden/good-dispatch.txt'), 'utf8'))));

test('blocks are rows behind the operations, found by number and by function', () => {
  const model = golden();
  assert.equal(model.count, 7);
  assert.deepEqual([1, 2, 7].map((id) => [model.rowOf(id), model.kind(model.rowOf(id))]), [[0, 'operation'], [1, 'block'], [6, 'block']]);
  assert.equal(model.rowOf(8), -1);
  assert.deepEqual(findWork(model, 'Upload.start').rows, [1]);
  assert.equal(model.counted(7), '7 operations and blocks');
  assert.deepEqual(model.rowsOfKind('block'), [1, 2, 3, 4, 5, 6]);
});

test('a block has its queue, its times, its submitter, its way, and what it submitted', () => {
  const model = golden();
  const [first, second] = [model.rowOf(2), model.rowOf(3)];
  assert.equal(model.queues[model.queue(first)].name, 'disk.io');
  assert.deepEqual(model.times(first), {waitingForDependencies: 0, waitingForSlot: 80, waitingForThread: 0, running: 20});
  assert.deepEqual(model.execution(first), {begin: 300, end: 320, isOpen: false});
  assert.equal(model.submitter(first), model.rowOf(1));
  assert.deepEqual(model.submissions(first), [second]);
  assert.equal(model.way(second), 'barrier, in a group');
  assert.deepEqual(model.moments(first).map(({what}) => what), ['submitted', 'began', 'ended']);
  assert.deepEqual(model.inside(second).map(({kind}) => kind), ['run', 'wait']);
  assert.deepEqual([4, 5, 6, 7].map((id) => model.state(model.rowOf(id))), ['finished', 'cancelled', 'cancelled', 'ready']);
  assert.ok(model.moments(model.rowOf(5)).some(({what}) => what === 'given up'));
});

test('each dispatch queue has its lanes, and each run is on a thread, too', () => {
  const model = golden();
  const lanes = buildLanes(model);
  const {rows} = layOut(model, lanes, buildCounters(model));
  assert.deepEqual(rows.filter(({kind}) => kind === 'heading').map(({title}) => title), ['Threads', 'Queue uploads · no limit', 'Dispatch queue disk.io · limit 1',
    'Dispatch queue net · no limit', 'Dispatch queue 3 · no limit', 'Dispatch queue com.apple.main-thread · limit 1', 'no queue']);
  const runs = lanes.filter(({kind}) => kind === 'detail').flatMap((lane) => Array.from(lane.row.slice(0, lane.count))).filter((row) => model.kind(row) === 'block');
  assert.equal(new Set(runs).size, 3);
  assert.equal(lanes.filter(({kind}) => kind === 'execution').reduce((sum, lane) => sum + lane.count, 0), 4);
});
