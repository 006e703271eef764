// Pages of several processes: what a span calls elsewhere, and what called it, leads to the other page.
import {execFileSync} from 'node:child_process';
import {writeFileSync} from 'node:fs';
import {after, test} from 'node:test';
import assert from 'node:assert/strict';
import {closeBrowser, eventually, openReport, selected, texts} from '../support/browser.mjs';
import {optrace, temporary} from '../support/reports.mjs';

after(closeBrowser);

const ids = (span) => `4bf92f3577b34da6a3ce929d0e0e4736-${String(span).padStart(16, '0')}`;

// A service with one operation for each span: `[name, kind, begin, end, id, caller]`, in microseconds.
function service(process, number, spans) {
  const events = [[0, 't1 thread t1 tid=7 "main"'], [0, 't1 queue q1 limit=-1 "work"']];
  spans.forEach(([name, kind, begin, end, id, caller], index) => {
    const own = index + 1;
    for (const what of ['created #N class="Step"', `named #N ${JSON.stringify(`${process} ${own}`)}`, 'enqueued #N queue=q1 priority=0', 'ready #N', 'started #N', 'began #N']) {
      events.push([begin, `t1 ${what.replace('N', own)}`]);
    }
    events.push([begin, `t1 span #${own} id=${own} ${JSON.stringify(name)}`],
      [begin, `t1 span-context s${own} parent=0 kind=${kind} "${ids(id)}${caller ? `-${String(caller).padStart(16, '0')}` : ''}"`],
      [end, `t1 span-ended s${own}`], [end, `t1 ended #${own}`], [end, `t1 finished #${own}`]);
  });
  events.sort((one, other) => one[0] - other[0]);
  const path = temporary(`${process}.txt`);
  writeFileSync(path, `optrace text 1\nprocess ${number} "${process}"\nwriter "0.2.0"\nmode streaming\nwall 1795241206308108874\nmonotonic 5\nstate closed\n\n${events.map(([time, text]) => `${time * 1000} ${text}`).join('\n')}\n`);
  return path;
}

const [CLIENT, SERVER] = [2, 1];

function pages(name, shop, stock) {
  const page = temporary(`${name}.html`);
  execFileSync(optrace, ['report', service(`${name}-shop`, 7, shop), service(`${name}-stock`, 8, stock), '-o', page], {stdio: ['ignore', 'ignore', 'pipe']});
  return page;
}

test('a call leads to what served it, on its page, and back', async () => {
  const page = pages('pair', [['first', CLIENT, 100, 200, 1], ['reserve', CLIENT, 300, 900, 2]], [['POST <b>/reserve', SERVER, 400, 600, 3, 2]]);
  const {tab, problems, close} = await openReport(page, {hash: '#op=1'});
  const lines = () => texts(tab, '#panel section:has(a) li');
  assert.deepEqual(await lines(), []);
  await tab.evaluate(() => { location.hash = '#op=2'; });
  await eventually(tab, () => document.querySelector('#panel a') !== null);
  assert.deepEqual(await lines(), ['reservecalls POST <b>/reserve in pair-stock']);
  assert.deepEqual(problems, []);
  await tab.locator('#panel a').click();
  await eventually(tab, () => document.querySelector('#panel a')?.textContent === 'reserve');
  assert.match(tab.url(), /pair-2\.html#op=1&/);
  assert.equal(await selected(tab), 'pair-stock 1 #1');
  assert.deepEqual(await lines(), ['POST <b>/reservecalled by reserve in pair-shop']);
  await tab.locator('#panel a').focus();
  await tab.keyboard.press('Enter');
  await eventually(tab, () => document.querySelector('#panel a')?.textContent === 'POST <b>/reserve');
  assert.equal(await selected(tab), 'pair-shop 2 #2');
  await close();
});

test('many calls of one operation are shown by and by', async () => {
  const served = Array.from({length: 30}, (_, index) => [`serve ${index}`, SERVER, 400 + 10 * index, 405 + 10 * index, 10 + index, 2]);
  const page = pages('many', [['reserve', CLIENT, 300, 900, 2]], served);
  const {tab, close} = await openReport(page, {hash: '#op=1'});
  assert.equal(await tab.locator('#panel section a').count(), 20);
  await tab.locator('#panel section:has(a) .more').click();
  assert.equal(await tab.locator('#panel section a').count(), 30);
  await close();
});
