// What the tab of units of work says of causes: how a kind went over time, whom its slow units waited for, and the words at the pieces of a unit.
import {after, test} from 'node:test';
import assert from 'node:assert/strict';
import {closeBrowser, drag, eventually, openReport, searchFor, settled, text, texts} from '../support/browser.mjs';
import {violations} from '../support/axe.mjs';
import {hostile, shown} from '../support/hostile.mjs';
import {json, written} from '../support/reports.mjs';
import {beatingTrace, serviceTrace} from '../support/services.mjs';

after(closeBrowser);

const page = () => written('beating', beatingTrace());
const open = (options) => openReport(page(), {hash: '#tab=requests', ...options});
const notice = (tab) => tab.locator('.time-notice');
const boxes = (tab) => tab.locator('#requests .flame-box').evaluateAll((all) => all.map((one) => one.ariaLabel.split(', ')[0]));
const choose = async (tab, from, to) => {
  const {x, y, width, height} = await tab.locator('.course-latency').boundingBox();
  await drag(tab, {x: x + width * from, y: y + height / 2}, {x: x + width * to, y: y + height / 2});
};

// MARK: Over time

test('a kind over time: its latency, its rate, what failed, and the job that comes back', async () => {
  const {tab, problems, close} = await open();
  assert.equal(await tab.locator('.course .rate-bar').count(), await tab.locator('.course-rate rect.rate-bar').count());
  assert.equal(await tab.locator('.course .failed-bar').count(), 7);
  // In both plots.
  assert.equal(await tab.locator('.course .pulse').count(), 14);
  assert.match(await text(tab, '.pulse-words'), /^'backup\(\)' comes back every 1 s and takes 300 ms: the slow ones lose 9\d % of their time to it$/);
  assert.equal(await tab.locator('.course .line-p99.dots').count(), 1);
  const slider = tab.locator('.course');
  await slider.focus();
  await tab.keyboard.press('Home');
  assert.match(await slider.getAttribute('aria-valuetext'), /^1 s to 1\.20 s chosen; 1 s to 1\.20 s, no unit ended, meanwhile: backup\(\)$/);
  await tab.keyboard.press('ArrowRight');
  assert.match(await slider.getAttribute('aria-valuetext'), /^1\.20 s to 1\.40 s chosen; 1\.20 s to 1\.40 s, 6 units, 30 a second, median 9\.51 ms, p99 308 ms, 1 unit failed, meanwhile: backup\(\)$/);
  await tab.keyboard.press('Escape');
  assert.match(await slider.getAttribute('aria-valuetext'), /; nothing is chosen$/);
  assert.deepEqual(problems, []);
  await close();
});

test('the tip of a slice has its figures', async () => {
  const {tab, close} = await open();
  const {x, y, width} = await tab.locator('.course-latency').boundingBox();
  await tab.mouse.move(x + width * 0.045, y + 10);
  assert.deepEqual(await texts(tab, '.course .pointer-tip > *'), ['1.20 s to 1.40 s', '6 units, 30 a second', 'median 9.51 ms, p99 308 ms', '1 unit failed', 'meanwhile: backup()']);
  await close();
});

test('a range of time is that of the whole page: of the address, of the timeline, and of all that is below', async () => {
  const {tab, problems, close} = await open();
  assert.equal(await notice(tab).isVisible(), false);
  await choose(tab, 0.32, 0.36);
  await eventually(tab, () => /from=\d+&to=\d+/.test(location.hash));
  assert.match(await notice(tab).innerText(), /^What is below is of the units that ended from 3\.20 s to 3\.60 s\./);
  const found = await texts(tab, '#requests .unit-button');
  assert.match(found[0], /^308 ms #1:3 at 3\.000006 s/);
  assert.ok(found.every((one) => / at 3\.\d+ s/.test(one)), String(found));
  assert.deepEqual(await texts(tab, '.share-title'), ['median', 'ended then']);
  assert.match(await text(tab, '#requests .blame'), /what 1 slow unit waited for/);
  await tab.keyboard.press('1');
  await eventually(tab, () => document.querySelector('#timeline').dataset.shown !== undefined);
  const [from, to] = (await tab.locator('#timeline').getAttribute('data-shown')).split(' ').map(Number);
  assert.ok(from >= 3.1e9 && to <= 3.7e9, `${from} ${to}`);
  await tab.keyboard.press('5');
  await notice(tab).getByRole('button', {name: 'Show all times'}).click();
  assert.equal(await notice(tab).isVisible(), false);
  assert.match(await text(tab, '#requests .blame'), /what 5 slow units waited for/);
  assert.deepEqual(problems, []);
  await close();
});

test('an address with a range of time opens it, and a range without units says so', async () => {
  const {tab, close} = await open({hash: '#tab=requests&from=2000000000&to=2100000000'});
  assert.equal(await notice(tab).isVisible(), true);
  assert.match(await text(tab, '.shares'), /^The page has no unit of these times\.$/);
  assert.match(await text(tab, '#requests .blame'), /None of the slow units that were followed is among these\.$/);
  assert.equal(await tab.locator('.course .chosen').count(), 2);
  await close();
});

test('a unit that was opened stays open when the timeline shows other times', async () => {
  const {tab, close} = await open();
  await tab.locator('.unit-button').first().click();
  await tab.locator('.waterfall-line').first().click();
  await tab.keyboard.press('5');
  await eventually(tab, () => !document.querySelector('.time-notice').hidden);
  assert.equal(await tab.locator('.waterfall').count(), 1);
  await close();
});

// MARK: Blame

test('the flame graph leads from the slow units to where their time went', async () => {
  const {tab, problems, close} = await open();
  assert.deepEqual((await boxes(tab)).slice(0, 4), ['slow GET price', 'for a thread', 'by backup()', 'send to 127.0.0.1:873 in copy()']);
  const leaf = tab.locator('#requests .flame-box').nth(3);
  assert.match(await leaf.getAttribute('aria-label'), /^send to 127\.0\.0\.1:873 in copy\(\), blocks its thread: send to 127\.0\.0\.1:873 in 'copy\(\)' \(Shop\.swift:\d+\), called by 'backup\(\)', 29\d ms each, 9\d % of their time, blamed on 'copy\(\)' \(Shop\.swift:\d+\), which blocks its thread in send$/);
  await leaf.hover();
  assert.match(await text(tab, '#requests .flame-details'), /^send to 127\.0\.0\.1:873 in copy\(\) · blocks its thread/);
  await tab.locator('#requests .flame-search input').fill('recv');
  assert.match(await text(tab, '#requests .flame-search [role=status]'), /^1 box, 6 ms each, 2 %$/);
  assert.deepEqual(problems, []);
  await close();
});

test('the boxes add up to what the command says', async () => {
  const {tab, close} = await open();
  const kind = json('requests', 'beating').kinds.find(({name}) => name === 'GET price');
  const all = kind.blame.reduce((sum, {tailSeconds}) => sum + tailSeconds, 0);
  assert.equal(await tab.locator('#requests .flame-box').first().getAttribute('aria-label'), `slow GET price, ${Math.round(all * 1000)} ms each, on average of 5 slow units`);
  await close();
});

test('a range of durations is that of the flame graph, too', async () => {
  const {tab, close} = await open();
  await tab.locator('.latency').focus();
  await tab.keyboard.press('Home');
  assert.match(await text(tab, '#requests .blame'), /None of the slow units that were followed is among these\.$/);
  await tab.keyboard.press('End');
  assert.equal((await boxes(tab))[0], 'slow GET price');
  await close();
});

// MARK: A unit

test('the words below a unit say how often, for how long, and who had it meanwhile', async () => {
  const {tab, close} = await open();
  assert.match((await texts(tab, '#requests .unit-button'))[0], /^308 ms #1:1 at 1\.000006 s GET \/price\/\{id\}, 503, too late, failed$/);
  await tab.locator('.unit-button').first().click();
  assert.match(await text(tab, '.waterfall h3'), /GET \/price\/\{id\}, 503, too late$/);
  assert.deepEqual((await texts(tab, '.waterfall-notes li')).map((one) => one.replace(/Shop\.swift:\d+/g, 'line')),
    ['waiting for a thread, 298 ms; had meanwhile by \'backup()\', which blocks in send to 127.0.0.1:873 in \'copy()\' (line)']);
  await tab.locator('.unit-button').nth(8).click();
  const notes = await texts(tab, '.waterfall-notes li');
  assert.match(notes[0], /^blocked in a call: recv from 127\.0\.0\.1:5432 ×5, 6 ms in query\(\) \(Shop\.swift:\d+\)$/);
  const piece = await tab.locator('.waterfall-bar .what-call').first().getAttribute('title');
  assert.match(piece, /^blocked in a call: recv from 127\.0\.0\.1:5432 1\.20 ms\nquery\(\) \(Shop\.swift:\d+\)\nfrom [\d.]+ ms on\none of 5, 6 ms together$/);
  await close();
});

test('the page\'s search leads to a unit: what it finds is marked, and the panel has the way there', async () => {
  const {tab, problems, close} = await openReport(written('service', serviceTrace()), {hash: '#tab=requests'});
  await searchFor(tab, '#1');
  await tab.locator('#panel').getByRole('button', {name: 'Show in requests'}).click();
  await settled(tab);
  assert.match(await text(tab, '.waterfall h3'), /^Unit #1:\d+: 2/);
  assert.equal(await tab.locator('.waterfall-line[aria-current]').count(), 1);
  // A child has no unit of its own: it is part of one.
  const child = (await tab.locator('.waterfall-line').nth(1).getAttribute('data-work'));
  await searchFor(tab, `#${child}`);
  await tab.locator('#panel').getByRole('button', {name: 'Show in requests'}).click();
  assert.equal(await tab.locator(`.waterfall-line[data-work="${child}"][aria-current]`).count(), 1);
  assert.deepEqual(problems, []);
  await close();
});

test('hostile texts of spans are text', async () => {
  for (const route of hostile.filter((one) => /[<"'\\&]/.test(one)).slice(0, 4)) {
    const {tab, problems, close} = await openReport(written(`beating ${hostile.indexOf(route)}`, beatingTrace({seconds: 2, route})), {hash: '#tab=requests'});
    await tab.locator('.unit-button').first().click();
    assert.ok((await text(tab, '.waterfall h3')).includes(shown(route).trim()), route);
    assert.equal(await tab.evaluate(() => window.pwned ?? document.querySelectorAll('img, script[src], base').length), 0, route);
    assert.deepEqual(problems, [], route);
    await close();
  }
});

for (const colorScheme of ['light', 'dark']) {
  for (const [width, height] of [[1280, 800], [390, 800]]) {
    test(`axe finds nothing: ${colorScheme}, ${width} × ${height}`, async () => {
      const {tab, close} = await open({colorScheme, width, height});
      assert.deepEqual(await violations(tab), []);
      await choose(tab, 0.2, 0.5);
      await tab.locator('.unit-button').first().click();
      await tab.locator('#requests .flame-box').nth(2).click();
      assert.deepEqual(await violations(tab), [], 'a range of time, a unit, and an enlarged box');
      await close();
    });
  }
}
