// What the page reads out of a report, against what the command says of the same trace.
import assert from 'node:assert/strict';
import {readdirSync} from 'node:fs';
import {join} from 'node:path';
import test from 'node:test';
import {Model} from '../../../Sources/OpTracePage/Page/model.mjs';
import {findWork} from '../../../Sources/OpTracePage/Page/search.mjs';
import {buildLanes} from '../../../Sources/OpTraceTimeline/Page/slices.mjs';
import {dataOf, json, root, sample, workload, written} from '../support/reports.mjs';
import {serviceTrace} from '../support/services.mjs';
import '../support/parts.mjs';
import {PIECES} from '../../../Sources/OpTracePage/Page/words.mjs';
import {slotGiverOf, slotHoldersOf, unblockerOf} from '../../../Sources/OpTracePage/Page/waiting.mjs';

const names = readdirSync(join(root, 'traces')).filter((name) => name.endsWith('.optrace')).map((name) => name.replace('.optrace', ''));
const load = (page) => new Model(dataOf(page));
const rows = (model) => Array.from({length: model.count}, (_, row) => row);
const seconds = (nanoseconds) => Number((nanoseconds / 1e9).toFixed(9));
const row = (model, name) => rows(model).find((one) => model.name(one) === name);

for (const name of names) {
  test(`${name}: the figures are those of the summary`, () => {
    const model = load(sample(name));
    const summary = json('summary', name);
    assert.equal(model.count, summary.operationCount);
    assert.equal(seconds(model.wall), summary.wallSeconds);
    for (const [at, queue] of summary.queues.entries()) {
      const own = rows(model).filter((one) => model.queue(one) === at);
      const sum = (key) => seconds(own.reduce((all, one) => all + model.times(one)[key], 0));
      assert.equal(own.length, queue.operationCount, queue.name);
      assert.equal(sum('waitingForDependencies'), queue.waitingForDependenciesSeconds, queue.name);
      assert.equal(sum('waitingForSlot'), queue.waitingForSlotSeconds, queue.name);
      assert.equal(sum('waitingForThread'), queue.waitingForThreadSeconds, queue.name);
      assert.equal(sum('running'), queue.busySeconds, queue.name);
    }
    for (const one of summary.classes) {
      const own = rows(model).filter((each) => model.className(each) === one.name);
      assert.equal(own.length, one.operationCount, one.name);
    }
  });

  test(`${name}: the critical path adds up to the wall time`, () => {
    const model = load(sample(name));
    const {wall} = model;
    const criticalPath = model.why.path(model);
    const parts = criticalPath.steps.map((step) => {
      assert.equal(step.waitingForDependencies + step.waitingForSlot + step.waitingForThread + step.running, step.ended - step.began);
      return step.ended - step.began;
    });
    if (parts.length > 0) assert.equal(criticalPath.before + parts.reduce((sum, one) => sum + one, 0) + criticalPath.after, wall);
    const {steps, remaining} = json('summary', name).criticalPath;
    assert.equal(criticalPath.steps.length, steps.length);
    assert.equal(criticalPath.remaining.length, remaining.length);
  });

  test(`${name}: the findings are the doctor's`, () => {
    const model = load(sample(name));
    const doctor = json('doctor', name);
    assert.equal(model.verdict.word, doctor.verdict);
    assert.deepEqual(model.findings.map((one) => [one.code, one.severity, one.rows.map((each) => model.id(each)), one.cycle.map((each) => model.id(each))]),
      doctor.findings.map((one) => [one.code, one.severity, one.operations.map((each) => each.id), one.cycle]));
  });

  test(`${name}: every execution and wait is in a lane, and none overlaps another`, () => {
    const model = load(sample(name));
    const lanes = buildLanes(model);
    const count = (kind) => lanes.filter((lane) => lane.kind === kind).reduce((sum, lane) => sum + lane.count, 0);
    assert.equal(count('execution'), rows(model).filter((one) => model.execution(one)).length);
    assert.equal(count('slot') + count('dependencies') + model.waitsWithoutLane,
      rows(model).filter((one) => model.slotWait(one)).length + rows(model).filter((one) => model.dependencyWait(one)).length);
    for (const lane of lanes) {
      for (let at = 1; at < lane.count; at++) assert.ok(lane.begin[at] >= lane.end[at - 1], `${lane.kind} ${at}`);
    }
  });
}

test('both directions of a dependency say the same', () => {
  const model = load(sample('photo-import'));
  for (const one of rows(model)) {
    for (const dependency of model.dependencies(one)) assert.ok(model.dependents(dependency.row).includes(one));
    for (const dependent of model.dependents(one)) assert.ok(model.dependencies(dependent).some((each) => each.row === one));
  }
});

test('who unblocked an operation, and whose slot it got', () => {
  const model = load(sample('photo-import'));
  const download = row(model, 'Download 3');
  assert.equal(model.name(unblockerOf(model, download).row), 'ParseManifest');
  assert.equal(model.name(slotGiverOf(model, download).row), 'RefreshToken');
  const holders = slotHoldersOf(model, download).rows.map((one) => model.name(one));
  assert.deepEqual(new Set(holders), new Set(['Download 1', 'Download 2', 'Download 5', 'RefreshToken']));
  assert.deepEqual(unblockerOf(model, row(model, 'FetchManifest')), {kind: 'none', row: -1, time: null, thread: -1});
});

test('the moments of an operation are in the order of time', () => {
  const model = load(sample('upload-cancel'));
  for (const one of rows(model)) {
    const times = model.moments(one).map((moment) => moment.time);
    assert.deepEqual(times, times.toSorted((a, b) => a - b));
  }
  const cancelled = rows(model).filter((one) => model.state(one) === 'cancelled');
  assert.ok(cancelled.length > 0);
  for (const one of cancelled) assert.ok(model.moments(one).some((moment) => moment.what === 'cancel requested'));
});

test('operations are found by number, name and class, whatever the case', () => {
  const model = load(sample('photo-import'));
  assert.deepEqual(findWork(model, '#5').rows.map((one) => model.name(one)), ['Download 3']);
  assert.equal(findWork(model, '#999').total, 0);
  assert.equal(findWork(model, 'DOWNLOAD 3').total, 1);
  assert.equal(findWork(model, 'download').total, 5);
  assert.equal(findWork(model, 'download', 2).rows.length, 2);
  assert.equal(findWork(model, '  ').total, 0);
  assert.equal(findWork(model, '(').total, 0);
});

test('a stuck trace marks its cycle', () => {
  const model = load(sample('deadlock'));
  const cycle = model.findings.find((one) => one.cycle.length > 0).cycle;
  for (const one of cycle) {
    assert.equal(model.state(one), 'deadlocked');
    assert.ok(model.findingsOf(one).length > 0);
  }
});

test('names with markup stay names', () => {
  const hostile = ['</script><script>alert(1)</script>', '<!--', '{{data}}', '\u2028', '__proto__', '𝕏\u202e', '"\\'];
  const page = written('hostile-model', workload(hostile.length, {names: (number) => hostile[number - 1]}));
  const model = load(page);
  // What turns the direction of writing is shown, and does not turn it.
  assert.deepEqual(rows(model).map((one) => model.name(one)), hostile.map((name) => name.replace('\u202e', '\ufffd')));
});

test('boxes of the graph and operations lead to one another', () => {
  const model = load(written('folded', workload(800)));
  const boxes = new Set(rows(model).map((one) => model.graph.box(model, one)));
  assert.ok(boxes.size < 300);
  let all = 0;
  for (const box of boxes) all += model.graph.rowsOf(model, box).length;
  assert.equal(all, model.count);
});

test('a task was suspended as long, for each reason, as the pieces of its life say', () => {
  const model = load(written('service', serviceTrace()));
  let count = 0;
  for (const task of model.rowsOfKind('task')) {
    const sums = new Map();
    for (const index of model.piecesOfTask(task)) {
      const kind = model.pieceKind(index);
      if (kind === 'run' || kind === 'turn') continue;
      sums.set(PIECES[kind].text, (sums.get(PIECES[kind].text) ?? 0) + model.pieces.end[index] - model.pieces.begin[index]);
    }
    const sent = model.suspensions(task);
    assert.deepEqual(new Map(sent.map(({text, time}) => [text, time])), sums, model.name(task));
    assert.deepEqual(sent.map(({time}) => time), sent.map(({time}) => time).sort((one, other) => other - one));
    count += sent.length;
  }
  assert.ok(count > 0);
});
