// Where the time went: the critical path, then waits by length, queue, class, thread and operation.
import {counted, durationText, grouped, percentText} from './format.mjs';
import {TIME_KINDS, h, moreButton, nameText, operationButton, timesBar, threadName, whenShown} from './dom.mjs';
import {largestRows, sortableTable} from './table.mjs';
import {histogramView} from './histogram.mjs';

export function mountWhy(element, model, selection) {
  whenShown(selection, 'why', () => {
    const view = new WhyView(model, selection);
    element.append(h('div', {class: 'reading'}, timesLegend(), view.criticalPath(), view.remaining(), view.waits(),
      view.queues(), view.classes(), view.operations(), view.threads(), view.threadWaits(), view.places()));
  });
}

function timesLegend() {
  return h('p', {class: 'times-legend'}, TIME_KINDS.map(kind => h('span', {}, h('i', {class: kind.css}), kind.text)),
    h('span', {}, h('i', {class: 'critical-time'}), 'running, on the critical path'));
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
function isOver(model) {
  return model.states.every(({state}) => ['finished', 'cancelled', 'failed', 'unknown'].includes(state));
}

const PATH_PARTS = {
  before: ['Before the first step', 'nothing of the path had begun'],
  after: ['After the last step', 'until the end of all activity'],
};

class WhyView {
  constructor(model, selection) {
    this.model = model;
    this.selection = selection;
    this.operation = row => operationButton(model, selection, row);
  }

  criticalPath() {
    const {model} = this;
    const path = model.criticalPath;
    if (path.steps.length === 0) return this.part('Critical path', h('p', {class: 'faint'}, 'No operation of this trace ended, so none decided how long it took.'));
    const {rows, total} = pathRows(path, model.wall);
    return this.part('Critical path',
      h('p', {class: 'lead'}, `${path.steps.length === 1 ? '1 operation decides' : `${counted(path.steps.length, 'operation')} one after the other decide`} the ${durationText(model.wall)}: ${shareText(path, model.wall)}. `,
        isOver(model) ? 'Only a shorter step here makes the whole shorter.' : 'Not everything is over: the findings tell what holds the rest up, if anything does.'),
      this.strip(rows, total), this.pathTable(rows, total));
  }

  /** The whole time as one line: what is wide is what to look at. */
  strip(rows, total) {
    const {model, selection} = this;
    const most = 400;
    return h('div', {class: 'strip', role: 'group', 'aria-label': 'The steps in proportion'}, rows.slice(0, most).map(({step, part, took}) => {
      const css = {'flex-grow': String(took / total)};
      if (!step) return h('span', {class: 'strip-part', css, title: `${PATH_PARTS[part][0]}: ${durationText(took)}`});
      const words = `${model.name(step.row)} #${model.id(step.row)}: ${durationText(took)}, ${percentText(took / total)}`;
      return h('button', {type: 'button', class: 'strip-step', css, title: words, 'aria-label': words, tabindex: '-1', onclick: () => selection.select(step.row)},
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
    const heads = ['Operation', 'Why now', 'Time', 'Dependencies', 'Slot', 'Running', 'Takes', 'Adds up to'];
    return h('div', {class: 'table'}, h('div', {class: 'scroll'}, h('table', {class: 'path'},
      h('caption', {class: 'unseen'}, 'The steps of the critical path and how they add up to the wall time'),
      h('thead', {}, h('tr', {}, heads.map((head, at) => h('th', {scope: 'col', class: at > 2 && 'figure'}, head)))),
      body,
      h('tfoot', {}, h('tr', {}, h('th', {scope: 'row', colspan: '3'}, `Wall time of ${model.process.name || 'the trace'}`),
        TIME_KINDS.map(kind => h('td', {class: 'figure'}, durationText(rows.reduce((sum, row) => sum + (row.step?.[kind.key] ?? 0), 0)))),
        h('td', {class: 'figure'}, durationText(total)), h('td', {class: 'figure'}, durationText(model.wall)))))), more,
      h('p', {class: 'faint'}, 'A step begins where the one before ended: of a wait that began earlier, only the rest counts here. The whole of it stands in the operation’s panel.'));
  }

  stepRow({step, took, total}, longest) {
    return h('tr', {}, h('th', {scope: 'row'}, this.operation(step.row)), h('td', {class: 'cause'}, this.cause(step)),
      h('td', {class: 'bar-cell'}, timesBar(step, longest)),
      TIME_KINDS.map(kind => h('td', {class: 'figure'}, figureCell(step[kind.key]))),
      h('td', {class: 'figure strong'}, durationText(took)), h('td', {class: 'figure faint'}, durationText(total)));
  }

  cause(step) {
    const {model, selection} = this;
    if (step.cause === 'start' || step.causeRow < 0) return 'the first of the path';
    const id = model.id(step.causeRow);
    const link = h('button', {type: 'button', class: 'plain', title: model.name(step.causeRow), onclick: () => selection.select(step.causeRow)}, `#${id}`);
    if (step.cause !== 'slot') return ['after ', link, ' finished'];
    // Barriers count as slots, and are told as what they are.
    if (model.isBarrier(step.causeRow)) return ['behind the barrier ', link];
    return model.isBarrier(step.row) ? ['as a barrier, behind ', link] : ['got the slot of ', link];
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
    const {model} = this;
    if (model.queues.length === 0) return null;
    const longest = Math.max(...model.queues.map(queue => queue.busy + queue.waitingForDependencies + queue.waitingForSlot));
    return this.part('Queues', sortableTable({
      caption: 'Queues and the times of their operations', rows: model.queues, sort: 7, columns: [
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

  classes() {
    const {model} = this;
    if (model.classes.length === 0) return null;
    const longest = Math.max(...model.classes.map(one => one.waitingForDependencies.total + one.waitingForSlot.total + one.running.total));
    const figures = TIME_KINDS.flatMap(kind => [
      {title: kind.short, isNumber: true, cell: one => figureCell(one[kind.key].total), value: one => one[kind.key].total, hint: `Sum of the times ${kind.text}`},
      {title: 'median', isNumber: true, css: 'faint', cell: one => figureCell(one[kind.key].median), value: one => one[kind.key].median, hint: `Half of the times ${kind.text} are at most this long`},
      {title: '95 %', isNumber: true, css: 'faint', cell: one => figureCell(one[kind.key].p95), value: one => one[kind.key].p95, hint: `95 of 100 times ${kind.text} are at most this long`},
      {title: 'max', isNumber: true, css: 'faint', cell: one => figureCell(one[kind.key].max), value: one => one[kind.key].max, hint: `The longest time ${kind.text}`},
    ]);
    return this.part('Classes', sortableTable({
      caption: 'Classes and the times of their operations', rows: model.classes, sort: 11, columns: [
        {title: 'Class', cell: one => h('bdi', {}, one.name), value: one => one.name},
        {title: 'Time', cell: one => timesBar({waitingForDependencies: one.waitingForDependencies.total, waitingForSlot: one.waitingForSlot.total, running: one.running.total}, longest), css: 'bar-cell'},
        {title: 'Operations', isNumber: true, cell: one => grouped(one.count), value: one => one.count},
        ...figures,
      ]}));
  }

  operations() {
    const {model} = this;
    const waited = row => model.times(row).waitingForDependencies + model.times(row).waitingForSlot;
    const slowest = largestRows(model.count, row => model.times(row).running, 20);
    const longest = largestRows(model.count, waited, 20);
    if (slowest.length + longest.length === 0) return null;
    return this.part('Operations', h('div', {class: 'columns'},
      this.operationTable('Slowest', 'The operations that ran longest', slowest, 'running', row => model.times(row).running),
      this.operationTable('Longest waits', 'The operations that waited longest', longest, 'waited', waited)));
  }

  operationTable(title, caption, rows, what, value) {
    const {model} = this;
    const whole = row => { const times = model.times(row); return times.waitingForDependencies + times.waitingForSlot + times.running; };
    const longest = Math.max(1, ...rows.map(whole));
    return h('div', {}, h('h4', {}, title), rows.length === 0 ? h('p', {class: 'faint'}, `No operation ${what}.`) : sortableTable({
      caption, rows, sort: 3, columns: [
        {title: 'Operation', cell: this.operation, value: row => model.name(row)},
        {title: 'Queue', cell: row => h('bdi', {}, model.queues[model.queue(row)]?.name ?? '–'), value: row => model.queues[model.queue(row)]?.name},
        {title: 'Time', cell: row => timesBar(model.times(row), longest), css: 'bar-cell'},
        {title: what === 'running' ? 'Running' : 'Waited', isNumber: true, cell: row => durationText(value(row)), value},
      ]}));
  }

  threads() {
    const {model} = this;
    if (model.threads.length === 0) return null;
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
      h('p', {class: 'lead'}, 'Threads that stood still and waited for operations or queues. Inside an operation, such a wait keeps its slot.'),
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

  places() {
    const {model} = this;
    if (model.places.length === 0) return null;
    return this.part('Where threads waited',
      h('p', {class: 'lead'}, 'The program’s own code that called what the threads waited in. Short waits are in no row: their places were not recorded.'),
      sortableTable({caption: 'Places where threads waited', rows: model.places, sort: 5, first: 20, columns: [
        {title: 'Function', cell: one => h('bdi', {}, one.function), value: one => one.function},
        {title: 'At', cell: one => h('code', {}, one.at), value: one => one.at},
        {title: 'Times', isNumber: true, cell: one => grouped(one.count), value: one => one.count},
        {title: 'Still waits', isNumber: true, cell: one => (one.unfinished ? grouped(one.unfinished) : ''), value: one => one.unfinished},
        {title: 'Longest', isNumber: true, cell: one => durationText(one.longest), value: one => one.longest},
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
