// The tab for memory: there where allocations were sampled.
import {after, test} from 'node:test';
import assert from 'node:assert/strict';
import {boxOf, closeBrowser, openReport, text, texts} from '../support/browser.mjs';
import {violations} from '../support/axe.mjs';
import {allocatedTrace} from '../support/allocated.mjs';
import {sample, written} from '../support/reports.mjs';

after(closeBrowser);

const open = (options) => openReport(written('allocated', allocatedTrace()), {hash: '#tab=memory', ...options});

test('the answer stands first, then memory over time, what grows, what lives, and types', async () => {
  const {tab, problems, close} = await open();
  assert.match(await text(tab, '#memory .lead'), /^Grows by 888 kB a second in 'insert\(_:\)' \(main\.swift:12\), called by 'serve\(\)'/);
  assert.deepEqual(await texts(tab, '#memory h2'), ['Memory', 'What grows', 'What lives at the end', 'Types']);
  assert.match(await text(tab, '#memory .table tbody tr'), /^insert\(_:\)/);
  assert.equal(await tab.locator('#memory .flame-box').nth(3).getAttribute('aria-label'), 'insert(_:), main.swift:12, 9 MB, 100 % of what lives');
  assert.deepEqual(problems, []);
  await close();
});

test('under the pointer the legend tells the values of that time, else those of the end', async () => {
  const {tab, close} = await open();
  const legend = () => texts(tab, '#memory .memory-value');
  assert.deepEqual(await legend(), ['19 MB', '11 MB', '9 MB']);
  const {x, y, width, height} = await boxOf(tab, '#memory .memory-drawing');
  await tab.mouse.move(x + width * 0.26, y + height / 2);
  assert.deepEqual(await legend(), ['12 MB', '4.1 MB', '2.6 MB']);
  await tab.mouse.move(x + width / 2, y - 100);
  assert.deepEqual(await legend(), ['19 MB', '11 MB', '9 MB']);
  await close();
});

test('a page whose first finding is what grows opens with it', async () => {
  const {tab, close} = await openReport(written('allocated', allocatedTrace()), {asItOpens: true});
  assert.equal(await tab.locator('#tab-memory').getAttribute('aria-selected'), 'true');
  await close();
});

test('without sampled allocations there is no such tab', async () => {
  const {tab, close} = await openReport(sample('photo-import'), {hash: '#tab=memory'});
  assert.equal(await tab.locator('#tab-memory').isVisible(), false);
  await close();
});

test('it can be read by everybody, in both themes and on a narrow screen', async () => {
  for (const options of [{}, {colorScheme: 'dark'}, {width: 390}]) {
    const {tab, close} = await open(options);
    assert.deepEqual(await violations(tab), []);
    assert.equal(await tab.evaluate(() => document.documentElement.scrollWidth <= innerWidth), true);
    await close();
  }
});
