// Light and dark, large and small, on paper, without motion, in the system's own colours.
import {after, test} from 'node:test';
import assert from 'node:assert/strict';
import {boxOf, closeBrowser, differences, openReport, pixels, selected, settled, shownSlices, slice, text, texts} from '../support/browser.mjs';
import {sample, workload, written} from '../support/reports.mjs';

after(closeBrowser);

const TABS = ['timeline', 'graph', 'why', 'findings'];
const background = (tab) => tab.evaluate(() => getComputedStyle(document.body).backgroundColor);
// How bright a colour of the style sheet or a pixel is, 0 to 255.
const brightness = (colour) => (typeof colour === 'number' ? [colour & 255, (colour >> 8) & 255, (colour >> 16) & 255] : colour.match(/\d+/g).slice(0, 3).map(Number))
  .reduce((sum, part) => sum + part, 0) / 3;

test('dark and light follow the system, while the page is open', async () => {
  const {tab, problems, close} = await openReport(sample('photo-import'), {colorScheme: 'light'});
  const canvas = await boxOf(tab, '.timeline-stage canvas');
  const free = {x: canvas.x + 20, y: canvas.y + canvas.height - 6, width: 1, height: 1};
  const fill = await slice(tab, 'Download 3');
  const within = {x: fill.right - 6, y: fill.y - 4, width: 1, height: 1};
  assert.ok(brightness(await background(tab)) > 240);
  assert.ok(brightness((await pixels(tab, free))[0]) > 240);
  const light = (await pixels(tab, within))[0];
  await tab.emulateMedia({colorScheme: 'dark'});
  await settled(tab);
  assert.ok(brightness(await background(tab)) < 40);
  assert.ok(brightness((await pixels(tab, free))[0]) < 60, 'the canvas too');
  assert.ok(brightness((await pixels(tab, within))[0]) < brightness(light), 'and what is drawn on it');
  await tab.keyboard.press('2');
  assert.ok(brightness(await tab.evaluate(() => getComputedStyle(document.querySelector('#drawing .op .box')).fill)) < 80, 'the graph');
  await tab.emulateMedia({colorScheme: 'light'});
  assert.ok(brightness(await background(tab)) > 240);
  assert.deepEqual(problems, []);
  await close();
});

test('on paper: all four views, the panel, and no controls', async () => {
  const {tab, problems, close} = await openReport(sample('photo-import-stuck'), {hash: '#op=25', colorScheme: 'dark'});
  // As the browser's own command does.
  const document = await tab.pdf({format: 'A4', printBackground: true});
  assert.ok(document.length > 20000 && document.subarray(0, 5).toString() === '%PDF-');
  await tab.evaluate(() => window.dispatchEvent(new Event('beforeprint')));
  await tab.emulateMedia({media: 'print', colorScheme: 'dark'});
  await settled(tab);
  for (const id of TABS) {
    const box = await boxOf(tab, `#${id}`);
    assert.ok(box && box.height > 100, `${id} is there`);
  }
  const words = await tab.evaluate(() => document.body.innerText);
  for (const wanted of ['photo-import', 'Critical path', 'Classes', '3 operations depend on each other in a cycle', 'What to do', 'SaveSession #25']) assert.ok(words.includes(wanted), wanted);
  assert.ok(await tab.locator('#drawing .op[id]').count() > 20);
  const controls = await tab.evaluate(() => ['#search', '#help-button', '#tabs', '.graph-tools', '.actions', '.timeline-stage .pointer-tip', '.skip'].filter((one) => document.querySelector(one)?.checkVisibility()));
  assert.deepEqual(controls, []);
  assert.ok(brightness(await background(tab)) > 240, 'dark ink on white, whatever the screen has');
  assert.deepEqual(problems, []);
  await close();
});

test('on paper nothing is cut off, and the graph is whole and not faded', async () => {
  const {tab, close} = await openReport(sample('photo-import'), {hash: '#op=5&tab=graph', width: 718, height: 1000});
  await tab.evaluate(() => window.dispatchEvent(new Event('beforeprint')));
  await tab.emulateMedia({media: 'print'});
  await settled(tab);
  await tab.waitForTimeout(300);
  const wide = await tab.evaluate(() => [...document.querySelectorAll('table')].filter((one) => one.getBoundingClientRect().right > innerWidth).map((one) => one.caption?.textContent ?? one.className));
  assert.deepEqual(wide, []);
  const graph = await tab.evaluate(() => {
    const section = document.querySelector('#graph').getBoundingClientRect();
    const boxes = [...document.querySelectorAll('#drawing .op[id]')];
    return boxes.map((one) => ({box: one.querySelector('.box').getBoundingClientRect(), opacity: getComputedStyle(one).opacity}))
      .filter(({box, opacity}) => box.width < 10 || box.left < section.left || box.right > section.right || box.top < section.top || box.bottom > section.bottom || opacity !== '1').length;
  });
  assert.equal(graph, 0);
  await close();
});

for (const [width, height] of [[360, 740], [740, 360], [1920, 1080]]) {
  test(`everything can be reached at ${width} × ${height}, and nothing is outside the window`, async () => {
    const {tab, problems, close} = await openReport(sample('photo-import-stuck'), {width, height, hasTouch: width < 800});
    const isTooWide = () => tab.evaluate(() => Math.max(document.documentElement.scrollWidth, document.body.scrollWidth) > innerWidth);
    for (const [index, id] of TABS.entries()) {
      await tab.locator('[role=tab]').nth(index).click();
      assert.equal(await tab.locator(`#${id}`).isVisible(), true);
      assert.equal(await isTooWide(), false, id);
      const box = await boxOf(tab, `#${id}`);
      assert.ok(box.height >= height * 0.3, `${id} has ${box.height} of ${height} pixels`);
    }
    await tab.locator('#tab-timeline').click();
    assert.ok((await shownSlices(tab)).filter((one) => one.what === 'running').length >= 3, 'operations are to be seen');
    await tab.keyboard.press('/');
    await tab.keyboard.type('SaveSession');
    // What was found for the first letters stays until the rest has been searched for.
    await tab.locator('#search-list [role=option]:first-child').filter({hasText: 'SaveSession'}).click();
    assert.equal(await selected(tab), 'SaveSession #25');
    assert.equal(await isTooWide(), false, 'with the panel');
    const [panel, main] = [await boxOf(tab, '#panel'), await boxOf(tab, '#main')];
    assert.ok(panel.x >= 0 && panel.x + panel.width <= width + 1 && panel.y + panel.height <= height + 1, 'the panel is in the window');
    assert.ok(main.height >= 90 && main.width >= 200, `what it is about too: ${main.width} × ${main.height}`);
    const stage = await boxOf(tab, '.timeline-stage');
    assert.ok(stage.y + 80 <= Math.min(main.y + main.height, height), 'some of the timeline is left');
    await tab.locator('#panel').getByRole('button', {name: 'Close'}).click();
    assert.equal(await tab.locator('#panel').isVisible(), false);
    await tab.locator('#help-button').click();
    const help = await boxOf(tab, 'dialog');
    assert.ok(help.x >= 0 && help.x + help.width <= width && help.y >= 0 && help.y + help.height <= height, 'the help fits');
    assert.deepEqual(problems, []);
    await close();
  });
}

test('in a small window, nothing of a finding or of a folded box overlaps', async () => {
  const stuck = await openReport(sample('deadlock'), {hash: '#tab=findings', width: 360, height: 740});
  const widths = await stuck.tab.locator('.evidence td:last-child').evaluateAll((all) => all.map((one) => one.clientWidth));
  assert.ok(Math.min(...widths) > 180, `room for sentences: ${widths}`);
  await stuck.close();
  const {tab, close} = await openReport(written('folded', workload(2000)), {hash: '#tab=graph&op=900', width: 360, height: 740});
  const list = await boxOf(tab, '.fold-list');
  for (const selector of ['.graph-tools', '.graph-note']) {
    const other = await tab.locator(selector).isVisible() ? await boxOf(tab, selector) : null;
    assert.ok(!other || list.y + list.height <= other.y || list.x + list.width <= other.x, selector);
  }
  await close();
});

test('nothing is animated for readers who prefer reduced motion', async () => {
  const {tab, close} = await openReport(sample('photo-import'), {hash: '#op=5&tab=graph', reducedMotion: 'reduce'});
  const moving = await tab.evaluate(() => [...document.querySelectorAll('*')].filter((one) => {
    const style = getComputedStyle(one);
    return style.animationName !== 'none' || style.transitionDuration.split(',').some((duration) => parseFloat(duration) > 0.02) && style.transitionProperty !== 'none' && !style.transition.startsWith('none');
  }).map((one) => one.outerHTML.slice(0, 80)));
  assert.deepEqual(moving, []);
  assert.equal(await tab.evaluate(() => document.getAnimations().length), 0);
  await close();
});

test('everything is visible in forced colours', async () => {
  for (const colorScheme of ['light', 'dark']) {
    const {tab, problems, close} = await openReport(sample('photo-import-stuck'), {forcedColors: 'active', colorScheme});
    assert.ok((await shownSlices(tab, {across: 8})).length > 5);
    // Slices differ from what is behind them.
    const one = await slice(tab, 'Download 3');
    const inside = await pixels(tab, {x: one.right - 8, y: one.y - 4, width: 4, height: 4});
    const canvas = await boxOf(tab, '.timeline-stage canvas');
    assert.ok(differences(inside, await pixels(tab, {x: canvas.x + 20, y: canvas.y + canvas.height - 8, width: 4, height: 4})) > 0);
    // The legend's colours are what the canvas shows, and one tab looks different from the others.
    const legend = await tab.locator('.timeline-legend i:not(.wait-mark[class*=fill-of])').evaluateAll((all) => all.map((i) => getComputedStyle(i).backgroundColor));
    assert.equal(new Set(legend).size, legend.length);
    const lines = await tab.locator('[role=tab]').evaluateAll((all) => all.map((tab) => getComputedStyle(tab).borderBottomColor));
    assert.equal(lines.filter((colour) => colour === lines[0]).length, 1);
    for (const key of ['2', '3', '4']) await tab.keyboard.press(key);
    assert.match(await text(tab, '#findings'), /3 operations depend on each other/);
    assert.equal((await texts(tab, '[role=tab][aria-selected=true]')).length, 1);
    assert.deepEqual(problems, []);
    await close();
  }
});

test('sharp on a screen of two pixels a point', async () => {
  const {tab, close} = await openReport(sample('photo-import'), {deviceScaleFactor: 2});
  const {points, dots} = await tab.evaluate(() => {
    const canvas = document.querySelector('.timeline-stage canvas');
    return {points: canvas.getBoundingClientRect().width, dots: canvas.width};
  });
  assert.ok(Math.abs(dots - 2 * points) <= 2);
  assert.ok(await slice(tab, 'Download 3'));
  await close();
});
