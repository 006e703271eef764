// The tab of units of work: kinds, where their time goes, a range of durations, and single units.
import {after, test} from 'node:test';
import assert from 'node:assert/strict';
import {closeBrowser, drag, eventually, focused, openReport, searchFor, selected, settled, text, texts} from '../support/browser.mjs';
import {violations} from '../support/axe.mjs';
import {hostile, shown} from '../support/hostile.mjs';
import {textTrace, written} from '../support/reports.mjs';
import {serviceTrace} from '../support/services.mjs';

after(closeBrowser);

const page = () => written('service', serviceTrace());
const tabShown = (tab) => tab.evaluate(() => document.querySelector('[role=tab][aria-selected=true]').id);
const units = (tab) => texts(tab, '#requests .unit-button b');

test('a trace with load opens on its requests, and an address that names work on the timeline', async () => {
  const {tab, problems, close} = await openReport(page());
  assert.equal(await tabShown(tab), 'tab-requests');
  assert.match(await text(tab, '#request-kinds tbody tr'), /^checkout\(\)/);
  assert.equal(new URL(tab.url()).hash, '');
  await tab.keyboard.press('1');
  assert.equal(await tabShown(tab), 'tab-timeline');
  await eventually(tab, () => location.hash === '#tab=timeline');
  await tab.evaluate(() => { location.hash = 'op=1'; });
  await eventually(tab, () => document.querySelector('#panel h2 .number')?.textContent === '#1');
  assert.equal(await tabShown(tab), 'tab-timeline');
  await tab.keyboard.press('5');
  assert.equal(await tabShown(tab), 'tab-requests');
  assert.deepEqual(problems, []);
  await close();
});

test('without units there is no such tab, and no key for it', async () => {
  const {tab, close} = await openReport(written('no units', textTrace(['1000 t1 thread t1 tid=1 "main"'])), {hash: '#tab=requests'});
  assert.equal(await tab.locator('#tab-requests').isVisible(), false);
  await tab.keyboard.press('5');
  assert.equal(await tabShown(tab), 'tab-timeline');
  await tab.locator('#tab-timeline').press('ArrowLeft');
  assert.equal(await tabShown(tab), 'tab-findings');
  await close();
});

test('the chosen kind: its sentence, where the time goes, and the slowest first', async () => {
  const {tab, close} = await openReport(page());
  assert.match(await text(tab, '.request-sentence'), /^The slow ones wait 2 ms in 'answer\(\)'/);
  assert.deepEqual(await texts(tab, '.share-title'), ['median', 'slowest 1']);
  assert.match(await text(tab, '.shares tbody tr'), /outside.*answer\(\).*Shop\.swift:\d+/s);
  const lengths = await units(tab);
  assert.equal(lengths.length, 10);
  assert.ok(lengths.every((one) => one.endsWith('ms')), String(lengths));
  await close();
});

test('the keyboard chooses a range of durations, and gives it up again', async () => {
  const {tab, problems, close} = await openReport(page());
  const slider = tab.locator('.latency');
  await slider.focus();
  await tab.keyboard.press('Home');
  await tab.keyboard.press('Shift+ArrowRight');
  assert.match(await slider.getAttribute('aria-valuetext'), /chosen, \d+ units$/);
  assert.equal(await tab.locator('.latency .brushed').count(), 2);
  assert.ok((await units(tab)).every((one) => one.endsWith('µs')));
  assert.match(await texts(tab, '.share-title').then((all) => all[1]), / to /);
  await tab.keyboard.press('End');
  assert.ok((await units(tab)).every((one) => one.startsWith('2.')));
  await tab.keyboard.press('Escape');
  assert.equal(await tab.locator('.latency .brushed').count(), 0);
  assert.deepEqual(await texts(tab, '.share-title'), ['median', 'slowest 1']);
  assert.deepEqual(problems, []);
  await close();
});

test('the pointer chooses a range, and a click on it gives it up', async () => {
  const {tab, close} = await openReport(page());
  const columns = tab.locator('.latency .bar-column');
  const middle = async (index) => {
    const box = await columns.nth(index).boundingBox();
    return {x: box.x + box.width / 2, y: box.y + box.height - 4};
  };
  await drag(tab, await middle(0), await middle(2));
  assert.equal(await tab.locator('.latency .brushed').count(), 3);
  const {x, y} = await middle(0);
  await tab.mouse.click(x, y);
  assert.equal(await tab.locator('.latency .brushed').count(), 1);
  await tab.mouse.click(x, y);
  assert.equal(await tab.locator('.latency .brushed').count(), 0);
  await close();
});

test('a unit opens as a waterfall, whose lines lead to the timeline and to the panel', async () => {
  const {tab, problems, close} = await openReport(page());
  await tab.locator('.unit-button').first().click();
  assert.match((await focused(tab)).text, /^Unit #\d+:\d+: 2/);
  const lines = tab.locator('.waterfall-line');
  assert.equal(await lines.count(), 2);
  assert.match(await lines.first().getAttribute('aria-label'), /^serve\(\) #\d, task, begins after 0 ms, takes 2.*: waiting for the outside 2 ms, waiting for a thread 20 µs, running 20 µs$/);
  assert.match(await lines.nth(1).getAttribute('aria-label'), /^price\(of:\) #\d+, task, begins after 12 µs.*running 50 µs, waiting for a thread 18 µs/);
  const [outer, inner] = await Promise.all([0, 1].map((at) => lines.nth(at).locator('.waterfall-life').boundingBox()));
  assert.ok(inner.x > outer.x && inner.x + inner.width < outer.x + outer.width);
  await lines.nth(1).press('Enter');
  await settled(tab);
  assert.equal(await tabShown(tab), 'tab-timeline');
  assert.match(await selected(tab), /^price\(of:\) #\d+$/);
  const [from, to] = (await tab.locator('#timeline').getAttribute('data-shown')).split(' ').map(Number);
  assert.ok(to - from > 2e6 && to - from < 3e6, `${to - from}`);
  await tab.keyboard.press('5');
  await tab.locator('.waterfall > header button').click();
  assert.equal(await tab.locator('.waterfall').count(), 0);
  assert.deepEqual(problems, []);
  await close();
});

test('hostile names of functions are text', async () => {
  for (const name of hostile.filter((one) => /[<"'\\&]/.test(one))) {
    const {tab, problems, close} = await openReport(written(`service ${hostile.indexOf(name)}`, serviceTrace({rounds: 12, serve: name, handle: `${name}2`, load: `${name}3`})), {hash: '#tab=requests'});
    await tab.locator('.unit-button').first().click();
    assert.ok((await text(tab, '#request-kinds')).includes(shown(`${name}2`).trim()), name);
    assert.equal(await tab.evaluate(() => window.pwned ?? document.querySelectorAll('img, script[src], base').length), 0, name);
    assert.deepEqual(problems, [], name);
    await close();
  }
});

test('a search that finds more than it shows begins with the longest', async () => {
  const lines = ['1000 t1 thread t1 tid=1 "main"', '1000 t1 queue q1 limit=1 "work"'];
  for (let id = 1; id <= 60; id++) {
    const begin = 10000 * id;
    lines.push(`${begin} t1 created #${id} class="Step"`, `${begin + 1} t1 enqueued #${id} queue=q1 priority=0`, `${begin + 2} t1 ready #${id}`, `${begin + 3} t1 started #${id}`,
      `${begin + 4} t1 began #${id}`, `${begin + 100 + id} t1 ended #${id}`, `${begin + 101 + id} t1 finished #${id}`, `${begin + 102 + id} t1 start-returned #${id}`);
  }
  const {tab, close} = await openReport(written('sixty', textTrace(lines, {end: 700000})));
  await searchFor(tab, 'Step');
  assert.equal(await selected(tab), 'Step #60');
  await close();
});

for (const colorScheme of ['light', 'dark']) {
  for (const [width, height] of [[1280, 800], [390, 800]]) {
    test(`axe finds nothing: ${colorScheme}, ${width} × ${height}`, async () => {
      const {tab, close} = await openReport(page(), {colorScheme, width, height});
      assert.deepEqual(await violations(tab), []);
      await tab.locator('.latency').focus();
      await tab.keyboard.press('End');
      await tab.locator('.unit-button').first().click();
      assert.deepEqual(await violations(tab), [], 'a range and a unit');
      await close();
    });
  }
}
