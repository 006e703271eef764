#!/usr/bin/env node
// What a frame of the report's timeline costs in a browser while it is panned and zoomed: milliseconds of script. And what
// it takes until a graph of very many operations is seen, and answers.
// usage: scripts/measure-page.mjs OPTRACE MAKETRACE      the browser's driver: scripts/setup test; all of it: make bench-page
import {readFileSync} from 'node:fs';
import {performance} from 'node:perf_hooks';
import {execFileSync} from 'node:child_process';
import {temporary} from '../Tests/PageTests/support/reports.mjs';
import {closeBrowser, openFile, openReport, settled} from '../Tests/PageTests/support/browser.mjs';

async function measure(page, title) {
  const began = performance.now();
  const {tab, close} = await openReport(page, {width: 1400, height: 900});
  const opened = performance.now() - began;
  await tab.evaluate(() => {
    const timeline = document.getElementById('timeline');
    window.frames_ = [];
    new MutationObserver(() => window.frames_.push(Number(timeline.dataset.frame))).observe(timeline, {attributeFilter: ['data-frame']});
  });
  const box = await tab.locator('.timeline-stage canvas').boundingBox();
  const [x, y] = [box.x + box.width * 0.6, box.y + box.height * 0.5];
  const pan = async () => {
    await tab.mouse.move(x, y);
    await tab.mouse.down();
    for (let step = 1; step <= 60; step++) await tab.mouse.move(x + 200 * Math.sin(step / 5), y, {steps: 2});
    await tab.mouse.up();
  };
  const taken = async (work) => {
    await tab.evaluate(() => { window.frames_.length = 0; });
    await work();
    return tab.evaluate(() => window.frames_);
  };
  const results = {};
  await tab.mouse.move(x, y);
  // Panning everything goes nowhere: a little closer, then in steps down to single operations.
  const zoom = (times) => async () => { for (let time = 0; time < times; time++) await tab.mouse.wheel(0, -240); };
  results['zooming in'] = await taken(zoom(2));
  results['panning, all but all'] = await taken(pan);
  await zoom(6)();
  results['panning, a twentieth'] = await taken(pan);
  await zoom(10)();
  results['panning, close'] = await taken(pan);
  await close();
  console.log(`${title}: ${(readFileSync(page).length / 1e6).toFixed(1)} MB, opened in ${(opened / 1000).toFixed(1)} s`);
  for (const [what, frames] of Object.entries(results)) {
    const sorted = frames.toSorted((one, other) => one - other);
    const at = (part) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))]?.toFixed(2);
    console.log(`  ${what.padEnd(24)} ${String(sorted.length).padStart(4)} frames: median ${at(0.5)} ms, 95 % ${at(0.95)} ms, most ${at(1)} ms`);
  }
}

async function measureGraph(picture, title) {
  const times = {};
  let last = performance.now();
  const took = (what) => {
    times[what] = performance.now() - last;
    last = performance.now();
  };
  const {tab, close} = await openFile(picture, {width: 1400, height: 900});
  took('loaded');
  await settled(tab);
  took('two frames later');
  await tab.screenshot();
  took('on the screen');
  const opened = performance.now() - last + Object.values(times).reduce((sum, time) => sum + time, 0);
  const elements = await tab.evaluate(() => document.querySelectorAll('*').length);
  await tab.mouse.move(700, 400);
  const step = async (what, work) => {
    last = performance.now();
    await work();
    await settled(tab);
    took(what);
  };
  if (await tab.locator('.find').count() > 0) {
    await step('a turn of the wheel', () => tab.mouse.wheel(0, -120));
    await step('another', () => tab.mouse.wheel(0, -120));
    await step('a search', async () => {
      await tab.keyboard.press('/');
      await tab.keyboard.type('#50000');
      await tab.keyboard.press('Enter');
    });
    await step('a step aside', async () => {
      await tab.keyboard.press('Escape');
      await tab.keyboard.press('ArrowRight');
    });
  }
  await close();
  console.log(`${title}: ${(readFileSync(picture).length / 1e6).toFixed(1)} MB, ${elements.toLocaleString('en')} elements, seen after ${(opened / 1000).toFixed(1)} s`);
  console.log(`  ${Object.entries(times).map(([what, time]) => `${what} ${time.toFixed(0)} ms`).join(' · ')}`);
}

const [optrace, makeTrace] = process.argv.slice(2);
if (!makeTrace) {
  console.error('usage: scripts/measure-page.mjs OPTRACE MAKETRACE');
  process.exit(64);
}
for (const count of [10_000, 100_000, 1_000_000]) {
  const trace = temporary(`${count}.optrace`);
  execFileSync(makeTrace, [String(count), trace, 'pairs']);
  execFileSync(optrace, ['report', trace, '-o', `${trace}.html`], {stdio: 'inherit'});
  await measure(`${trace}.html`, `${count.toLocaleString('en')} operations`);
}
for (const shape of ['layered', 'pipeline', 'chain', 'pairs', 'stuck', 'fan']) {
  const trace = temporary(`${shape}.optrace`);
  execFileSync(makeTrace, ['100000', trace, shape]);
  for (const [kind, options] of [['every one', ['--full']], ['folded', []]]) {
    const picture = temporary(`${shape}-${options.length}.svg`);
    const began = performance.now();
    execFileSync(optrace, ['graph', trace, '-o', picture, ...options], {stdio: 'ignore'});
    const written = (performance.now() - began) / 1000;
    await measureGraph(picture, `graph of 100,000 operations (${shape}), ${kind}: written in ${written.toFixed(1)} s`);
  }
}
await closeBrowser();
