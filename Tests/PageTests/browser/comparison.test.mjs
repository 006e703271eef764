// A page of `optrace diff`: what changed, two timelines, and the graph of what was added and removed.
import {after, test} from 'node:test';
import assert from 'node:assert/strict';
import {closeBrowser, openReport, writtenTexts} from '../support/browser.mjs';
import {compared, sample, textTrace} from '../support/reports.mjs';
import {SAMPLES, sampledTrace} from '../support/sampled.mjs';

after(closeBrowser);

// Two operations one after the other in one queue; with the change the first is longer, and a third comes in a queue of its own.
function trace(isNew) {
  const load = isNew ? 60e6 : 40e6;
  const lines = [
    `0 t1 thread t1 tid=101 "main"`, `0 t1 queue q1 limit=${isNew ? 1 : 2} "work"`, `0 t1 created #1 class="Load"`, `0 t1 named #1 "load <b>1</b>"`,
    `0 t1 enqueued #1 queue=q1 priority=0`, `0 t1 ready #1`, `0 t1 created #2 class="Store"`, `0 t1 enqueued #2 queue=q1 priority=0`, `0 t1 depends #2 on=#1`,
    `0 t2 thread t2 tid=102 ""`, `0 t2 started #1`, `0 t2 began #1`, `${load} t2 ended #1`, `${load} t2 finished #1`, `${load} t2 start-returned #1`,
    `${load} t2 ready #2`, `${load} t2 started #2`, `${load} t2 began #2`, `${load + 20e6} t2 ended #2`, `${load + 20e6} t2 finished #2`, `${load + 20e6} t2 start-returned #2`,
  ];
  if (isNew) {
    lines.push(`${load + 20e6} t1 queue q2 limit=1 "disk"`, `${load + 20e6} t1 created #3 class="Check"`, `${load + 20e6} t1 enqueued #3 queue=q2 priority=0`,
      `${load + 20e6} t1 ready #3`, `${load + 20e6} t2 started #3`, `${load + 20e6} t2 began #3`, `${load + 30e6} t2 ended #3`, `${load + 30e6} t2 finished #3`, `${load + 30e6} t2 start-returned #3`);
  }
  return textTrace(lines, {end: load + 30e6});
}

const page = () => compared('versions', trace(false), trace(true));
const changed = (tab) => tab.locator('#why .part', {has: tab.locator('h2', {hasText: /^What changed$/})});
const rows = (table) => table.evaluate((one) => [...one.tBodies[0].rows].map((row) => [...row.cells].map((cell) => cell.innerText.trim())));

test('what changed comes first: structure, times, and what they mean for the wall time', async () => {
  const {tab, problems, close} = await openReport(page(), {hash: '#tab=why', height: 1000});
  assert.equal(await tab.locator('#why .part h2').first().innerText(), 'What changed');
  const part = changed(tab);
  assert.match(await part.locator('.lead').innerText(), /^1 run of the base against 1 run of the new version, 60 ms before and 90 ms after \(×1\.50\)/);
  const [structure, times] = await Promise.all([0, 1].map((at) => rows(part.locator('table').nth(at))));
  assert.deepEqual(structure, [
    ['+', 'operations Check', '0', '1'], ['+', 'queue disk', '0', '1'], ['+', 'queue work, at most 1', '0', '1'], ['−', 'queue work, at most 2', '1', '0'],
  ]);
  assert.deepEqual(times.map((row) => row.slice(0, 3)), [['load <b>#</b> (Load)', 'work', '×1.50'], ['Store', 'work', '×1.00']]);
  assert.match(await part.locator('.changes').last().innerText(), /^load <b>#<\/b> \(Load\) ×1\.50 as long: 80 ms \(/);
  assert.deepEqual(problems, []);
  await close();
});

test('of sampled runs, which functions take more processor time', async () => {
  const more = [...SAMPLES, ...Array.from({length: 30}, (_, index) => [60 + index, 't2', 'parse'])];
  const {tab, problems, close} = await openReport(compared('sampled', sampledTrace(SAMPLES), sampledTrace(more)), {hash: '#tab=why', height: 1000});
  const part = changed(tab);
  assert.match(await part.innerText(), /Processor time by function\s+100 ms in 10 samples before, 400 ms in 40 samples after/i);
  const functions = await rows(part.locator('table', {has: tab.locator('caption', {hasText: 'Processor time of functions'})}));
  assert.deepEqual(functions[0], ['parse', 'Photos', '40 ms', '340 ms', '+300 ms', '+177 ms to +423 ms', '', '']);
  assert.deepEqual(functions.slice(1).map(([name, , before, after, change]) => [name, before, after, change]).sort(),
    [['[no stack]', '10 ms', '10 ms', '0 ms'], ['load', '30 ms', '30 ms', '0 ms'], ['main', '10 ms', '10 ms', '0 ms'], ['render', '10 ms', '10 ms', '0 ms']].sort());
  assert.deepEqual(problems, []);
  await close();
});

test('both runs are on one timeline and begin at the same moment', async () => {
  const {tab, problems, close} = await openReport(page(), {height: 1400});
  const shown = (await writtenTexts(tab)).map(({text}) => text ?? '').join('\n');
  for (const name of ['Queue work · limit 2', 'Queue work (new) · limit 1', 'Queue disk (new)']) assert.ok(shown.includes(name), `${name} in ${shown}`);
  assert.deepEqual(problems, []);
  await close();
});

test('the graph has a box for each pattern, which leads to its operations', async () => {
  const {tab, problems, close} = await openReport(page(), {hash: '#tab=graph'});
  const looks = await tab.evaluate(() => [...document.querySelectorAll('#graph svg .op[id]')].map((box) => `${box.classList[2]} ${box.querySelector('.name').textContent}`));
  assert.deepEqual(looks.sort(), ['came Check', 'same Store', 'same load <b>#</b> (Load)']);
  assert.deepEqual(problems, []);
  await close();
});

test('a page of one run says nothing of changes', async () => {
  const {tab, close} = await openReport(sample('diamond'), {hash: '#tab=why'});
  assert.equal(await changed(tab).count(), 0);
  await close();
});
