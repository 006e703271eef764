// A trace with samples: two operations of one class on a thread, one of another, and a thread that computes by itself.
import {textTrace} from './reports.mjs';

export const PERIOD = 10e6;

// Functions by name: their callers, and whether they are the program's.
const STACKS = {
  main: [null], load: ['main'], parse: ['main', 'load'], 'inflate<b>': ['main', 'load', 'parse'], render: ['main'],
};

// Lines of frames and their names, and the number of each stack's innermost frame.
function frames() {
  const lines = ['0 t0 image i1 page=4096 pages=64 "/opt/photos/photos"', '0 t0 image i2 page=8192 pages=64 "/usr/lib/libz.so.1"'];
  const numbers = {};
  for (const [at, [name, callers]] of Object.entries(STACKS).entries()) {
    const caller = callers[callers.length - 1];
    const own = name !== 'inflate<b>';
    numbers[name] = at + 1;
    lines.push(`0 t0 frame f${at + 1} image=i${own ? 1 : 2} offset=${4096 + at * 16}${caller ? ` caller=f${numbers[caller]}` : ''}`,
      `0 t0 symbol f${at + 1} short="${name}"${own ? ` line=${at + 10} file="/src/main.swift" module="Photos"` : ''} "${name}"`);
  }
  return {lines, numbers};
}

// `samples`: [milliseconds, thread, function].
export function sampledTrace(samples, {width = 100} = {}) {
  const {lines, numbers} = frames();
  const events = [[0, 't1 thread t1 tid=101 "main"'], [0, 't2 thread t2 tid=102 "worker"'], [0, 't1 queue q1 limit=1 "work"']];
  for (const [at, [id, name]] of [[1, 'Load'], [2, 'Load'], [3, 'Render']].entries()) {
    const [began, ended] = [1 + at * width, (at + 1) * width];
    events.push([0, `t1 created #${id} class="${name}"`], [0, `t1 enqueued #${id} queue=q1 priority=0`], [0, `t1 ready #${id}`],
      [began, `t2 started #${id}`], [began, `t2 began #${id}`], [ended, `t2 ended #${id}`], [ended, `t2 finished #${id}`], [ended, `t2 start-returned #${id}`]);
  }
  for (const [time, thread, name] of samples) events.push([time, `${thread} sampled f${numbers[name] ?? 0} age=0 thread=${thread}`]);
  events.sort((one, other) => one[0] - other[0]);
  return textTrace([...lines, `0 t0 profile period=${PERIOD}`, ...events.map(([time, text]) => `${Math.round(time * 1e6)} ${text}`)], {end: (3 * width + 20) * 1e6});
}

export const SAMPLES = [
  [11, 't2', 'load'], [21, 't2', 'parse'], [31, 't2', 'inflate<b>'], [41, 't2', 'inflate<b>'], [51, 't2', 'load'],
  [111, 't2', 'parse'], [121, 't2', 'load'], [211, 't2', 'render'], [221, 't2', 'nothing'], [305, 't1', 'main'],
];
