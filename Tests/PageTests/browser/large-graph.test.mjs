// The graph of very many operations, each drawn: a file that opens as a whole, and in which what is close becomes elements.
import {after, test} from 'node:test';
import assert from 'node:assert/strict';
import {readFileSync, writeFileSync} from 'node:fs';
import {basename, dirname, join} from 'node:path';
import {closeBrowser, coloursOf, drag, openFile, pinch, settled, texts} from '../support/browser.mjs';
import {drawn, workload} from '../support/reports.mjs';

after(closeBrowser);

const COUNT = 100_000;
// Each waits for the one eight before it, so all but the first and last eight have two lines.
let made;
const picture = () => made ??= drawn('large', workload(COUNT, {names: (number) => (number === 4711 ? 'the <odd> one' : `operation ${number}`)}), '--full');
const open = async (options = {}) => {
  const opened = await openFile(picture(), options);
  await settled(opened.tab);
  return opened;
};
const elements = (tab) => tab.evaluate(() => document.querySelectorAll('*').length);
const operations = (tab) => tab.locator('.op[id]').count();
const boxOfNode = (tab, id) => tab.locator(`#${id}`).evaluate((one) => one.getBoundingClientRect().toJSON());
const find = async (tab, words) => {
  await tab.keyboard.press('/');
  await tab.keyboard.press('Control+a');
  await tab.keyboard.type(words);
  await tab.keyboard.press('Enter');
  await settled(tab);
  return tab.locator('.find [role=status]').textContent();
};
const near = (one, other, within, what) => assert.ok(Math.abs(one - other) <= within, `${what}: ${one} is not within ${within} of ${other}`);

test('100,000 operations open as few elements: all of them in sight, between a head and a legend that can be read', async () => {
  for (const colorScheme of ['light', 'dark']) {
    const {tab, problems, close} = await open({colorScheme});
    assert.ok(await elements(tab) < 10_000, `${await elements(tab)} elements`);
    assert.equal(await operations(tab), 0, 'nothing can be read from so far');
    const graph = await tab.locator('.lean').evaluate((one) => one.getBoundingClientRect().toJSON());
    const title = await tab.locator('.title').evaluate((one) => one.getBoundingClientRect().toJSON());
    const entry = await tab.locator('.legend text').first().evaluate((one) => one.getBoundingClientRect().toJSON());
    assert.ok(graph.left >= 0 && graph.right <= 1280 && graph.width > 300, `across: ${graph.left} to ${graph.right}`);
    assert.ok(title.height > 15 && title.bottom < graph.top && entry.height > 10 && entry.top > graph.bottom && entry.bottom <= 800);
    const colours = await coloursOf(await tab.screenshot());
    const page = colorScheme === 'dark' ? '#0b1220' : '#ffffff';
    const ink = 1280 * 800 - (colours[page] ?? 0);
    assert.ok(ink > 0.5 * graph.width * graph.height, `${ink} pixels are drawn`);
    assert.ok(Object.keys(colours).length > 20, 'boxes and lines, and no plain area');
    assert.deepEqual(problems, []);
    await close();
  }
});

test('every operation is in one tile, which draws its box; every line is drawn and named', async () => {
  const {tab, close} = await open();
  const found = await tab.evaluate(() => {
    const shapes = (path) => path.getAttribute('d').split('M').length - 1;
    const lists = [...document.querySelectorAll('metadata[data-tile]')];
    const ids = lists.flatMap((list) => list.textContent.split('\n').map((line) => line.split(' ')[0]));
    const lines = [...document.querySelectorAll('.dep[data-ids]')];
    const edges = lines.flatMap((path) => path.dataset.ids.split(' '));
    const wrong = lists.filter((list) => {
      const boxes = [...document.querySelectorAll(`.boxes[data-tile="${list.dataset.tile}"]`)];
      return boxes.reduce((sum, path) => sum + shapes(path), 0) !== list.textContent.split('\n').length;
    });
    return {
      ids: ids.length, distinct: new Set(ids).size, edges: edges.length, distinctEdges: new Set(edges).size, wrong: wrong.length,
      unnamed: lines.filter((path) => shapes(path) !== path.dataset.ids.split(' ').length).length,
    };
  });
  const edges = COUNT - 8;
  assert.equal(found.ids, COUNT);
  assert.equal(found.distinct, COUNT);
  assert.ok(found.edges >= edges && found.edges === found.distinctEdges, `${found.edges} lines`);
  assert.deepEqual([found.wrong, found.unnamed], [0, 0]);
  await close();
});

test('an operation that is found becomes an element with its lines, and none after zooming out', async () => {
  const {tab, problems, close} = await open();
  const before = await elements(tab);
  assert.equal(await find(tab, '#50000'), '1 of 1');
  const box = await boxOfNode(tab, 'op-50000');
  near(box.x + box.width / 2, 640, 3, 'in the middle');
  assert.ok(box.height >= 40 && box.top > 0 && box.bottom < 800);
  assert.match(await tab.locator('#op-50000').getAttribute('class'), /^op finished( critical)? q-work here$/);
  assert.match(await tab.locator('#op-50000 text').textContent(), /^✓ #50000 /);
  await tab.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
  assert.deepEqual(await texts(tab, '.pointer-tip:not([hidden]) > *'), ['#50000 operation 50000', 'work']);
  await tab.mouse.move(2, 2);
  assert.equal(await tab.locator('.pointer-tip:not([hidden])').count(), 0);
  assert.match(await tab.locator('#e-50000-50008').getAttribute('class'), /^dep/);
  assert.equal(new URL(tab.url()).hash, '#op-50000');
  assert.ok(await operations(tab) < 3000 && await elements(tab) < before + 8000, `${await elements(tab)} elements`);
  // Nothing is there twice: what became elements is drawn by them alone.
  const twice = await tab.evaluate(() => {
    const ids = [...document.querySelectorAll('[id]')].map((one) => one.id);
    return ids.length - new Set(ids).size;
  });
  assert.equal(twice, 0);
  assert.equal(await tab.locator('.traced').evaluate((one) => one.getAttribute('d').split('M').length - 1 >= 2), true, 'its lines');
  await tab.keyboard.press('Escape');
  await tab.keyboard.press('Escape');
  assert.equal(await tab.locator('.traced').count(), 0);
  await tab.keyboard.press('0');
  await settled(tab);
  assert.equal(await operations(tab), 0);
  assert.equal(await elements(tab), before);
  assert.equal(await tab.locator('.lean [display=none]').count(), 0, 'all is drawn again');
  assert.equal(await find(tab, '<ODD>'), '1 of 1');
  assert.match(await tab.locator('#op-4711 text').textContent(), /the <odd> one$/);
  assert.match(await find(tab, 'operation 9999'), /^1 of 11$/);
  assert.equal(await find(tab, 'nobody'), 'no operation is called so');
  assert.deepEqual(problems, []);
  await close();
});

test('a link leads to an operation; wheel, drag, keys and a click do what they do elsewhere', async () => {
  const {tab, problems, close} = await open({hash: '#op-77777'});
  const first = await boxOfNode(tab, 'op-77777');
  near(first.x + first.width / 2, 640, 3, 'the linked one');
  await drag(tab, {x: 600, y: 300}, {x: 700, y: 340});
  const moved = await boxOfNode(tab, 'op-77777');
  near(moved.x, first.x + 100, 1, 'a drag');
  near(moved.y, first.y + 40, 1, 'a drag');
  assert.equal(await tab.locator('.here').count(), 1, 'to move is not to choose');
  const at = {x: moved.x + moved.width / 2, y: moved.y + moved.height / 2};
  await tab.mouse.move(at.x, at.y);
  await tab.mouse.wheel(0, -100);
  await settled(tab);
  const larger = await boxOfNode(tab, 'op-77777');
  assert.ok(larger.width > moved.width * 1.2);
  near(larger.x + larger.width / 2, at.x, 3, 'what is under the pointer stays');
  await tab.keyboard.press('ArrowRight');
  await settled(tab);
  near((await boxOfNode(tab, 'op-77777')).x, larger.x - 100, 1, 'an arrow');
  await tab.keyboard.press('-');
  await settled(tab);
  assert.ok((await boxOfNode(tab, 'op-77777')).width < larger.width);
  const other = await tab.evaluate(() => {
    const inside = [...document.querySelectorAll('.op[id]')].find((one) => {
      const box = one.getBoundingClientRect();
      return one.id !== 'op-77777' && box.left > 100 && box.right < 1000 && box.top > 150 && box.bottom < 650;
    });
    const box = inside.getBoundingClientRect();
    return {id: inside.id, x: box.left + box.width / 2, y: box.top + box.height / 2};
  });
  await tab.mouse.click(other.x, other.y);
  assert.deepEqual(await tab.locator('.here').evaluateAll((all) => all.map((one) => one.id)), [other.id]);
  assert.equal(new URL(tab.url()).hash, `#${other.id}`);
  await tab.setViewportSize({width: 700, height: 500});
  await settled(tab);
  const legend = await tab.locator('.legend').evaluate((one) => one.getBoundingClientRect().toJSON());
  assert.ok(legend.right <= 700 && legend.bottom <= 500, 'a smaller window');
  assert.deepEqual(problems, []);
  await close();
});

test('two fingers zoom, a tap chooses', async () => {
  const {tab, problems, close} = await open({hash: '#op-50000', hasTouch: true});
  const before = await boxOfNode(tab, 'op-50000');
  const {x, y} = {x: before.x + before.width / 2, y: before.y + before.height / 2};
  await pinch(tab, [{x: x - 100, y}, {x: x + 100, y}], [{x: x - 60, y}, {x: x + 60, y}]);
  const after = await boxOfNode(tab, 'op-50000');
  near(after.width, before.width * 0.6, 4, 'smaller');
  near(after.x + after.width / 2, x, 3, 'what was between the fingers');
  assert.equal(await tab.locator('.here').count(), 1, 'to zoom is not to choose');
  await tab.touchscreen.tap(x, y);
  assert.equal(await tab.locator('.here').count(), 0, 'a tap on the chosen one lets go');
  assert.deepEqual(problems, []);
  await close();
});

test('without a script all boxes are seen, in a page and as an image', async () => {
  const {tab, close} = await openFile(picture(), {javaScriptEnabled: false});
  const colours = await coloursOf(await tab.screenshot());
  assert.ok(1280 * 800 - (colours['#ffffff'] ?? 0) > 10_000 && Object.keys(colours).length > 5);
  await close();
  const page = join(dirname(picture()), 'large-image.html');
  const box = readFileSync(picture(), 'utf8').match(/viewBox="0 0 (\d+) (\d+)"/).slice(1).map(Number);
  // At a scale at which a box is some pixels, the part around the middle.
  writeFileSync(page, `<body style="margin:0;overflow:hidden"><img src="${basename(picture())}" style="width:${box[0] / 8}px;max-width:none;`
    + `position:absolute;left:${-box[0] / 16 + 300}px;top:${-box[1] / 16 + 200}px">`);
  const shown = await openFile(page, {width: 600, height: 400});
  await shown.tab.waitForFunction(() => document.images[0].complete && document.images[0].naturalWidth > 0);
  const seen = await coloursOf(await shown.tab.screenshot());
  assert.ok(Object.keys(seen).length > 20, `${Object.keys(seen).length} colours`);
  await shown.close();
});
