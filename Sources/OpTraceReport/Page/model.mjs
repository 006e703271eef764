// What the page knows: the trace's data, read once, and the questions that its parts ask. Work is a row, its index in
// the columns, operations first, then blocks of dispatch queues, then Swift's tasks; times are nanoseconds since the recording began, NaN where nothing happened.
import {grownTable, readAhead, rowsByOwner} from './columns.mjs';
import {grouped, listText} from './format.mjs';
import {Requests} from './requests.mjs';
import {DETAILS, MOMENTS, PIECES} from './words.mjs';

const RELATIONS = ['edgesFrom', 'edgesTo', 'detailsOf', 'submittedBy', 'piecesOf', 'resumedBy', 'samplesOf', 'marksOf'];

export class Model {
  #relations = {};

  // `data`: the parsed JSON of the page.
  constructor(data) { this.grow(data); }

  // Takes in the data of a page, or what has changed of it. Rows may have other numbers then; ids stay.
  grow(data) {
    const {document, tables} = data;
    const isAddition = data.since !== undefined;
    const moved = isAddition ? this.#moved(data) : {};
    Object.assign(this, {
      process: document.process, end: document.end, origin: document.origin, wall: document.wall, activity: document.activity,
      verdict: document.verdict, loss: document.loss, graphNote: document.graphNote, queues: document.queues,
      classes: document.classes, threads: document.threads, groups: document.groups,
      waitsWithoutLane: document.waitsWithoutLane, waitLocations: document.places, processorTime: document.processorTime ?? null, samplePeriod: document.samplePeriod ?? null, functions: document.functions, kinds: document.kinds,
      prediction: document.foresight, comparison: document.comparison ?? null, tasks: document.tasks, tasksWithoutLane: document.tasksWithoutLane,
    });
    // Of spans, from and to those of other processes, by the work that they are in.
    this.spanCalls = new Map();
    for (const call of document.spanCalls ?? []) {
      if (!this.spanCalls.has(call.row)) this.spanCalls.set(call.row, []);
      this.spanCalls.get(call.row).push(call);
    }
    this.revision = data.revision ?? null;
    // Null: there are none. They come with new conclusions only.
    this.requests = data.requests ? new Requests(data.requests) : isAddition ? this.requests ?? null : null;
    // A new drawing of the graph, until it is shown.
    this.drawing = data.graph ?? this.drawing ?? null;
    this.strings = isAddition ? this.strings.concat(data.strings) : data.strings;
    this.stateWords = document.stateWords;
    this.pieceKinds = document.pieceKinds;
    const {flags, frameFlags, callFlags, details: detailKinds, causes, counters: counterKinds, severities, priorities} = document.enumerations;
    Object.assign(this, {flags, frameFlags, callFlags, detailKinds, causes, counterKinds, severities, priorities});
    this.runPiece = this.pieceKinds.indexOf('run');
    this.turnPiece = this.pieceKinds.indexOf('turn');
    this.firstTask = document.kinds.find(({word}) => word === 'task')?.first ?? Infinity;
    this.tables ??= {};
    for (const [name, table] of Object.entries(tables)) this.tables[name] = grownTable(this.tables[name], table, moved);
    const {operations, moments, pieces, details, counters, instants, tracks, frames, dependencies, sampledFunctions, calls, samples} = this.tables;
    Object.assign(this, {operations, moment: moments, pieces, details, counters, instants, tracks, frames, edges: dependencies, sampledFunctions, calls, samples});
    this.count = this.operations.count;
    this.#relations = {};
    this.byQueue = null;
    this.threadCounts = null;
    this.counts = {...document.counts, dependencies: this.edges.count};
    this.states = this.#countStates();
    this.criticalPath = this.#readPath();
    this.criticalRows = new Set(this.tables.steps.row);
    this.findings = document.findings.map((finding) => ({
      ...finding, evidence: finding.evidence.map((one) => ({...one, thread: one.thread ?? -1})),
    }));
    this.threadWaits = document.threadWaits.map((wait) => ({...wait, operation: wait.operation ?? -1, thread: wait.thread ?? -1}));
    this.findingsByRow = new Map();
    this.findings.forEach((finding, index) => {
      for (const row of new Set([...finding.rows, ...finding.cycle])) {
        if (!this.findingsByRow.has(row)) this.findingsByRow.set(row, []);
        this.findingsByRow.get(row).push(index);
      }
    });
  }

  // How to renumber what has moved: functions of a column's values, from a row to before another. Work moves when there is more of a kind
  // that comes before its own.
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

  // Who has which rows of other tables: found out when it is asked for first.
  get piecesOf() { return this.#relations.piecesOf ??= rowsByOwner(this.pieces.row, this.count); }
  get resumedBy() { return this.#relations.resumedBy ??= rowsByOwner(this.pieces.resumer, this.count); }
  get submittedBy() { return this.#relations.submittedBy ??= rowsByOwner(this.operations.submitter, this.count); }
  get edgesFrom() { return this.#relations.edgesFrom ??= rowsByOwner(this.edges.operation, this.count); }
  get edgesTo() { return this.#relations.edgesTo ??= rowsByOwner(this.edges.on, this.count); }
  get detailsOf() { return this.#relations.detailsOf ??= rowsByOwner(this.details.operation, this.count); }
  get samplesOf() { return this.#relations.samplesOf ??= rowsByOwner(this.samples.work, this.count); }
  get marksOf() { return this.#relations.marksOf ??= rowsByOwner(this.samples.track, this.tracks.count); }
  // Whether processor time was sampled.
  get hasSamples() { return this.samples.count > 0 && this.samplePeriod > 0; }
  get boxes() { return this.tables.boxes.box; }

  // Does a part of what will be asked for sooner or later, so that nobody waits for it; false: there is none.
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
  // What all work is called: 'operations', 'blocks', or 'operations, blocks and tasks'.
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
  // The work whose code submitted it; -1: none, or not known.
  submitter(row) { return this.operations.submitter[row]; }
  // What its code submitted.
  submissions(row) { return rowsOf(row, this.submittedBy); }

  // MARK: Tasks

  isTask(row) { return row >= this.firstTask; }
  // The task that it is a child of; -1: of none.
  parent(row) { return this.is(row, 'child') ? this.submitter(row) : -1; }
  children(row) { return this.submissions(row).filter((one) => this.is(one, 'child')); }
  // The indexes of its runs, suspensions and waits for its turn, in the order of time.
  piecesOfTask(row) { return rowsOf(row, this.piecesOf); }
  pieceKind(index) { return this.pieceKinds[this.pieces.kind[index]] ?? 'unknown'; }
  // `waiting for fetch(_:) #12`, `waiting for actor Printer 3`
  pieceText(index) {
    const actor = this.pieces.actor[index], awaited = this.pieces.awaited[index];
    if (actor >= 0) return `waiting for ${this.strings[actor]}`;
    return awaited >= 0 ? `waiting for ${this.name(awaited)} #${this.id(awaited)}` : PIECES[this.pieceKind(index)]?.text;
  }
  // The suspended time by what for: {text, time}, the longest first.
  suspensions(row) {
    const sums = new Map();
    for (const index of this.piecesOfTask(row)) {
      const kind = this.pieceKind(index);
      if (kind !== 'run' && kind !== 'turn') sums.set(kind, (sums.get(kind) ?? 0) + this.pieces.end[index] - this.pieces.begin[index]);
    }
    return [...sums].map(([kind, time]) => ({text: PIECES[kind]?.text, time})).sort((one, other) => other.time - one.time);
  }
  // The piece of a suspended task in which it is when the trace ends; -1: it runs, is over, or no task.
  waitsIn(row) {
    if (!this.isTask(row)) return -1;
    const {starts, rows} = this.piecesOf;
    const last = starts[row + 1] > starts[row] ? rows[starts[row + 1] - 1] : -1;
    return last >= 0 && this.pieces.isOpen[last] === 1 && !['run', 'turn'].includes(this.pieceKind(last)) ? last : -1;
  }
  // Where it resumed tasks, and where others resumed it: indexes of waits for a turn.
  resumptions(row) {
    const own = this.isTask(row) ? this.piecesOfTask(row).filter((index) => this.pieces.resumer[index] >= 0) : [];
    return [...own, ...rowsOf(row, this.resumedBy)].filter((index) => this.pieces.resumer[index] !== this.pieces.row[index]);
  }
  // The word for its state: a task that waits for others is suspended.
  stateText(row) { return this.waitsIn(row) >= 0 ? 'suspended' : this.state(row); }

  // How it came to its queue; null: as most do.
  way(row) { return this.strings[this.operations.way[row]] ?? null; }
  name(row) {
    const name = this.operations.name[row] < 0 ? '' : this.strings[this.operations.name[row]];
    return name === '' ? this.className(row) : name;
  }
  // What a thread's lane calls a detail: of an operation that left the thread, only its `start()` is there.
  detailName(index) {
    const [name, row] = [this.strings[this.details.name[index]], this.details.operation[index]];
    return DETAILS[this.detailKind(index)]?.isOfWork && row >= 0 ? `${this.name(row)} · ${name}` : name;
  }
  detailKind(index) { return this.detailKinds[this.details.kind[index]]; }
  className(row) { return this.strings[this.operations.class[row]] ?? ''; }
  /** What it runs, where that is not its class's own code. */
  functionName(row) { return this.strings[this.operations.function[row]] ?? null; }
  queue(row) { return this.operations.queue[row]; }
  state(row) { return this.stateWords[this.operations.state[row]] ?? 'unknown'; }
  priority(row) { return this.operations.priority[row]; }
  // Null: the usual one.
  priorityText(row) {
    const priority = this.priority(row);
    if (!(priority !== 0 && priority !== null && priority !== undefined)) return null;
    return (this.isTask(row) && this.priorities[priority]) || String(priority);
  }
  source(row) { return this.strings[this.operations.source[row]] ?? null; }
  /** The stack where it was given to its queue, the one that made it where that is elsewhere, and the one where its thread stood; -1: not known. */
  addedStack(row) { return this.operations.added[row]; }
  madeStack(row) { return this.operations.made[row]; }
  currentStack(row) { return this.operations.stands[row]; }
  /** The test that gave it to its queue, or another span. */
  within(row) { return this.strings[this.operations.within[row]] ?? null; }
  error(row) { return this.strings[this.operations.error[row]] ?? null; }
  isCritical(row) { return this.criticalRows.has(row); }
  is(row, flag) { return (this.operations.flags[row] & this.flags[flag]) !== 0; }
  isBarrier(row) { return this.is(row, 'barrier'); }
  isAsync(row) { return this.is(row, 'asynchronous'); }

  // When its own code ran; as Timeline.swift has it. Null: it was never started.
  execution(row) {
    const begin = this.#began(row);
    if (Number.isNaN(begin)) return null;
    const over = this.#over(row);
    return {begin, end: Math.max(begin, first(over, this.end)), isOpen: Number.isNaN(over)};
  }
  #began(row) { return first(this.moment.executing[row], this.moment.started[row]); }
  #over(row) {
    const {executionEnded, finished} = this.moment;
    return (this.operations.flags[row] & this.flags.leavesThread) !== 0 ? finished[row] : first(executionEnded[row], finished[row]);
  }

  // The times, which do not overlap; as OperationTimes.swift has it. What it waited for a thread comes with the data.
  times(row) {
    const [waitingForDependencies, waiting, running] = this.#timesInto(row, []);
    const waitingForThread = Math.min(waiting, first(this.operations.threadWait[row], 0));
    return {waitingForDependencies, waitingForSlot: waiting - waitingForThread, waitingForThread, running};
  }

  // Whether there is a queue whose operations waited for threads, long enough to be told everywhere.
  get waitsForThreads() { return this.queues.some(queue => queue.waitingForThread >= 1e6); }

  // Into the first three elements of `times`, the wait for a thread among that for a slot: for all work in turn, without allocating.
  #timesInto(row, times) {
    times[0] = times[1] = times[2] = 0;
    if (this.isTask(row)) return this.#timesOfTask(row, times);
    if ((this.operations.flags[row] & this.flags.unknown) !== 0) return times;
    const {enqueued, ready, executing, started, finished} = this.moment;
    const end = Math.max(first(finished[row], this.end), first(enqueued[row], -Infinity));
    const began = first(executing[row], Number.isNaN(finished[row]) ? started[row] : NaN);
    if (!Number.isNaN(enqueued[row])) {
      const over = Math.min(Math.max(first(began, end), enqueued[row]), end);
      const turned = Math.max(enqueued[row], ready[row]);
      const runnable = Math.min(Math.max(first(turned, over), enqueued[row]), over);
      times[0] = runnable - enqueued[row];
      times[1] = over - runnable;
    }
    if (!Number.isNaN(began)) times[2] = Math.max(0, end - began);
    return times;
  }

  // Suspended is what others made it wait.
  #timesOfTask(row, times) {
    const {starts, rows} = this.piecesOf;
    const {kind, begin, end} = this.pieces;
    for (let at = starts[row]; at < starts[row + 1]; at++) {
      const index = rows[at];
      times[kind[index] === this.runPiece ? 2 : kind[index] === this.turnPiece ? 1 : 0] += end[index] - begin[index];
    }
    return times;
  }

  // When all work that is no task executed and waited, by row, for what draws all of it: `begin` to `end`, from `enqueued` to `turned` for its
  // dependencies, and to `got` for a slot or a thread.
  intervals() {
    const count = Math.min(this.count, this.firstTask);
    const [begin, end, turned, got] = Array.from({length: 4}, () => new Float64Array(count));
    const times = [0, 0, 0];
    const {enqueued} = this.moment;
    for (let row = 0; row < count; row++) {
      begin[row] = this.#began(row);
      end[row] = Math.max(begin[row], first(this.#over(row), this.end));
      this.#timesInto(row, times);
      turned[row] = enqueued[row] + times[0];
      got[row] = turned[row] + times[1];
    }
    return {count, begin, end, enqueued, turned, got};
  }

  // Whether the wait that is counted as `key` was one for a barrier; as BarrierWaits.swift has it.
  waitsForBarrier(row, key) {
    return (key === 'waitingForDependencies' && this.is(row, 'barrierForDependencies')) || (key === 'waitingForSlot' && this.is(row, 'barrierForSlot'));
  }

  // From when to when it waited for its dependencies; null: not at all.
  dependencyWait(row) {
    if (this.isTask(row)) return null;
    const {waitingForDependencies} = this.times(row);
    const begin = this.moment.enqueued[row];
    return waitingForDependencies > 0 ? {begin, end: begin + waitingForDependencies} : null;
  }

  // From when to when it waited for a slot or a thread; null: not at all.
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
      // A block that never ran ends when it is known that it will not.
      const isGivenUp = kind !== 'operation' && name === 'finished' && Number.isNaN(this.moment.executing[row]);
      const what = isGivenUp ? 'given up' : words[kind] ?? null;
      if (what !== null && !Number.isNaN(time)) list.push({what, time, thread: this.moment[name + 'Thread'][row]});
    }
    return list.sort((one, other) => one.time - other.time);
  }

  // From the first thing that is known of it to the last.
  span(row) {
    const execution = this.execution(row);
    const begin = first(this.moment.enqueued[row], execution ? execution.begin : NaN);
    const last = Number.isNaN(this.moment.finished[row]) ? this.end : this.moment.finished[row];
    return Number.isNaN(begin) ? null : {begin, end: Math.max(begin, execution ? execution.end : last)};
  }

  // MARK: Who waited for whom

  // What it depends on. `removed`: when the dependency was taken away again, null: never.
  dependencies(row) {
    return rowsOf(row, this.edgesFrom).filter((edge) => this.edges.on[edge] >= 0).map((edge) => {
      const removed = this.edges.removed[edge];
      return {row: this.edges.on[edge], removed: Number.isNaN(removed) ? null : removed};
    });
  }

  dependents(row) { return rowsOf(row, this.edgesTo).map((edge) => this.edges.operation[edge]); }

  // Who took away the last dependency: the one that finished last before it became ready.
  unblocker(row) {
    const ready = this.moment.ready[row];
    const none = {kind: 'none', row: -1, time: null, thread: -1};
    if (Number.isNaN(ready) || this.times(row).waitingForDependencies <= 0) return none;
    let last = none;
    for (const {row: other, removed} of this.dependencies(row)) {
      const finished = this.moment.finished[other];
      if (removed !== null && removed <= ready) continue;
      if (finished <= ready && (last.time === null || finished > last.time)) {
        last = {kind: 'dependency', row: other, time: finished, thread: this.moment.readyThread[row]};
      }
    }
    return last;
  }

  // Of its queue, by the time when their executions began.
  #ofQueue(queue) {
    this.byQueue ??= new Map();
    if (!this.byQueue.has(queue)) {
      const rows = [];
      for (let row = 0; row < this.count; row++) if (this.queue(row) === queue && this.execution(row)) rows.push(row);
      const begins = new Map(rows.map((row) => [row, this.execution(row).begin]));
      this.byQueue.set(queue, rows.sort((one, other) => begins.get(one) - begins.get(other)));
    }
    return this.byQueue.get(queue);
  }

  // Those of its queue that executed while it waited for a slot, the longest first.
  slotHolders(row, most = 8) {
    const wait = this.slotWait(row);
    if (!wait || this.queue(row) < 0) return {rows: [], more: 0};
    const holders = [];
    for (const other of this.#ofQueue(this.queue(row))) {
      if (other === row) continue;
      const {begin, end} = this.#hold(other);
      const shared = Math.min(end, wait.end) - Math.max(begin, wait.begin);
      if (shared > 0) holders.push({row: other, shared});
    }
    holders.sort((one, other) => other.shared - one.shared || one.row - other.row);
    return {rows: holders.slice(0, most).map((holder) => holder.row), more: Math.max(0, holders.length - most)};
  }

  // A slot is held until the operation is finished, not only until its own code returned.
  #hold(row) {
    const execution = this.execution(row);
    return {begin: execution.begin, end: Math.max(execution.end, first(this.moment.finished[row], this.end))};
  }

  // Whose end gave it its slot: the last of its queue that finished while it waited.
  slotGiver(row) {
    const wait = this.slotWait(row);
    if (!wait || this.queue(row) < 0 || !this.execution(row)) return null;
    let giver = null;
    for (const other of this.#ofQueue(this.queue(row))) {
      const finished = this.moment.finished[other];
      if (other === row || !(finished > wait.begin && finished <= wait.end)) continue;
      if (giver === null || finished > giver.time) giver = {row: other, time: finished};
    }
    return giver;
  }

  // What went on inside of it.
  inside(row) {
    return rowsOf(row, this.detailsOf).map((index) => ({
      kind: this.detailKind(index), name: this.strings[this.details.name[index]],
      begin: this.details.begin[index], end: this.details.end[index], isOpen: this.details.isOpen[index] === 1,
      thread: this.details.thread[index], signalRow: this.details.signal[index], stack: this.details.stack[index],
    })).sort((one, other) => one.begin - other.begin);
  }

  // The threads that operations of a queue ran on, with how many each, the busiest first; without those that leave their thread.
  threadsOfQueue(queue) {
    this.threadCounts ??= this.#countThreads();
    return this.threadCounts.get(queue) ?? [];
  }

  // Of all queues in one pass.
  #countThreads() {
    const counts = new Map();
    const {executingThread, startedThread} = this.moment;
    for (let row = 0; row < this.count; row++) {
      if (Number.isNaN(this.#began(row)) || (this.operations.flags[row] & this.flags.leavesThread) !== 0) continue;
      const thread = executingThread[row] >= 0 ? executingThread[row] : startedThread[row];
      const queue = this.operations.queue[row];
      let own = counts.get(queue);
      if (!own) counts.set(queue, own = new Map());
      own.set(thread, (own.get(thread) ?? 0) + 1);
    }
    for (const [queue, own] of counts) {
      counts.set(queue, [...own].map(([thread, count]) => ({thread, count})).sort((one, other) => other.count - one.count || one.thread - other.thread));
    }
    return counts;
  }

  // A stack by the row of its innermost function.
  stack(frame) {
    const {caller, title, place: location, image, flags} = this.frames;
    const {guessed, inlined, own} = this.frameFlags;
    const functions = [];
    // As many as the reader of traces takes, each with functions inlined in it: a cycle would not end.
    for (let row = frame; row >= 0 && functions.length < 4096; row = caller[row]) {
      functions.push({
        title: this.strings[title[row]] ?? '', location: this.strings[location[row]] ?? null, image: this.strings[image[row]] ?? null,
        isGuessed: (flags[row] & guessed) !== 0, isInlined: (flags[row] & inlined) !== 0, isOwn: (flags[row] & own) !== 0,
      });
    }
    return functions;
  }

  findingsOf(row) { return this.findingsByRow.get(row) ?? []; }

  // MARK: The graph's boxes

  takeDrawing() {
    const {drawing} = this;
    this.drawing = null;
    return drawing;
  }

  box(row) {
    const fold = this.boxes[row];
    return fold >= 0 ? `fold-${fold}` : `op-${this.id(row)}`;
  }

  rowsOfBox(id) {
    const [kind, text] = id.split('-');
    const number = Number(text);
    if (kind === 'op') {
      const row = this.rowOf(number);
      return row < 0 ? [] : [row];
    }
    const rows = [];
    for (let row = 0; row < this.count; row++) if (this.boxes[row] === number) rows.push(row);
    return rows;
  }

  // MARK: All work

  #length(row) {
    const span = this.span(row);
    return span ? span.end - span.begin : 0;
  }

  // `#5` finds an id; anything else is a part of a name or a class, whatever the case. Where there are more than `most`, the longest come first.
  find(text, most = 50) {
    const wanted = text.trim().toLowerCase();
    if (wanted === '') return {rows: [], total: 0};
    if (/^#\d+$/.test(wanted)) {
      const row = this.rowOf(Number(wanted.slice(1)));
      return row < 0 ? {rows: [], total: 0} : {rows: [row], total: 1};
    }
    const matches = new Uint8Array(this.strings.length);
    for (let index = 0; index < matches.length; index++) {
      matches[index] = this.strings[index].toLowerCase().includes(wanted) ? 1 : 0;
    }
    const rows = [];
    const {name, class: className, function: functionName} = this.operations;
    for (let row = 0; row < this.count; row++) {
      if ((name[row] >= 0 && matches[name[row]]) || matches[className[row]] || matches[functionName[row]]) rows.push(row);
    }
    const total = rows.length;
    if (total <= most) return {rows, total};
    // Of many, those that took longest are looked for.
    const lengths = new Map(rows.map((row) => [row, this.#length(row)]));
    return {rows: rows.sort((one, other) => lengths.get(other) - lengths.get(one) || one - other).slice(0, most), total};
  }

  #countStates() {
    const counts = this.stateWords.map(() => 0);
    for (const state of this.operations.state) counts[state] += 1;
    return this.stateWords.map((state, index) => ({state, count: counts[index]})).filter((one) => one.count > 0);
  }

  #readPath() {
    const table = this.tables.steps;
    const steps = Array.from(table.row, (row, index) => ({
      row, cause: this.causes[table.cause[index]], causeRow: table.causeRow[index], began: table.began[index],
      ended: table.ended[index], waitingForDependencies: table.dependencies[index], waitingForSlot: table.slot[index],
      waitingForThread: table.thread[index], running: table.running[index],
    }));
    const remaining = Array.from(this.tables.remaining.row);
    const running = steps.reduce((sum, step) => sum + step.running, 0);
    const [from, to] = this.activity ?? [0, 0];
    return {
      steps, remaining, share: this.wall > 0 ? running / this.wall : 0,
      before: steps.length > 0 ? steps[0].began - from : 0,
      after: steps.length > 0 ? to - steps[steps.length - 1].ended : 0,
    };
  }
}

// The first of the two that is a number.
function first(one, other) { return Number.isNaN(one) ? other : one; }

// The rows that belong to an owner.
export function rowsOf(owner, {starts, rows}) { return Array.from(rows.subarray(starts[owner], starts[owner + 1])); }
