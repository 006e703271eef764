// The address: who opens it sees what was seen when it was copied.
import {after, test} from 'node:test';
import assert from 'node:assert/strict';
import {closeBrowser, eventually, openReport, selected, settled, shownSlices, slice} from '../support/browser.mjs';
import {sample} from '../support/reports.mjs';

after(closeBrowser);

const shownTab = (tab) => tab.evaluate(() => document.querySelector('[role=tab][aria-selected=true]').getAttribute('aria-controls'));
const hash = (tab) => tab.evaluate(() => location.hash);

// The address follows when the hand rests.
async function rested(tab) {
  for (let before = null, now = await hash(tab); ; before = now, now = await hash(tab)) {
    if (now === before) return now;
    await tab.waitForTimeout(700);
  }
}

test('the address holds what is selected and shown, and opens the same view elsewhere', async () => {
  const {tab, close} = await openReport(sample('photo-import'));
  assert.equal(await hash(tab), '');
  const one = await slice(tab, 'Download 3');
  await tab.mouse.click(one.x, one.y);
  await eventually(tab, () => location.hash === '#op=5');
  await tab.keyboard.press('w');
  await tab.keyboard.press('w');
  await eventually(tab, () => /^#op=5&from=-?\d+&to=\d+$/.test(location.hash));
  const address = await rested(tab);
  const seen = (await shownSlices(tab)).map((two) => [two.name, two.what, Math.round(two.left / 8)]);
  const other = await openReport(sample('photo-import'), {hash: address});
  assert.equal(await selected(other.tab), 'Download 3 #5');
  const again = (await shownSlices(other.tab)).map((two) => [two.name, two.what, Math.round(two.left / 8)]);
  assert.deepEqual(again, seen);
  assert.equal(await hash(other.tab), address);
  await other.close();
  await tab.keyboard.press('f');
  await tab.keyboard.press('4');
  await eventually(tab, () => location.hash === '#op=5&tab=findings');
  await tab.keyboard.press('Escape');
  await tab.keyboard.press('1');
  await eventually(tab, () => location.hash === '');
  await close();
});

test('tab, operation and finding of an address are shown', async () => {
  const {tab, problems, close} = await openReport(sample('photo-import-stuck'), {hash: '#op=24&tab=findings&finding=0'});
  assert.equal(await shownTab(tab), 'findings');
  assert.equal(await selected(tab), 'SyncLock #24');
  assert.equal(await tab.locator('.finding.chosen').count(), 1);
  await tab.locator('.finding .anchor').click();
  assert.equal(await tab.locator('.finding.chosen').count(), 1);
  assert.deepEqual(problems, []);
  await close();
});

const nonsense = [
  '#', '#op=', '#op=99999', '#op=-1', '#op=1e9', '#op=constructor', '#tab=__proto__', '#tab=toString', '#tab=nothing', '#finding=7', '#finding=-1', '#finding=__proto__',
  '#from=5', '#from=9&to=3', '#from=NaN&to=Infinity', '#from=999999999999999&to=9999999999999999', '#%', '#%E0%A4%A', '#op=5;tab=graph', '#&&&===', '#<script>alert(1)</script>',
  `#${'op='.repeat(2000)}`, '#op=%00', '#tab=timeline%20',
];

test('nonsense in an address is ignored', async () => {
  const {tab, problems, close} = await openReport(sample('photo-import'));
  for (const words of nonsense) {
    const address = tab.url().split('#')[0];
    // As somebody does who opens it: from an empty page.
    await tab.goto('about:blank');
    await tab.goto(address + words);
    await tab.waitForFunction(() => document.documentElement.dataset.ready !== undefined);
    assert.equal(await shownTab(tab), 'timeline', words);
    if (!words.includes('op=5')) assert.equal(await selected(tab), null, words);
    assert.ok(await slice(tab, 'Download 3', 'running', {across: 8}), words);
    assert.deepEqual(problems, [], words);
  }
  await close();
});

test('an address that is changed by hand is followed, and so is "back"', async () => {
  const {tab, problems, close} = await openReport(sample('photo-import'), {hash: '#op=5'});
  await tab.evaluate(() => { location.hash = '#op=10&tab=graph'; });
  await eventually(tab, () => document.querySelector('#panel h2')?.textContent === 'Decode 3 #10');
  assert.equal(await shownTab(tab), 'graph');
  await tab.goBack();
  await eventually(tab, () => document.querySelector('#panel h2')?.textContent === 'Download 3 #5');
  assert.equal(await shownTab(tab), 'timeline');
  await tab.goForward();
  await eventually(tab, () => document.querySelector('#panel h2')?.textContent === 'Decode 3 #10');
  await tab.evaluate(() => { location.hash = '#op=nonsense&tab=nowhere'; });
  await eventually(tab, () => document.querySelector('#panel').hidden);
  assert.equal(await shownTab(tab), 'timeline');
  await settled(tab);
  assert.deepEqual(problems, []);
  await close();
});

test('an address that is changed while the page is about to change it is followed', async () => {
  const {tab, close} = await openReport(sample('photo-import'));
  for (let id = 1; id <= 8; id++) {
    const pause = 200 + id * 12;
    // Around the moment when the page writes what was selected before.
    await tab.evaluate(([number, pause]) => new Promise((done) => setTimeout(() => {
      location.hash = `op=${number}`;
      const until = performance.now() + 60;
      while (performance.now() < until);
      done();
    }, pause)), [id, pause]);
    await eventually(tab, (number) => document.querySelector('#panel h2 .number')?.textContent === `#${number}`, id);
  }
  await close();
});

test('moving around adds no entry for "back"', async () => {
  const {tab, close} = await openReport(sample('photo-import'));
  const before = await tab.evaluate(() => history.length);
  for (const key of ['2', '3', '1']) await tab.keyboard.press(key);
  const one = await slice(tab, 'Download 3');
  await tab.mouse.click(one.x, one.y);
  await eventually(tab, () => location.hash === '#op=5');
  assert.equal(await tab.evaluate(() => history.length), before);
  await close();
});
