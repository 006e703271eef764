// The findings: those of `optrace doctor`, and the ways from them to the operations.
import {after, test} from 'node:test';
import assert from 'node:assert/strict';
import {closeBrowser, eventually, openReport, selected, text, texts} from '../support/browser.mjs';
import {json, sample, samples, textTrace, written} from '../support/reports.mjs';

after(closeBrowser);

const open = (page) => openReport(page, {hash: '#tab=findings'});

// An error, a warning and a note at once.
const several = () => written('several', textTrace([
  '1000 t1 thread t1 tid=4711 "main"', '1000 t2 thread t2 tid=5 "worker"', '1100 t1 queue q1 limit=1 "store"', '1200 t1 queue q2 limit=2 suspended "later"',
  ...[1, 2, 3, 4].map((id) => `${2000 + id} t1 created #${id} class="Step"`), ...['a', 'b', 'c', 'd'].map((name, at) => `${2010 + at} t1 named #${at + 1} "${name}"`),
  '2020 t1 depends #1 on=#2', '2021 t1 depends #2 on=#1', '2030 t1 enqueued #1 queue=q1 priority=0', '2031 t1 enqueued #2 queue=q1 priority=0',
  '2032 t1 enqueued #3 queue=q1 priority=0', '2033 t1 enqueued #4 queue=q2 priority=0', '2040 t1 ready #3', '2041 t1 ready #4',
  '3000 t2 started #3', '3010 t2 began #3', '500000 t2 ended #3', '500100 t2 finished #3', '500200 t2 finished-again #3', '500300 t2 start-returned #3',
], {end: 9e9}));

const reports = {
  'photo-import-stuck': () => sample('photo-import-stuck'), deadlock: () => sample('deadlock'), 'async-wait': () => sample('async-wait'), several,
};

for (const [name, make] of Object.entries(reports)) {
  test(`the same findings as the doctor's, in its order: ${name}`, async () => {
    const page = make();
    const {findings} = json('doctor', name);
    const {tab, problems, close} = await open(page);
    assert.deepEqual(await texts(tab, '.finding > header code'), findings.map((one) => one.code));
    assert.deepEqual(await texts(tab, '.finding > h3'), findings.map((one) => one.title));
    assert.deepEqual(await texts(tab, '.finding .severity'), findings.map((one) => one.severity));
    for (const [index, finding] of findings.entries()) {
      const card = tab.locator('.finding').nth(index);
      const words = await card.innerText();
      assert.ok(words.includes(finding.explanation));
      if (finding.fix) assert.ok(words.includes(finding.fix));
      for (const {id} of finding.operations) assert.ok(words.includes(`#${id}`), `#${id}`);
      assert.deepEqual(await card.locator('.evidence td:last-child').allTextContents(), finding.evidence.map((one) => one.text));
      assert.equal(await card.locator('.unproven').count(), finding.proven ? 0 : 1);
    }
    const badge = findings.length === 0 ? 0 : 1;
    assert.equal(await tab.locator('#tab-findings .badge').count(), badge);
    if (badge) assert.equal(await text(tab, '#tab-findings .badge'), String(findings.length));
    assert.deepEqual(problems, []);
    await close();
  });
}

test('a cycle is shown as a chain that ends where it began', async () => {
  const {tab, close} = await open(sample('deadlock'));
  const {findings: [{cycle}]} = json('doctor', 'deadlock');
  assert.deepEqual(await texts(tab, '#findings .cycle .operation .number'), [...cycle, cycle[0]].map((id) => `#${id}`));
  assert.equal(await tab.locator('#findings .cycle .arrow').count(), cycle.length);
  assert.equal(await tab.locator('#findings .cycle').getAttribute('aria-label'),
    'Cycle of waiting: Refresh token #2 → Load profile #3 → Open session #4 → Refresh token #2');
  await close();
});

test('operations of a finding are selected everywhere, and lead back to it', async () => {
  const {tab, close} = await open(sample('photo-import-stuck'));
  await tab.locator('#findings .cycle .operation').nth(1).click();
  assert.equal(await selected(tab), 'SaveSession #25');
  await tab.keyboard.press('2');
  assert.deepEqual(await texts(tab, '#drawing .op.selected .name'), ['SaveSession']);
  await tab.locator('#panel .panel-finding').click();
  assert.equal(await tab.locator('.finding.chosen').count(), 1);
  await eventually(tab, () => location.hash.includes('finding=0') && location.hash.includes('op=25'));
  await close();
});

test('a healthy trace says so, and what was checked', async () => {
  for (const name of samples.filter((one) => json('doctor', one).findings.length === 0).slice(0, 3)) {
    const {tab, close} = await open(sample(name));
    assert.equal(await text(tab, '#findings h2'), 'Nothing is wrong here', name);
    assert.ok((await texts(tab, '.looked-for li')).length >= 4);
    assert.match(await text(tab, '.verdict-line'), /^No deadlock, stall or misuse found/);
    await close();
  }
});

test('the verdict at the top leads to the findings', async () => {
  const {tab, close} = await openReport(sample('deadlock'));
  assert.match(await text(tab, '.verdict-line'), /^Stuck for .* Nothing can end it\.$/);
  await tab.locator('.verdict-line a').click();
  assert.equal(await tab.locator('#findings').isVisible(), true);
  await close();
});

// A cycle and a queue, each of a hundred: shown whole, they would be metres long.
test('a finding of many operations is as short as one of ten, and counts the rest', async () => {
  const ids = Array.from({length: 103}, (_, at) => at + 1);
  const page = written('many-stuck', textTrace([
    '1000 t1 thread t1 tid=4711 "main"', '1100 t1 queue q1 limit=1 suspended "later"',
    ...ids.flatMap((id) => [`${2000 + id} t1 created #${id} class="Step"`]),
    ...ids.flatMap((id) => [`${3000 + 2 * id} t1 enqueued #${id} queue=q1 priority=0`, `${3001 + 2 * id} t1 ready #${id}`]),
  ], {end: 9e9}));
  const {tab, close} = await open(page);
  const finding = tab.locator('.finding').first();
  const {findings} = json('doctor', 'many-stuck');
  const most = Math.max(...findings.map((one) => one.operations.length));
  assert.equal(most, 103, 'they are one finding');
  assert.equal(await finding.locator('.operations .operation').count(), 10);
  assert.ok((await finding.boundingBox()).height < 1000);
  await finding.getByRole('button', {name: 'and 93 more'}).first().click();
  assert.equal(await finding.locator('.operations .operation').count(), 103);
  await close();
});
