// The timeline by keyboard, and what leads to it: the search, the help, the colours.
import {after, test} from 'node:test';
import assert from 'node:assert/strict';
import {boxOf, closeBrowser, differences, focused, openReport, pixels, searchFor, selected, settled, shownSlices, slice, text, texts} from '../support/browser.mjs';
import {sample, workload, written} from '../support/reports.mjs';

after(closeBrowser);

const NAME = 'Download 3 #5';
const near = (one, other, within, what) => assert.ok(Math.abs(one - other) <= within, `${what}: ${one} is not within ${within} of ${other}`);

async function open(options = {}) {
  const report = await openReport(options.page ?? sample('photo-import'), options);
  await report.tab.locator('.timeline-stage canvas').focus();
  return report;
}
const press = async (tab, ...keys) => { for (const key of keys) await tab.keyboard.press(key); };
const shown = (tab) => tab.evaluate(() => document.querySelector('.timeline-stage canvas').getBoundingClientRect().toJSON());

test('W and S zoom at the middle, A, D and the arrows move, F shows all', async () => {
  const {tab, close} = await open();
  const before = await slice(tab, NAME);
  await press(tab, 'w');
  const larger = await slice(tab, NAME);
  near(larger.width / before.width, 1 / 0.7, 0.06, 'W');
  await press(tab, 's');
  near((await slice(tab, NAME)).width, before.width, 8, 'S takes it back');
  await press(tab, 'w', 'd');
  const canvas = await shown(tab);
  const step = (canvas.width - 190) * 0.2;
  const later = await slice(tab, NAME);
  near(later.right, larger.right - step, 12, 'D shows what is later');
  await press(tab, 'a');
  near((await slice(tab, NAME)).right, larger.right, 12, 'A what is earlier');
  await press(tab, 'ArrowRight');
  near((await slice(tab, NAME)).right, later.right, 12, 'arrow right as D');
  await press(tab, 'ArrowLeft');
  near((await slice(tab, NAME)).right, larger.right, 12, 'arrow left as A');
  await press(tab, 'w', 'd', 'f');
  near((await slice(tab, NAME)).width, before.width, 8, 'F');
  await close();
});

test('up and down change the lane, brackets the operation, Enter selects, and each is said', async () => {
  const {tab, close} = await open();
  const said = () => text(tab, '#timeline > [role=status]');
  const seen = [];
  for (let step = 0; step < 4; step++) {
    await press(tab, 'ArrowDown');
    seen.push(await said());
  }
  assert.equal(new Set(seen).size, 4, seen.join(' | '));
  for (const words of seen) assert.match(words, /^.+, .*\d (ns|µs|ms|s), .*after the start/);
  await press(tab, 'ArrowUp');
  assert.equal(await said(), seen[2]);
  // On a lane that executes, from its first operation to its second and back.
  for (let step = 0; step < 40 && !(await said()).includes(' running '); step++) await press(tab, 'ArrowDown');
  for (let step = 0; step < 30; step++) await press(tab, '[');
  const first = await said();
  await press(tab, ']');
  const second = await said();
  assert.notEqual(second, first);
  await press(tab, 'Enter');
  const [name, number] = second.match(/^(.*) (#\d+),/).slice(1);
  assert.equal(await selected(tab), `${name} ${number}`);
  await press(tab, '[');
  assert.equal(await said(), first);
  assert.equal(await selected(tab), `${name} ${number}`, 'to stand there is not to select');
  assert.equal((await focused(tab)).role, 'application', 'the timeline keeps the focus');
  await close();
});

test('Z fills the timeline with the selected operation', async () => {
  const {tab, close} = await open();
  const before = await slice(tab, NAME);
  await tab.mouse.click(before.x, before.y);
  await press(tab, 'z');
  const canvas = await shown(tab);
  const after = await slice(tab, NAME);
  assert.ok(after.width > (canvas.width - 190) * 0.6, 'large');
  near(after.x, canvas.left + 190 + (canvas.width - 190) / 2, 12, 'in the middle');
  await close();
});

test('page down and up scroll', async () => {
  const {tab, close} = await open({height: 480});
  const top = (await shownSlices(tab))[0].name;
  const scrollTop = () => tab.evaluate(() => document.querySelector('.timeline-bar').scrollTop);
  await press(tab, 'PageDown');
  await settled(tab);
  assert.ok(await scrollTop() > 100);
  assert.notEqual((await shownSlices(tab))[0].name, top);
  await press(tab, 'PageUp');
  await settled(tab);
  assert.equal(await scrollTop(), 0);
  assert.equal((await shownSlices(tab))[0].name, top);
  await close();
});

test('C and the buttons colour by class or by state, and the legend shows which', async () => {
  const {tab, close} = await open();
  const legend = () => texts(tab, '.timeline-legend > *');
  const colour = async (name) => {
    const one = await slice(tab, name);
    return (await pixels(tab, {x: one.right - 5, y: one.y - 5, width: 1, height: 1}))[0];
  };
  assert.deepEqual(await legend(), ['finished', 'cancelled', 'waiting for a slot', 'waiting for dependencies', 'thread blocked']);
  const finished = await colour(NAME);
  assert.equal(await colour('FetchManifest'), finished, 'one state, one colour');
  await press(tab, 'c');
  assert.deepEqual((await legend()).slice(0, 6).sort(), ['Decode', 'Download', 'Request', 'Step', 'Thumbnail', 'Transaction']);
  const swatches = await tab.locator('.timeline-legend i').evaluateAll((all) => all.map((one) => getComputedStyle(one).backgroundColor));
  assert.equal(new Set(swatches).size, swatches.length, 'no two of the legend look the same');
  assert.notEqual(await colour(NAME), await colour('FetchManifest'));
  assert.equal(await colour(NAME), await colour('Download 1'), 'one class, one colour');
  assert.equal(await tab.locator('.timeline-tools [aria-pressed=true]').textContent(), 'Class');
  // What the legend shows is what is drawn.
  const shownColour = await tab.evaluate(() => [...document.querySelectorAll('.timeline-legend .class-chip')]
    .filter((chip) => chip.textContent === 'Download').map((chip) => getComputedStyle(chip.querySelector('i')).backgroundColor)[0]);
  const [red, green, blue] = shownColour.match(/\d+/g).map(Number);
  assert.equal(await colour(NAME), (0xff000000 | (blue << 16) | (green << 8) | red) >>> 0);
  await tab.getByRole('button', {name: 'State', exact: true}).click();
  assert.equal(await colour(NAME), finished);
  await close();
});

test('the buttons do as the keys', async () => {
  const {tab, close} = await open();
  const before = await slice(tab, NAME);
  await tab.getByRole('button', {name: /^Zoom in/}).first().click();
  assert.ok((await slice(tab, NAME)).width > before.width * 1.3);
  await tab.getByRole('button', {name: /^Zoom out/}).first().click();
  near((await slice(tab, NAME)).width, before.width, 8, 'out');
  await tab.mouse.click(before.x, before.y);
  await tab.getByRole('button', {name: /^Zoom to the selected/}).click();
  assert.ok((await slice(tab, NAME)).width > before.width);
  await tab.getByRole('button', {name: /^Show the whole trace/}).click();
  assert.ok((await slice(tab, 'FetchManifest')) && (await slice(tab, 'NotifyUI')), 'first and last');
  await close();
});

test('the search finds by name, class and number; Enter selects, and the timeline goes there', async () => {
  const {tab, close} = await open({page: written('search', workload(3000))});
  assert.equal(await slice(tab, 'operation 2917 '), null, 'too small to be found by hand');
  await press(tab, '/');
  assert.equal((await focused(tab)).id, 'search-field');
  await tab.keyboard.type('operation 2917');
  // The list is there after the first letters, and gets shorter with each one.
  await tab.locator('.search-count').getByText('1 found', {exact: true}).waitFor();
  await press(tab, 'Enter');
  await settled(tab);
  assert.equal(await selected(tab), 'operation 2917 #2917');
  const there = await slice(tab, 'operation 2917 ');
  assert.ok(there.width > 20, 'large enough to be seen');
  const framed = await pixels(tab, {x: there.left - 4, y: there.y - 8, width: 8, height: 16});
  await press(tab, 'Escape', 'Escape');
  await tab.locator('.timeline-stage canvas').focus();
  await press(tab, 'Escape');
  assert.equal(await selected(tab), null);
  const again = await slice(tab, 'operation 2917 ');
  assert.ok(differences(framed, await pixels(tab, {x: again.left - 4, y: again.y - 8, width: 8, height: 16})) > 0, 'it was framed');
  await press(tab, '/');
  await tab.keyboard.type('Step2');
  await tab.getByText('50 of 1,000 found').waitFor();
  const options = await texts(tab, '#search-list [role=option] bdi');
  await press(tab, 'ArrowDown', 'ArrowDown', 'Enter');
  assert.ok((await selected(tab)).startsWith(`${options[2]} #`));
  await press(tab, 'Escape');
  await searchFor(tab, '#17');
  assert.equal(await selected(tab), 'operation 17 #17');
  await press(tab, '/');
  await tab.keyboard.type('nothing of the kind');
  await tab.getByText('nothing found').waitFor();
  await press(tab, 'Enter');
  assert.equal(await selected(tab), 'operation 17 #17', 'nothing found changes nothing');
  await close();
});

test('a question mark opens the help, Escape closes it, and the focus is back', async () => {
  const {tab, close} = await open();
  await press(tab, '?');
  assert.equal(await tab.locator('dialog[open] h2').textContent(), 'Keys and gestures');
  const width = (await boxOf(tab, 'dialog')).width;
  assert.ok(width > 300 && width <= 1280);
  await press(tab, '3');
  assert.equal(await tab.locator('#timeline').isVisible(), true, 'keys of the page rest meanwhile');
  await press(tab, 'Escape');
  assert.equal(await tab.locator('dialog').isVisible(), false);
  assert.equal((await focused(tab)).role, 'application');
  await tab.locator('#help-button').click();
  await tab.getByRole('button', {name: 'Close'}).click();
  assert.equal(await tab.locator('dialog').isVisible(), false);
  assert.equal((await focused(tab)).id, 'help-button');
  await close();
});

test('an operation selected by an address is in view as a whole', async () => {
  // The first operation on the last of its lanes, and one far down.
  for (const [id, name] of [[5, 'Download 3'], [27, 'NotifyUI']]) {
    const {tab, close} = await openReport(sample('photo-import'), {hash: `#op=${id}`, height: 480});
    const one = await slice(tab, name, 'running', {down: 2});
    assert.ok(one.bottom - one.top >= 15, `${name} is cut: ${one.bottom - one.top} pixels high`);
    await close();
  }
});
