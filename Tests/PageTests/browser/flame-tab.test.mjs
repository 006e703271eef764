// The flame graph of the whole run: a tab of its own, where there are samples.
import {after, test} from 'node:test';
import assert from 'node:assert/strict';
import {closeBrowser, focused, openReport, selected, text} from '../support/browser.mjs';
import {violations} from '../support/axe.mjs';
import {sample, written} from '../support/reports.mjs';
import {SAMPLES, sampledTrace} from '../support/sampled.mjs';

after(closeBrowser);

const page = () => written('sampled', sampledTrace(SAMPLES));
const open = (options) => openReport(page(), {hash: '#tab=flame', ...options});
const flame = (tab) => tab.locator('#flame .flame');
const names = (tab, css = '') => flame(tab).locator(`.flame-box${css}`).evaluateAll((all) => all.map((one) => one.ariaLabel.split(', ')[0]));

test('all samples of the run, also those of no operation', async () => {
  const {tab, problems, close} = await open();
  assert.match(await text(tab, '#flame .lead'), /^100 ms in 10 samples of all threads/);
  const boxes = await names(tab);
  assert.deepEqual(boxes.slice(0, 2), ['all', 'main']);
  for (const name of ['load', 'parse', 'inflate<b>', 'render']) assert.equal(boxes.filter((one) => one === name).length, 1, name);
  assert.equal(await flame(tab).locator('.flame-box').nth(1).getAttribute('aria-label'), 'main, main.swift:10, 90 ms, 90 %, 9 samples, its own code 10 ms');
  await flame(tab).locator('.flame-box').nth(2).hover();
  assert.match(await text(tab, '#flame .flame-details'), /^load · main\.swift:11 · 70 ms, 70 %/);
  assert.deepEqual(problems, []);
  await close();
});

test('without samples there is no such tab, and its address leads to the timeline', async () => {
  const {tab, close} = await openReport(sample('photo-import'), {hash: '#tab=flame'});
  assert.equal(await tab.locator('#tab-flame').isVisible(), false);
  assert.equal(await tab.locator('#tab-timeline').getAttribute('aria-selected'), 'true');
  await close();
});

test('the digit of its place opens it, and so does the table of hot functions', async () => {
  const {tab, close} = await openReport(page());
  const key = await tab.locator('#tab-flame').getAttribute('aria-keyshortcuts');
  assert.equal(Number(key), await tab.locator('#tabs [role=tab]:not([hidden])').count());
  await tab.keyboard.press(key);
  assert.equal(await flame(tab).isVisible(), true);
  await tab.keyboard.press('3');
  await tab.locator('#why').getByRole('button', {name: 'Who called them'}).click();
  assert.equal(await tab.locator('#tab-flame').getAttribute('aria-selected'), 'true');
  await close();
});

test('a search marks boxes and says their share; slash leads to it, Escape leaves it and selects nothing else', async () => {
  const {tab, close} = await open({hash: '#op=1&tab=flame'});
  await flame(tab).locator('[tabindex="0"]').focus();
  await tab.keyboard.press('/');
  await tab.keyboard.type('parse');
  assert.deepEqual(await names(tab, '.hit'), ['parse']);
  assert.equal(await text(tab, '#flame .flame-search [role=status]'), '1 box, 40 ms, 40 %');
  // What is found stays marked where the graph is enlarged.
  await flame(tab).locator('.flame-box').nth(2).click();
  assert.deepEqual(await names(tab, '.hit'), ['parse']);
  await tab.locator('#flame input').fill('nowhere');
  assert.equal(await text(tab, '#flame .flame-search [role=status]'), 'nothing found');
  await tab.keyboard.press('Escape');
  assert.equal(await tab.locator('#flame input').inputValue(), '');
  assert.match((await focused(tab)).text, /^load/);
  assert.equal(await selected(tab), 'Load #1');
  await close();
});

for (const colorScheme of ['light', 'dark']) {
  for (const [width, height] of [[1280, 800], [390, 800]]) {
    test(`axe finds nothing: ${colorScheme}, ${width} × ${height}`, async () => {
      const {tab, close} = await open({colorScheme, width, height});
      assert.deepEqual(await violations(tab), []);
      await tab.locator('#flame input').fill('a');
      assert.ok((await names(tab, '.hit')).length > 2);
      assert.deepEqual(await violations(tab), [], 'found');
      await close();
    });
  }
}
