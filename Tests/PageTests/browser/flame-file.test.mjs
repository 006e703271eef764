// The flame graph in a file of its own, which answers as that of the page does.
import {after, test} from 'node:test';
import assert from 'node:assert/strict';
import {execFileSync} from 'node:child_process';
import {readFileSync} from 'node:fs';
import {closeBrowser, openFile, settled, texts} from '../support/browser.mjs';
import {optrace, temporary, tracePath, written} from '../support/reports.mjs';
import {SAMPLES, sampledTrace} from '../support/sampled.mjs';

after(closeBrowser);

let made = null;
function picture() {
  if (made) return made;
  written('sampled', sampledTrace(SAMPLES));
  made = temporary('flame.svg');
  execFileSync(optrace, ['profile', tracePath('sampled'), '-o', made], {stdio: ['ignore', 'ignore', 'pipe']});
  return made;
}

// What is shown of each box: its name, and its share of the width.
const shown = (tab) => tab.locator('.f').evaluateAll((all) => all.filter((one) => one.checkVisibility()).map((one) => {
  const width = one.querySelector('rect').width.baseVal.value;
  return `${one.ariaLabel.split(', ')[0]} ${Math.round((100 * width) / (innerWidth - 40))}`;
}));
const details = (tab) => tab.locator('.details').textContent();
const box = (tab, name) => tab.locator(`.f[aria-label^="${name},"]`);
const tip = (tab) => texts(tab, '.pointer-tip:not([hidden]) > *');

test('it takes the width of the window, and a tip says what the pointer is on', async () => {
  const {tab, problems, close} = await openFile(picture());
  const whole = await shown(tab);
  assert.equal(whole[0], 'test 100');
  assert.ok(whole.includes('parse 40') && whole.includes('inflate<b> 20'), `${whole}`);
  assert.match(await details(tab), /^click, Enter: zoom/);
  await box(tab, 'parse').hover();
  assert.deepEqual((await tip(tab)).slice(0, 3), ['parse', 'Photos · /src/main.swift:12', '40.0 ms · 40 % · 4 samples']);
  assert.match(await details(tab), /^parse · Photos/);
  const place = await tab.locator('.pointer-tip').boundingBox();
  assert.ok(place.x > 0 && place.x + place.width < 1280 && place.y + place.height <= 800 && place.width > 100 && place.height > 40, JSON.stringify(place));
  await tab.mouse.move(2, 2);
  assert.deepEqual(await tip(tab), []);
  await tab.setViewportSize({width: 1000, height: 800});
  await settled(tab);
  assert.deepEqual(await shown(tab), whole);
  assert.deepEqual(problems, []);
  await close();
});

test('a click enlarges, once more it goes back; arrows, Enter, Escape and 0 do the same', async () => {
  const {tab, problems, close} = await openFile(picture());
  const whole = await shown(tab);
  await box(tab, 'parse').click();
  const enlarged = await shown(tab);
  assert.ok(enlarged.includes('parse 100') && enlarged.includes('inflate<b> 50'), `${enlarged}`);
  assert.ok(await box(tab, 'test').evaluate((one) => one.classList.contains('above')));
  await box(tab, 'inflate<b>').hover();
  assert.equal((await tip(tab)).pop(), '50 % of what is shown');
  await box(tab, 'parse').click();
  assert.ok((await shown(tab)).includes('load 100'));
  await tab.keyboard.press('Escape');
  assert.deepEqual(await shown(tab), whole);
  const focused = () => tab.evaluate(() => document.activeElement.ariaLabel?.split(', ')[0]);
  assert.equal(await focused(), 'test');
  await tab.keyboard.press('ArrowDown');
  const first = await focused();
  await tab.keyboard.press('ArrowRight');
  assert.notEqual(await focused(), first);
  await tab.keyboard.press('ArrowLeft');
  assert.equal(await focused(), first);
  await tab.keyboard.press('Enter');
  assert.ok((await shown(tab)).includes(`${first} 100`));
  await tab.keyboard.press('0');
  assert.deepEqual(await shown(tab), whole);
  assert.equal(await tab.locator('.f[tabindex="0"]').count(), 1);
  assert.deepEqual(problems, []);
  await close();
});

test('slash and Ctrl-F lead to a search, which marks boxes and says their share', async () => {
  const {tab, problems, close} = await openFile(picture());
  await tab.keyboard.press('/');
  await tab.keyboard.type('PARSE');
  assert.equal(await tab.locator('.find [role=status]').textContent(), '1 box, 40 %');
  assert.deepEqual(await tab.locator('.f.hit').evaluateAll((all) => all.map((one) => one.ariaLabel.split(', ')[0])), ['parse']);
  assert.equal(await tab.locator('.frames.searching').count(), 1);
  await tab.keyboard.press('Control+f');
  await tab.keyboard.type('nowhere');
  assert.equal(await tab.locator('.find [role=status]').textContent(), 'not found');
  await tab.keyboard.press('Escape');
  assert.equal(await tab.locator('.find input').evaluate((one) => one.value), '');
  assert.equal(await tab.locator('.searching').count(), 0);
  assert.deepEqual(problems, []);
  await close();
});

test('names are cut to their boxes, and nothing is loaded', async () => {
  const {tab, problems, close} = await openFile(picture(), {width: 900});
  const wide = await tab.locator('.f').evaluateAll((all) => all.filter((one) => {
    const text = one.querySelector('text');
    return text && text.textContent && text.getComputedTextLength() > one.querySelector('rect').width.baseVal.value;
  }).length);
  assert.equal(wide, 0);
  assert.doesNotMatch(readFileSync(picture(), 'utf8'), /(?:href|src)="/);
  assert.deepEqual(problems, []);
  await close();
});
