// Who uses no mouse, or no screen: roles, names, contrast, and the keyboard alone.
import {after, test} from 'node:test';
import assert from 'node:assert/strict';
import {closeBrowser, eventually, focused, openReport, selected, settled, text} from '../support/browser.mjs';
import {violations} from '../support/axe.mjs';
import {sample} from '../support/reports.mjs';

after(closeBrowser);

const TABS = ['timeline', 'graph', 'why', 'findings'];

for (const colorScheme of ['light', 'dark']) {
  for (const [width, height] of [[1280, 800], [390, 800]]) {
    test(`axe finds nothing: ${colorScheme}, ${width} × ${height}`, async () => {
      // With the panel open, which a selection opens.
      const stuck = await openReport(sample('photo-import-stuck'), {hash: '#op=24', colorScheme, width, height});
      for (const [index, view] of TABS.entries()) {
        await stuck.tab.keyboard.press(String(index + 1));
        // What fades in has its contrast when it is there.
        await stuck.tab.waitForTimeout(200);
        assert.deepEqual(await violations(stuck.tab), [], view);
      }
      await stuck.close();
      const {tab, close} = await openReport(sample('photo-import'), {colorScheme, width, height});
      assert.deepEqual(await violations(tab), [], 'nothing selected');
      await tab.keyboard.press('/');
      await tab.keyboard.type('Down');
      await tab.locator('#search-list [role=option]').first().waitFor();
      assert.deepEqual(await violations(tab), [], 'search');
      await tab.keyboard.press('Escape');
      await tab.keyboard.press('Escape');
      await tab.locator('#help-button').click();
      assert.deepEqual(await violations(tab), [], 'help');
      await close();
    });
  }
}

test('a screen reader gets the page\'s parts', async () => {
  const {tab, close} = await openReport(sample('photo-import-stuck'), {hash: '#op=25'});
  const tree = await tab.locator('body').ariaSnapshot();
  for (const line of [
    /banner:/, /heading "photo-import pid \d+" \[level=1\]/, /search:/, /combobox "Search operations by name, class or #number"/, /button "Keys and gestures"/,
    /tablist "Views":/, /tab "Timeline" \[selected\]/, /tab "Graph"/, /tab "Why slow"/, /tab "Findings.*1 finding"/, /main:/, /tabpanel "Timeline":/,
    /application "Timeline of threads and queues"/, /img "Overview: how much was executed when"/, /complementary "Operation":/, /heading "SaveSession #25" \[level=2\]/,
    /button "RefreshToken #26 ?, deadlocked"/,
  ]) assert.match(tree, line);
  await tab.keyboard.press('2');
  const graph = await tab.locator('#graph').ariaSnapshot();
  assert.match(graph, /group "Graph: plus and minus zoom, arrows move"/);
  assert.match(graph, /button "SaveSession, #25, deadlocked" \[pressed\]/);
  await tab.keyboard.press('3');
  const why = await tab.locator('#why').ariaSnapshot();
  assert.match(why, /table "Queues and the times of their operations"/);
  assert.match(why, /columnheader "Running"/);
  assert.match(why, /button "waiting for a slot" \[pressed\]/);
  await tab.keyboard.press('4');
  assert.match(await tab.locator('#findings').ariaSnapshot(), /article "3 operations depend on each other in a cycle"/);
  await close();
});

// The elements that Tab reaches, until it leaves the page or comes round.
async function tour(tab, key = 'Tab', most = 250) {
  const stops = [];
  for (let press = 0; press < most; press++) {
    await tab.keyboard.press(key);
    const stop = await tab.evaluate(() => {
      const {activeElement: one} = document;
      if (one === document.body) return null;
      const box = one.getBoundingClientRect();
      const style = getComputedStyle(one);
      one.dataset.seen = Number(one.dataset.seen ?? 0) + 1;
      return {
        what: `${one.tagName} ${one.getAttribute('aria-label') ?? one.textContent.trim().slice(0, 40)}`, times: Number(one.dataset.seen),
        isVisible: box.width > 0 && box.height > 0 && box.bottom > 0 && box.right > 0 && box.top < innerHeight && box.left < innerWidth,
        isMarked: style.outlineStyle !== 'none' && parseFloat(style.outlineWidth) >= 1 || one.closest('svg') !== null,
      };
    });
    if (stop === null || stop.times > 1) return {stops, isWhole: true};
    stops.push(stop);
  }
  return {stops, isWhole: false};
}

for (const view of TABS) {
  test(`Tab goes through everything and out again, and shows the focus: ${view}`, async () => {
    const {tab, close} = await openReport(sample('photo-import-stuck'), {hash: `#op=24&tab=${view}`});
    const {stops, isWhole} = await tour(tab);
    assert.ok(isWhole, `no end after ${stops.length} stops`);
    assert.ok(stops.length > 10);
    assert.deepEqual(stops.filter((one) => !one.isVisible || !one.isMarked).map((one) => one.what), []);
    const words = stops.map((one) => one.what).join('\n');
    for (const wanted of ['Skip to the content', 'Search operations', 'Keys and gestures', 'Close']) assert.ok(words.includes(wanted), wanted);
    await close();
  });
}

test('from the page\'s load to a selected operation and back, by keyboard alone', async () => {
  const {tab, close} = await openReport(sample('photo-import'));
  const until = async (holds, key = 'Tab') => {
    for (let press = 0; press < 40; press++) {
      await tab.keyboard.press(key);
      const now = await focused(tab);
      if (now && holds(now)) return now;
    }
    throw new Error('not reached');
  };
  await tab.keyboard.press('Tab');
  assert.equal((await focused(tab)).text, 'Skip to the content');
  await tab.keyboard.press('Enter');
  await until((one) => one.role === 'application');
  await tab.keyboard.press('ArrowDown');
  await tab.keyboard.press('ArrowDown');
  for (let press = 0; press < 20 && !/ running /.test(await text(tab, '#timeline > [role=status]')); press++) await tab.keyboard.press('ArrowDown');
  await tab.keyboard.press(']');
  await tab.keyboard.press('Enter');
  const first = await selected(tab);
  assert.notEqual(first, null);
  // Into the panel, along a dependency, and out.
  await until((one) => one.region === 'panel' && /#\d+, /.test(one.text));
  await tab.keyboard.press('Enter');
  const second = await selected(tab);
  assert.notEqual(second, first);
  assert.equal((await focused(tab)).region, 'panel');
  await tab.keyboard.press('Escape');
  assert.equal(await selected(tab), null);
  assert.notEqual(await focused(tab), null, 'the focus is not lost');
  // Through the tabs with the arrows.
  await until((one) => one.role === 'tab', 'Shift+Tab');
  for (const [key, id] of [['ArrowRight', 'tab-graph'], ['End', 'tab-requests'], ['ArrowRight', 'tab-timeline'], ['ArrowLeft', 'tab-requests'], ['Home', 'tab-timeline']]) {
    await tab.keyboard.press(key);
    assert.equal((await focused(tab)).id, id);
    assert.equal(await tab.locator(`#${id}`).getAttribute('aria-selected'), 'true');
  }
  await close();
});

test('a selection is announced once', async () => {
  const {tab, close} = await openReport(sample('photo-import'));
  await tab.evaluate(() => {
    window.said = [];
    new MutationObserver(() => window.said.push(document.getElementById('announcer').textContent)).observe(document.getElementById('announcer'), {childList: true, characterData: true, subtree: true});
  });
  await tab.keyboard.press('/');
  await tab.keyboard.type('NotifyUI');
  await tab.locator('#search-list [role=option]').first().waitFor();
  await tab.keyboard.press('Enter');
  await eventually(tab, () => window.said.length > 0);
  await settled(tab);
  assert.deepEqual(await tab.evaluate(() => window.said), ['Selected NotifyUI, number 27, finished, queue store, ran 30.1 ms.']);
  await close();
});
