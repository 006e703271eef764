// Blocks of dispatch queues on the page: selected and shown as operations are; a trace without operations does not mention any.
import {after, test} from 'node:test';
import assert from 'node:assert/strict';
import {readFileSync} from 'node:fs';
import {join} from 'node:path';
import {closeBrowser, openReport, searchFor, selected, settled, text} from '../support/browser.mjs';
import {root, textTrace, written} from '../support/reports.mjs';

after(closeBrowser);

const golden = () => written('dispatch', readFileSync(join(root, 'Tests/OpTraceModelTests/Golden/good-dispatch.txt'), 'utf8'));
const alone = () => written('blocks-alone', textTrace(['0 t0 dispatch-queue d1 width=1 "disk"', '0 t1 thread t1 tid=4711 "main"', '0 t2 thread t2 tid=4712 "worker"',
  '1000 t1 submitted #1 queue=d1', '2000 t2 run #1', '2500 t2 submitted #2 by=#1 queue=d1', '9000 t2 ran #1', '9500 t2 run #2', '20000 t2 ran #2']));

test('the panel of a block shows who submitted it and what it submitted, as links', async () => {
  const {tab, problems, close} = await openReport(golden());
  await searchFor(tab, '#2');
  assert.match(await selected(tab), /#2$/);
  const panel = await text(tab, '#panel');
  for (const part of ['Submitted by', 'Upload', 'disk.io', 'Submitted (1)', 'main.swift:12']) assert.ok(panel.toLowerCase().includes(part.toLowerCase()), `${part} in ${panel}`);
  await tab.locator('#panel .facts-list button.operation').click();
  await settled(tab);
  assert.match(await selected(tab), /#1$/);
  assert.deepEqual(problems, []);
  await close();
});

test('blocks alone: no word about operations, tables of queues, functions and blocks, and boxes in the graph', async () => {
  const {tab, problems, close} = await openReport(alone());
  assert.match(await text(tab, '#facts .facts'), /2 blocks\s+1 dispatch queue/);
  assert.doesNotMatch(await text(tab, '#facts .facts'), /operation/);
  await tab.keyboard.press('2');
  await settled(tab);
  assert.equal(await tab.locator('#drawing .op[id]').count(), 2);
  await tab.keyboard.press('3');
  await settled(tab);
  const why = await text(tab, '#why');
  for (const title of ['Dispatch queues', 'Blocks by function', 'Blocks']) assert.ok(why.toLowerCase().includes(title.toLowerCase()), title);
  assert.doesNotMatch(why, /[Oo]peration|undefined|NaN/);
  assert.deepEqual(problems, []);
  await close();
});
