// A run that hangs: what never began has its waits, and arrows lead from wait to wait.
import assert from 'node:assert/strict';
import {after, test} from 'node:test';
import {closeBrowser, openReport, settled} from '../support/browser.mjs';
import {dataOf, sample} from '../support/reports.mjs';

after(closeBrowser);

// How many pixels of the timeline have a colour that the style sheet names.
const pixels = (tab, property) => tab.evaluate((name) => {
  const probe = document.createElement('i');
  probe.style.color = getComputedStyle(document.getElementById('timeline')).getPropertyValue(`--${name}`);
  document.body.append(probe);
  const wanted = getComputedStyle(probe).color.match(/\d+/g).map(Number);
  probe.remove();
  const canvas = document.querySelector('.timeline-stage canvas');
  const {data} = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
  let count = 0;
  for (let at = 0; at < data.length; at += 4) if (wanted.every((value, part) => Math.abs(data[at + part] - value) < 40)) count += 1;
  return count;
}, property);

test('the waits of a cycle have its colour, and its arrows are drawn', async () => {
  const page = sample('deadlock');
  const cycle = dataOf(page).document.findings.find((one) => one.cycle.length > 0).cycle;
  const {tab, close} = await openReport(page);
  const bars = await pixels(tab, 'fill-deadlocked');
  assert.ok(bars > 1000, `${bars} pixels of the waits`);
  const before = await pixels(tab, 'stuck');
  // In this sample ids are rows and one.
  await tab.evaluate((id) => { location.hash = `op=${id}`; }, cycle[0] + 1);
  await tab.locator('#panel h2').waitFor();
  await settled(tab);
  assert.ok(await pixels(tab, 'stuck') > before + 30, 'arrows of the selected operation');
  assert.match(await tab.locator('#panel .times').innerText(), /not begun/);
  await close();
});

test('"Why slow" does not promise that a shorter step ends a run that hangs', async () => {
  const {tab, close} = await openReport(sample('deadlock'), {hash: '#tab=why'});
  const lead = await tab.locator('#why .lead').first().innerText();
  assert.match(lead, /after the last step/);
  assert.match(lead, /Not everything has ended/);
  await close();
});
