// The panel: everything that the trace has about one operation, and the ways from it to others.
import {after, test} from 'node:test';
import assert from 'node:assert/strict';
import {closeBrowser, focused, openReport, selected, settled, slice, text, texts} from '../support/browser.mjs';
import {sample, textTrace, written} from '../support/reports.mjs';

after(closeBrowser);

// The part of the panel below a heading, as people read it.
const part = (tab, title) => tab.locator('#panel section', {has: tab.locator('h3', {hasText: title})});
const open = (name, id) => openReport(sample(name), {hash: `#op=${id}`});

test('Download 3: who took away its last dependency, and whose slot it got', async () => {
  const {tab, problems, close} = await open('photo-import', 5);
  assert.equal(await selected(tab), 'Download 3 #5');
  assert.match(await text(tab, '#panel .panel-state'), /finished\s*asynchronous/);
  assert.deepEqual(await texts(tab, '#panel .facts-list dd'), ['Download', 'network limit 4', 'OpTraceScenarios/PhotoImport.swift:71']);
  assert.deepEqual(await texts(tab, '#panel .times dd'), ['471 ms', '120 ms', '134 µs', '1.23 s']);
  const unblocked = await part(tab, 'Unblocked by').innerText();
  assert.match(unblocked, /ParseManifest\s*#2/);
  assert.match(unblocked, /at 471\.872 ms, on thread oot\.default-qos · 24680, after it had waited 471 ms/);
  const slot = await part(tab, 'Slot').innerText();
  assert.match(slot, /given by\s*RefreshToken\s*#26/);
  assert.match(slot, /592\.179 ms/);
  assert.deepEqual((await part(tab, 'Slot').locator('.operations .number').allTextContents()).sort(), ['#26', '#3', '#4', '#7']);
  assert.deepEqual(problems, []);
  await close();
});

// It is asynchronous: `start()` returns first.
test('every moment has its time and its thread', async () => {
  const {tab, close} = await open('photo-import', 5);
  const rows = await part(tab, 'What happened').locator('tbody tr').evaluateAll((all) => all.map((row) => [...row.cells].map((cell) => cell.textContent)));
  assert.deepEqual(rows.map(([what]) => what), ['created', 'enqueued', 'ready', 'started', 'executing', 'start returned', 'execution ended', 'finished', 'released']);
  const scale = {ns: 1e-9, µs: 1e-6, ms: 1e-3, s: 1};
  const times = rows.map(([, at]) => Number(at.split(' ')[0]) * scale[at.split(' ')[1]]);
  assert.deepEqual(times, [...times].sort((one, other) => one - other));
  const at = Object.fromEntries(rows.map(([what, when, , thread]) => [what, {when, thread}]));
  assert.equal(at.ready.when, '471.915 ms');
  assert.match(at.ready.thread, /24680/);
  assert.match(at.enqueued.thread, /24678/);
  assert.match(rows[1][2], /^\+/);
  await close();
});

test('dependencies lead there and back, and the focus stays in the panel', async () => {
  const {tab, close} = await open('photo-import', 5);
  assert.deepEqual(await part(tab, 'Waits for (1)').locator('.operation bdi').allTextContents(), ['ParseManifest']);
  assert.deepEqual(await part(tab, 'Wait for it (1)').locator('.operation bdi').allTextContents(), ['Decode 3']);
  await part(tab, 'Wait for it').locator('.operation').click();
  assert.equal(await selected(tab), 'Decode 3 #10');
  assert.equal((await focused(tab)).region, 'panel');
  assert.match(await text(tab, '#announcer'), /Selected Decode 3, number 10, finished, queue imaging, ran 390 ms/);
  await part(tab, 'Waits for').locator('.operation').first().click();
  assert.equal(await selected(tab), 'Download 3 #5');
  await part(tab, 'Unblocked by').locator('.operation').click();
  assert.equal(await selected(tab), 'ParseManifest #2');
  await part(tab, /Wait for it \(/).locator('.more, .operation').first().waitFor();
  await close();
});

test('it shows the operation in the timeline and in the graph', async () => {
  const {tab, close} = await open('photo-import', 27);
  await tab.getByRole('button', {name: 'Show in graph'}).click();
  assert.equal(await tab.locator('#tab-graph').getAttribute('aria-selected'), 'true');
  assert.deepEqual(await texts(tab, '#drawing .op.selected .name'), ['NotifyUI']);
  await tab.keyboard.press('3');
  await tab.getByRole('button', {name: 'Show in timeline'}).click();
  await settled(tab);
  assert.equal(await tab.locator('#tab-timeline').getAttribute('aria-selected'), 'true');
  assert.ok(await slice(tab, 'NotifyUI'));
  await close();
});

test('closing the panel gives its room back and keeps a focus', async () => {
  const {tab, close} = await open('photo-import', 5);
  const width = () => tab.evaluate(() => document.querySelector('#main').clientWidth);
  const narrow = await width();
  await tab.locator('#panel').getByRole('button', {name: 'Close'}).click();
  assert.equal(await tab.locator('#panel').isVisible(), false);
  assert.ok(await width() > narrow + 200);
  assert.notEqual(await focused(tab), null);
  assert.match(await text(tab, '#announcer'), /Nothing is selected/);
  await close();
});

test('what went on inside: blocks, spans, waits, and who ended them', async () => {
  const {tab, close} = await open('block-fan-out', 1);
  const inside = await part(tab, 'Inside').locator('li').allTextContents();
  assert.equal(inside.filter((line) => line.startsWith('block')).length, 4);
  for (const line of inside) assert.match(line, /\d (ns|µs|ms|s)/);
  await close();
  const tickets = await open('tickets', 1);
  const spans = await part(tickets.tab, 'Inside').locator('li').allTextContents();
  assert.ok(spans.some((line) => line.includes('wait for the lock')), spans.join(' | '));
  await tickets.close();
});

test('the panel of a cancelled, a failed and a never started operation', async () => {
  const cancelled = await open('photo-import', 12);
  assert.match(await text(cancelled.tab, '#panel .panel-state'), /cancelled/);
  assert.match(await part(cancelled.tab, 'What happened').innerText(), /cancel requested/);
  await cancelled.close();
  const failed = await openReport(written('failed', textTrace([
    '1000 t1 thread t1 tid=4711 "main"', '1000 t1 queue q1 limit=1 "work"', '2000 t1 created #1 class="Step"', '2010 t1 named #1 "upload"',
    '2100 t1 enqueued #1 queue=q1 priority=8', '2200 t1 ready #1', '3000 t1 started #1', '3010 t1 began #1', '500000 t1 ended #1',
    '500100 t1 failed #1 "the disk is <full>"', '500200 t1 start-returned #1'])), {hash: '#op=1'});
  assert.match(await text(failed.tab, '#panel .panel-state'), /failed/);
  assert.equal(await text(failed.tab, '#panel .error-text'), 'the disk is <full>');
  assert.equal((await texts(failed.tab, '#panel .facts-list dd'))[2], '8');
  await failed.close();
  const stuck = await open('deadlock', 2);
  assert.match(await text(stuck.tab, '#panel .panel-state'), /deadlocked/);
  assert.match(await text(stuck.tab, '#panel .panel-finding'), /depend on each other in a cycle/);
  await stuck.tab.locator('#panel .panel-finding').click();
  assert.equal(await stuck.tab.locator('.finding.chosen h3').textContent(), '3 operations depend on each other in a cycle');
  await stuck.close();
});
