// The timeline by mouse, wheel and fingers; what a point shows is what the tip says there.
import {after, test} from 'node:test';
import assert from 'node:assert/strict';
import {
  boxOf, closeBrowser, differences, drag, eventually, openReport, pinch, pixels, selected, settled, shownSlices, slice, text, texts, tipAt,
} from '../support/browser.mjs';
import {sample, textTrace, workload, written} from '../support/reports.mjs';
import {SAMPLES, sampledTrace} from '../support/sampled.mjs';

after(closeBrowser);

const NAME = 'Download 3 #5';
const open = (options) => openReport(sample('photo-import'), options);
const near = (one, other, within, what) => assert.ok(Math.abs(one - other) <= within, `${what}: ${one} is not within ${within} of ${other}`);

test('the wheel zooms, and what is under the pointer stays there', async () => {
  const {tab, close} = await open();
  const before = await slice(tab, NAME);
  const at = {x: before.left + before.width * 0.3, y: before.y};
  assert.equal((await tipAt(tab, at.x, at.y))[0], NAME);
  for (let turn = 0; turn < 3; turn++) await tab.mouse.wheel(0, -120);
  const larger = await slice(tab, NAME);
  assert.ok(larger.width > before.width * 1.3, 'it is larger');
  near(at.x - larger.left, larger.width * 0.3, 10, 'the part to the left of the pointer');
  assert.equal((await tipAt(tab, at.x, at.y))[0], NAME);
  for (let turn = 0; turn < 6; turn++) await tab.mouse.wheel(0, 120);
  const smaller = await slice(tab, NAME);
  near(smaller.width, before.width, 10, 'all is shown again');
  await tab.keyboard.down('Control');
  await tab.mouse.wheel(0, -20);
  await tab.keyboard.up('Control');
  assert.ok((await slice(tab, NAME)).width > smaller.width * 1.1, 'with Control, as a touchpad pinches');
  await close();
});

test('two fingers zoom and move, one finger moves, a tap selects', async () => {
  const {tab, close} = await open({hasTouch: true});
  const before = await slice(tab, NAME);
  const [x, y] = [before.left + before.width / 2, before.y];
  await pinch(tab, [{x: x - 30, y}, {x: x + 30, y}], [{x: x - 60, y}, {x: x + 60, y}]);
  const larger = await slice(tab, NAME);
  near(larger.width / before.width, 2, 0.25, 'twice as large');
  near(larger.x, x, 12, 'what was between the fingers');
  const session = await tab.context().newCDPSession(tab);
  const touch = (type, points) => session.send('Input.dispatchTouchEvent', {type, touchPoints: points});
  await touch('touchStart', [{x, y}]);
  for (let step = 1; step <= 5; step++) await touch('touchMove', [{x: x - 16 * step, y}]);
  await touch('touchEnd', []);
  const moved = await slice(tab, NAME);
  near(moved.right, larger.right - 80, 12, 'moved by the finger');
  assert.equal(await selected(tab), null, 'to move is not to select');
  await tab.touchscreen.tap(moved.right - 20, moved.y);
  assert.equal(await selected(tab), NAME);
  await close();
});

test('a drag moves the view, a click selects, a click beside deselects', async () => {
  const {tab, close} = await open();
  const whole = await slice(tab, NAME);
  await tab.mouse.move(whole.x, whole.y);
  for (let turn = 0; turn < 3; turn++) await tab.mouse.wheel(0, -120);
  const before = await slice(tab, NAME);
  await drag(tab, {x: before.x, y: before.y}, {x: before.x - 70, y: before.y});
  const moved = await slice(tab, NAME);
  near(moved.right, before.right - 70, 8, 'its end');
  assert.equal(await selected(tab), null);
  await tab.mouse.click(moved.right - 20, moved.y);
  assert.equal(await selected(tab), 'Download 3 #5');
  assert.match(await text(tab, '#announcer'), /Selected Download 3, number 5/);
  const canvas = await boxOf(tab, '.timeline-stage canvas');
  const free = await tab.evaluate(() => document.querySelector('.timeline-stage').getBoundingClientRect().top);
  await tab.mouse.click(canvas.x + canvas.width - 30, free + 34);
  assert.equal(await selected(tab), null, 'the heading holds no operation');
  await close();
});

test('a drag with Shift shows the range, and then only it', async () => {
  const {tab, close} = await open();
  const before = await slice(tab, NAME);
  const [from, to] = [before.left + before.width * 0.25, before.left + before.width * 0.75];
  const area = {x: from, y: before.bottom + 60, width: to - from, height: 20};
  const plain = await pixels(tab, area);
  await tab.keyboard.down('Shift');
  await tab.mouse.move(from, before.y);
  await tab.mouse.down();
  await tab.mouse.move(to, before.y, {steps: 5});
  assert.ok(differences(plain, await pixels(tab, area)) > plain.length / 2, 'the range is marked while it is chosen');
  await tab.mouse.up();
  await tab.keyboard.up('Shift');
  const canvas = await boxOf(tab, '.timeline-stage canvas');
  const after = await slice(tab, NAME);
  assert.ok(after.left < canvas.x + 200 && after.right > canvas.x + canvas.width - 12, 'its middle half fills the timeline');
  await eventually(tab, () => /from=\d+&to=\d+/.test(location.hash));
  const [, begin, end] = (await tab.evaluate(() => location.hash)).match(/from=(\d+)&to=(\d+)/).map(Number);
  near(end - begin, 615e6, 615e6 * 0.05, 'half of its 1.23 s');
  await close();
});

// `shows`: what the page has selected before the second click comes; undefined: that comes at once.
async function doubleClick(tab, x, y, shows) {
  await tab.mouse.move(x, y);
  for (const clickCount of [1, 2]) {
    await tab.mouse.down({clickCount});
    await tab.mouse.up({clickCount});
    if (clickCount === 1 && shows !== undefined) {
      await eventually(tab, (name) => (document.querySelector('#panel:not([hidden]) h2')?.textContent ?? null) === name, shows);
      await settled(tab);
    }
  }
  await settled(tab);
}

for (const waits of [false, true]) {
  test(`a double click on an operation shows it whole, one beside it zooms in; the second click comes ${waits ? 'when the first is shown' : 'at once'}`, async () => {
    const {tab, close} = await open();
    const before = await slice(tab, NAME);
    // At its end: the panel that the first click opens moves another one there.
    await doubleClick(tab, before.right - 10, before.y, waits ? NAME : undefined);
    const whole = await slice(tab, NAME);
    const canvas = await boxOf(tab, '.timeline-stage canvas');
    assert.ok(whole.width > (canvas.width - 190) * 0.65 && whole.right < canvas.x + canvas.width - 20, 'whole and large');
    assert.equal(await selected(tab), NAME);
    await tab.keyboard.press('f');
    const again = await slice(tab, NAME);
    await doubleClick(tab, again.right + 60, again.y, waits ? null : undefined);
    assert.equal(await selected(tab), null);
    assert.ok((await slice(tab, NAME)).width > again.width * 1.3);
    await close();
  });
}

test('wheel with Shift moves, the wheel over the titles scrolls, so does the bar', async () => {
  const {tab, close} = await open({height: 520});
  const before = await slice(tab, NAME);
  await tab.mouse.move(before.x, before.y);
  await tab.mouse.wheel(0, -120);
  const larger = await slice(tab, NAME);
  await tab.keyboard.down('Shift');
  await tab.mouse.wheel(0, 60);
  await tab.keyboard.up('Shift');
  near((await slice(tab, NAME)).left, larger.left - 60, 8, 'moved to the left');
  const canvas = await boxOf(tab, '.timeline-stage canvas');
  const top = (await shownSlices(tab))[0].name;
  await tab.mouse.move(canvas.x + 60, canvas.y + 100);
  await tab.mouse.wheel(0, 200);
  await settled(tab);
  assert.notEqual((await shownSlices(tab))[0].name, top);
  const scrolled = await tab.evaluate(() => document.querySelector('.timeline-bar').scrollTop);
  assert.ok(scrolled > 150, 'the bar follows');
  const bar = await boxOf(tab, '.timeline-bar');
  await tab.mouse.move(bar.x + bar.width / 2, bar.y + 20);
  await tab.mouse.wheel(0, -2000);
  await eventually(tab, () => document.querySelector('.timeline-bar').scrollTop === 0);
  assert.equal((await shownSlices(tab))[0].name, top);
  await close();
});

test('a pointer finds at each point what the page says is there', async () => {
  for (const page of [sample('photo-import'), written('sampled', sampledTrace(SAMPLES))]) {
    const {tab, close} = await openReport(page);
    const said = await shownSlices(tab);
    assert.ok(said.length > 5);
    assert.deepEqual(await shownSlices(tab, {byPointer: true}), said);
    await close();
  }
});

test('the tip follows the pointer, shows counters, and goes away', async () => {
  const {tab, close} = await open();
  const one = await slice(tab, NAME);
  assert.deepEqual(await tipAt(tab, one.x, one.y), [NAME, 'running 1.23 s', '592 ms after the start', 'Download · network · finished']);
  const wait = await slice(tab, NAME, 'waiting for dependencies');
  assert.equal((await tipAt(tab, wait.x, wait.y))[1], 'waiting for dependencies 471 ms');
  const tip = await boxOf(tab, '.timeline-stage .pointer-tip');
  assert.ok(tip.x >= 0 && tip.x + tip.width <= 1280 && tip.y + tip.height <= 800, 'inside the window');
  const canvas = await boxOf(tab, '.timeline-stage canvas');
  let counters = null;
  for (let y = canvas.y + 30; y < canvas.y + canvas.height && !counters; y += 10) {
    const lines = await tipAt(tab, one.left + 40, y);
    if (lines?.[0].startsWith('at ')) counters = lines;
  }
  assert.deepEqual(counters.slice(1), ['executing 4', 'ready 0', 'limit 4']);
  await tab.mouse.move(canvas.x + 300, canvas.y - 90);
  assert.equal(await tab.locator('.timeline-stage .pointer-tip').isHidden(), true);
  await close();
});

test('the overview: a click goes there, a drag in what is shown moves it', async () => {
  const {tab, close} = await openReport(written('overview', workload(400)));
  const overview = await boxOf(tab, '.timeline-overview');
  const numbers = async () => (await shownSlices(tab)).filter((one) => one.what === 'running').map((one) => Number(one.name.match(/#(\d+)/)[1]));
  await tab.locator('.timeline-stage canvas').focus();
  for (let press = 0; press < 6; press++) await tab.keyboard.press('w');
  await tab.mouse.click(overview.x + overview.width * 0.25, overview.y + 20);
  const early = await numbers();
  assert.ok(Math.max(...early) < 160, `a quarter in: ${Math.max(...early)}`);
  await tab.mouse.click(overview.x + overview.width * 0.75, overview.y + 20);
  const late = await numbers();
  assert.ok(Math.min(...late) > 240, `three quarters in: ${Math.min(...late)}`);
  const strip = {x: overview.x, y: overview.y, width: overview.width, height: overview.height};
  const before = await pixels(tab, strip, '.timeline-overview');
  await drag(tab, {x: overview.x + overview.width * 0.75, y: overview.y + 20}, {x: overview.x + overview.width * 0.5, y: overview.y + 20});
  const middle = await numbers();
  assert.ok(Math.min(...middle) > 120 && Math.max(...middle) < 280, 'the middle');
  assert.ok(differences(before, await pixels(tab, strip, '.timeline-overview')) > 100, 'it marks what is shown');
  await close();
});

test('arrows come from what the selected operation depended on, and go to what depended on it', async () => {
  // Two operations one after the other on two threads, with nothing between them.
  const path = written('arrow', textTrace([
    '1000 t1 thread t1 tid=4711 "main"', '1000 t1 queue q1 limit=2 "work"', '1100 t2 thread t2 tid=5 "a"', '1100 t3 thread t3 tid=6 "b"',
    ...[1, 2].map((id) => `${2000 + id} t1 created #${id} class="Step"`), '2010 t1 named #1 "first"', '2011 t1 named #2 "second"', '2020 t1 depends #2 on=#1',
    '2100 t1 enqueued #1 queue=q1 priority=0', '2101 t1 enqueued #2 queue=q1 priority=0', '2200 t1 ready #1',
    '3000 t2 started #1', '3010 t2 began #1', '300000 t2 ended #1', '300100 t2 finished #1', '300150 t2 ready #2', '300200 t2 start-returned #1',
    '600000 t3 started #2', '600010 t3 began #2', '900000 t3 ended #2', '900100 t3 finished #2', '900200 t3 start-returned #2',
  ], {end: 1e6}));
  const {tab, close} = await openReport(path);
  const [first, second] = [await slice(tab, 'first'), await slice(tab, 'second')];
  // Half way, where an S between the two passes.
  const middle = {x: (first.right + second.left) / 2 - 6, y: (first.y + second.y) / 2 - 8, width: 12, height: 16};
  const without = await pixels(tab, middle);
  for (const one of [first, second]) {
    await tab.mouse.click(one.x, one.y);
    // The panel takes a part of the width: all again, then back to the same points.
    await tab.keyboard.press('f');
    const [from, to] = [await slice(tab, 'first'), await slice(tab, 'second')];
    const there = {...middle, x: (from.right + to.left) / 2 - 6, y: (from.y + to.y) / 2 - 8};
    assert.ok(differences(without, await pixels(tab, there)) >= 6, `an arrow while ${one.name} is selected`);
    await tab.keyboard.press('Escape');
    await settled(tab);
    assert.equal(differences(without, await pixels(tab, middle)), 0, 'none without');
  }
  await close();
});

test('a window of another size shows the same part', async () => {
  const {tab, close} = await open();
  const before = await slice(tab, NAME);
  await tab.mouse.move(before.x, before.y);
  for (let turn = 0; turn < 3; turn++) await tab.mouse.wheel(0, -120);
  const names = async () => (await shownSlices(tab)).filter((one) => one.what === 'running').map((one) => one.name).sort();
  const [wide, shown] = [await slice(tab, NAME), await names()];
  await tab.setViewportSize({width: 900, height: 800});
  await settled(tab);
  const narrow = await slice(tab, NAME);
  assert.ok(narrow.width < wide.width && narrow.right < 900);
  const less = await names();
  assert.deepEqual(less.filter((name) => !shown.includes(name)), []);
  await tab.setViewportSize({width: 1280, height: 800});
  await settled(tab);
  near((await slice(tab, NAME)).width, wide.width, 6, 'and back');
  assert.ok((await texts(tab, '.timeline-legend')).join(' ').includes('finished'));
  await close();
});
