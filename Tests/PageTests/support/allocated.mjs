// A trace with sampled allocations: a cache that grows for ten seconds, and what is parsed beside it and freed.
import {textTrace} from './reports.mjs';

const FRAMES = [
  ['main', null], ['serve()', 1], ['insert(_:)', 2], ['parse()', 2], ['inflate', 4],
];

/** `entries`: how many blocks of 10,000 bytes the cache keeps. */
export function allocatedTrace({entries = 900} = {}) {
  const lines = ['0 t0 image i1 page=4096 pages=64 "/opt/photos/photos"', '0 t0 image i2 page=8192 pages=64 "/usr/lib/libz.so.1"'];
  for (const [at, [name, caller]] of FRAMES.entries()) {
    const own = name !== 'inflate';
    lines.push(`0 t0 frame f${at + 1} image=i${own ? 1 : 2} offset=${4096 + at * 16}${caller ? ` caller=f${caller}` : ''}`,
      `0 t0 symbol f${at + 1} short="${name}"${own ? ` line=${at + 10} file="/src/main.swift" module="Photos"` : ''} "${name}"`);
  }
  lines.push('0 t0 memory interval=1 allocator=1 room=65536', '0 t1 thread t1 tid=101 "main"', '0 t2 thread t2 tid=102 "worker"');
  const events = [];
  for (let entry = 0; entry < entries; entry += 1) {
    const at = entry * 10;
    events.push([at, `t2 allocated f3 size=10000 thread=t2 number=a${2 * entry + 1} object`], [at, `t2 allocation-class a${2 * entry + 1} class="Photos.Entry"`],
      [at + 1, `t2 allocated f5 size=4000 thread=t2 number=a${2 * entry + 2}`], [at + 5, `t2 freed a${2 * entry + 2}`]);
  }
  for (let second = 0; second < 10; second += 1) {
    events.push([second * 1000 + 500, `t2 memory-use resident=${10000 + second * 1000} anonymous=${2000 + second * 1000} peak=${10000 + second * 1000} lost=0`]);
  }
  events.sort((one, other) => one[0] - other[0]);
  return textTrace([...lines, ...events.map(([time, text]) => `${time * 1e6} ${text}`)], {end: 10e9});
}
