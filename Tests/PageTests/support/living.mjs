// Programs that run during a test, and what `optrace view` serves about them.
import {spawn} from 'node:child_process';
import {join} from 'node:path';
import {optrace, root, temporary} from './reports.mjs';

let count = 0;

// Waits until it is so; a test that waits for ever ends after a minute.
export async function until(what, condition) {
  for (let tries = 0; tries < 1200; tries++) {
    const found = await condition();
    if (found) return found;
    await new Promise((done) => setTimeout(done, 50));
  }
  throw new Error(`it never happened: ${what}`);
}

// A recorded program that takes commands: `tell('10 500')` gives it ten operations of 500 µs and waits until it has begun with
// them, `tell('wait')` until all are over. It is ended with the test.
export async function fed(context, ...options) {
  const trace = temporary(`living-${++count}.optrace`);
  const program = spawn(optrace, ['record', ...options, '-o', trace, '--', join(root, '.build/release/RecordTestProgram'), 'pid', 'feed'],
    {stdio: ['pipe', 'pipe', 'ignore']});
  context.after(() => program.kill('SIGKILL'));
  const lines = [];
  let rest = '';
  program.stdout.on('data', (data) => {
    const parts = (rest + data).split('\n');
    rest = parts.pop();
    lines.push(...parts);
  });
  const next = () => until('a line of the program', () => lines.shift());
  const processID = Number(await next());
  context.after(() => { try { process.kill(processID, 'SIGKILL'); } catch { /* It has ended. */ } });
  const ended = new Promise((done) => program.once('close', done));
  return {
    trace, processID,
    tell: (words) => {
      program.stdin.write(`${words}\n`);
      return next();
    },
    signal: (name) => process.kill(processID, name),
    end: () => {
      program.stdin.end();
      return ended;
    },
  };
}

// The address at which `optrace view` serves a trace, until the test is over.
export async function served(context, trace) {
  const server = spawn(optrace, ['view', trace, '--no-open'], {stdio: ['ignore', 'pipe', 'ignore']});
  context.after(() => server.kill('SIGTERM'));
  return new Promise((done) => server.stdout.once('data', (data) => done(String(data).trim())));
}
