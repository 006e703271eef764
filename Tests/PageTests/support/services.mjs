// A trace of a service: tasks that answer requests in rounds, most of them quickly, some slowly, with a child task each.
import {quoted} from './hostile.mjs';
import {textTrace} from './reports.mjs';

class Stacks {
  lines = ['0 t0 image i1 page=4096 pages=64 "/opt/shop/shop"'];
  #known = new Map();

  // The innermost frame of functions, the outermost first.
  of(...names) {
    let caller = 0;
    for (const name of names) {
      const key = `${caller} ${name}`;
      if (!this.#known.has(key)) {
        const number = this.#known.size + 1;
        this.#known.set(key, number);
        this.lines.push(`0 t0 frame f${number} image=i1 offset=${4096 + number * 16}${caller ? ` caller=f${caller}` : ''}`,
          `0 t0 symbol f${number} short=${quoted(name)} line=${number + 10} file="/src/Shop.swift" module="Shop" ${quoted(name)}`);
      }
      caller = this.#known.get(key);
    }
    return `f${caller}`;
  }
}

// `names`: of the functions. Every tenth of `rounds` waits ten times as long.
export function serviceTrace({rounds = 60, serve = 'serve()', next = 'next()', handle = 'checkout()', load = 'price(of:)'} = {}) {
  const stacks = new Stacks();
  const events = [1, 2, 3, 4, 5].map((thread) => [0, `t${thread} thread t${thread} tid=${100 + thread} "worker ${thread}"`]);
  const add = (time, text) => events.push([time, text]);
  const resume = (time, id, by = 0) => {
    add(time, `t5 task-resumed #${id} by=#${by} how=0`);
    add(time, `t5 task-enqueued #${id} by=#${by}`);
  };
  const suspend = (time, thread, id, reason, ...stack) => {
    add(time, `t${thread} task-suspended #${id} reason=${reason}`);
    add(time, `t${thread} at ${stacks.of(...stack)}`);
  };
  let last = 0;
  for (const thread of [2, 3, 4]) {
    const id = ++last;
    add(10, `t${thread} task #${id} by=#0 how=0 priority=21 enqueued code=${stacks.of(serve)}`);
    add(11, `t${thread} task-run #${id}`);
    suspend(12, thread, id, 2, serve, next);
    for (let round = 0, time = 100; round < rounds; round++) {
      const waited = round % 10 === 9 ? 2000 : 200 + round;
      resume(time, id);
      add(time + 10, `t${thread} task-run #${id}`);
      const child = ++last;
      add(time + 12, `t${thread} task #${child} by=#${id} how=0 priority=21 enqueued code=${stacks.of(load)}`);
      suspend(time + 20, thread, id, 2, serve, handle, 'answer()');
      add(time + 30, `t${thread} task-run #${child}`);
      add(time + 80, `t${thread} task-completed #${child}`);
      resume(time + 20 + waited, id);
      add(time + 30 + waited, `t${thread} task-run #${id}`);
      suspend(time + 40 + waited, thread, id, 2, serve, next);
      time += waited + 100;
    }
  }
  events.sort((one, other) => one[0] - other[0]);
  const end = events[events.length - 1][0] + 100;
  return textTrace([...stacks.lines, ...events.map(([time, text]) => `${time * 1000} ${text}`)], {process: '4711 "shop"', end: end * 1000});
}
