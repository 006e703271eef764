// Where the time went: the critical path, then waits by length, queue, class, thread and operation.
import {capitalised, counted, durationText, grouped, percentText} from './format.mjs';
import {TIME_KINDS, h, moreButton, nameText, operationButton, timeWordsOfAll, timesBar, threadName, whenShown} from './dom.mjs';
import {largestRows, sortableTable} from './table.mjs';
import {histogramView} from './histogram.mjs';
import {comparisonPart} from './comparison.mjs';
import {renewUnits} from './renewal.mjs';
import {PIECES, isOver} from './words.mjs';

export function mountWhy(element, model, selection) {
  const reading = h('div', {class: 'reading'});
  element.append(reading);
  return whenShown(selection, 'why', () => {
    const view = new WhyView(model, selection);
    renewUnits(reading, [...h('div', {}, comparisonPart(model.comparison, view.part), timesLegend(model), view.criticalPath(), view.prediction(), view.processorTime(), view.hotFunctions(), view.remaining(), view.waits(),
      view.queues(), view.dispatchQueues(), view.classes(), view.functions(), view.tasks(), view.taskTree(), ...view.work(), view.threads(), view.threadWaits(), view.waitLocations()).children]);
  });
}

function timesLegend(model) {
  return h('p', {class: 'times-legend'}, TIME_KINDS.map(kind => h('span', {}, h('i', {class: kind.css}), timeWordsOfAll(model, kind))),
    model.counts.operations > 0 && h('span', {}, h('i', {class: 'critical-time'}), 'running, on the critical path'));
}

/** The rows of the critical path's table, which add up to the wall time: `{step | part, took, total}`. */
export function pathRows(path, wall) {
  const rows = [];
  let total = 0;
  function add(row, took) {
    total += took;
    rows.push({...row, took, total});
  }
  if (path.before > 0) add({part: 'before'}, path.before);
  for (const step of path.steps) add({step}, step.waitingForDependencies + step.waitingForSlot + step.running);
  if (path.after > 0) add({part: 'after'}, path.after);
  return {rows, total, isWhole: Math.abs(total - wall) < 1};
}

/** `95 % running, 2 % waiting for a slot, 3 % after the last step` of the wall time; what is nothing is left out. */
export function shareText(path, wall) {
  const sums = TIME_KINDS.map(kind => [kind.text, path.steps.reduce((sum, step) => sum + step[kind.key], 0)]);
  sums.push(['before the first step', path.before], ['after the last step', path.after]);
  return sums.filter(([, time]) => time > 0).sort((a, b) => b[1] - a[1]).map(([text, time]) => `${percentText(time / Math.max(1, wall))} ${text}`).join(', ');
}

/** Whether all operations that were given to a queue came to their end. */
function isAllOver(model) {
  return model.states.every(({state}) => isOver(state) || state === 'unknown');
}

const PATH_PARTS = {
  before: ['Before the first step', 'nothing of the path had begun'],
  after: ['After the last step', 'until the end of all activity'],
};

/** Why a step began when it did. `link`: the button of the work that was the cause. */
export const CAUSES = {
  start: () => 'the first of the path',
  dependency: ({link, areOperations}) => ['after ', link, areOperations ? ' finished' : ' was over'],
  slot: ({link, areOperations, isBarrier, isBehindBarrier}) => {
    if (!areOperations) return ['its queue’s turn after ', link];
    // A barrier takes all slots, and is named as what it is.
    if (isBehindBarrier) return ['behind the barrier ', link];
    return isBarrier ? ['as a barrier, behind ', link] : ['got the slot of ', link];
  },
  submission: ({link}) => ['submitted by ', link],
  signal: ({link, isOperation}) => [isOperation ? 'finished by ' : 'resumed by ', link],
};

const taskTimeWords = kind => ({waitingForDependencies: 'suspended', waitingForSlot: 'waiting for their turn'}[kind.key] ?? kind.text);

class WhyView {
  constructor(model, selection) {
    this.model = model;
    this.selection = selection;
    this.operation = row => operationButton(model, selection, row);
  }

  criticalPath() {
    const {model} = this;
    const path = model.criticalPath;
    if (path.steps.length === 0 && model.counts.operations === 0) return null;
    if (path.steps.length === 0) return this.part('Critical path', h('p', {class: 'faint'}, 'No operation of this trace ended, so it has no critical path.'));
    const {rows, total} = pathRows(path, model.wall);
    return this.part('Critical path',
      h('p', {class: 'lead'}, `${path.steps.length === 1 ? `1 ${this.pathWord()} decides` : `${counted(path.steps.length, this.pathWord())} one after the other decide`} the ${durationText(model.wall)}: ${shareText(path, model.wall)}. `,
        isAllOver(model) ? 'The run gets shorter if a step here does, or begins sooner: with a larger limit, or one dependency less.' : 'Not everything has ended: the findings say what blocks the rest, if anything does.'),
      this.strip(rows, total), this.pathTable(rows, total));
  }

  /** What would help: the run replayed with one change each, with the range of each answer. */
  prediction() {
    const {prediction} = this.model;
    if (!prediction || prediction.recorded === null) return null;
    const {recorded, replayed, reasons, scenarios, assumptions} = prediction;
    const lead = reasons.length === 0
      ? `A replay of this run in a simulator takes ${durationText(replayed)}, the run itself took ${durationText(recorded)}. The replay matches, so these are its predictions, for one change each.`
      : `Predictions from a replay of this run are not reliable: ${reasons.join(' ')}`;
    const saved = ({wall}) => `${wall < recorded ? '−' : '+'}${percentText(Math.abs(recorded - wall) / recorded)}`;
    return this.part('What would help', h('p', {class: 'lead'}, lead),
      scenarios.length === 0 ? h('p', {class: 'faint'}, 'No change that was tried makes it faster.') : h('div', {class: 'scroll'}, h('table', {class: 'prediction'},
        h('thead', {}, h('tr', {}, h('th', {scope: 'col'}, 'With'), h('th', {scope: 'col', class: 'figure'}, 'It takes'), h('th', {scope: 'col', class: 'figure'}, 'Change'), h('th', {scope: 'col'}, 'Range'), h('th', {scope: 'col'}, 'Option of optrace whatif'))),
        h('tbody', {}, scenarios.map(one => h('tr', {}, h('th', {scope: 'row'}, h('bdi', {}, one.words)),
          h('td', {class: 'figure'}, durationText(one.wall)), h('td', {class: 'figure'}, saved(one)),
          h('td', {}, `${durationText(one.low)} to ${durationText(one.high)}`), h('td', {}, h('code', {}, one.options))))))),
      assumptions.length > 0 && scenarios.length > 0 && h('details', {}, h('summary', {}, 'What this assumes'), h('ul', {}, assumptions.map(text => h('li', {}, text)))));
  }

  /** What the path's steps are: work of other kinds may take several each. */
  pathWord() { return this.model.criticalPath.steps.every(step => this.model.kind(step.row) === 'operation') ? 'operation' : 'step'; }

  /** The whole time as one line: the widest part matters most. */
  strip(rows, total) {
    const {model, selection} = this;
    const most = 400;
    return h('div', {class: 'strip', role: 'group', 'aria-label': 'The steps in proportion'}, rows.slice(0, most).map(({step, part, took}) => {
      const css = {'flex-grow': String(took / total)};
      if (!step) return h('span', {class: 'strip-part', css, title: `${PATH_PARTS[part][0]}: ${durationText(took)}`});
      const id = model.id(step.row);
      const words = `${model.name(step.row)} #${id}: ${durationText(took)}, ${percentText(took / total)}`;
      return h('button', {type: 'button', class: 'strip-step', css, title: words, 'aria-label': words, tabindex: '-1', onclick: () => selection.select(model.rowOf(id))},
        TIME_KINDS.map(kind => h('i', {class: kind.css, css: {'flex-grow': String(step[kind.key] / Math.max(1, took))}},
          // On the running part alone: on the others it could not be read.
          kind.key === 'running' && nameText(model.name(step.row), {class: 'strip-name'}))));
    }));
  }

  pathTable(rows, total) {
    const {model} = this;
    const longest = Math.max(...rows.map(row => row.took));
    const body = h('tbody');
    const more = moreButton(body, rows.length, rows.length > 200 ? 100 : rows.length, (from, to) => {
      for (const row of rows.slice(from, to)) body.append(row.step ? this.stepRow(row, longest) : pathPartRow(row));
    });
    const heads = [this.pathWord() === 'operation' ? 'Operation' : 'Work', 'Why now', 'Time', 'Dependencies', 'Slot', 'Running', 'Takes', 'Adds up to'];
    return h('div', {class: 'table'}, h('div', {class: 'scroll'}, h('table', {class: 'path'},
      h('caption', {class: 'unseen'}, 'The steps of the critical path and how they add up to the wall time'),
      h('thead', {}, h('tr', {}, heads.map((head, at) => h('th', {scope: 'col', class: at > 2 && 'figure'}, head)))),
      body,
      h('tfoot', {}, h('tr', {}, h('th', {scope: 'row', colspan: '3'}, `Wall time of ${model.process.name || 'the trace'}`),
        TIME_KINDS.map(kind => h('td', {class: 'figure'}, durationText(rows.reduce((sum, row) => sum + (row.step?.[kind.key] ?? 0), 0)))),
        h('td', {class: 'figure'}, durationText(total)), h('td', {class: 'figure'}, durationText(model.wall)))))), more,
      h('p', {class: 'faint'}, 'A step begins where the one before ended, so only the rest of a longer wait counts here. The step’s panel shows the whole wait.'));
  }

  stepRow({step, took, total}, longest) {
    return h('tr', {}, h('th', {scope: 'row'}, this.operation(step.row)), h('td', {class: 'cause'}, this.cause(step)),
      h('td', {class: 'bar-cell'}, timesBar(step, longest)),
      TIME_KINDS.map(kind => h('td', {class: 'figure'}, figureCell(step[kind.key]))),
      h('td', {class: 'figure strong'}, durationText(took)), h('td', {class: 'figure faint'}, durationText(total)));
  }

  cause(step) {
    const {model} = this;
    if (step.causeRow < 0) return CAUSES.start();
    const isOperation = row => model.kind(row) === 'operation';
    return CAUSES[step.cause]?.({
      link: this.number(step.causeRow), isOperation: isOperation(step.row), areOperations: isOperation(step.row) && isOperation(step.causeRow),
      isBarrier: model.isBarrier(step.row), isBehindBarrier: model.isBarrier(step.causeRow),
    });
  }

  /** Its number alone, where names would take too much room. */
  number(row) {
    const {model, selection} = this;
    if (row < 0) return '–';
    const id = model.id(row);
    return h('button', {type: 'button', class: 'plain', title: model.name(row), onclick: () => selection.select(model.rowOf(id))}, `#${id}`);
  }

  remaining() {
    const rows = this.model.criticalPath.remaining;
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
    const queues = this.model.queues.filter(queue => !queue.isDispatch);
    if (queues.length === 0) return null;
    const longest = Math.max(...queues.map(queue => queue.busy + queue.waitingForDependencies + queue.waitingForSlot));
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
        {title: 'Running', isNumber: true, cell: queue => figureCell(queue.busy), value: queue => queue.busy, hint: 'Sum of the times in which operations ran'},
      ]}));
  }

  dispatchQueues() {
    const queues = this.model.queues.filter(queue => queue.isDispatch);
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
        {title: 'Time', cell: queue => timesBar({...queue, running: queue.busy}, longest), css: 'bar-cell'},
        {title: 'Width', isNumber: true, cell: queue => (queue.limit < 0 ? 'any' : grouped(queue.limit)), value: queue => (queue.limit < 0 ? Infinity : queue.limit), hint: 'Most blocks at once; 1 is serial'},
        {title: 'Peak', isNumber: true, cell: queue => grouped(queue.peak), value: queue => queue.peak, hint: 'Most blocks that ran at the same time'},
        {title: 'Depth', isNumber: true, cell: queue => grouped(queue.depth), value: queue => queue.depth, hint: 'Most blocks that waited at the same time'},
        {title: 'Blocks', isNumber: true, cell: queue => grouped(queue.operations), value: queue => queue.operations},
        {title: 'Not over', isNumber: true, cell: queue => (queue.unfinished ? grouped(queue.unfinished) : ''), value: queue => queue.unfinished},
        ...figures,
      ]}));
  }

  classes() { return this.kinds('Classes', 'Class', 'Operations', 'Classes and the times of their operations', this.model.classes); }

  functions() { return this.kinds('Blocks by function', 'Function', 'Blocks', 'Functions that blocks ran, and their times', this.model.functions); }

  tasks() {
    const {tasks} = this.model;
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

  /** Parents with their children, folded; what has most below it first. */
  taskTree() {
    const {model} = this;
    const below = new Map();
    const roots = [];
    // A child has a higher row than its parent, but for damage.
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
    // What somebody has unfolded is not folded again.
    part.isHeld = () => part.querySelectorAll('details[open]').length > 1;
    return part;
  }

  kinds(title, head, noun, caption, list) {
    if (list.length === 0) return null;
    const longest = Math.max(...list.map(one => one.waitingForDependencies.total + one.waitingForSlot.total + one.running.total));
    const figures = TIME_KINDS.flatMap(kind => [
      {title: kind.short, isNumber: true, cell: one => figureCell(one[kind.key].total), value: one => one[kind.key].total, hint: `Sum of the times ${kind.text}`},
      {title: 'median', isNumber: true, css: 'faint', cell: one => figureCell(one[kind.key].median), value: one => one[kind.key].median, hint: `Half of the times ${kind.text} are at most this long`},
      {title: '95 %', isNumber: true, css: 'faint', cell: one => figureCell(one[kind.key].p95), value: one => one[kind.key].p95, hint: `95 of 100 times ${kind.text} are at most this long`},
      {title: 'max', isNumber: true, css: 'faint', cell: one => figureCell(one[kind.key].max), value: one => one[kind.key].max, hint: `The longest time ${kind.text}`},
    ]);
    return this.part(title, sortableTable({
      caption, rows: list, sort: 11, columns: [
        {title: head, cell: one => h('bdi', {}, one.name), value: one => one.name},
        {title: 'Time', cell: one => timesBar({waitingForDependencies: one.waitingForDependencies.total, waitingForSlot: one.waitingForSlot.total, running: one.running.total}, longest), css: 'bar-cell'},
        {title: noun, isNumber: true, cell: one => grouped(one.count), value: one => one.count},
        ...figures,
      ]}));
  }

  /** The slowest and the longest waiting of each kind. */
  work() { return this.model.rowRanges().map(range => this.workOf(range)); }

  workOf({word, first, end}) {
    const {model} = this;
    const waited = row => model.times(row).waitingForDependencies + model.times(row).waitingForSlot;
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
    const whole = row => { const times = model.times(row); return times.waitingForDependencies + times.waitingForSlot + times.running; };
    const longest = Math.max(1, ...rows.map(whole));
    return h('div', {}, h('h4', {}, heading), rows.length === 0 ? h('p', {class: 'faint'}, `No ${word} ${what}.`) : sortableTable({
      caption, rows, sort: 3, columns: [
        {title: capitalised(word), cell: this.operation, value: row => model.name(row)},
        word === 'task'
          ? {title: 'By', isNumber: true, cell: row => this.number(model.submitter(row)), value: row => model.submitter(row), hint: 'Who created it'}
          : {title: 'Queue', cell: row => h('bdi', {}, model.queues[model.queue(row)]?.name ?? '–'), value: row => model.queues[model.queue(row)]?.name},
        {title: 'Time', cell: row => timesBar(model.times(row), longest), css: 'bar-cell'},
        {title: what === 'running' ? 'Running' : 'Waited', isNumber: true, cell: row => durationText(value(row)), value},
      ]}));
  }

  threads() {
    const {model} = this;
    if (model.threads.length === 0 || model.counts.operations === 0) return null;
    return this.part('Threads', sortableTable({
      caption: 'Threads and what they ran', rows: model.threads, sort: 3, first: 20, columns: [
        {title: 'Thread', cell: thread => h('bdi', {}, thread.name), value: thread => thread.name},
        {title: 'System id', isNumber: true, cell: thread => String(thread.systemId ?? '–'), value: thread => thread.systemId},
        {title: 'Executions', isNumber: true, cell: thread => grouped(thread.executions), value: thread => thread.executions, hint: 'How often it ran an operation'},
        {title: 'Busy', isNumber: true, cell: thread => figureCell(thread.busy), value: thread => thread.busy},
        {title: 'Share', isNumber: true, cell: thread => percentText(thread.busy / model.wall), value: thread => thread.busy, hint: 'Of the wall time'},
      ]}));
  }

  threadWaits() {
    const {model} = this;
    if (model.threadWaits.length === 0) return null;
    return this.part('Blocked threads',
      h('p', {class: 'lead'}, 'Threads that were blocked until operations or queues were done. A wait inside of an operation keeps the operation’s slot.'),
      sortableTable({caption: 'Waits of threads', rows: model.threadWaits, sort: 5, first: 20, columns: [
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
    const {model} = this;
    if (model.waitLocations.length === 0) return null;
    return this.part('Where threads waited',
      h('p', {class: 'lead'}, 'The program’s own code in which threads waited. Short waits are not listed: their source locations were not recorded.'),
      sortableTable({caption: 'Where threads waited', rows: model.waitLocations, sort: 5, first: 20, columns: [
        {title: 'Function', cell: one => h('bdi', {}, one.function), value: one => one.function},
        {title: 'At', cell: one => h('code', {}, one.at), value: one => one.at},
        {title: 'Times', isNumber: true, cell: one => grouped(one.count), value: one => one.count},
        {title: 'Still waits', isNumber: true, cell: one => (one.unfinished ? grouped(one.unfinished) : ''), value: one => one.unfinished},
        {title: 'Longest', isNumber: true, cell: one => durationText(one.longest), value: one => one.longest},
        {title: 'Total', isNumber: true, cell: one => durationText(one.total), value: one => one.total},
      ]}));
  }

  /** How much of running was computing, and in what, by samples. */
  processorTime() {
    const {processorTime} = this.model;
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
    const {processorTime} = this.model;
    if (!processorTime || processorTime.functions.length === 0) return null;
    return this.part('Hot functions',
      h('p', {class: 'lead'}, 'Where processor time was used: in a function’s own code, and with all that it called. ', h('code', {}, 'optrace profile'), ' draws them as a flame graph.'),
      sortableTable({caption: 'Functions that used processor time', rows: processorTime.functions, sort: 2, first: 20, columns: [
        {title: 'Function', cell: one => h('bdi', {}, one.function), value: one => one.function},
        {title: 'At', cell: one => h('code', {}, one.at), value: one => one.at},
        {title: 'Self', isNumber: true, cell: one => figureCell(one.own), value: one => one.own},
        {title: 'Share', isNumber: true, cell: one => percentText(one.own / Math.max(1, processorTime.sampled)), value: one => one.own, hint: 'Of all samples'},
        {title: 'Total', isNumber: true, cell: one => durationText(one.total), value: one => one.total},
      ]}));
  }

  part(title, ...content) {
    return h('section', {class: 'part'}, h('h2', {}, title), content);
  }
}

/** Nothing is shown as nothing: a column of zeros hides what is there. */
function figureCell(time) { return time === 0 ? h('span', {class: 'zero'}, '0') : durationText(time); }

function pathPartRow({part, took, total}) {
  const [title, why] = PATH_PARTS[part];
  return h('tr', {class: 'faint'}, h('th', {scope: 'row'}, title), h('td', {colspan: '5'}, why),
    h('td', {class: 'figure'}, durationText(took)), h('td', {class: 'figure'}, durationText(total)));
}
