// A report opens from disk, whatever the trace: without a message, an error, a request, and with all four views.
import {after, test} from 'node:test';
import assert from 'node:assert/strict';
import {closeBrowser, openReport, searchFor, selected, settled, shownSlices, text, texts} from '../support/browser.mjs';
import {cut, dataOf, graphOf, sample, samples, textTrace, workload, written} from '../support/reports.mjs';

after(closeBrowser);

const lines = {
  one: ['1000 t1 thread t1 tid=4711 "main"', '1000 t1 queue q1 limit=1 "work"', '2000 t1 created #1 class="Step"', '2010 t1 named #1 "alone"',
    '2100 t1 enqueued #1 queue=q1 priority=0', '2200 t1 ready #1', '3000 t1 started #1', '3010 t1 began #1', '500000 t1 ended #1',
    '500100 t1 finished #1', '500200 t1 start-returned #1'],
};

const reports = {
  ...Object.fromEntries(samples.map((name) => [`the sample ${name}`, () => sample(name)])),
  'a trace without an operation': () => written('empty', textTrace([])),
  'one operation': () => written('one', textTrace(lines.one)),
  'a trace that was not closed': () => written('open', textTrace(lines.one.slice(0, 8), {state: 'open'})),
  'a trace that was cut': () => cut('photo-import', 9000),
  'a trace with loss': () => written('lossy', textTrace([...lines.one.slice(0, 7), '400000 t1 lost size-limit count=12', ...lines.one.slice(7)],
    {more: 'lost size-limit 12'})),
  '10,000 operations': () => written('many', workload(10000)),
};

const drawnIn = (tab) => tab.evaluate(() => ({
  boxes: [...document.querySelectorAll('#drawing .op[id]')].map((one) => one.id).sort(),
  edges: [...document.querySelectorAll('#drawing .dep[data-from]')].map((one) => `${one.dataset.from} ${one.dataset.to}`).sort(),
  names: document.querySelectorAll('#drawing .name').length,
}));
const drawnBy = (picture) => ({
  boxes: [...picture.matchAll(/<g [^>]*?id="((?:op|fold)-\d+)"/g)].map((one) => one[1]).sort(),
  edges: [...picture.matchAll(/data-from="([^"]+)" data-to="([^"]+)"/g)].map((one) => `${one[1]} ${one[2]}`).sort(),
  names: picture.match(/class="name"/g)?.length ?? 0,
});

for (const [what, make] of Object.entries(reports)) {
  test(`opens from disk without a word on the console: ${what}`, async () => {
    const path = make();
    const {document, tables} = dataOf(path);
    const {tab, problems, close} = await openReport(path);
    assert.equal(await text(tab, '#facts h1 bdi'), document.process.name);
    assert.ok((await text(tab, '#facts .facts')).includes(`${document.counts.operations.toLocaleString('en')} operation`));
    // A value that is no text must not have become one.
    assert.doesNotMatch(await tab.evaluate(() => document.body.innerText), /^(false|true|null|undefined|NaN|\[object Object\])$/m);
    const slices = await shownSlices(tab, {across: 8, down: 8});
    assert.equal(slices.length > 0, tables.operations.count > 0, 'the timeline shows operations');
    assert.equal(await tab.getByText('No operation was recorded.').isVisible(), tables.operations.count === 0);
    for (const [key, id] of [['2', 'graph'], ['3', 'why'], ['4', 'findings'], ['1', 'timeline']]) {
      await tab.keyboard.press(key);
      await settled(tab);
      const shown = await tab.evaluate(() => [...document.querySelectorAll('[role=tabpanel]')].filter((one) => one.checkVisibility()).map((one) => one.id));
      assert.deepEqual(shown, [id]);
      assert.ok((await text(tab, `#${id}`)).length > 20, `${id} shows something`);
      assert.doesNotMatch(await text(tab, `#${id}`), /undefined|NaN|\[object/);
    }
    if (what.startsWith('the sample')) assert.deepEqual(await drawnIn(tab), drawnBy(graphOf(what.split(' ')[2])), 'the graph is that of the command');
    if (tables.operations.count > 0) {
      await searchFor(tab, '#1');
      assert.match(await selected(tab), /#1$/);
    }
    assert.deepEqual(problems, []);
    await close();
  });
}

test('the top of the page says what is uncertain', async () => {
  const notes = {
    'a trace that was not closed': /was not closed/, 'a trace that was cut': /damaged|missing|cut|lost/, 'a trace with loss': /lost/,
  };
  for (const [what, note] of Object.entries(notes)) {
    const {tab, close} = await openReport(reports[what]());
    assert.match((await texts(tab, '#facts .note-line')).join(' '), note, what);
    await close();
  }
});

test('a page opens with what explains the run', async () => {
  for (const [page, expected] of [['deadlock', 'graph'], ['photo-import-stuck', 'graph'], ['photo-import', 'timeline']]) {
    const {tab, problems, close} = await openReport(sample(page), {asItOpens: true});
    const shown = await tab.evaluate(() => document.querySelector('[role=tab][aria-selected=true]').getAttribute('aria-controls'));
    assert.equal(shown, expected, page);
    assert.equal(await tab.evaluate(() => location.hash), '');
    assert.deepEqual(problems, []);
    await close();
  }
});
