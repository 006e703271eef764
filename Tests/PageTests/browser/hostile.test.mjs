// Whatever a program calls its things: a name is text, and nothing else.
import {after, test} from 'node:test';
import assert from 'node:assert/strict';
import {closeBrowser, openReport, selected, settled, shownSlices, text, texts} from '../support/browser.mjs';
import {dataOf, textTrace, written} from '../support/reports.mjs';
import {seeded} from '../support/random.mjs';
import {hostile, hostileTrace, long, quoted, shown} from '../support/hostile.mjs';

after(closeBrowser);

// What the page may contain, by element: nothing that came with a name.
const strangers = (tab) => tab.evaluate(() => ({
  pwned: window.pwned ?? null,
  elements: document.querySelectorAll('img, iframe, object, embed, base, form, audio, video, link').length,
  scripts: document.querySelectorAll('script').length,
  links: [...document.querySelectorAll('a')].map((one) => one.getAttribute('href') ?? one.getAttribute('xlink:href')).filter((one) => !/^#(main|tab=findings(&finding=\d+)?)$/.test(one)),
  handlers: [...document.querySelectorAll('*')].flatMap((one) => [...one.attributes]).filter((one) => one.name.startsWith('on')).length,
}));
const clean = {pwned: null, elements: 0, scripts: 1, links: [], handlers: 0};

async function showEverything(tab, step = 1) {
  await shownSlices(tab, {across: 12, down: 8});
  for (const key of ['2', '3', '4', '1']) {
    await tab.keyboard.press(key);
    await settled(tab);
  }
  await tab.keyboard.press('3');
  await tab.locator('#why .steps').evaluateAll((all) => { for (const one of all) one.open = true; });
  const rows = await tab.locator('#why .operation').count();
  for (let index = 0; index < rows; index += Math.max(1, step)) await tab.locator('#why .operation').nth(index).click();
  await settled(tab);
}

test('hostile names are shown as they are, everywhere, and run nothing', async () => {
  const page = written('hostile', hostileTrace());
  const {strings} = dataOf(page);
  const {tab, problems, close} = await openReport(page);
  assert.equal(await tab.locator('#facts h1 bdi').evaluate((one) => one.textContent), dataOf(page).document.process.name);
  await tab.keyboard.press('2');
  assert.ok(await tab.locator('#drawing .op[id]').count() > 0);
  await tab.keyboard.press('1');
  for (let id = 1; id <= hostile.length; id++) {
    await tab.evaluate((hash) => { location.hash = hash; }, `op=${id}`);
    await tab.waitForFunction((number) => document.querySelector('#panel h2 .number')?.textContent === `#${number}`, id);
    const name = shown(hostile[id - 1]);
    assert.ok(strings.includes(name), `the data holds ${JSON.stringify(name)} as it is`);
    assert.equal(await tab.locator('#panel h2 bdi').evaluate((one) => one.textContent), name);
    const facts = await tab.locator('#panel .facts-list dd').evaluateAll((all) => all.map((one) => one.textContent));
    const className = shown(hostile[(id + 7) % hostile.length]);
    assert.ok(facts.includes(className), `its class: ${JSON.stringify(facts)}`);
  }
  await showEverything(tab, 6);
  assert.deepEqual(await strangers(tab), clean);
  assert.deepEqual(problems, []);
  await close();
});

test('hostile names are found by the search and shown by the tip', async () => {
  const {tab, problems, close} = await openReport(written('hostile', hostileTrace()));
  const tips = new Set((await shownSlices(tab, {across: 3, down: 5})).map((one) => one.name));
  for (const name of ['</script><img src=x onerror=alert(1)>', '{{data}}', '&lt;b&gt;', '$&']) {
    const id = hostile.indexOf(name) + 1;
    assert.ok(tips.has(`${name} #${id}`), `tip of ${name}`);
    await tab.keyboard.press('/');
    await tab.keyboard.type(name);
    await tab.locator('#search-list [role=option]').first().waitFor();
    const found = await tab.locator('#search-list bdi').evaluateAll((all) => all.map((one) => one.textContent));
    assert.ok(found.includes(name), `found ${name}`);
    await tab.keyboard.press('Enter');
    await tab.keyboard.press('Escape');
  }
  assert.deepEqual(await strangers(tab), clean);
  assert.deepEqual(problems, []);
  await close();
});

test('a name as long as a trace can hold and an empty one', async () => {
  const [huge, none] = [long(60000), ''];
  const lines = ['1000 t1 thread t1 tid=4711 "main"', `1000 t1 queue q1 limit=1 ${quoted(huge)}`,
    ...[huge, none, huge].flatMap((name, at) => [`${2000 + at * 10} t1 created #${at + 1} class=${at === 1 ? '""' : '"Step"'}`, `${2001 + at * 10} t1 named #${at + 1} ${quoted(name)}`,
      `${2002 + at * 10} t1 enqueued #${at + 1} queue=q1 priority=0`, `${2003 + at * 10} t1 ready #${at + 1}`, `${3000 + at * 1000} t1 started #${at + 1}`, `${3010 + at * 1000} t1 began #${at + 1}`,
      `${3500 + at * 1000} t1 ended #${at + 1}`, `${3600 + at * 1000} t1 finished #${at + 1}`, `${3700 + at * 1000} t1 start-returned #${at + 1}`])]
    .sort((one, other) => Number.parseInt(one, 10) - Number.parseInt(other, 10));
  const {tab, problems, close} = await openReport(written('huge', textTrace(lines)), {hash: '#op=1'});
  assert.ok((await tab.locator('#panel h2 bdi').evaluate((one) => one.textContent)).startsWith('<b>x</b><b>x</b>'));
  assert.equal(await tab.evaluate(() => document.documentElement.scrollWidth <= innerWidth), true, 'the page is not wider for it');
  await showEverything(tab);
  const panel = await tab.locator('#panel').boundingBox();
  assert.ok(panel.width <= 1280 * 0.45);
  assert.deepEqual(await strangers(tab), clean);
  assert.deepEqual(problems, []);
  await close();
});

// Texts that nobody thought of: parts of the list, cut and put together anew.
test('random names are shown as they are', async () => {
  const {random: part, seed} = seeded();
  const random = (below) => Math.floor(part() * below);
  const names = Array.from({length: 120}, () => {
    let name = '';
    for (let piece = 0; piece <= random(3); piece++) {
      const one = Array.from(hostile[random(hostile.length)]);
      const from = random(one.length);
      name += one.slice(from, from + 1 + random(one.length - from)).join('');
    }
    return random(4) ? name : name + String.fromCodePoint([0x22, 0x5c, 0x3c, 0x26, 0x2028, 0x202e, 0xfffd, 0x10ffff][random(8)]);
  });
  const page = written(`random-${seed}`, hostileTrace(names));
  const {tab, problems, close} = await openReport(page, {hash: '#op=7'});
  assert.equal(await tab.locator('#panel h2 bdi').evaluate((one) => one.textContent), shown(names[6]), `seed ${seed}`);
  await showEverything(tab, 15);
  assert.notEqual(await selected(tab), null);
  assert.ok((await texts(tab, '#findings h2')).length > 0);
  assert.ok((await text(tab, '#facts .facts')).includes('120 operations'));
  assert.deepEqual(await strangers(tab), clean, `seed ${seed}`);
  assert.deepEqual(problems, [], `seed ${seed}`);
  await close();
});
