// Stacks: the current one of the selected operation, where it was added, where it waited, and the table of where threads waited.
import {after, test} from 'node:test';
import assert from 'node:assert/strict';
import {closeBrowser, openReport, texts} from '../support/browser.mjs';
import {textTrace, written} from '../support/reports.mjs';

after(closeBrowser);

const part = (tab, title) => tab.locator('#panel section', {has: tab.locator('h3', {hasText: title})});

// Operation 1 waits for 2, which hangs in a lock; `load()` has added both.
const hanging = (name = 'hanging', short = 'take(_:)') => written(name, textTrace([
  '0 t0 image i1 build="a1" page=16 pages=4 "/home/photos"',
  '0 t0 image i2 build="b2" page=64 pages=4 "/usr/lib/libFoundation.so"',
  '0 t0 frame f1 image=i1 offset=16',
  '0 t0 frame f2 image=i2 offset=32 caller=f1 returns',
  '0 t0 frame f3 image=i2 offset=48 caller=f2 returns guessed',
  '0 t0 frame f4 image=i1 offset=64 caller=f3 returns',
  '0 t0 frame f5 image=i1 offset=80',
  '0 t0 symbol f1 short="main" line=3 file="/src/main.swift" module="Photos" "main"',
  `0 t0 symbol f4 inlined=0 short="${short}" line=5 file="/src/main.swift" module="Photos" "take"`,
  '0 t0 symbol f4 inlined=1 short="transfer()" line=7 file="/src/main.swift" module="Photos" "transfer"',
  '0 t0 symbol f5 short="load()" line=11 file="/src/main.swift" module="Photos" "load"',
  '10 t1 queue q1 limit=-1 "work"',
  '100 t1 created #1 class="A"', '110 t1 enqueued #1 queue=q1 priority=0', '110 t1 at f5', '115 t1 ready #1',
  '120 t1 created #2 class="B"', '120 t1 at f1', '130 t1 enqueued #2 queue=q1 priority=0', '130 t1 at f5', '140 t1 ready #2',
  '200 t2 started #1', '210 t2 began #1', '300 t2 wait #2', '400 t3 started #2', '410 t3 began #2',
  '10000400 t5 wait-lasts on=2 thread=t2 at=f5',
  '1000000500 t5 seen t2 state=2 reason=7', '1000000500 t5 at f5',
  '1000000510 t5 seen t3 state=2 reason=1 lock=0x10', '1000000510 t5 at f4',
  '1000000540 t5 looked seen=2',
], {state: 'open', end: 1000000540}));

test('the panel shows the current stack and the stack that added the operation, with system frames folded and inlined or guessed frames marked', async () => {
  const {tab, problems, close} = await openReport(hanging(), {hash: '#op=2'});
  const stands = part(tab, 'Current stack');
  const lines = await stands.locator('ol.stack').first().locator(':scope > li').evaluateAll((all) => all.map((one) => one.innerText.replace(/\s+/g, ' ').trim()));
  assert.deepEqual(lines, ['take(_:) inlined main.swift:5', 'transfer() main.swift:7', '? 2 frames of libFoundation', 'main main.swift:3']);
  await stands.locator('summary').click();
  assert.match(await stands.innerText(), /\?\s*libFoundation\.so\+0x30/);
  assert.match(await part(tab, 'Where it was added').innerText(), /load\(\)\s*main\.swift:11/);
  assert.match(await part(tab, 'Where it was created').innerText(), /main\s*main\.swift:3/);
  assert.deepEqual(problems, []);
  await close();
});

test('a wait inside an operation shows its function, and opens its stack', async () => {
  const {tab, close} = await openReport(hanging(), {hash: '#op=1'});
  const wait = part(tab, 'Inside').locator('details.stack-of');
  assert.equal(await wait.locator(':scope > summary').innerText(), 'load() at main.swift:11');
  await close();
});

test('there is a table of where threads waited, and none when no stack was recorded', async () => {
  const {tab, close} = await openReport(hanging(), {hash: '#tab=why'});
  assert.ok((await texts(tab, '.part h2')).includes('Where threads waited'));
  const cells = await tab.locator('.part', {has: tab.locator('h2', {hasText: 'Where threads waited'})}).locator('tbody tr').first().locator('th, td').allTextContents();
  assert.deepEqual(cells.slice(0, 4), ['load()', 'main.swift:11', '1', '1']);
  await close();
});

test('hostile names of functions are texts', async () => {
  const page = hanging('hostile-stack', '<img src=x onerror=alert(1)></script>');
  const {tab, problems, close} = await openReport(page, {hash: '#op=2'});
  assert.match(await part(tab, 'Current stack').innerText(), /<img src=x onerror=alert\(1\)><\/script>/);
  assert.deepEqual(problems, []);
  await close();
});
