// Where the time went: the critical path, then waits by length, queue, class, thread and operation.
import {capitalised, counted, durationText, grouped, percentText} from '../../OpTracePage/Page/format.mjs';
import {TIME_KINDS, figureCell, h, moreButton, numberButton, operationButton, readingPart, timesBar, threadName, whenShown} from '../../OpTracePage/Page/dom.mjs';
import {largestRows, sortableTable} from '../../OpTracePage/Page/table.mjs';
import {histogramView} from './histogram.mjs';
import {renewUnits} from '../../OpTracePage/Page/renewal.mjs';
import {criticalPathPart} from './critical-path.mjs';
import {WhySlow, timeKindsOf, timeWordsOfAll} from './why-data.mjs';
import {PIECES} from '../../OpTracePage/Page/words.mjs';
import {PARTS, addPart, presentParts} from '../../OpTracePage/Page/parts.mjs';

export function mountWhy(element, model, selection) {
  const reading = h('div', {class: 'reading'});
  element.append(reading);
  return whenShown(selection, 'why', () => {
    const view = new WhyView(model, selection);
    renewUnits(reading, [...h('div', {}, ...PARTS.map(({beforePath}) => beforePath?.(model)), timesLegend(model), criticalPathPart(model, selection, view.path), ...PARTS.map(({afterPath}) => afterPath?.(model)),
      view.processorTime(), view.hotFunctions(), view.remaining(), view.waits(),
      view.queues(), view.dispatchQueues(), view.classes(), view.functions(), view.tasks(), view.taskTree(), ...view.work(), view.threads(), view.threadWaits(), view.waitLocations()).children]);
  });
}

function timesLegend(model) {
  return h('p', {class: 'times-legend'}, timeKindsOf(model).map(kind => h('span', {}, h('i', {class: kind.css}), timeWordsOfAll(model, kind))),
    model.counts.operations > 0 && h('span', {}, h('i', {class: 'critical-time'}), 'running, on the critical path'));
}

const taskTimeWords = kind => ({waitingForDependencies: 'suspended', waitingForSlot: 'waiting for their turn'}[kind.key] ?? kind.text);

class WhyView {
  constructor(model, selection) {
    this.model = model;
    this.selection = selection;
    this.figures = model.why;
    this.path = model.why.path(model);
    this.operation = row => operationButton(model, selection, row);
  }

  remaining() {
    const rows = this.path.remaining;
    if (rows.length === 0) return null;
    const list = h('ol', {class: 'operations'});
    const more = moreButton(list, rows.length, 20, (from, to) => {
      for (const row of rows.slice(from, to)) list.append(h('li', {}, this.operation(row), h('span', {class: 'beside'}, this.model.state(row))));
    });
    return this.part('Still to run', h('p', {class: 'lead'}, `The longest chain of what had not finished when the trace ended: ${counted(rows.length, 'operation')}.`), list, more);
  }

  waits() {
    return this.part('Times by length', histogramView(this.model, this.selection));
  }

  queues() {
    const {queues} = this.figures;
    if (queues.length === 0) return null;
    const longest = Math.max(...queues.map(queue => queue.busy + queue.waitingForDependencies + queue.waitingForSlot + queue.waitingForThread));
    const threads = this.figures.waitsForThreads ? [{title: 'Thread', isNumber: true, cell: queue => figureCell(queue.waitingForThread), value: queue => queue.waitingForThread, hint: 'Sum of the waits for a thread, while the queue had free slots'}] : [];
    return this.part('Queues', sortableTable({
      caption: 'Queues and the times of their operations', rows: queues, sort: 7, columns: [
        {title: 'Queue', cell: queue => [h('bdi', {}, queue.name), queue.isSuspended && h('span', {class: 'tag warned'}, 'suspended')], value: queue => queue.name},
        {title: 'Time', cell: queue => timesBar({...queue, running: queue.busy}, longest), css: 'bar-cell'},
        {title: 'Limit', isNumber: true, cell: queue => (queue.limit < 0 ? 'none' : grouped(queue.limit)), value: queue => (queue.limit < 0 ? Infinity : queue.limit), hint: 'Most operations at once'},
        {title: 'Peak', isNumber: true, cell: queue => grouped(queue.peak), value: queue => queue.peak, hint: 'Most operations that ran at the same time'},
        {title: 'Operations', isNumber: true, cell: queue => grouped(queue.operations), value: queue => queue.operations},
        {title: 'Utilisation', isNumber: true, cell: queue => percentText(queue.utilisation), value: queue => queue.utilisation, hint: 'Share of its slots’ time in which operations ran'},
        {title: 'Dependencies', isNumber: true, cell: queue => figureCell(queue.waitingForDependencies), value: queue => queue.waitingForDependencies, hint: 'Sum of the waits for dependencies'},
        {title: 'Slot', isNumber: true, cell: queue => figureCell(queue.waitingForSlot), value: queue => queue.waitingForSlot, hint: 'Sum of the waits for a slot'},
        ...threads,
        {title: 'Running', isNumber: true, cell: queue => figureCell(queue.busy), value: queue => queue.busy, hint: 'Sum of the times in which operations ran'},
      ]}));
  }

  dispatchQueues() {
    const queues = this.figures.dispatchQueues;
    if (queues.length === 0) return null;
    const longest = Math.max(...queues.map(queue => queue.busy + queue.waitingForSlot));
    const figures = [['waiting', 'waited'], ['running', 'ran']].flatMap(([key, word]) => [
      {title: key === 'waiting' ? 'Waiting' : 'Running', isNumber: true, cell: queue => figureCell(queue[key].total), value: queue => queue[key].total, hint: `Sum of the times in which blocks ${word}`},
      {title: 'median', isNumber: true, css: 'faint', cell: queue => figureCell(queue[key].median), value: queue => queue[key].median, hint: `Half of the blocks ${word} at most this long`},
      {title: 'max', isNumber: true, css: 'faint', cell: queue => figureCell(queue[key].max), value: queue => queue[key].max, hint: `The longest time that a block ${word}`},
    ]);
    return this.part('Dispatch queues', sortableTable({
      caption: 'Dispatch queues and the times of their blocks', rows: queues, sort: 7, columns: [
        {title: 'Dispatch queue', cell: queue => h('bdi', {}, queue.name), value: queue => queue.name},
        {title: 'Time', cell: queue => timesBar({waitingForSlot: queue.waitingForSlot, running: queue.busy}, longest), css: 'bar-cell'},
        {title: 'Width', isNumber: true, cell: queue => (queue.limit < 0 ? 'any' : grouped(queue.limit)), value: queue => (queue.limit < 0 ? Infinity : queue.limit), hint: 'Most blocks at once; 1 is serial'},
        {title: 'Peak', isNumber: true, cell: queue => grouped(queue.peak), value: queue => queue.peak, hint: 'Most blocks that ran at the same time'},
        {title: 'Depth', isNumber: true, cell: queue => grouped(queue.depth), value: queue => queue.depth, hint: 'Most blocks that waited at the same time'},
        {title: 'Blocks', isNumber: true, cell: queue => grouped(queue.blocks), value: queue => queue.blocks},
        {title: 'Not over', isNumber: true, cell: queue => (queue.unfinished ? grouped(queue.unfinished) : ''), value: queue => queue.unfinished},
        ...figures,
      ]}));
  }

  classes() { return this.kinds('Classes', 'Class', 'Operations', 'Classes and the times of their operations', this.figures.classes); }

  functions() { return this.kinds('Blocks by function', 'Function', 'Blocks', 'Functions that blocks ran, and their times', this.figures.functions); }

  tasks() {
    const {tasks} = this.figures;
    if (tasks.length === 0) return null;
    const suspended = task => Object.values(task.suspended).reduce((sum, time) => sum + time, 0);
    const longest = Math.max(1, ...tasks.map(task => suspended(task) + task.waiting.total + task.running.total));
    const reasons = Object.entries(PIECES).filter(([key, {column}]) => column && tasks.some(task => task.suspended[key] > 0)).map(([key, {column}]) => [key, column]);
    const figures = [['waiting', 'Turn', 'waited for their turn'], ['running', 'Running', 'ran']].flatMap(([key, title, word]) => [
      {title, isNumber: true, cell: task => figureCell(task[key].total), value: task => task[key].total, hint: `Sum of the times in which tasks ${word}`},
      {title: 'median', isNumber: true, css: 'faint', cell: task => figureCell(task[key].median), value: task => task[key].median, hint: `Half of these times are at most this long`},
      {title: 'max', isNumber: true, css: 'faint', cell: task => figureCell(task[key].max), value: task => task[key].max, hint: 'The longest of these times'},
    ]);
    return this.part('Tasks by function', sortableTable({
      caption: 'Functions that tasks run, and their times', rows: tasks, sort: 4 + reasons.length + 3, columns: [
        {title: 'Function', cell: task => h('bdi', {}, task.name), value: task => task.name},
        {title: 'Time', cell: task => timesBar({waitingForDependencies: suspended(task), waitingForSlot: task.waiting.total, running: task.running.total}, longest, taskTimeWords), css: 'bar-cell'},
        {title: 'Tasks', isNumber: true, cell: task => grouped(task.count), value: task => task.count},
        {title: 'Not over', isNumber: true, cell: task => (task.unfinished ? grouped(task.unfinished) : ''), value: task => task.unfinished},
        ...reasons.map(([key, title]) => ({title, isNumber: true, cell: task => figureCell(task.suspended[key]), value: task => task.suspended[key], hint: `Sum of the times in which tasks were suspended: ${title.toLowerCase()}`})),
        ...figures,
      ]}));
  }

  /** Shows parents with their children, folded; those with the most descendants first. */
  taskTree() {
    const {model} = this;
    const below = new Map();
    const roots = [];
    // A child has a higher row than its parent, except in damaged data.
    for (let row = model.count - 1; row >= model.firstTask; row--) {
      const parent = model.parent(row);
      if (parent >= model.firstTask && parent < row) below.set(parent, (below.get(parent) ?? 0) + (below.get(row) ?? 0) + 1);
      else roots.push(row);
    }
    if (below.size === 0) return null;
    roots.sort((one, other) => (below.get(other) ?? 0) - (below.get(one) ?? 0) || one - other);
    const branches = (rows, first) => {
      const list = h('ul', {class: 'tree'});
      return [list, moreButton(list, rows.length, first, (from, to) => { for (const row of rows.slice(from, to)) list.append(branch(row)); })];
    };
    const branch = row => {
      const life = model.span(row);
      const words = [life && durationText(life.end - life.begin), below.has(row) && `${grouped(below.get(row))} below`].filter(Boolean).join(' · ');
      const line = [this.operation(row), h('span', {class: 'beside'}, words)];
      if (!below.has(row)) return h('li', {}, line);
      const folded = h('details', {}, h('summary', {}, line));
      folded.addEventListener('toggle', () => { folded.append(...branches(model.children(row).filter(one => one > row), 40)); }, {once: true});
      return h('li', {}, folded);
    };
    const part = this.part('Task tree', h('p', {class: 'lead'}, 'Tasks with their children in groups and by async let, for which they wait.'), branches(roots.filter(row => below.has(row)), 20));
    const first = part.querySelector('details');
    if (first) first.open = true;
    // What the reader has unfolded is not folded again.
    part.isHeld = () => part.querySelectorAll('details[open]').length > 1;
    return part;
  }

  kinds(title, head, noun, caption, list) {
    if (list.length === 0) return null;
    const totals = list.map(one => Object.fromEntries(TIME_KINDS.map(({key}) => [key, one[key].total])));
    const longest = Math.max(...totals.map(total => TIME_KINDS.reduce((sum, {key}) => sum + total[key], 0)));
    const times = new Map(list.map((one, index) => [one, totals[index]]));
    const shown = TIME_KINDS.filter(({key}) => key !== 'waitingForThread' || list.some(one => one[key].total >= 1e6));
    // Paper is too narrow for all figures of four kinds.
    const isOnScreen = shown.length > 3;
    const figures = shown.flatMap(kind => [
      {title: kind.short, isNumber: true, cell: one => figureCell(one[kind.key].total), value: one => one[kind.key].total, hint: `Sum of the times ${kind.text}`},
      {title: 'median', isNumber: true, css: 'faint', isOnScreen, cell: one => figureCell(one[kind.key].median), value: one => one[kind.key].median, hint: `Half of the times ${kind.text} are at most this long`},
      {title: '95 %', isNumber: true, css: 'faint', isOnScreen, cell: one => figureCell(one[kind.key].p95), value: one => one[kind.key].p95, hint: `95 of 100 times ${kind.text} are at most this long`},
      {title: 'max', isNumber: true, css: 'faint', cell: one => figureCell(one[kind.key].max), value: one => one[kind.key].max, hint: `The longest time ${kind.text}`},
    ]);
    return this.part(title, sortableTable({
      caption, rows: list, sort: 3 + 4 * (shown.length - 1), columns: [
        {title: head, cell: one => h('bdi', {}, one.name), value: one => one.name},
        {title: 'Time', cell: one => timesBar(times.get(one), longest), css: 'bar-cell'},
        {title: noun, isNumber: true, cell: one => grouped(one.count), value: one => one.count},
        ...figures,
      ]}));
  }

  /** Shows the slowest and the longest-waiting work of each kind. */
  work() { return this.model.rowRanges().map(range => this.workOf(range)); }

  workOf({word, first, end}) {
    const {model} = this;
    const waited = row => { const times = model.times(row); return times.waitingForDependencies + times.waitingForSlot + times.waitingForThread; };
    const inRange = value => largestRows(end - first, index => value(first + index), 20).map(index => first + index);
    const slowest = inRange(row => model.times(row).running);
    const longest = inRange(waited);
    if (slowest.length + longest.length === 0) return null;
    return this.part(`${capitalised(word)}s`, h('div', {class: 'columns'},
      this.operationTable(word, 'Slowest', `The ${word}s that ran longest`, slowest, 'running', row => model.times(row).running),
      this.operationTable(word, 'Longest waits', `The ${word}s that waited longest`, longest, 'waited', waited)));
  }

  operationTable(word, heading, caption, rows, what, value) {
    const {model} = this;
    const whole = row => { const times = model.times(row); return times.waitingForDependencies + times.waitingForSlot + times.waitingForThread + times.running; };
    const longest = Math.max(1, ...rows.map(whole));
    return h('div', {}, h('h4', {}, heading), rows.length === 0 ? h('p', {class: 'faint'}, `No ${word} ${what}.`) : sortableTable({
      caption, rows, sort: 3, columns: [
        {title: capitalised(word), cell: this.operation, value: row => model.name(row)},
        word === 'task'
          ? {title: 'By', isNumber: true, cell: row => numberButton(model, this.selection, model.submitter(row)), value: row => model.submitter(row), hint: 'Who created it'}
          : {title: 'Queue', cell: row => h('bdi', {}, model.queues[model.queue(row)]?.name ?? '–'), value: row => model.queues[model.queue(row)]?.name},
        {title: 'Time', cell: row => timesBar(model.times(row), longest), css: 'bar-cell'},
        {title: what === 'running' ? 'Running' : 'Waited', isNumber: true, cell: row => durationText(value(row)), value},
      ]}));
  }

  threads() {
    const {model} = this;
    if (model.threads.length === 0 || model.counts.operations === 0) return null;
    return this.part('Threads', sortableTable({
      caption: 'Threads and what they ran', rows: this.figures.busyThreads(model), sort: 3, first: 20, columns: [
        {title: 'Thread', cell: thread => h('bdi', {}, thread.name), value: thread => thread.name},
        {title: 'System id', isNumber: true, cell: thread => String(thread.systemId ?? '–'), value: thread => thread.systemId},
        {title: 'Executions', isNumber: true, cell: thread => grouped(thread.executions), value: thread => thread.executions, hint: 'How often it ran an operation'},
        {title: 'Busy', isNumber: true, cell: thread => figureCell(thread.busy), value: thread => thread.busy},
        {title: 'Share', isNumber: true, cell: thread => percentText(thread.busy / this.figures.wall), value: thread => thread.busy, hint: 'Of the wall time'},
      ]}));
  }

  threadWaits() {
    const {model} = this;
    const waits = this.figures.waitsOfThreads(model);
    if (waits.length === 0) return null;
    return this.part('Blocked threads',
      h('p', {class: 'lead'}, 'Threads that were blocked until operations or queues were done. A wait inside of an operation keeps the operation’s slot.'),
      sortableTable({caption: 'Waits of threads', rows: waits, sort: 5, first: 20, columns: [
        {title: 'Who', cell: wait => (wait.operation >= 0 ? this.operation(wait.operation) : threadName(model, wait.thread) || 'unknown thread'),
          value: wait => (wait.operation >= 0 ? model.name(wait.operation) : threadName(model, wait.thread))},
        {title: 'Waited for', cell: wait => h('bdi', {}, wait.target), value: wait => wait.target},
        {title: 'Times', isNumber: true, cell: wait => grouped(wait.count), value: wait => wait.count},
        {title: 'Still waits', isNumber: true, cell: wait => (wait.unfinished ? grouped(wait.unfinished) : ''), value: wait => wait.unfinished},
        {title: 'Longest', isNumber: true, cell: wait => durationText(wait.max), value: wait => wait.max},
        {title: 'Total', isNumber: true, cell: wait => durationText(wait.total), value: wait => wait.total},
      ]}));
  }

  waitLocations() {
    const {places} = this.figures;
    if (places.length === 0) return null;
    return this.part('Where threads waited',
      h('p', {class: 'lead'}, 'The program’s own code in which threads waited. Short waits are not listed: their source locations were not recorded.'),
      sortableTable({caption: 'Where threads waited', rows: places, sort: 5, first: 20, columns: [
        {title: 'Function', cell: one => h('bdi', {}, one.function), value: one => one.function},
        {title: 'At', cell: one => h('code', {}, one.at), value: one => one.at},
        {title: 'Times', isNumber: true, cell: one => grouped(one.count), value: one => one.count},
        {title: 'Still waits', isNumber: true, cell: one => (one.unfinished ? grouped(one.unfinished) : ''), value: one => one.unfinished},
        {title: 'Longest', isNumber: true, cell: one => durationText(one.longest), value: one => one.longest},
        {title: 'Total', isNumber: true, cell: one => durationText(one.total), value: one => one.total},
      ]}));
  }

  /** Shows how much of the running time was computing, and in which functions, according to samples. */
  processorTime() {
    const {processorTime} = this.figures;
    if (!processorTime) return null;
    const {samples, sampled, share, work} = processorTime;
    const known = share === null ? '' : `, which stand for ${percentText(share)} of what the program used`;
    return this.part('Processor time',
      h('p', {class: 'lead'}, `${durationText(sampled)} in ${counted(samples, 'sample')}${known}. What is missing to the running time was waiting, or another thread’s turn.`),
      sortableTable({caption: 'Processor time of work', rows: work, sort: 3, first: 20, columns: [
        {title: 'Work', cell: one => h('bdi', {}, one.name), value: one => one.name},
        {title: 'Kind', cell: one => one.kind, value: one => one.kind},
        {title: 'Running', isNumber: true, cell: one => (one.running === null ? '' : durationText(one.running)), value: one => one.running ?? -1},
        {title: 'Processor', isNumber: true, cell: one => durationText(one.used), value: one => one.used},
        {title: 'Share', isNumber: true, cell: one => percentText(one.used / Math.max(1, sampled)), value: one => one.used, hint: 'Of all samples'},
        {title: 'Mostly in', cell: one => h('bdi', {}, one.function), value: one => one.function},
      ]}));
  }

  hotFunctions() {
    const {processorTime} = this.figures;
    if (!processorTime || processorTime.functions.length === 0) return null;
    const callers = presentParts(this.model).find(({showsCallers}) => showsCallers);
    return this.part('Hot functions',
      h('p', {class: 'lead'}, 'Where processor time was used: in a function’s own code, and with all that it called. ',
        callers && [h('button', {type: 'button', class: 'plain', onclick: () => this.selection.show(callers.name)}, 'Who called them'), ` is in the ${callers.title.toLowerCase()}.`]),
      sortableTable({caption: 'Functions that used processor time', rows: processorTime.functions, sort: 2, first: 20, columns: [
        {title: 'Function', cell: one => h('bdi', {}, one.function), value: one => one.function},
        {title: 'At', cell: one => h('code', {}, one.at), value: one => one.at},
        {title: 'Self', isNumber: true, cell: one => figureCell(one.own), value: one => one.own},
        {title: 'Share', isNumber: true, cell: one => percentText(one.own / Math.max(1, processorTime.sampled)), value: one => one.own, hint: 'Of all samples'},
        {title: 'Total', isNumber: true, cell: one => durationText(one.total), value: one => one.total},
      ]}));
  }

  part(title, ...content) { return readingPart(title, ...content); }
}

addPart({
  name: 'why', title: 'Why slow', mount: mountWhy, read: (data) => new WhySlow(data),
  decides: (model) => {
    const {steps, remaining} = model.why.path(model);
    return {rows: steps.map(({row}) => row), remaining};
  },
  explains: (model) => (model.verdict?.word === 'warning' ? 1 : 0),
});
