// A program that still runs, looked at through `optrace view`: the page notices what has changed.
import assert from 'node:assert/strict';
import {spawn} from 'node:child_process';
import {existsSync, statSync} from 'node:fs';
import {join} from 'node:path';
import test, {after} from 'node:test';
import {closeBrowser, openReport} from '../support/browser.mjs';
import {optrace, root, temporary} from '../support/reports.mjs';

after(closeBrowser);

async function until(what, condition) {
  for (let tries = 0; tries < 600; tries++) {
    if (condition()) return;
    await new Promise((done) => setTimeout(done, 50));
  }
  assert.fail(`it never happened: ${what}`);
}

test('when the program has ended, the page is loaded anew, and keeps what is selected', async (context) => {
  const trace = temporary('live.optrace');
  // It hangs, and so goes on to be live.
  const program = spawn(join(root, '.build/debug/BrokenProgram'), ['queue-self-wait', 'broken', trace], {stdio: 'ignore'});
  context.after(() => program.kill('SIGKILL'));
  await until('a trace', () => existsSync(trace) && statSync(trace).size > 4096);
  await new Promise((done) => setTimeout(done, 500));
  const server = spawn(optrace, ['view', trace, '--no-open'], {stdio: ['ignore', 'pipe', 'ignore']});
  context.after(() => server.kill('SIGTERM'));
  const address = await new Promise((done) => server.stdout.once('data', (data) => done(String(data).trim())));
  const {tab, problems, close} = await openReport(address, {hash: '#op=1'});
  context.after(close);
  assert.equal(await tab.locator('meta[name=optrace-live]').count(), 1);
  assert.match(await tab.locator('#head').innerText(), /not closed/);
  assert.equal(await tab.locator('#panel').isVisible(), true);
  // Somebody who types is not interrupted, but told.
  await tab.keyboard.press('/');
  await tab.keyboard.type('order');
  program.kill('SIGKILL');
  await tab.locator('.news button').waitFor();
  assert.equal(await tab.locator('#search input').inputValue(), 'order');
  await tab.keyboard.press('Escape');
  await tab.evaluate(() => document.activeElement.blur());
  await tab.waitForFunction(() => !document.querySelector('meta[name=optrace-live]') && document.documentElement.dataset.ready !== undefined, null, {timeout: 30000});
  assert.match(tab.url(), /#op=1$/);
  assert.equal(await tab.locator('#panel').isVisible(), true);
  assert.deepEqual(problems, []);
});
