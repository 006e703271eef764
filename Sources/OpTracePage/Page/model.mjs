// What the page knows: the trace's data, read once, and answers to the questions of its parts. A piece of work is a
// row, its index in the columns: operations first, then blocks of dispatch queues, then Swift tasks. Times are
// nanoseconds since the recording began, NaN if nothing happened.
import {grownTable, readAhead, rowsByOwner} from './columns.mjs';
import {grouped, listText} from './format.mjs';
import {PARTS} from './parts.mjs';
import {DETAILS, MOMENTS, PIECES} from './words.mjs';

const RELATIONS = ['edgesFrom', 'edgesTo', 'detailsOf', 'submittedBy', 'piecesOf', 'suspensionsOf', 'resumedBy', 'samplesOf', 'marksOf'];

export class Model {
  #relations = {};
  #deciding = null;

  // `data`: the parsed JSON of the page.
  constructor(data) { this.grow(data); }

  // Takes in the data of a page, or the changes to it. Rows may get other numbers then; ids stay.
  grow(data) {
    const {document, tables} = data;
    const isAddition = data.since !== undefined;
    const moved = isAddition ? this.#moved(data) : {};
    Object.assign(this, {
      process: document.process, end: document.end, origin: document.origin, wall: document.wall, activity: document.activity,
      verdict: document.verdict, loss: document.loss, queues: document.queues,
      threads: document.threads, groups: document.groups, samplePeriod: document.samplePeriod ?? null, kinds: document.kinds,
      waitsWithoutLane: document.waitsWithoutLane, tasksWithoutLane: document.tasksWithoutLane,
    });
    // The calls from and to spans of other processes, by the work that the span of this trace is in.
    this.spanCalls = new Map();
    for (const call of document.spanCalls ?? []) {
      if (!this.spanCalls.has(call.row)) this.spanCalls.set(call.row, []);
      this.spanCalls.get(call.row).push(call);
    }
    this.revision = data.revision ?? null;
    // What the parts of the page read of data of their own. Null: there is none. It only comes with new conclusions.
    for (const {name, readDocument} of PARTS) if (readDocument) this[name] = readDocument(document);
    for (const {name, read} of PARTS) if (read) this[name] = data[name] ? read(data[name], this[name]) : isAddition ? this[name] ?? null : null;
    this.strings = isAddition ? this.strings.concat(data.strings) : data.strings;
    this.stateWords = document.stateWords;
    this.pieceKinds = document.pieceKinds;
    const {flags, frameFlags, callFlags, details: detailKinds, counters: counterKinds, severities, priorities} = document.enumerations;
    Object.assign(this, {flags, frameFlags, callFlags, detailKinds, counterKinds, severities, priorities});
    this.firstTask = document.kinds.find(({word}) => word === 'task')?.first ?? Infinity;
    this.tables ??= {};
    for (const [name, table] of Object.entries(tables)) this.tables[name] = grownTable(this.tables[name], table, moved);
    const {operations, moments, pieces, details, counters, instants, tracks, frames, dependencies, sampledFunctions, calls, samples} = this.tables;
    Object.assign(this, {operations, moment: moments, pieces, details, counters, instants, tracks, frames, edges: dependencies, sampledFunctions, calls, samples});
    this.count = this.operations.count;
    this.#relations = {};
    this.counts = {...document.counts, dependencies: this.edges.count};
    this.states = this.#countStates();
    this.#deciding = null;
    this.findings = document.findings.map((finding) => ({
      ...finding, evidence: finding.evidence.map((one) => ({...one, thread: one.thread ?? -1})),
    }));
    this.findingsByRow = new Map();
    this.findings.forEach((finding, index) => {
      for (const row of new Set([...finding.rows, ...finding.cycle])) {
        if (!this.findingsByRow.has(row)) this.findingsByRow.set(row, []);
        this.findingsByRow.get(row).push(index);
      }
    });
  }

  // Returns how to renumber what has moved: functions that change a column's values, from one row to before another.
  // Work moves if there is more of a kind that precedes its own.
  #moved({tracks, groups, document}) {
    const byList = (list) => list && ((values, from, to) => { for (let at = from; at < to; at++) if (values[at] >= 0) values[at] = list[values[at]] ?? -1; });
    const [old, now] = [this.kinds, document.kinds].map((kinds) => kinds.map(({first}) => first));
    const byKind = (values, from, to) => {
      for (let at = from; at < to; at++) {
        let kind = old.length - 1;
        while (kind > 0 && values[at] < old[kind]) kind -= 1;
        if (values[at] >= 0) values[at] += now[kind] - old[kind];
      }
    };
    return {track: byList(tracks), group: byList(groups), work: old.some((first, kind) => first !== now[kind]) ? byKind : undefined};
  }

  // The rows of other tables that belong to each row, computed when first used.
  get piecesOf() { return this.#relations.piecesOf ??= rowsByOwner(this.pieces.row, this.count); }
  get suspensionsOf() { return this.#relations.suspensionsOf ??= rowsByOwner(this.tables.suspensions.row, this.count); }
  get resumedBy() { return this.#relations.resumedBy ??= rowsByOwner(this.pieces.resumer, this.count); }
  get submittedBy() { return this.#relations.submittedBy ??= rowsByOwner(this.operations.submitter, this.count); }
  get edgesFrom() { return this.#relations.edgesFrom ??= rowsByOwner(this.edges.operation, this.count); }
  get edgesTo() { return this.#relations.edgesTo ??= rowsByOwner(this.edges.on, this.count); }
  get detailsOf() { return this.#relations.detailsOf ??= rowsByOwner(this.details.operation, this.count); }
  get samplesOf() { return this.#relations.samplesOf ??= rowsByOwner(this.samples.work, this.count); }
  get marksOf() { return this.#relations.marksOf ??= rowsByOwner(this.samples.track, this.tracks.count); }
  // The work that decides when the run ends, in order, as a part of the page says: what has run, also as a set, and what has to run after that.
  get deciding() {
    if (this.#deciding) return this.#deciding;
    const {rows, remaining} = PARTS.find(({decides}) => decides)?.decides(this) ?? {rows: [], remaining: []};
    return this.#deciding = {rows, remaining, set: new Set(rows)};
  }
  // Whether processor time was sampled.
  get hasSamples() { return this.samples.count > 0 && this.samplePeriod > 0; }

  // Does a part of the work that will be needed sooner or later, so that the reader does not have to wait for it.
  // Returns false if there is none.
  readAhead() {
    if (Object.values(this.tables).some(readAhead)) return true;
    const next = RELATIONS.find((name) => !this.#relations[name]);
    return next !== undefined && this[next] !== undefined;
  }

  // MARK: One operation

  id(row) { return this.operations.id[row]; }
  // Ids ascend with the rows of each kind.
  rowOf(id) {
    const ids = this.operations.id;
    for (const {first, end} of this.rowRanges()) {
      let low = first;
      let high = end;
      while (low < high) {
        const middle = (low + high) >> 1;
        if (ids[middle] < id) low = middle + 1; else high = middle;
      }
      if (low < end && ids[low] === id) return low;
    }
    return -1;
  }
  // The rows of each kind: {word, first, end}.
  rowRanges() { return this.kinds.map(({word, first}, index) => ({word, first, end: this.kinds[index + 1]?.first ?? this.count})); }
  rowsOfKind(word) {
    const range = this.rowRanges().find((one) => one.word === word);
    return range ? Array.from({length: range.end - range.first}, (_, index) => range.first + index) : [];
  }
  // 'operation', 'block' or 'task'.
  kind(row) { return this.rowRanges().find(({first, end}) => row >= first && row < end)?.word ?? 'operation'; }
  // The name for all work: 'operations', 'blocks', or 'operations, blocks and tasks'.
  get nouns() { return listText(this.#present().map(({word}) => `${word}s`)); }
  // `3 operations`, `2 operations and blocks`.
  counted(number) {
    const present = this.#present();
    return `${grouped(number)} ${present.length > 1 ? this.nouns : number === 1 ? present[0].word : this.nouns}`;
  }
  #present() {
    const present = this.rowRanges().filter(({first, end}) => end > first);
    return present.length > 0 ? present : this.rowRanges().slice(0, 1);
  }
  // Returns the work whose code submitted it; -1: none, or not known.
  submitter(row) { return this.operations.submitter[row]; }
  // Returns what its code submitted.
  submissions(row) { return rowsOf(row, this.submittedBy); }

  // MARK: Tasks

  isTask(row) { return row >= this.firstTask; }
  // Returns the task that it is a child of; -1: none.
  parent(row) { return this.is(row, 'child') ? this.submitter(row) : -1; }
  children(row) { return this.submissions(row).filter((one) => this.is(one, 'child')); }
  // Returns the indexes of its runs, suspensions and waits for a turn, in the order of time.
  piecesOfTask(row) { return rowsOf(row, this.piecesOf); }
  pieceKind(index) { return this.pieceKinds[this.pieces.kind[index]] ?? 'unknown'; }
  // `waiting for fetch(_:) #12`, `waiting for actor Printer 3`
  pieceText(index) {
    const actor = this.pieces.actor[index], awaited = this.pieces.awaited[index];
    if (actor >= 0) return `waiting for ${this.strings[actor]}`;
    return awaited >= 0 ? `waiting for ${this.name(awaited)} #${this.id(awaited)}` : PIECES[this.pieceKind(index)]?.text;
  }
  // Returns the suspended time by reason: {text, time}, the longest first.
  suspensions(row) {
    const {kind, time} = this.tables.suspensions;
    return rowsOf(row, this.suspensionsOf).map((index) => ({text: PIECES[this.pieceKinds[kind[index]]]?.text, time: time[index]}))
      .sort((one, other) => other.time - one.time);
  }
  // Returns the piece in which a task is suspended when the trace ends; -1: the task runs or is over, or this is no
  // task.
  waitsIn(row) {
    if (!this.isTask(row)) return -1;
    const {starts, rows} = this.piecesOf;
    const last = starts[row + 1] > starts[row] ? rows[starts[row + 1] - 1] : -1;
    return last >= 0 && this.pieces.isOpen[last] === 1 && !['run', 'turn'].includes(this.pieceKind(last)) ? last : -1;
  }
  // Returns where it resumed tasks, and where others resumed it: indexes of waits for a turn.
  resumptions(row) {
    const own = this.isTask(row) ? this.piecesOfTask(row).filter((index) => this.pieces.resumer[index] >= 0) : [];
    return [...own, ...rowsOf(row, this.resumedBy)].filter((index) => this.pieces.resumer[index] !== this.pieces.row[index]);
  }
  // Returns the word for its state. A task that waits for others is suspended.
  stateText(row) { return this.waitsIn(row) >= 0 ? 'suspended' : this.state(row); }

  // Returns how it came to its queue; null: in the usual way.
  way(row) { return this.strings[this.operations.way[row]] ?? null; }
  name(row) {
    const name = this.operations.name[row] < 0 ? '' : this.strings[this.operations.name[row]];
    return name === '' ? this.className(row) : name;
  }
  // Returns the name of a detail on a thread's lane. For an operation that left the thread, only its `start()` is
  // there.
  detailName(index) {
    const [name, row] = [this.strings[this.details.name[index]], this.details.operation[index]];
    return DETAILS[this.detailKind(index)]?.isOfWork && row >= 0 ? `${this.name(row)} · ${name}` : name;
  }
  detailKind(index) { return this.detailKinds[this.details.kind[index]]; }
  className(row) { return this.strings[this.operations.class[row]] ?? ''; }
  /** Returns what it runs, if that is not the code of its own class. */
  functionName(row) { return this.strings[this.operations.function[row]] ?? null; }
  queue(row) { return this.operations.queue[row]; }
  state(row) { return this.stateWords[this.operations.state[row]] ?? 'unknown'; }
  priority(row) { return this.operations.priority[row]; }
  // Returns the priority as text; null: the usual priority.
  priorityText(row) {
    const priority = this.priority(row);
    if (!(priority !== 0 && priority !== null && priority !== undefined)) return null;
    return (this.isTask(row) && this.priorities[priority]) || String(priority);
  }
  source(row) { return this.strings[this.operations.source[row]] ?? null; }
  /**
   * The stack where it was given to its queue, the stack where it was made if that is elsewhere, and the current stack of its thread; -1:
   * not known.
   */
  addedStack(row) { return this.operations.added[row]; }
  madeStack(row) { return this.operations.made[row]; }
  currentStack(row) { return this.operations.stands[row]; }
  /** Returns the test, or another span, in which it was given to its queue. */
  within(row) { return this.strings[this.operations.within[row]] ?? null; }
  error(row) { return this.strings[this.operations.error[row]] ?? null; }
  isCritical(row) { return this.deciding.set.has(row); }
  is(row, flag) { return (this.operations.flags[row] & this.flags[flag]) !== 0; }
  isBarrier(row) { return this.is(row, 'barrier'); }
  isAsync(row) { return this.is(row, 'asynchronous'); }

  // Returns when its own code ran; null: it was never started.
  execution(row) {
    const {began, ended} = this.moment;
    return Number.isNaN(began[row]) ? null : {begin: began[row], end: first(ended[row], this.end), isOpen: Number.isNaN(ended[row])};
  }

  // Returns the time in its own code.
  running(row) { return this.isTask(row) ? this.tables.taskTimes.running[row - this.firstTask] : this.#between(this.moment.began[row], this.moment.over[row]); }

  // Returns its times, which do not overlap.
  times(row) {
    if (this.isTask(row)) {
      const {suspended, turn} = this.tables.taskTimes;
      const task = row - this.firstTask;
      return {waitingForDependencies: suspended[task], waitingForSlot: turn[task], waitingForThread: 0, running: this.running(row)};
    }
    const {enqueued, turned, got} = this.moment;
    const waiting = this.#between(turned[row], got[row]);
    const waitingForThread = Math.min(waiting, first(this.operations.threadWait[row], 0));
    return {
      waitingForDependencies: this.#between(enqueued[row], turned[row]), waitingForSlot: waiting - waitingForThread, waitingForThread,
      running: this.running(row),
    };
  }

  // Returns the length of a time. If it has no end yet, the end of the trace is used.
  #between(from, to) { return Number.isNaN(from) ? 0 : first(to, this.end) - from; }

  // Whether the wait that is counted as `key` was a wait for a barrier; the same as in BarrierWaits.swift.
  waitsForBarrier(row, key) {
    return (key === 'waitingForDependencies' && this.is(row, 'barrierForDependencies')) || (key === 'waitingForSlot' && this.is(row, 'barrierForSlot'));
  }

  // Returns when it waited for its dependencies; null: it did not.
  dependencyWait(row) {
    if (this.isTask(row)) return null;
    const {waitingForDependencies} = this.times(row);
    const begin = this.moment.enqueued[row];
    return waitingForDependencies > 0 ? {begin, end: begin + waitingForDependencies} : null;
  }

  // Returns when it waited for a slot or a thread; null: it did not.
  slotWait(row) {
    if (this.isTask(row)) return null;
    const times = this.times(row);
    const waiting = times.waitingForSlot + times.waitingForThread;
    if (waiting <= 0) return null;
    const begin = this.moment.enqueued[row] + times.waitingForDependencies;
    return {begin, end: begin + waiting};
  }

  moments(row) {
    const list = [];
    const created = this.operations.created[row];
    if (!Number.isNaN(created)) list.push({what: 'created', time: created, thread: -1});
    const kind = this.kind(row);
    for (const [name, words] of MOMENTS) {
      const time = this.moment[name][row];
      // A block that never ran ends when it is certain that it will not run.
      const isGivenUp = kind !== 'operation' && name === 'finished' && Number.isNaN(this.moment.executing[row]);
      const what = isGivenUp ? 'given up' : words[kind] ?? null;
      if (what !== null && !Number.isNaN(time)) list.push({what, time, thread: this.moment[name + 'Thread'][row]});
    }
    return list.sort((one, other) => one.time - other.time);
  }

  // Returns the time from the first to the last thing that is known about it.
  span(row) {
    const execution = this.execution(row);
    const begin = first(this.moment.enqueued[row], execution ? execution.begin : NaN);
    const last = Number.isNaN(this.moment.finished[row]) ? this.end : this.moment.finished[row];
    return Number.isNaN(begin) ? null : {begin, end: Math.max(begin, execution ? execution.end : last)};
  }

  // MARK: Who waited for whom

  // Returns what it depends on. `removed` is when the dependency was removed again; null: never.
  dependencies(row) {
    return rowsOf(row, this.edgesFrom).filter((edge) => this.edges.on[edge] >= 0).map((edge) => {
      const removed = this.edges.removed[edge];
      return {row: this.edges.on[edge], removed: Number.isNaN(removed) ? null : removed};
    });
  }

  dependents(row) { return rowsOf(row, this.edgesTo).map((edge) => this.edges.operation[edge]); }

  // Returns what went on inside it.
  inside(row) {
    return rowsOf(row, this.detailsOf).map((index) => ({
      kind: this.detailKind(index), name: this.strings[this.details.name[index]],
      begin: this.details.begin[index], end: this.details.end[index], isOpen: this.details.isOpen[index] === 1,
      thread: this.details.thread[index], signalRow: this.details.signal[index], stack: this.details.stack[index],
    })).sort((one, other) => one.begin - other.begin);
  }

  findingsOf(row) { return this.findingsByRow.get(row) ?? []; }

  #countStates() {
    const counts = this.stateWords.map(() => 0);
    for (const state of this.operations.state) counts[state] += 1;
    return this.stateWords.map((state, index) => ({state, count: counts[index]})).filter((one) => one.count > 0);
  }
}

// Returns the first of the two that is a number.
function first(one, other) { return Number.isNaN(one) ? other : one; }

// Returns the rows that belong to an owner.
export function rowsOf(owner, {starts, rows}) { return Array.from(rows.subarray(starts[owner], starts[owner + 1])); }
