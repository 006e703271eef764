// What selected work did with the processor: the flame graph in its panel, and the marks of samples on the timeline.
import {after, test} from 'node:test';
import assert from 'node:assert/strict';
import {closeBrowser, focused, openReport, selected, settled, slice, text, texts, tipAt} from '../support/browser.mjs';
import {violations} from '../support/axe.mjs';
import {sample, written} from '../support/reports.mjs';
import {SAMPLES, sampledTrace} from '../support/sampled.mjs';

after(closeBrowser);

const page = () => written('sampled', sampledTrace(SAMPLES));
const flame = (tab) => tab.locator('#panel .flame');
const names = (tab) => flame(tab).locator('.flame-box').evaluateAll((all) => all.map((one) => one.ariaLabel.split(', ')[0]));
const widths = (tab) => flame(tab).evaluate((one) => [...one.children].map((box) => Math.round((100 * box.getBoundingClientRect().width) / one.getBoundingClientRect().width)));

test('callers above what they call, as wide as their time; the tip has function, line and share', async () => {
  const {tab, problems, close} = await openReport(page(), {hash: '#op=1'});
  assert.deepEqual(await names(tab), ['all', 'main', 'load', 'parse', 'inflate<b>']);
  assert.deepEqual(await widths(tab), [100, 100, 100, 60, 40]);
  const tops = await flame(tab).evaluate((one) => [...one.children].map((box) => box.offsetTop));
  assert.deepEqual(tops, [...tops].sort((one, other) => one - other));
  await flame(tab).locator('.flame-box').nth(3).hover();
  assert.deepEqual(await texts(tab, '#panel .flame-drawing .pointer-tip > *'), ['parse', 'main.swift:12', '30 ms, 60 %, 3 samples', 'its own code 10 ms']);
  assert.match(await text(tab, '#panel .flame-details'), /^parse · main\.swift:12 · 30 ms, 60 %/);
  assert.deepEqual(problems, []);
  await close();
});

test('a click enlarges a box, one on a caller shows more again', async () => {
  const {tab, close} = await openReport(page(), {hash: '#op=1'});
  await flame(tab).locator('.flame-box').nth(3).click();
  assert.deepEqual(await names(tab), ['all', 'main', 'load', 'parse', 'inflate<b>']);
  assert.deepEqual(await widths(tab), [100, 100, 100, 100, 67]);
  assert.equal(await flame(tab).locator('.above').count(), 3);
  await flame(tab).locator('.flame-box').nth(4).hover();
  assert.match(await text(tab, '#panel .flame-details'), / · 67 % of what is shown$/);
  await flame(tab).locator('.flame-box').first().click();
  assert.deepEqual(await widths(tab), [100, 100, 100, 60, 40]);
  await tab.mouse.move(2, 2);
  assert.equal(await tab.locator('#panel .flame-drawing .pointer-tip').isHidden(), true);
  await close();
});

test('the keyboard: one stop, arrows move, Enter enlarges, Escape shows all and then deselects', async () => {
  const {tab, close} = await openReport(page(), {hash: '#op=1'});
  assert.equal(await flame(tab).locator('[tabindex="0"]').count(), 1);
  await flame(tab).locator('[tabindex="0"]').focus();
  for (const key of ['ArrowDown', 'ArrowDown', 'ArrowDown']) await tab.keyboard.press(key);
  assert.match((await focused(tab)).text, /^parse, main\.swift:12, 30 ms, 60 %/);
  await tab.keyboard.press('Enter');
  assert.deepEqual(await widths(tab), [100, 100, 100, 100, 67]);
  assert.match((await focused(tab)).text, /^parse/);
  await tab.keyboard.press('ArrowUp');
  assert.match((await focused(tab)).text, /^load/);
  await tab.keyboard.press('Escape');
  assert.deepEqual(await widths(tab), [100, 100, 100, 60, 40]);
  assert.equal(await selected(tab), 'Load #1');
  await tab.keyboard.press('Escape');
  assert.equal(await selected(tab), null);
  await close();
});

test('all work of the class together', async () => {
  const {tab, close} = await openReport(page(), {hash: '#op=2'});
  assert.deepEqual(await texts(tab, '#panel .flame-switch button'), ['this operation', 'all of Load']);
  assert.deepEqual(await widths(tab), [100, 100, 100, 50]);
  await tab.locator('#panel .flame-switch button').nth(1).click();
  assert.deepEqual(await widths(tab), [100, 100, 100, 57, 29]);
  assert.equal(await tab.locator('#panel .flame-switch [aria-pressed=true]').textContent(), 'all of Load');
  await close();
});

test('without samples there is none', async () => {
  const {tab, close} = await openReport(sample('photo-import'), {hash: '#op=5'});
  assert.equal(await tab.locator('#panel .flame').count(), 0);
  assert.equal(await tab.locator('.sample-mark').count(), 0);
  await close();
});

// What the tip says of samples within some pixels.
async function sampledAt(tab, x, y) {
  const found = new Set();
  for (let step = -7; step <= 7; step++) for (const line of (await tipAt(tab, x + step, y)) ?? []) if (line.startsWith('sampled')) found.add(line);
  return [...found];
}

test('samples are marks on the lane of their thread', async () => {
  const {tab, problems, close} = await openReport(page());
  assert.match(await text(tab, '.timeline-legend'), /sample, when zoomed in/);
  const load = await slice(tab, 'Load #1');
  const x = (milliseconds) => load.left + (load.width * (milliseconds - 1)) / 99;
  assert.deepEqual(await sampledAt(tab, x(31), load.y), ['sampled in parse at main.swift:12']);
  assert.deepEqual(await sampledAt(tab, x(26), load.y), []);
  assert.deepEqual(problems, []);
  await close();
});

test('of a long trace they are not drawn until there is room', async () => {
  const long = written('sampled-long', sampledTrace(SAMPLES.map(([time, ...rest]) => [time * 100, ...rest]), {width: 10000}));
  const {tab, close} = await openReport(long, {hash: '#from=0&to=30000000000'});
  const load = await slice(tab, 'Load #1');
  assert.deepEqual(await sampledAt(tab, load.left + (load.width * 3099) / 9999, load.y), []);
  await tab.evaluate(() => { location.hash = '#from=3000000000&to=3200000000'; });
  await settled(tab);
  const larger = await slice(tab, 'Load #1');
  assert.deepEqual(await sampledAt(tab, larger.x, larger.y), ['sampled in parse at main.swift:12']);
  await close();
});

for (const colorScheme of ['light', 'dark']) {
  for (const [width, height] of [[1280, 800], [390, 800]]) {
    test(`axe finds nothing: ${colorScheme}, ${width} × ${height}`, async () => {
      const {tab, close} = await openReport(page(), {hash: '#op=1', colorScheme, width, height});
      await flame(tab).scrollIntoViewIfNeeded();
      await flame(tab).locator('.flame-box').nth(3).focus();
      assert.deepEqual(await violations(tab), []);
      await flame(tab).locator('.flame-box').nth(3).click();
      assert.deepEqual(await violations(tab), [], 'enlarged');
      await close();
    });
  }
}
