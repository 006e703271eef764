// A headless browser, driven by real input events.
import assert from 'node:assert/strict';
import {existsSync} from 'node:fs';
import {execFileSync} from 'node:child_process';
import {join} from 'node:path';
import {pathToFileURL} from 'node:url';
import {root} from './reports.mjs';

export const tools = join(process.env.OPTRACE_TOOLS ?? join(root, '.build-tools'), 'browser');

function browserPath() {
  if (process.env.CHROMIUM) return process.env.CHROMIUM;
  const mac = '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome';
  if (existsSync(mac)) return mac;
  for (const name of ['chromium-headless-shell', 'chromium', 'google-chrome']) {
    try {
      return execFileSync('sh', ['-c', `command -v ${name}`]).toString().trim();
    } catch { /* The next one. */ }
  }
  throw new Error('no Chromium here: run `make test`, which installs it, or name one in CHROMIUM');
}

let browser;

async function launched() {
  // One for all tests; another when it has crashed.
  if (!browser?.isConnected()) {
    const {chromium} = await import(pathToFileURL(join(tools, 'playwright/index.mjs')).href);
    // In containers there is no sandbox for root, and little shared memory.
    browser = await chromium.launch({executablePath: browserPath(), args: ['--no-sandbox', '--disable-dev-shm-usage']});
  }
  return browser;
}

export async function closeBrowser() {
  await browser?.close();
  browser = undefined;
}

// Opens a file from disk, or an address. `problems` collects what must not be: messages on the console, errors, requests to anywhere.
export async function openFile(page, {hash = '', width = 1280, height = 800, ...options} = {}) {
  const context = await (await launched()).newContext({viewport: {width, height}, ...options});
  const tab = await context.newPage();
  tab.setDefaultTimeout(20000);
  const problems = [];
  const address = /^https?:/.test(page) ? page : pathToFileURL(page).href;
  tab.on('console', (message) => problems.push(`console: ${message.text()}`));
  tab.on('pageerror', (error) => problems.push(`error: ${error.message}`));
  tab.on('dialog', (dialog) => {
    problems.push(`dialog: ${dialog.message()}`);
    dialog.dismiss();
  });
  tab.on('request', (request) => { if (!request.url().startsWith(address)) problems.push(`request: ${request.url()}`); });
  await tab.goto(address + hash, {timeout: 120000});
  return {tab, problems, close: () => context.close()};
}

// With the timeline, wherever a page without an address opens. `asItOpens`: as somebody sees it who opens it.
export async function openReport(page, {asItOpens = false, ...options} = {}) {
  const opened = await openFile(page, options);
  await opened.tab.waitForFunction(() => document.documentElement.dataset.ready !== undefined, null, {timeout: 120000});
  if (!asItOpens && !options.hash) {
    const tab = await opened.tab.evaluate(() => document.querySelector('[role=tab][aria-selected=true]').getAttribute('aria-controls'));
    if (['graph', 'findings', 'why'].includes(tab)) await opened.tab.locator('[role=tab][aria-controls=timeline]').click();
  }
  await settled(opened.tab);
  return opened;
}

// Two frames later everything that was planned is drawn.
export async function settled(tab) {
  await tab.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
}

// Waits until the page says so; what it says of it otherwise is in the error.
export async function eventually(tab, holds, argument) {
  await tab.waitForFunction(holds, argument, {timeout: 10000, polling: 50});
}

// MARK: What is shown

export const texts = (tab, selector) => tab.locator(selector).evaluateAll((all) => all.map((one) => one.textContent.trim()));
export const text = (tab, selector) => tab.locator(selector).first().evaluate((one) => one.innerText.trim());
export const selected = (tab) => tab.evaluate(() => document.querySelector('#panel:not([hidden]) h2')?.textContent ?? null);
export const focused = (tab) => tab.evaluate(() => {
  const {activeElement: one} = document;
  return one === document.body ? null : {
    tag: one.tagName.toLowerCase(), id: one.id, role: one.getAttribute('role'),
    text: (one.getAttribute('aria-label') ?? one.textContent).trim().slice(0, 80), region: one.closest('section[id], aside, nav, header[id], dialog')?.id ?? '',
  };
});

// Everything that the timeline's tip can be asked for: {name, what, lines, left, right, top, bottom}, in pixels of the
// window. The page says what the tip shows at a point; `byPointer` moves a pointer there and reads the tip, which takes
// many times as long.
export async function shownSlices(tab, {across = 4, down = 6, byPointer = false} = {}) {
  await settled(tab);
  return tab.evaluate(([stepX, stepY, byPointer]) => {
    const canvas = document.querySelector('.timeline-stage canvas');
    const tip = document.querySelector('.timeline-stage .pointer-tip');
    const box = canvas.getBoundingClientRect();
    const found = new Map();
    const point = (type, x, y) => canvas.dispatchEvent(new PointerEvent(type, {clientX: x, clientY: y, bubbles: true, pointerId: 77}));
    const pointed = (x, y) => {
      point('pointermove', x, y);
      return tip.hidden ? null : [...tip.children].map((line) => line.textContent);
    };
    // Nothing is laid out anew in between: thousands of times that takes seconds.
    const measured = byPointer ? [tip, canvas.parentElement, canvas] : [];
    for (const one of measured) one.getBoundingClientRect = () => box;
    for (let y = box.top + 23; y < box.bottom; y += stepY) {
      for (let x = box.left + 90; x < box.right; x += stepX) {
        const lines = byPointer ? pointed(x, y) : canvas.textsAt(x - box.left, y - box.top);
        if (!lines || lines[0].startsWith('at ')) continue;
        const key = lines.join('\n');
        const one = found.get(key);
        if (one) Object.assign(one, {left: Math.min(one.left, x), right: Math.max(one.right, x), bottom: y});
        else found.set(key, {name: lines[0], what: lines[1].replace(/ ?[\d.]+ (ns|µs|ms|s).*$/, ''), lines, left: x, right: x, top: y, bottom: y});
      }
    }
    if (byPointer) point('pointerleave', box.left, box.top);
    for (const one of measured) delete one.getBoundingClientRect;
    return [...found.values()].map((one) => ({...one, x: (one.left + one.right) / 2, y: (one.top + one.bottom) / 2, width: one.right - one.left}));
  }, [across, down, byPointer]);
}

// What is written on the timeline's canvas: {text, x, y}, in its own pixels.
export async function writtenTexts(tab) {
  await tab.evaluate(() => {
    const canvas = document.querySelector('.timeline-stage canvas');
    const context = canvas.getContext('2d');
    window.writtenTexts = [];
    context.fillText = function (text, x, y) {
      window.writtenTexts.push({text, x, y});
      CanvasRenderingContext2D.prototype.fillText.call(this, text, x, y);
    };
    canvas.dispatchEvent(new KeyboardEvent('keydown', {key: '0', bubbles: true, cancelable: true}));
  });
  await settled(tab);
  return tab.evaluate(() => {
    delete document.querySelector('.timeline-stage canvas').getContext('2d').fillText;
    return window.writtenTexts;
  });
}

// A slice by the begin of its name. A pointer that comes by finds it there, too.
export async function slice(tab, name, what = 'running', options = {}) {
  const found = (await shownSlices(tab, options)).find((one) => one.name.startsWith(name) && one.what === what) ?? null;
  if (found) assert.equal(await passing(tab, found), found.name, 'what the tip says there');
  return found;
}

// The first line of the tip while a pointer passes over a point.
function passing(tab, {x, y}) {
  return tab.evaluate(([x, y]) => {
    const canvas = document.querySelector('.timeline-stage canvas');
    const point = (type) => canvas.dispatchEvent(new PointerEvent(type, {clientX: x, clientY: y, bubbles: true, pointerId: 77}));
    point('pointermove');
    const text = document.querySelector('.timeline-stage .pointer-tip:not([hidden])')?.firstChild.textContent;
    point('pointerleave');
    return text;
  }, [x, y]);
}

// The lines of the tip where the mouse is, by moving it there.
export async function tipAt(tab, x, y) {
  await tab.mouse.move(x - 1, y);
  await tab.mouse.move(x, y);
  return tab.evaluate(() => {
    const tip = document.querySelector('.timeline-stage .pointer-tip');
    return tip.hidden ? null : [...tip.children].map((line) => line.textContent);
  });
}

// The colours of a part of a canvas, one number a pixel; the area in pixels of the window.
export async function pixels(tab, {x, y, width, height}, selector = '.timeline-stage canvas') {
  await settled(tab);
  return tab.evaluate(([x, y, width, height, selector]) => {
    const canvas = document.querySelector(selector);
    const box = canvas.getBoundingClientRect();
    const ratio = canvas.width / box.width;
    const [wide, high] = [Math.max(1, Math.round(width * ratio)), Math.max(1, Math.round(height * ratio))];
    // From a copy: to read the page's own would make it another kind of canvas.
    const copy = new OffscreenCanvas(wide, high).getContext('2d', {willReadFrequently: true});
    copy.drawImage(canvas, -Math.round((x - box.left) * ratio), -Math.round((y - box.top) * ratio));
    const {data} = copy.getImageData(0, 0, wide, high);
    return Array.from(new Uint32Array(data.buffer));
  }, [x, y, width, height, selector]);
}

// How many pixels of a screenshot have which colour, as `#rrggbb`.
export async function coloursOf(screenshot) {
  const context = await (await launched()).newContext();
  const tab = await context.newPage();
  const colours = await tab.evaluate(async (base64) => {
    const image = await createImageBitmap(await (await fetch(`data:image/png;base64,${base64}`)).blob());
    const canvas = new OffscreenCanvas(image.width, image.height).getContext('2d');
    canvas.drawImage(image, 0, 0);
    const {data} = canvas.getImageData(0, 0, image.width, image.height);
    const counts = {};
    for (let at = 0; at < data.length; at += 4) {
      const colour = `#${((data[at] << 16) | (data[at + 1] << 8) | data[at + 2]).toString(16).padStart(6, '0')}`;
      counts[colour] = (counts[colour] ?? 0) + 1;
    }
    return counts;
  }, screenshot.toString('base64'));
  await context.close();
  return colours;
}

export function differences(one, other) {
  return one.reduce((count, colour, at) => count + (colour === other[at] ? 0 : 1), 0);
}

export const boxOf = (tab, selector) => tab.locator(selector).first().boundingBox();

// MARK: What people do

export async function drag(tab, from, to, steps = 8) {
  await tab.mouse.move(from.x, from.y);
  await tab.mouse.down();
  await tab.mouse.move(to.x, to.y, {steps});
  await tab.mouse.up();
  await settled(tab);
}

// Two fingers, from one pair of points to another. The page was opened with `hasTouch`.
export async function pinch(tab, from, to, steps = 6) {
  const session = await tab.context().newCDPSession(tab);
  const send = (type, points) => session.send('Input.dispatchTouchEvent', {type, touchPoints: points.map((point, id) => ({x: point.x, y: point.y, id}))});
  await send('touchStart', [from[0]]);
  await send('touchStart', from);
  for (let step = 1; step <= steps; step++) {
    await send('touchMove', from.map((start, at) => ({
      x: start.x + ((to[at].x - start.x) * step) / steps, y: start.y + ((to[at].y - start.y) * step) / steps,
    })));
  }
  await send('touchEnd', []);
  await session.detach();
  await settled(tab);
}

// Types into the search, and takes what it finds first.
export async function searchFor(tab, words) {
  await tab.keyboard.press('/');
  await tab.keyboard.type(words);
  await eventually(tab, () => document.querySelector('#search-list [aria-selected=true]') !== null);
  await tab.keyboard.press('Enter');
  await settled(tab);
}
