// A headless browser, driven by real input events.
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
  for (const name of ['chromium', 'google-chrome']) {
    try {
      return execFileSync('sh', ['-c', `command -v ${name}`]).toString().trim();
    } catch { /* The next one. */ }
  }
  throw new Error('no Chromium here: run `make test`, which installs it, or name one in CHROMIUM');
}

let browser;

async function launched() {
  if (!browser) {
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

// Opens a report from disk. `problems` collects what must not be: messages on the console, errors, requests to anywhere.
export async function openReport(page, {hash = '', width = 1280, height = 800, ...options} = {}) {
  const context = await (await launched()).newContext({viewport: {width, height}, ...options});
  const tab = await context.newPage();
  const problems = [];
  const address = pathToFileURL(page).href;
  tab.on('console', (message) => problems.push(`console: ${message.text()}`));
  tab.on('pageerror', (error) => problems.push(`error: ${error.message}`));
  tab.on('dialog', (dialog) => {
    problems.push(`dialog: ${dialog.message()}`);
    dialog.dismiss();
  });
  tab.on('request', (request) => { if (!request.url().startsWith(address)) problems.push(`request: ${request.url()}`); });
  await tab.goto(address + hash);
  await tab.waitForFunction(() => document.documentElement.dataset.ready !== undefined, null, {timeout: 120000});
  await settled(tab);
  return {tab, problems, close: () => context.close()};
}

// Two frames later everything that was planned is drawn.
export async function settled(tab) {
  await tab.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
}
