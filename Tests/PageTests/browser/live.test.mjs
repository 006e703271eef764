// A program that still runs, in the page of `optrace view`: the page follows it, and disturbs nothing that its reader does.
import assert from 'node:assert/strict';
import test, {after} from 'node:test';
import {boxOf, closeBrowser, eventually, focused, openReport, searchFor, selected, settled, text, texts} from '../support/browser.mjs';
import {fed, served, until} from '../support/living.mjs';

after(closeBrowser);

// The page of a program that has been fed; `marker` is gone if it is ever loaded anew.
async function opened(context, {feed = ['6 1000', 'wait'], hash = '', ...options} = {}) {
  const program = await fed(context);
  for (const words of feed) await program.tell(words);
  const address = await served(context, program.trace);
  const page = await openReport(address, {hash, ...options});
  context.after(page.close);
  await page.tab.evaluate(() => { window.marker = 'the same page'; });
  const isSame = async () => {
    assert.equal(await page.tab.evaluate(() => window.marker), 'the same page');
    assert.equal(await page.tab.evaluate(() => performance.getEntriesByType('navigation').length), 1);
    assert.deepEqual(page.problems, []);
  };
  return {...page, program, isSame};
}

const operations = (tab) => tab.evaluate(() => Number(document.querySelector('.facts').textContent.match(/([\d,]+) operations/)[1].replaceAll(',', '')));
const has = (tab, count) => eventually(tab, (wanted) => document.querySelector('.facts').textContent.includes(`${wanted} operations`), count);
// From when to when the timeline shows, in nanoseconds.
const shown = async (tab) => {
  await settled(tab);
  return tab.evaluate(() => document.getElementById('timeline').dataset.shown.split(' ').map(Number));
};
// Two times something new was taken in.
const further = async (tab) => {
  const revision = await tab.evaluate(() => Number(document.documentElement.dataset.revision ?? 0));
  await eventually(tab, (last) => Number(document.documentElement.dataset.revision) >= last + 2, revision);
};

test('operations appear in every part of the page without a reload', async (context) => {
  const {tab, program, isSame} = await opened(context);
  assert.equal(await operations(tab), 6);
  assert.match(await text(tab, '#facts'), /The program is running, and this page follows it\./);
  const before = await shown(tab);
  await program.tell('10 1000');
  await program.tell('wait');
  await has(tab, 16);
  const now = await shown(tab);
  assert.ok(now[0] <= before[0] && now[1] > before[1], 'it shows all of a longer time');
  await tab.keyboard.press('3');
  await eventually(tab, () => [...document.querySelectorAll('#why tbody tr')].some((row) => row.textContent.startsWith('feed') && row.textContent.includes('16')));
  await tab.keyboard.press('2');
  await eventually(tab, () => document.querySelectorAll('#drawing .op[id]').length === 16);
  await program.tell('1 1000');
  await program.tell('wait');
  await eventually(tab, () => document.querySelectorAll('#drawing .op[id]').length === 17);
  await tab.keyboard.press('1');
  await searchFor(tab, 'fed 17');
  assert.match(await selected(tab), /^fed 17/);
  await isSame();
});

test('selection, zoom, scroll, sorting, typed text and focus stay', async (context) => {
  const {tab, program, isSame} = await opened(context, {feed: ['40 1000', 'wait'], height: 500});
  await searchFor(tab, 'fed 3');
  const name = await selected(tab);
  await tab.keyboard.press('Escape');
  await searchFor(tab, '#2');
  // A part of the time that is not its end.
  await tab.locator('.timeline-stage canvas').focus();
  for (let presses = 0; presses < 6; presses++) await tab.keyboard.press('w');
  for (let presses = 0; presses < 20; presses++) await tab.keyboard.press('A');
  // Tables: sorted by another column, scrolled, the focus on its title.
  await tab.keyboard.press('3');
  const sort = tab.locator('#why table', {hasText: 'Utilisation'}).locator('button.sort', {hasText: 'Operations'});
  await sort.click();
  await tab.evaluate(() => { document.getElementById('why').scrollTop = 200; });
  // Where it is on the screen. What is scrolled was seen 26 points further beside a load; why, is not known.
  const place = async () => Math.round((await sort.boundingBox()).y);
  const before = await place();
  const panel = await tab.locator('#panel h2').elementHandle();
  await program.tell('30 1000');
  await program.tell('wait');
  await has(tab, 70);
  await eventually(tab, () => document.querySelector('#why').textContent.includes('70'));
  assert.equal(await place(), before);
  assert.equal(await sort.locator('xpath=ancestor::th').getAttribute('aria-sort'), 'descending');
  assert.equal((await focused(tab)).text, 'Operations');
  assert.equal(await panel.evaluate((one) => one.isConnected), true, 'nothing that is the same is made anew');
  await tab.keyboard.press('1');
  const view = await shown(tab);
  assert.match(await selected(tab), /^fed 2/);
  // Somebody types.
  await tab.keyboard.press('/');
  await tab.keyboard.type('fed 1');
  await eventually(tab, () => [...document.querySelectorAll('#search-list li')].map((one) => one.textContent).join().match(/^(fed 1[^,]*,?)+$/) !== null);
  await tab.keyboard.press('ArrowDown');
  const found = await texts(tab, '#search-list li');
  await program.tell('5 1000');
  await has(tab, 75);
  assert.equal(await tab.locator('#search input').inputValue(), 'fed 1');
  assert.deepEqual(await texts(tab, '#search-list li'), found);
  assert.deepEqual(await shown(tab), view, 'a part of the timeline that is not its end does not move');
  await tab.keyboard.type('2');
  await tab.keyboard.press('Enter');
  assert.match(await selected(tab), /^fed 12/);
  assert.match(name, /^fed 3/);
  await isSame();
});

test('a view of the end follows it until the view is moved', async (context) => {
  const {tab, program, isSame} = await opened(context);
  const follow = tab.locator('.timeline-tools button', {hasText: 'Follow'});
  assert.equal(await follow.getAttribute('aria-pressed'), 'false');
  await tab.locator('.timeline-stage canvas').focus();
  await tab.keyboard.press('End');
  assert.equal(await follow.getAttribute('aria-pressed'), 'true');
  const first = await shown(tab);
  await program.tell('3 1000');
  await further(tab);
  const second = await shown(tab);
  assert.ok(second[0] > first[0] && second[1] > first[1]);
  assert.ok(Math.abs(second[1] - second[0] - (first[1] - first[0])) < 10, 'as much of the time as before');
  // Away from the end.
  for (let presses = 0; presses < 6; presses++) await tab.keyboard.press('a');
  assert.equal(await follow.getAttribute('aria-pressed'), 'false');
  const third = await shown(tab);
  await program.tell('3 1000');
  await further(tab);
  assert.deepEqual(await shown(tab), third);
  await follow.click();
  assert.ok((await shown(tab))[1] > third[1]);
  assert.equal(await follow.getAttribute('aria-pressed'), 'true');
  await isSame();
});

test('the selected operation is updated while it runs, and when it ends', async (context) => {
  const {tab, program, isSame} = await opened(context, {feed: ['hold'], hash: '#op=1'});
  const running = () => tab.locator('#panel dl.times div', {hasText: 'running'}).first().innerText();
  assert.match(await text(tab, '#panel .panel-state'), /executing/);
  const before = await running();
  await further(tab);
  assert.notEqual(await running(), before);
  assert.equal(await tab.evaluate(() => document.getElementById('announcer').textContent.match(/Selected/g).length), 1, 'it is announced once');
  await program.tell('let go');
  await program.tell('wait');
  await eventually(tab, () => document.querySelector('#panel .panel-state').textContent.includes('finished'));
  await isSame();
});

for (const [words, act] of [['in order', (program) => program.end()], ['by a signal', (program) => program.signal('SIGKILL')]]) {
  test(`the program ends ${words}: the page says so, has the whole run, and asks no more`, async (context) => {
    const {tab, program, isSame} = await opened(context, {hash: '#op=2'});
    await program.tell('5 1000');
    await program.tell('wait');
    await tab.keyboard.press('/');
    await tab.keyboard.type('fed');
    await act(program);
    await eventually(tab, () => document.querySelector('.ending')?.textContent.trim() === 'The program has ended: this is the whole run.');
    assert.equal(await operations(tab), 11);
    assert.equal(await tab.locator('#search input').inputValue(), 'fed');
    assert.equal((await focused(tab)).id, 'search-field');
    assert.match(await selected(tab), /^fed 2/);
    assert.equal(await tab.locator('.timeline-tools button', {hasText: 'Follow'}).isVisible(), false);
    assert.equal((await text(tab, '#facts')).includes('not closed'), words !== 'in order');
    const asked = [];
    tab.on('request', (request) => asked.push(request.url()));
    await new Promise((done) => setTimeout(done, 2500));
    assert.deepEqual(asked, []);
    await isSame();
  });
}

test('findings appear when something goes wrong', async (context) => {
  const {tab, program, isSame} = await opened(context, {feed: ['2 1000', 'wait']});
  const verdict = await text(tab, '.verdict-line');
  program.tell('hang');
  await until('a finding', async () => (await text(tab, '.verdict-line')) !== verdict);
  await tab.keyboard.press('4');
  await eventually(tab, () => document.querySelectorAll('#findings .finding').length > 0);
  assert.match(await tab.locator('#tab-findings .badge').innerText(), /^[1-9]/);
  await isSame();
});

test('a page opened before the program did anything shows what it does later', async (context) => {
  const {tab, program, isSame} = await opened(context, {feed: []});
  assert.match(await text(tab, '.timeline-none'), /No operation was recorded/);
  await program.tell('4 1000');
  await program.tell('wait');
  await has(tab, 4);
  assert.equal(await tab.locator('.timeline-none').isVisible(), false);
  assert.ok((await boxOf(tab, '.timeline-stage canvas')).height > 50);
  await tab.keyboard.press('2');
  await eventually(tab, () => document.querySelectorAll('#drawing .op[id]').length === 4);
  await isSame();
});
