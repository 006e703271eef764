// The graph in the report: the drawing of `optrace graph`, to move about in and to select from.
import {after, test} from 'node:test';
import assert from 'node:assert/strict';
import {boxOf, closeBrowser, drag, eventually, focused, openReport, pinch, selected, settled, slice, text, texts} from '../support/browser.mjs';
import {dataOf, sample, workload, written} from '../support/reports.mjs';

after(closeBrowser);

const near = (one, other, within, what) => assert.ok(Math.abs(one - other) <= within, `${what}: ${one} is not within ${within} of ${other}`);
const open = (page = sample('photo-import'), options = {}) => openReport(page, {hash: '#tab=graph', ...options});
// From all of it, however small.
const openFitted = async (...from) => {
  const opened = await open(...from);
  await opened.tab.getByRole('button', {name: 'Fit'}).click();
  await settled(opened.tab);
  return opened;
};
const boxOfNode = (tab, id) => boxOf(tab, `#${id} .box`);
const centre = (box) => ({x: box.x + box.width / 2, y: box.y + box.height / 2});

test('the graph opens legibly: all of it, or what is stuck, or where the critical path begins', async () => {
  for (const name of ['photo-import', 'photo-import-stuck', 'deadlock', 'i-love-u']) {
    for (const [width, height] of [[1280, 800], [360, 740]]) {
      const page = sample(name);
      const {tab, close} = await open(page, {width, height});
      const zoom = Number((await text(tab, '.zoom-text')).replace(' %', ''));
      assert.ok(zoom >= 70, `${name}: ${zoom} %`);
      const drawing = await boxOf(tab, '#drawing');
      const stuck = tab.locator('#drawing .op.deadlocked, #drawing .op.stalled');
      const wanted = await stuck.count() > 0 ? stuck : tab.locator('#drawing .op.critical');
      const shown = (await wanted.evaluateAll((all) => all.map((one) => one.querySelector('.box').getBoundingClientRect().toJSON())))
        .filter((box) => box.left >= drawing.x && box.right <= drawing.x + drawing.width && box.top >= drawing.y && box.bottom <= drawing.y + drawing.height);
      assert.ok(shown.length > 0, `${name} at ${width}: none of what it is about is in view`);
      await tab.getByRole('button', {name: 'Fit'}).click();
      await settled(tab);
      const legend = await boxOf(tab, '#drawing > svg .op');
      assert.ok(legend.x >= drawing.x, 'Fit still shows all');
      await close();
    }
  }
});

test('the wheel zooms at the pointer, a drag moves, Fit shows all', async () => {
  const {tab, problems, close} = await openFitted();
  const whole = await boxOfNode(tab, 'op-5');
  const at = centre(whole);
  await tab.mouse.move(at.x, at.y);
  for (let turn = 0; turn < 3; turn++) await tab.mouse.wheel(0, -150);
  await settled(tab);
  const larger = await boxOfNode(tab, 'op-5');
  assert.ok(larger.width > whole.width * 1.5);
  near(centre(larger).x, at.x, 3, 'what was under the pointer');
  near(centre(larger).y, at.y, 3, 'what was under the pointer');
  assert.match(await text(tab, '.zoom-text'), /^\d+ %$/);
  const drawing = await boxOf(tab, '#drawing');
  const corner = {x: drawing.x + 40, y: drawing.y + drawing.height - 40};
  await drag(tab, corner, {x: corner.x + 90, y: corner.y - 60});
  const moved = await boxOfNode(tab, 'op-5');
  near(moved.x, larger.x + 90, 6, 'moved across');
  near(moved.y, larger.y - 60, 6, 'moved up');
  assert.equal(await selected(tab), null, 'to move is not to select');
  await drag(tab, centre(moved), {x: centre(moved).x + 40, y: centre(moved).y});
  assert.equal(await selected(tab), null, 'nor is to move by a box');
  await tab.getByRole('button', {name: 'Fit'}).click();
  near((await boxOfNode(tab, 'op-5')).width, whole.width, 1, 'fit');
  await tab.getByRole('button', {name: 'Zoom in'}).last().click();
  assert.ok((await boxOfNode(tab, 'op-5')).width > whole.width * 1.2);
  await tab.getByRole('button', {name: 'Zoom out'}).last().click();
  near((await boxOfNode(tab, 'op-5')).width, whole.width, 1, 'and out');
  await tab.mouse.dblclick(corner.x, corner.y);
  await settled(tab);
  assert.ok((await boxOfNode(tab, 'op-5')).width > whole.width * 1.5, 'a double click');
  assert.deepEqual(problems, []);
  await close();
});

test('two fingers zoom, a tap selects', async () => {
  const {tab, close} = await openFitted(undefined, {hasTouch: true});
  const before = await boxOfNode(tab, 'op-5');
  const {x, y} = centre(before);
  await pinch(tab, [{x: x - 40, y}, {x: x + 40, y}], [{x: x - 100, y}, {x: x + 100, y}]);
  const larger = await boxOfNode(tab, 'op-5');
  near(larger.width / before.width, 2.5, 0.4, 'as the fingers spread');
  near(centre(larger).x, x, 15, 'between them');
  assert.equal(await selected(tab), null);
  await tab.touchscreen.tap(centre(larger).x, centre(larger).y);
  assert.equal(await selected(tab), 'Download 3 #5');
  await close();
});

test('a click on a box selects its operation in the panel and the timeline, and highlights its paths', async () => {
  const {tab, close} = await openFitted();
  const at = centre(await boxOfNode(tab, 'op-5'));
  await tab.mouse.click(at.x, at.y);
  assert.equal(await selected(tab), 'Download 3 #5');
  assert.equal(await tab.locator('#op-5').getAttribute('aria-pressed'), 'true');
  assert.equal(await tab.locator('#op-5 .ring').count(), 1);
  // What it waited for and what waited for it, over any number of steps: from the trace.
  const lit = await texts(tab, '#drawing .op.lit .name');
  for (const name of ['FetchManifest', 'ParseManifest', 'Decode 3', 'Thumbnail 3', 'BuildIndex', 'NotifyUI']) assert.ok(lit.includes(name), name);
  assert.ok(!lit.includes('Download 1'));
  await eventually(tab, () => [...document.querySelectorAll('#drawing .op[id]:not(.lit)')].every((one) => Number(getComputedStyle(one).opacity) < 0.5));
  await tab.keyboard.press('1');
  await settled(tab);
  const one = await slice(tab, 'Download 3');
  assert.ok(one, 'it is in view');
  await eventually(tab, () => location.hash.includes('op=5'));
  await close();
});

test('a double click on a box selects its operation as one click does; another click deselects', async () => {
  const {tab, close} = await openFitted();
  const before = centre(await boxOfNode(tab, 'op-5'));
  await tab.mouse.dblclick(before.x, before.y);
  assert.equal(await selected(tab), 'Download 3 #5');
  await tab.waitForTimeout(600);
  const at = centre(await boxOfNode(tab, 'op-5'));
  await tab.mouse.click(at.x, at.y);
  assert.equal(await selected(tab), null);
  await close();
});

test('what is selected in the timeline is marked in the graph and in view', async () => {
  const {tab, close} = await openReport(sample('photo-import'));
  const one = await slice(tab, 'DetectFaces');
  await tab.mouse.click(one.x, one.y);
  await tab.keyboard.press('2');
  await settled(tab);
  assert.deepEqual(await texts(tab, '#drawing .op.selected .name'), ['DetectFaces']);
  const [box, drawing] = [await boxOf(tab, '#drawing .op.selected .box'), await boxOf(tab, '#drawing')];
  assert.ok(box.x >= drawing.x && box.x + box.width <= drawing.x + drawing.width && box.y >= drawing.y);
  await tab.keyboard.press('Escape');
  assert.equal(await tab.locator('#drawing .op.selected').count(), 0);
  await close();
});

test('by keyboard: into the drawing, from box to box, Enter selects, plus, minus and zero zoom', async () => {
  const {tab, close} = await openFitted();
  await tab.locator('#drawing').focus();
  const before = await boxOfNode(tab, 'op-1');
  await tab.keyboard.press('+');
  assert.ok((await boxOfNode(tab, 'op-1')).width > before.width * 1.2);
  await tab.keyboard.press('-');
  near((await boxOfNode(tab, 'op-1')).width, before.width, 1, 'minus');
  await tab.keyboard.press('+');
  await tab.keyboard.press('ArrowRight');
  await settled(tab);
  assert.ok((await boxOfNode(tab, 'op-1')).x < before.x);
  await tab.keyboard.press('0');
  near((await boxOfNode(tab, 'op-1')).x, before.x, 1, 'zero');
  await tab.keyboard.press('Tab');
  const first = await focused(tab);
  assert.equal(first.role, 'button');
  assert.match(first.text, /^FetchManifest, #1, finished$/);
  await tab.keyboard.press('ArrowRight');
  const next = await focused(tab);
  assert.match(next.text, /^(ParseManifest|RefreshToken), #\d+, finished$/);
  await tab.keyboard.press('Enter');
  assert.equal(await selected(tab), next.text.replace(/, (#\d+).*/, ' $1'));
  assert.equal((await focused(tab)).text, next.text, 'the focus stays where it was');
  await tab.keyboard.press('ArrowLeft');
  assert.equal((await focused(tab)).text, first.text);
  await close();
});

test('a folded graph: a box of many selects one of them and lists all', async () => {
  const page = written('folded', workload(2000));
  const {note} = dataOf(page).graph;
  const {tab, problems, close} = await open(page);
  assert.match(note, /^folded 2,000 operations into \d+ boxes; the critical path runs through them, its longest steps: /);
  assert.equal(await text(tab, '.graph-note'), note);
  const folds = await tab.locator('#drawing .op[id^=fold-]').count();
  assert.ok(folds > 1);
  await tab.getByRole('button', {name: 'Fit'}).click();
  // The largest.
  const counts = (await tab.locator('#drawing .op[id^=fold-]').evaluateAll((all) => all.map((one) => one.getAttribute('aria-label'))))
    .map((name) => Number(name.match(/^([\d,]+) operations like/)[1].replace(',', '')));
  const many = Math.max(...counts);
  const fold = tab.locator('#drawing .op[id^=fold-]').nth(counts.indexOf(many));
  const at = centre(await fold.locator('.box').boundingBox());
  await tab.mouse.click(at.x, at.y);
  assert.equal(await text(tab, '.fold-list h3'), `${many.toLocaleString('en')} operations in this box`);
  assert.match(await selected(tab), /^operation \d+ #\d+$/);
  const more = tab.locator('.fold-list .more');
  if (await more.isVisible()) await more.click();
  const listed = await texts(tab, '.fold-list .operation .number');
  assert.equal(listed.length, many);
  assert.equal(new Set(listed).size, many);
  await tab.locator('.fold-list .operation').nth(3).click();
  assert.ok((await selected(tab)).endsWith(listed[3]));
  assert.equal(await tab.locator('.fold-list').isVisible(), true, 'still the same box');
  assert.deepEqual(problems, []);
  await close();
});
