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

// A service with spans of its own, on one thread, and a job that needs the thread every second for 300 ms: the request that is suspended then waits for it. Each
// request makes five calls; the first one after the job fails.
export function beatingTrace({seconds = 7, route = '/price/{id}'} = {}) {
  const stacks = new Stacks();
  const events = [1, 2, 5].map((thread) => [0, `t${thread} thread t${thread} tid=${100 + thread} "worker ${thread}"`]);
  const add = (time, text) => events.push([time, text]);
  const call = {db: 'object=0x800040000007 kind=call', backup: 'object=0x800040000008 kind=call'};
  add(1, 't2 object-named object=0x800040000007 "recv from 127.0.0.1:5432"');
  add(1, 't2 object-named object=0x800040000008 "send to 127.0.0.1:873"');
  const resume = (time, id) => {
    add(time, `t5 task-resumed #${id} by=#0 how=0`);
    add(time, `t5 task-enqueued #${id} by=#0`);
  };
  const run = (time, id) => add(time, `t2 task-run #${id}`);
  const suspend = (time, id, ...stack) => {
    add(time, `t2 task-suspended #${id} reason=2`);
    add(time, `t2 at ${stacks.of(...stack)}`);
  };
  const block = (from, to, id, object, ...stack) => {
    add(from, `t2 blocked #${id} ${object} age=0`);
    add(from, `t2 at ${stacks.of(...stack)}`);
    add(to, `t2 unblocked #${id} ${object}`);
  };
  const connection = (time, id, loop) => {
    add(time, `t2 task #${id} by=#0 how=0 priority=21 enqueued code=${stacks.of(loop)}`);
    run(time + 1, id);
    suspend(time + 2, id, loop, 'next()');
  };
  const job = 5;
  for (const id of [1, 2, 3, 4]) connection(10 * id, id, 'serve()');
  connection(50, job, 'everySecond()');
  let spans = 0;
  const request = (time, id, late, status) => {
    const span = ++spans;
    resume(time, id);
    run(time + 5, id);
    add(time + 6, `t2 span #${id} id=${span} "GET price"`);
    add(time + 7, `t2 span-context s${span} kind=1 "4bf92f3577b34da6a3ce929d0e0e4736-${span.toString(16).padStart(16, '0')}"`);
    add(time + 8, `t2 span-attribute s${span} "http.request.method=GET"`);
    add(time + 8, `t2 span-attribute s${span} ${quoted(`http.route=${route}`)}`);
    suspend(time + 1000, id, 'serve()', 'price()');
    resume(time + 3000, id);
    let at = late ?? time + 3010;
    run(at, id);
    for (let number = 0; number < 5; number++, at += 1300) block(at + 50, at + 1250, id, call.db, 'serve()', 'price()', 'query()');
    add(at, `t2 span-attribute s${span} type=1 "http.response.status_code=${status}"`);
    if (status >= 500) add(at, `t2 span-status s${span} code=2 "too late"`);
    add(at + 1, `t2 span-ended s${span}`);
    suspend(at + 10, id, 'serve()', 'next()');
  };
  for (let second = 1; second <= seconds; second++) {
    const began = second * 1e6;
    request(began, 1, began + 301100, 503);
    resume(began + 1090, job);
    run(began + 1100, job);
    suspend(began + 1150, job, 'everySecond()', 'backup()');
    resume(began + 1160, job);
    run(began + 1170, job);
    block(began + 2000, began + 300000, job, call.backup, 'everySecond()', 'backup()', 'copy()');
    suspend(began + 301000, job, 'everySecond()', 'next()');
    for (let number = 0; number < 34; number++) request(began + 310000 + 20000 * number, 2 + number % 3, null, 200);
  }
  events.sort((one, other) => one[0] - other[0]);
  const end = events[events.length - 1][0] + 100;
  return textTrace([...stacks.lines, ...events.map(([time, text]) => `${time * 1000} ${text}`)], {process: '4712 "shop"', end: end * 1000});
}
