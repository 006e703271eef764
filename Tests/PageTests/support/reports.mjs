// Reports for the tests, made by the command itself from samples and from traces that are written here as text. All files of tests run in
// one process, so each report is made once.
import {execFileSync} from 'node:child_process';
import {createHash} from 'node:crypto';
import {existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {dirname, join} from 'node:path';
import {fileURLToPath} from 'node:url';

export const root = join(dirname(fileURLToPath(import.meta.url)), '../../..');
export const optrace = process.env.OPTRACE ?? join(root, '.build/release/optrace');

const folder = mkdtempSync(join(tmpdir(), 'optrace-page-'));
process.on('exit', () => rmSync(folder, {recursive: true, force: true}));
const made = new Map();

export function temporary(name) { return join(folder, name); }

function once(key, make) {
  if (!made.has(key)) made.set(key, make());
  return made.get(key);
}

// What the command prints.
function printed(...words) { return execFileSync(optrace, words, {maxBuffer: 1 << 28, stdio: ['ignore', 'pipe', 'pipe']}).toString(); }

// A text in a file of this name. Tests may give one name to several texts, so each has a folder of its own.
function inFile(name, text) {
  const own = join(folder, createHash('sha256').update(text).digest('hex').slice(0, 16));
  const file = join(own, name);
  if (existsSync(file)) return file;
  mkdirSync(own, {recursive: true});
  writeFileSync(file, text);
  return file;
}

// The path of a report of a trace file.
function report(trace, name) {
  const page = join(dirname(trace).startsWith(folder) ? dirname(trace) : folder, `${name}.html`);
  try {
    printed('report', trace, '-o', page);
  } catch (error) {
    // A damaged trace is reported too; the status says so.
    if (error.status !== 65) throw error;
  }
  return page;
}

// Of one of the sample traces.
export function sample(name) { return once(`sample ${name}`, () => report(join(root, 'traces', `${name}.optrace`), name)); }

// The trace that a test has written last under a name.
const traces = new Map();

// Of a trace in its text form.
export function written(name, text) {
  const trace = inFile(`${name}.txt`, text);
  traces.set(name, trace);
  return once(`written ${trace}`, () => report(trace, name));
}

// Of two traces in their text form: what changed from the one to the other.
export function compared(name, base, changed) {
  const files = [inFile(`${name}-base.txt`, base), inFile(`${name}-new.txt`, changed)];
  return once(`compared ${files}`, () => {
    const page = join(dirname(files[1]), `${name}-diff.html`);
    printed('diff', ...files, '-o', page);
    return page;
  });
}

// Of the first part of a sample's file.
export function cut(name, bytes) {
  return once(`cut ${name}`, () => {
    const trace = temporary(`${name}-cut.optrace`);
    writeFileSync(trace, readFileSync(join(root, 'traces', `${name}.optrace`)).subarray(0, bytes));
    return report(trace, `${name}-cut`);
  });
}

export const samples = readdirSync(join(root, 'traces')).filter((name) => name.endsWith('.optrace')).map((name) => name.slice(0, -8)).sort();

// The path of a trace: a sample, or one that `written` has made.
export function tracePath(name) {
  return traces.get(name) ?? join(root, 'traces', `${name}.optrace`);
}

// A trace of these lines, `TIME THREAD WORD …` each.
export function textTrace(lines, {process = '4711 "test"', state = 'closed', end = 1e6, more = ''} = {}) {
  return `optrace text 1\nprocess ${process}\nwriter "0.1.0"\nmode streaming\nwall 1795241206308108874\nmonotonic 5\nstate ${state}\n`
    + `heartbeat ${end}\n${more}\n${lines.join('\n')}\n`;
}

// What `optrace graph` draws of it.
export function graphOf(name) { return once(`graph ${tracePath(name)}`, () => printed('graph', tracePath(name))); }

// The path of the picture that `optrace graph` makes of a trace in its text form.
export function drawn(name, text, ...options) {
  const trace = inFile(`${name}.txt`, text);
  return once(`drawn ${trace} ${options}`, () => {
    const picture = join(dirname(trace), `${name}.svg`);
    printed('graph', trace, '-o', picture, ...options);
    return picture;
  });
}

// The data in a report.
export function dataOf(page) {
  return JSON.parse(readFileSync(page, 'utf8').match(/<script type="application\/json" id="data">([^]*?)<\/script>/)[1]);
}

// What another command says of the same trace, as JSON.
export function json(command, name) {
  const text = once(`${command} ${tracePath(name)}`, () => {
    try {
      return printed(command, tracePath(name), '--json');
    } catch (error) {
      // The doctor found an error, which is no failure here.
      if (error.status !== 1) throw error;
      return error.stdout.toString();
    }
  });
  return JSON.parse(text);
}

const MICRO = 1000;

// A text trace of `count` operations on `threads` threads in one queue, each after the one `width` before it. Every one
// waits a little, runs for 5 to 14 µs, and is over.
export function workload(count, {threads = 4, width = 8, names = (number) => `operation ${number}`} = {}) {
  const events = [];
  const free = new Array(threads).fill(100 * MICRO);
  const ends = new Float64Array(count + 1);
  let seed = 7;
  const random = () => (seed = (seed * 48271) % 0x7fffffff) / 0x7fffffff;
  events.push([1000, `t1 thread t1 tid=4711 "main"`], [1000, `t1 queue q1 limit=${threads} "work"`]);
  for (let thread = 0; thread < threads; thread++) events.push([1500, `t${thread + 2} thread t${thread + 2} tid=${thread + 2} "worker ${thread}"`]);
  for (let number = 1; number <= count; number++) {
    const added = 2000 + number * 100;
    events.push([added, `t1 created #${number} class="Step${number % 3}"`], [added + 10, `t1 named #${number} ${JSON.stringify(names(number))}`]);
    const before = number > width ? ends[number - width] : 0;
    if (before > 0) events.push([added + 20, `t1 depends #${number} on=#${number - width}`]);
    events.push([added + 30, `t1 enqueued #${number} queue=q1 priority=0`]);
    const thread = free.indexOf(Math.min(...free));
    const ready = Math.max(added + 40, before + 500);
    const began = Math.max(ready + 200, free[thread]) + 300;
    const ended = began + Math.round((5 + random() * 9) * MICRO);
    free[thread] = ended + 400;
    ends[number] = ended + 100;
    const own = `t${thread + 2}`;
    events.push([ready, `t1 ready #${number}`], [began, `${own} started #${number}`], [began + 20, `${own} began #${number}`],
      [ended, `${own} ended #${number}`], [ended + 100, `${own} finished #${number}`], [ended + 150, `${own} start-returned #${number}`]);
  }
  events.sort((one, other) => one[0] - other[0]);
  const last = events[events.length - 1][0];
  return textTrace(events.map(([time, text]) => `${Math.round(time)} ${text}`),
    {process: '4711 "workload"', end: last + 1000, more: `events ${events.length}\n`});
}
