// What the summary of a run says: its critical path, and figures. Work and threads are named by id here, because rows may move while a page
// grows. ReportSummary.swift writes it.
import {decodeTable} from '../../OpTracePage/Page/columns.mjs';
import {TIME_KINDS} from '../../OpTracePage/Page/dom.mjs';

export class WhySlow {
  // `data`: `{facts, steps, remaining}`.
  constructor({facts, steps, remaining}) {
    const {before, after, causes, ...figures} = facts;
    Object.assign(this, figures);
    this.processorTime ??= null;
    this.dispatchQueues = this.dispatchQueues.map((queue) => ({...queue, waitingForSlot: queue.waiting.total, busy: queue.running.total}));
    this.ends = {before, after};
    this.causes = causes;
    this.steps = decodeTable(steps);
    this.remaining = decodeTable(remaining);
  }

  // Whether there is a queue whose operations waited for threads long enough for it to be shown everywhere.
  get waitsForThreads() { return this.queues.some((queue) => queue.waitingForThread >= 1e6); }

  // Returns the critical path by the present rows: its steps, what has to run after them, and the time before and after the steps.
  path(model) {
    const {work, cause, causeWork, began, ended, dependencies, slot, thread, running} = this.steps;
    const rowOf = (id) => (id < 0 ? -1 : model.rowOf(id));
    const steps = Array.from(work, (id, at) => ({
      row: rowOf(id), cause: this.causes[cause[at]], causeRow: rowOf(causeWork[at]), began: began[at], ended: ended[at],
      waitingForDependencies: dependencies[at], waitingForSlot: slot[at], waitingForThread: thread[at], running: running[at],
    }));
    return {steps, remaining: Array.from(this.remaining.work, rowOf), ...this.ends};
  }

  // Returns the waits of threads, by the present rows; -1: no operation, or an unknown thread.
  waitsOfThreads(model) {
    const rows = new Map(model.threads.map(({id}, row) => [id, row]));
    return this.threadWaits.map((wait) => ({...wait, operation: wait.operation === null ? -1 : model.rowOf(wait.operation), thread: rows.get(wait.thread) ?? -1}));
  }

  // Returns all threads, with what they ran.
  busyThreads(model) {
    const known = new Map(this.threads.map((thread) => [thread.id, thread]));
    return model.threads.map((thread) => ({executions: 0, busy: 0, ...thread, ...known.get(thread.id)}));
  }
}

/** Returns the kinds of time to show. Few runs have waits for threads that matter, so they are shown only if they do. */
export function timeKindsOf(model) { return TIME_KINDS.filter(kind => kind.key !== 'waitingForThread' || model.why.waitsForThreads); }

/** Returns what a kind of time was for all work together. */
export function timeWordsOfAll(model, kind) {
  if (model.counts.tasks === 0 || kind.key === 'running' || kind.key === 'waitingForThread') return kind.text;
  const words = kind.key === 'waitingForSlot' ? ['waiting for their turn', 'waiting for a slot or a turn'] : ['suspended', 'waiting for dependencies, or suspended'];
  return words[model.counts.tasks === model.count ? 0 : 1];
}
