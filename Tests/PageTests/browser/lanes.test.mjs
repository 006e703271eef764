// What is on the lanes and beside them: names, where operations ran, and what the colours mean.
import assert from 'node:assert/strict';
import {after, test} from 'node:test';
import {closeBrowser, openReport, pixels, shownSlices, slice, texts, writtenTexts} from '../support/browser.mjs';
import {dataOf, json, sample, samples, textTrace, written} from '../support/reports.mjs';

after(closeBrowser);

test('threads with one name can be distinguished, on a small screen too', async () => {
  const names = dataOf(sample('photo-import')).document.threads.map((one) => one.name);
  assert.ok(names.includes('oot.default-qos · 24680'), names.join());
  for (const width of [1280, 360]) {
    const {tab, close} = await openReport(sample('photo-import'), {width});
    const shown = (await writtenTexts(tab)).map((one) => one.text).filter((text) => /2468[02]$/.test(text));
    assert.ok(shown.some((text) => text.endsWith('24680')) && shown.some((text) => text.endsWith('24682')), `${width}: ${shown}`);
    if (width === 1280) assert.ok(shown.includes('oot.default-qos · 24680'), 'whole, where there is room');
    await close();
  }
});

test('bars of waits carry the names of their operations', async () => {
  const {tab, close} = await openReport(sample('deadlock'));
  const wait = await slice(tab, 'Open session', 'waiting for dependencies');
  const canvas = await tab.locator('.timeline-stage canvas').boundingBox();
  const name = (await writtenTexts(tab)).find((one) => one.text === 'Open session');
  assert.ok(name, 'it never ran: its wait alone can tell its name');
  assert.ok(Math.abs(name.y + canvas.y - wait.y) < 10, 'on its bar');
  await close();
});

test('each queue shows where its operations ran', async () => {
  for (const name of samples) {
    const page = sample(name);
    const {document} = dataOf(page);
    const {tab, close} = await openReport(page, {height: 3000});
    const shown = (await writtenTexts(tab)).map((one) => one.text);
    for (const {queue} of document.groups) {
      if (queue === null) continue;
      const at = shown.findIndex((text) => text.startsWith('Queue ') && text.includes(document.queues[queue].name.replace(/^queue /, '')));
      assert.ok(at >= 0, `${name}: ${document.queues[queue].name}`);
    }
    assert.equal(shown.filter((text) => text === 'running').length, document.groups.length - 1, `${name}: ${shown.join(' | ')}`);
    await close();
  }
  const {tab, close} = await openReport(sample('photo-import'), {height: 3000});
  assert.ok((await writtenTexts(tab)).some(({text}) => /^\d+ operations on oot\.default-qos · \d+ and oot\.default-qos · \d+, above$/.test(text)));
  await close();
});

test('the legend has the colour of every wait, and no other', async () => {
  for (const [name, words] of [['deadlock', ['waiting for a slot', 'waiting for dependencies', 'waiting, deadlocked']], ['photo-import', ['waiting for a slot', 'waiting for dependencies']]]) {
    const {tab, close} = await openReport(sample(name));
    for (const key of ['State', 'Class']) {
      await tab.getByRole('button', {name: key, exact: true}).click();
      assert.deepEqual((await texts(tab, '.timeline-legend > *')).filter((text) => text.startsWith('waiting')), words, key);
    }
    const colours = await tab.locator('.timeline-legend .wait-mark').evaluateAll((all) => all.map((one) => getComputedStyle(one).backgroundColor));
    for (const one of (await shownSlices(tab, {down: 5})).filter(({what, width}) => what.startsWith('waiting') && width > 60)) {
      const [pixel] = await pixels(tab, {x: one.right - 8, y: one.y, width: 1, height: 1});
      const colour = `rgb(${pixel & 255}, ${(pixel >> 8) & 255}, ${(pixel >> 16) & 255})`;
      assert.ok(colours.includes(colour), `${name}: ${one.name} is ${colour}, the legend has ${colours}`);
    }
    await close();
  }
});

test('a wait for a barrier is called so, everywhere', async () => {
  const page = sample('barrier');
  const barrier = json('summary', 'barrier').slowest.map((one) => one.name);
  assert.ok(barrier.length > 0);
  const {tab, close} = await openReport(page, {hash: '#op=4'});
  assert.match(await tab.locator('#panel .times').innerText(), /waiting for a barrier/);
  const waits = (await shownSlices(tab)).filter((one) => one.what === 'waiting for a barrier').map((one) => one.name);
  assert.ok(waits.some((name) => name.endsWith('#4')) && waits.some((name) => name.endsWith('#5')), waits.join());
  await close();
});

test('a queue without a name is called by its number, once', async () => {
  const page = written('nameless', textTrace([
    '1000 t1 thread t1 tid=4711 "main"', '1100 t1 queue q1 limit=1 ""', '1150 t1 queue q2 limit=3 "never used"',
    '2000 t1 created #1 class="Step"', '2030 t1 enqueued #1 queue=q1 priority=0', '2040 t1 ready #1', '3000 t1 started #1', '3010 t1 began #1',
    '5000 t1 ended #1', '5100 t1 finished #1', '5200 t1 start-returned #1',
  ]));
  const {tab, close} = await openReport(page);
  const shown = (await writtenTexts(tab)).map((one) => one.text);
  assert.ok(shown.includes('Queue 1 · limit 1'), shown.join(' | '));
  assert.ok(!shown.some((text) => /queue queue|''|never used/i.test(text)), shown.join(' | '));
  await close();
});

test('a name that an arrow crosses stays legible: it is written over the arrow, on its bar', async () => {
  const {tab, close} = await openReport(sample('photo-import'), {hash: '#op=20'});
  const order = await tab.evaluate(async () => {
    const canvas = document.querySelector('.timeline-stage canvas');
    const context = canvas.getContext('2d');
    const calls = [];
    for (const name of ['bezierCurveTo', 'fillRect', 'fillText']) {
      context[name] = function (...values) {
        calls.push([name, values[0]]);
        CanvasRenderingContext2D.prototype[name].apply(this, values);
      };
    }
    canvas.dispatchEvent(new KeyboardEvent('keydown', {key: '0', bubbles: true, cancelable: true}));
    await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
    return calls;
  });
  const lastArrow = order.findLastIndex(([name]) => name === 'bezierCurveTo');
  const label = order.findIndex(([name, text]) => name === 'fillText' && text.startsWith('Download 3'));
  assert.ok(lastArrow >= 0 && label > lastArrow, `${lastArrow} ${label}`);
  assert.equal(order[label - 1][0], 'fillRect', 'no arrow shows between its letters');
  await close();
});

test("on a thread, start() is told with the operation whose it is", async () => {
  const page = written('starts', textTrace([
    '0 t1 thread t1 tid=4711 "main"', '0 t2 thread t2 tid=4712 "pool"', '0 t1 queue q1 limit=2 "network"', '0 t0 class name="Request"',
    '1000 t1 created #1 class="Request" async', '1001 t1 named #1 "Load profile"', '2000 t1 enqueued #1 queue=q1 priority=0', '2500 t1 ready #1',
    '3000 t2 started #1', '3100 t2 began #1', '900000 t2 start-returned #1', '950000 t1 ended #1', '951000 t1 finished #1',
  ]));
  const {tab, close} = await openReport(page);
  const shown = (await writtenTexts(tab)).map((one) => one.text);
  assert.ok(shown.includes('Load profile · start()'), shown.join(' | '));
  await close();
});

test("a queue's name is whole where something was done to the queue as it began", async () => {
  const name = 'org.example.session.rootQueue.sessionDelegateQueue';
  const page = written('long-name', textTrace([
    '0 t1 thread t1 tid=4711 "main"', `0 t1 queue q1 limit=1 suspended "${name}"`, '0 t0 class name="Request"', '10000 t1 resumed q1',
    '20000 t1 created #1 class="Request"', '21000 t1 enqueued #1 queue=q1 priority=0', '22000 t1 ready #1',
    '23000 t1 started #1', '23100 t1 began #1', '900000 t1 ended #1', '901000 t1 finished #1', '910000 t1 suspended q1',
  ]));
  const {tab, close} = await openReport(page);
  const shown = await writtenTexts(tab);
  const title = shown.find((one) => one.text === `Queue ${name} · limit 1 · suspended`);
  assert.ok(title, shown.map((one) => one.text).join(' | '));
  // A name that would run into it is left out, others are not.
  assert.ok(!shown.some((one) => one.text === 'resumed'));
  assert.ok(shown.some((one) => one.text === 'suspended'), shown.map((one) => one.text).join(' | '));
  await close();
});
