// The critical path: its composition by class, queue and kind of time, then its steps. Together, the rows make up the
// wall time.
import {capitalised, counted, durationText, grouped, percentText} from '../../OpTracePage/Page/format.mjs';
import {TIME_KINDS, figureCell, h, moreButton, nameText, numberButton, operationButton, timeWords, timesBar} from '../../OpTracePage/Page/dom.mjs';
import {isOver} from '../../OpTracePage/Page/words.mjs';

const MOST_OPEN = 12;
const FIRST_PARTS = 8;
const NAMED_STEPS = 3;
const MOST_IN_STRIP = 400;

/** Returns the rows of the critical path's table, which add up to the wall time: `{step | part, took, total}`. */
export function pathRows(path, wall) {
  const rows = [];
  let total = 0;
  function add(row, took) {
    total += took;
    rows.push({...row, took, total});
  }
  if (path.before > 0) add({part: 'before'}, path.before);
  for (const step of path.steps) add({step}, tookOf(step));
  if (path.after > 0) add({part: 'after'}, path.after);
  return {rows, total, isWhole: Math.abs(total - wall) < 1};
}

function tookOf(step) { return TIME_KINDS.reduce((sum, {key}) => sum + step[key], 0); }

/** Returns the shares of the wall time: `95 % running, 2 % waiting for a slot, 3 % after the last step`. Shares of zero are left out. */
export function shareText(path, wall) {
  const sums = TIME_KINDS.map(kind => [kind.text, path.steps.reduce((sum, step) => sum + step[kind.key], 0)]);
  sums.push(['before the first step', path.before], ['after the last step', path.after]);
  return sums.filter(([, time]) => time > 0).sort((a, b) => b[1] - a[1]).map(([text, time]) => `${percentText(time / Math.max(1, wall))} ${text}`).join(', ');
}

/** Groups the steps by `nameOf(step)`, the groups that took longest in total first: `{name, steps, took, …times}`. */
export function partsOf(steps, nameOf) {
  return addedUp(steps.map(step => ({name: nameOf(step), steps: 1, times: TIME_KINDS.map(({key}) => [key, step[key]])})));
}

/** Groups the path's times by kind, in the words that fit each step, including the time before and after. The result is as for `partsOf`. */
export function timesOf(path, wordsOf) {
  const times = path.steps.flatMap(step => TIME_KINDS.map(kind => ({name: wordsOf(step, kind), steps: 1, times: [[kind.key, step[kind.key]]]})));
  for (const part of ['before', 'after']) times.push({name: PATH_PARTS[part][0], steps: 0, times: [['rest', path[part]]]});
  return addedUp(times.filter(({times: [[, time]]}) => time > 0));
}

function addedUp(pieces) {
  const parts = new Map();
  for (const {name, steps, times} of pieces) {
    const part = parts.get(name) ?? {name, steps: 0, took: 0, rest: 0, ...Object.fromEntries(TIME_KINDS.map(({key}) => [key, 0]))};
    parts.set(name, part);
    part.steps += steps;
    for (const [key, time] of times) {
      part[key] += time;
      part.took += time;
    }
  }
  return [...parts.values()].sort((one, other) => other.took - one.took);
}

function isAllOver(model) {
  return model.states.every(({state}) => isOver(state) || state === 'unknown');
}

const PATH_PARTS = {
  before: ['Before the first step', 'nothing of the path had begun'],
  after: ['After the last step', 'until the end of all activity'],
};

/** Says why a step began when it did. `link` is the button of the work that was the cause. */
export const CAUSES = {
  start: () => 'the first of the path',
  dependency: ({link, areOperations}) => ['after ', link, areOperations ? ' finished' : ' was over'],
  slot: ({link, areOperations, isBarrier, isBehindBarrier}) => {
    if (!areOperations) return ['its queue’s turn after ', link];
    // A barrier takes all slots, and is called a barrier.
    if (isBehindBarrier) return ['behind the barrier ', link];
    return isBarrier ? ['as a barrier, behind ', link] : ['got the slot of ', link];
  },
  submission: ({link}) => ['submitted by ', link],
  signal: ({link, isOperation}) => [isOperation ? 'finished by ' : 'resumed by ', link],
};

/** Returns the section of "Why slow". Null: the trace contains nothing that could be on a path. */
export function criticalPathPart(model, selection, path) {
  if (path.steps.length === 0 && model.counts.operations === 0) return null;
  return h('section', {class: 'part'}, h('h2', {}, 'Critical path'), new CriticalPathView(model, selection, path).content());
}

class CriticalPathView {
  constructor(model, selection, path) {
    Object.assign(this, {model, selection, path, wall: model.why.wall});
    this.kinds = TIME_KINDS.filter(({key}) => key !== 'waitingForThread' || this.path.steps.some(step => step[key] >= 1e6));
  }

  content() {
    const {model, path, wall} = this;
    const {steps} = path;
    if (steps.length === 0) return h('p', {class: 'faint'}, 'No operation of this trace ended, so it has no critical path.');
    const {rows, total} = pathRows(path, wall);
    return [
      h('p', {class: 'lead'}, `${steps.length === 1 ? `1 ${this.word()} decides` : `${counted(steps.length, this.word())} one after the other decide`} the ${durationText(wall)}: ${shareText(path, wall)}. `,
        isAllOver(model) ? 'The run gets shorter if a step here does, or begins sooner: with a larger limit, or one dependency less.' : 'Not everything has ended: the findings say what blocks the rest, if anything does.'),
      rows.length <= MOST_IN_STRIP && this.strip(rows, total),
      steps.length > 1 && this.parts(),
      h('details', {class: 'steps', open: steps.length <= MOST_OPEN}, h('summary', {}, this.summary()), this.table(rows, total)),
    ];
  }

  /** Returns what the steps of the path are called. Work of other kinds may take several steps each. */
  word() { return this.path.steps.every(step => this.model.kind(step.row) === 'operation') ? 'operation' : 'step'; }

  parts() {
    const {model, path: {steps}} = this;
    const hasFunction = steps.map(step => model.functionName(step.row) !== null || model.kind(step.row) !== 'operation');
    const classHead = hasFunction.every(Boolean) ? 'Function' : hasFunction.some(Boolean) ? 'Class or function' : 'Class';
    const byClass = partsOf(steps, ({row}) => model.functionName(row) ?? model.className(row));
    const byQueue = partsOf(steps, ({row}) => model.queues[model.queue(row)]?.name ?? 'no queue');
    const hasQueues = steps.some(({row}) => model.queue(row) >= 0);
    return h('div', {class: 'path-parts'}, this.partTable(classHead, 'The critical path by class and function', byClass),
      hasQueues && this.partTable('Queue', 'The critical path by queue', byQueue),
      this.partTable('Time', 'The critical path by kind of time', timesOf(this.path, (step, kind) => timeWords(model, step.row, kind)), capitalised));
  }

  partTable(head, caption, parts, text = name => name) {
    const {wall} = this;
    const longest = Math.max(...parts.map(part => part.took));
    const body = h('tbody');
    const more = moreButton(body, parts.length, FIRST_PARTS, (from, to) => {
      for (const part of parts.slice(from, to)) body.append(h('tr', {}, h('th', {scope: 'row'}, h('bdi', {}, text(part.name))),
        h('td', {class: 'bar-cell'}, partBar(part, longest)), h('td', {class: 'figure faint'}, part.steps > 0 ? grouped(part.steps) : ''),
        h('td', {class: 'figure strong'}, durationText(part.took)), h('td', {class: 'figure'}, percentText(part.took / Math.max(1, wall)))));
    }, rest => `${grouped(rest)} more`);
    return h('div', {class: 'table'}, h('table', {},
      h('caption', {class: 'unseen'}, caption),
      h('thead', {}, h('tr', {}, [head, '', 'Steps', 'Takes', 'Share'].map((title, at) => h(title ? 'th' : 'td', {scope: title && 'col', class: at > 1 && 'figure', title: title === 'Share' && 'Of the wall time'}, title)))),
      body), more);
  }

  /** Returns the text that sums up what a closed fold hides. */
  summary() {
    const {model, path: {steps}} = this;
    const slowest = [...steps].sort((one, other) => tookOf(other) - tookOf(one)).slice(0, NAMED_STEPS);
    const count = `${counted(steps.length, this.word())} in their order`;
    if (steps.length <= slowest.length) return count;
    return [`${count}; the slowest: `, slowest.map((step, at) => [at > 0 && ', ', h('bdi', {}, model.name(step.row)), ` #${model.id(step.row)} (${durationText(tookOf(step))})`])];
  }

  /** Returns the whole time as a single line, in which the widest part matters most. */
  strip(rows, total) {
    const {model, selection} = this;
    return h('div', {class: 'strip', role: 'group', 'aria-label': 'The steps in proportion'}, rows.map(({step, part, took}) => {
      const css = {'flex-grow': String(took / total)};
      if (!step) return h('span', {class: 'strip-part', css, title: `${PATH_PARTS[part][0]}: ${durationText(took)}`});
      const id = model.id(step.row);
      const words = `${model.name(step.row)} #${id}: ${durationText(took)}, ${percentText(took / total)}`;
      return h('button', {type: 'button', class: 'strip-step', css, title: words, 'aria-label': words, tabindex: '-1', onclick: () => selection.select(model.rowOf(id))},
        TIME_KINDS.map(kind => h('i', {class: kind.css, css: {'flex-grow': String(step[kind.key] / Math.max(1, took))}},
          // The name is on the running part only, because it would be illegible on the others.
          kind.key === 'running' && nameText(model.name(step.row), {class: 'strip-name'}))));
    }));
  }

  table(rows, total) {
    const {model} = this;
    const longest = Math.max(...rows.map(row => row.took));
    const body = h('tbody');
    const more = moreButton(body, rows.length, rows.length > 200 ? 100 : rows.length, (from, to) => {
      for (const row of rows.slice(from, to)) body.append(row.step ? this.stepRow(row, longest) : this.partRow(row));
    });
    const heads = [this.word() === 'operation' ? 'Operation' : 'Work', 'Why now', 'Time', ...this.kinds.map(kind => kind.short), 'Takes', 'Adds up to'];
    return h('div', {class: 'table'}, h('div', {class: 'scroll'}, h('table', {class: 'path'},
      h('caption', {class: 'unseen'}, 'The steps of the critical path and how they add up to the wall time'),
      h('thead', {}, h('tr', {}, heads.map((head, at) => h('th', {scope: 'col', class: at > 2 && 'figure'}, head)))),
      body,
      h('tfoot', {}, h('tr', {}, h('th', {scope: 'row', colspan: '3'}, `Wall time of ${model.process.name || 'the trace'}`),
        this.kinds.map(kind => h('td', {class: 'figure'}, durationText(rows.reduce((sum, row) => sum + (row.step?.[kind.key] ?? 0), 0)))),
        h('td', {class: 'figure'}, durationText(total)), h('td', {class: 'figure'}, durationText(this.wall)))))), more,
      h('p', {class: 'faint'}, 'A step begins where the one before ended, so only the rest of a longer wait counts here. The step’s panel shows the whole wait.'));
  }

  stepRow({step, took, total}, longest) {
    const {model, selection} = this;
    return h('tr', {}, h('th', {scope: 'row'}, operationButton(model, selection, step.row)), h('td', {class: 'cause'}, this.cause(step)),
      h('td', {class: 'bar-cell'}, timesBar(step, longest)),
      this.kinds.map(kind => h('td', {class: 'figure'}, figureCell(step[kind.key]))),
      h('td', {class: 'figure strong'}, durationText(took)), h('td', {class: 'figure faint'}, durationText(total)));
  }

  partRow({part, took, total}) {
    const [title, why] = PATH_PARTS[part];
    return h('tr', {class: 'faint'}, h('th', {scope: 'row'}, title), h('td', {colspan: String(2 + this.kinds.length)}, why),
      h('td', {class: 'figure'}, durationText(took)), h('td', {class: 'figure'}, durationText(total)));
  }

  cause(step) {
    const {model, selection} = this;
    if (step.causeRow < 0) return CAUSES.start();
    const isOperation = row => model.kind(row) === 'operation';
    return CAUSES[step.cause]?.({
      link: numberButton(model, selection, step.causeRow), isOperation: isOperation(step.row), areOperations: isOperation(step.row) && isOperation(step.causeRow),
      isBarrier: model.isBarrier(step.row), isBehindBarrier: model.isBarrier(step.causeRow),
    });
  }
}

function partBar(part, longest) {
  const bar = timesBar(part, longest);
  if (part.rest > 0) {
    bar.setAttribute('aria-label', durationText(part.rest));
    bar.append(h('span', {class: 'rest-time', css: {width: `${100 * part.rest / Math.max(longest, 1)}%`}}));
  }
  return bar;
}
