// A page that grows with its trace: what it knows at the end is what a page knows that is made then.
import assert from 'node:assert/strict';
import test from 'node:test';
import {decodeTable, grownTable} from '../../../Sources/OpTracePage/Page/columns.mjs';
import {Model} from '../../../Sources/OpTracePage/Page/model.mjs';
import {layOut} from '../../../Sources/OpTraceTimeline/Page/rows.mjs';
import {buildLanes} from '../../../Sources/OpTraceTimeline/Page/slices.mjs';
import {buildCounters} from '../../../Sources/OpTraceTimeline/Page/steps.mjs';
import {fed, served, until} from '../support/living.mjs';
import {seeded} from '../support/random.mjs';
import '../support/parts.mjs';
import {stackOf} from '../../../Sources/OpTracePage/Page/stacks.mjs';
import {slotGiverOf, unblockerOf} from '../../../Sources/OpTracePage/Page/waiting.mjs';

// A column as ColumnEncoder.swift writes it, of small numbers.
function column(values, extra = {}) {
  if (values.every((value) => value === values[0])) return {...extra, all: values[0] ?? null};
  const bytes = [];
  let previous = 0;
  for (const value of values) {
    if (value === null) {
      bytes.push(0);
      continue;
    }
    const distance = value - previous;
    previous = value;
    let rest = (distance >= 0 ? distance * 2 : -distance * 2 - 1) + 1;
    for (; rest > 127; rest = Math.floor(rest / 128)) bytes.push((rest % 128) + 128);
    bytes.push(rest);
  }
  return {...extra, data: Buffer.from(bytes).toString('base64')};
}

test('a table that grew in any steps is the table made at once', () => {
  const {random, seed} = seeded();
  const number = (below) => Math.floor(random() * below);
  for (let round = 0; round < 200; round++) {
    let rows = [];
    let last = null;
    let stays = 0;
    for (let step = 0; step < 8; step++) {
      // Rows are dropped, others come in between and behind; now and then nothing is dropped.
      const dropped = random() < 0.5 ? 0 : random() * 0.4;
      const kept = [];
      const next = [];
      const fresh = [];
      const shift = random() < 0.3 ? number(5) : 0;
      const add = () => {
        const row = [number(1000), random() < 0.2 ? null : number(1e9), number(50)];
        next.push(row);
        fresh.push(row);
      };
      rows.forEach(([one, time, track], at) => {
        if (random() < dropped / 2) add();
        if (random() < dropped) return;
        const end = kept.length;
        if (end > 0 && kept[end - 3] + kept[end - 1] === at && kept[end - 2] + kept[end - 1] === next.length) kept[end - 1] += 1;
        else kept.push(at, next.length, 1);
        next.push([one, time, track + shift]);
      });
      for (let more = number(30); more > 0; more--) add();
      const columns = (all) => ({one: column(all.map((row) => row[0])), time: column(all.map((row) => row[1]), {of: 'time'}), track: column(all.map((row) => row[2]), {of: 'track'})});
      const told = {count: next.length, columns: columns(last ? fresh : next), ...(last ? {kept} : {})};
      const moved = {track: shift ? (values, from, to) => { for (let at = from; at < to; at++) values[at] += shift; } : undefined};
      if (last && kept.every((_, at) => at % 3 > 0 || kept[at] === kept[at + 1])) stays += 1;
      const grown = grownTable(last, told, moved);
      // Columns are read when they are asked for.
      const read = ({count, one, time, track}) => ({count, one, time, track});
      assert.deepEqual(read(grown), read(decodeTable({count: next.length, columns: columns(next)})), `seed ${seed}`);
      [rows, last] = [next, grown];
    }
    assert.ok(stays >= 0);
  }
});

// All that a model says, in words and times, whatever numbers it has for it.
function said(model) {
  const {first, end} = model.rowRanges().at(-1);
  const rows = Array.from({length: Math.max(model.count, end - first + first)}, (_, row) => row);
  const call = (row) => (row >= 0 ? `${model.kind(row)} ${model.id(row)}` : null);
  const thread = (index) => model.threads[index]?.name ?? null;
  const lanes = buildLanes(model);
  const layout = layOut(model, lanes, buildCounters(model));
  return {
    counts: model.counts, states: model.states, end: model.end, findings: model.findings.map((one) => [one.code, one.rows.map(call)]),
    path: model.why.path(model).steps.map((step) => [call(step.row), step.cause, call(step.causeRow), step.began, step.ended]),
    work: rows.map((row) => [
      call(row), model.name(row), model.className(row), model.queues[model.queue(row)]?.name ?? null, model.state(row), model.times(row), model.isCritical(row),
      model.moments(row).map((moment) => ({...moment, thread: thread(moment.thread)})), model.dependencies(row).map((one) => [call(one.row), one.removed]),
      model.dependents(row).map(call), model.inside(row).map((one) => ({...one, thread: thread(one.thread), signalRow: call(one.signalRow), stack: stackOf(model, one.stack)})),
      call(model.submitter(row)), model.submissions(row).map(call), model.piecesOfTask(row).map((index) => model.pieceText(index)), model.suspensions(row),
      stackOf(model, model.addedStack(row)), unblockerOf(model, row).kind, slotGiverOf(model, row)?.time ?? null,
    ]),
    lanes: layout.rows.map((row) => [row.key, row.title, row.text ?? null, row.top, row.lane && Array.from({length: row.lane.count}, (_, at) => [
      row.lane.begin[at], row.lane.end[at], call(row.lane.row[at])]), row.instants ?? null, row.counter ? Object.entries(row.counter).map(([kind, {times, values}]) => [kind, [...times], [...values]]) : null]),
  };
}

for (const options of [[], ['--dispatch']]) {
  test(`a model grown step by step equals one made at the end ${options.join(' ')}`, async (context) => {
    const {random, seed} = seeded();
    const number = (below) => Math.floor(random() * below);
    const program = await fed(context, ...options);
    await program.tell(`${1 + number(20)} 100`);
    const address = await served(context, program.trace);
    const news = async (revision) => JSON.parse(await (await fetch(`${address}data?since=${revision}`)).text());
    const page = await (await fetch(address)).text();
    const model = new Model(JSON.parse(page.match(/<script type="application\/json" id="data">([^]*?)<\/script>/)[1]));
    let grown = 0;
    const grow = async () => {
      for (const update of (await news(model.revision)).updates) {
        assert.equal(update.since, model.revision, `seed ${seed}`);
        grown += Object.values(update.tables).some((table) => table.kept.length > 0) ? 1 : 0;
        model.grow(update);
      }
    };
    for (let step = 0; step < 4; step++) {
      await program.tell(random() < 0.7 ? `${number(40)} ${number(1000)}` : `blocks ${number(30)}`);
      if (random() < 0.4) await program.tell('wait');
      const before = model.revision;
      await until('there is more', async () => { await grow(); return model.revision > before; });
    }
    // Some still run when the process stops; from then on not even the recorder's heartbeat changes the trace.
    await program.tell('3 60000000');
    await until('operations run', async () => { await grow(); return model.states.some(({state}) => state === 'executing'); });
    program.signal('SIGSTOP');
    const stopped = model.revision;
    await until('all is told', async () => { await grow(); return model.revision >= stopped + 2; });
    const last = await news(-1);
    assert.equal(last.updates.length, 1);
    assert.equal(last.updates[0].since, undefined);
    assert.deepEqual(said(model), said(new Model(last.updates[0])), `seed ${seed}`);
    assert.ok(grown >= 5 && model.count > 3);
    // Whoever is behind gets the whole, and is then where the others are.
    const whole = await news(stopped);
    assert.deepEqual(whole.updates.map(({since, revision}) => [since, revision]), [[undefined, last.updates[0].revision]]);
  });
}
