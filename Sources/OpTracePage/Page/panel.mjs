// Everything that the trace knows about the selected operation. What is not known is not shown.
import {counted, durationText, grouped, momentText} from './format.mjs';
import {PARTS} from './parts.mjs';
import {renewUnits} from './renewal.mjs';
import {codeText, stackOf, stackView} from './stacks.mjs';
import {DETAILS, SEVERITIES, STATES} from './words.mjs';
import {TIME_KINDS, h, moreButton, onPageKey, operationButton, operationList, sign, stateChip, threadName, timeWords, timesBar} from './dom.mjs';
import {slotGiverOf, slotHoldersOf, unblockerOf} from './waiting.mjs';

export function mountPanel(element, model, selection) {
  const announcer = document.getElementById('announcer');

  function show() {
    const row = selection.row;
    const hadFocus = element.contains(document.activeElement);
    element.hidden = row < 0;
    document.body.classList.toggle('has-panel', row >= 0);
    element.replaceChildren(...(row < 0 ? [] : new PanelContent(model, selection, row).elements()));
    element.scrollTop = 0;
    // The button that led here has disappeared with the previous content of the panel.
    if (hadFocus) (row < 0 ? document.getElementById('main') : element.querySelector('h2'))?.focus();
    if (announcer) announcer.textContent = row < 0 ? 'Nothing is selected.' : announcement(model, row);
  }
  selection.subscribe((_, changed) => { if (changed.has('row')) show(); });
  onPageKey(event => {
    if (event.key !== 'Escape' || selection.row < 0) return;
    event.preventDefault();
    selection.select(-1);
  });
  if (selection.row >= 0) show();
  return () => { if (selection.row >= 0) renewUnits(element, new PanelContent(model, selection, selection.row).elements()); };
}

function announcement(model, row) {
  const queue = model.queues[model.queue(row)];
  return `Selected ${model.name(row)}, number ${model.id(row)}, ${model.stateText(row)}${queue ? `, queue ${queue.name}` : ''}, ran ${durationText(model.times(row).running)}.`;
}

class PanelContent {
  constructor(model, selection, row) {
    this.model = model;
    this.selection = selection;
    this.id = model.id(row);
    this.times = model.times(row);
  }

  /** Buttons stay when rows move, so the row is found by id. */
  get row() { return this.model.rowOf(this.id); }

  elements() {
    const {model, row} = this;
    return [this.head(), this.facts(), this.timesPart(), ...this.addedParts(), this.stackPart('Current stack', this.model.currentStack(this.row)),
      this.waitPart(), this.slotPart(), this.momentsPart(), this.piecesPart(), this.insidePart(), this.callsPart(),
      this.stackPart(model.kind(row) === 'operation' ? 'Where it was added' : 'Where it was submitted', this.model.addedStack(this.row)),
      this.stackPart('Where it was created', this.model.madeStack(this.row)),
      this.links('Children', this.model.children(this.row), one => one, () => null),
      this.links(model.isTask(row) ? 'Created' : 'Submitted', this.submissions(), one => one, () => null),
      this.links('Waits for', this.model.dependencies(this.row), one => one.row, one => this.removedText(one)),
      this.links('Wait for it', this.model.dependents(this.row), row => row, () => null)].filter(Boolean);
  }

  /** Returns what it submitted, without children: they have a list of their own. */
  submissions() { return this.model.submissions(this.row).filter(one => !this.model.is(one, 'child')); }

  button(row) { return operationButton(this.model, this.selection, row); }

  part(title, ...content) { return h('section', {}, h('h3', {}, title), content); }

  head() {
    const {model, selection, row} = this;
    const findings = model.findingsOf(row);
    return h('header', {},
      h('div', {class: 'panel-title'}, h('h2', {tabindex: '-1'}, h('bdi', {}, model.name(row)), ' ', h('span', {class: 'number'}, `#${model.id(row)}`)),
        h('button', {type: 'button', class: 'icon', 'aria-label': 'Close', title: 'Close (Esc)', onclick: () => selection.select(-1)}, '×')),
      h('p', {class: 'panel-state'}, stateChip(model.state(row), undefined, model.stateText(row)), model.isBarrier(row) && h('span', {class: 'tag'}, 'barrier'), model.isAsync(row) && h('span', {class: 'tag'}, 'asynchronous'), model.kind(row) !== 'operation' && h('span', {class: 'tag'}, model.kind(row))),
      findings.map(index => h('button', {type: 'button', class: `panel-finding ${model.findings[index].severity}-finding`,
        onclick: () => { selection.choose(index); selection.show('findings'); }}, sign(SEVERITIES[model.findings[index].severity]?.sign), h('span', {}, model.findings[index].title))),
      h('p', {class: 'actions'},
        PARTS.map(({lead}) => this.leadButton(lead))));
  }

  /** Returns the button that leads to a part; null: the part does not show the work. */
  leadButton(lead) {
    const leading = lead?.(this.model, this.row, this.selection);
    // The part is asked again by a click, because the button stays when there is more data.
    return leading && h('button', {type: 'button', onclick: () => lead(this.model, this.row, this.selection)?.[1]()}, leading[0]);
  }

  facts() {
    const {model, row} = this;
    const queue = model.queues[model.queue(row)];
    return h('dl', {class: 'facts-list'}, [
      ['Now', this.suspensionText()],
      [model.parent(row) >= 0 ? 'Parent' : model.isTask(row) ? 'Created by' : 'Submitted by', this.submitterText()],
      ['Way', model.way(row)],
      ['Class', model.kind(row) === 'operation' && model.className(row) && h('bdi', {}, model.className(row))],
      ['Function', model.functionName(row) && h('bdi', {}, breakable(model.functionName(row)))],
      ['Queue', !queue ? (model.isTask(row) || model.is(row, 'external') ? null : h('span', {class: 'faint'}, 'none')) : [h('bdi', {}, queue.name), h('span', {class: 'faint'}, queue.limit < 0 ? ' no limit' : ` limit ${queue.limit}`, queue.isSuspended && ', suspended')]],
      ['Within', model.within(row) && h('bdi', {}, breakable(model.within(row)))],
      ['Priority', model.priorityText(row)],
      ['Source', model.source(row) && h('code', {}, breakable(model.source(row)))],
      ['Error', model.error(row) && h('span', {class: 'error-text'}, model.error(row))],
    ].filter(([, value]) => value).map(([name, value]) => h('div', {}, h('dt', {}, name), h('dd', {}, value))));
  }

  /** Says what a suspended task waits for, since when, and in which functions. */
  suspensionText() {
    const {model} = this;
    const index = model.waitsIn(this.row);
    if (index < 0) return null;
    const {awaited, begin, end, stack} = model.pieces;
    return [awaited[index] >= 0 ? ['waiting for ', this.button(awaited[index])] : model.pieceText(index), h('span', {class: 'faint'}, ` for ${durationText(end[index] - begin[index])}`),
      stack[index] >= 0 && h('details', {class: 'stack-of', open: true}, h('summary', {}, h('bdi', {}, codeText(stackOf(model, stack[index])))), stackView(stackOf(model, stack[index])))];
  }

  /** Returns the work whose code submitted it, or else the thread. */
  submitterText() {
    const {model, row} = this;
    if (model.submitter(row) >= 0) return this.button(model.submitter(row));
    if (model.kind(row) === 'operation') return null;
    return h('bdi', {}, threadName(model, model.moment.enqueuedThread[row]));
  }

  timesPart() {
    const {times} = this;
    const whole = TIME_KINDS.reduce((sum, kind) => sum + (times[kind.key] ?? 0), 0);
    if (whole === 0) return null;
    return this.part('Time', timesBar(times, whole, kind => timeWords(this.model, this.row, kind)), h('dl', {class: 'times'}, this.timeKinds().map(kind =>
      [h('div', {}, h('dt', {}, h('i', {class: kind.css}), timeWords(this.model, this.row, kind)), h('dd', {class: 'figure'}, this.isReached(kind.key) ? durationText(times[kind.key]) : 'not begun')),
      // For the suspended time, the reasons are listed.
      kind.key === 'waitingForDependencies' && this.model.isTask(this.row) && this.model.suspensions(this.row).map(({text, time}) =>
        h('div', {class: 'part-of'}, h('dt', {}, text), h('dd', {class: 'figure'}, durationText(time)))),
      kind.key === 'running' && !Number.isNaN(this.model.operations.computing[this.row]) &&
        h('div', {class: 'part-of'}, h('dt', {}, 'computing'), h('dd', {class: 'figure'}, durationText(this.model.operations.computing[this.row])))])));
  }

  /** Returns the kinds of time to show. Blocks rarely wait for a time or a group, and operations rarely for a thread. */
  timeKinds() {
    return TIME_KINDS.filter(({key}) => this.times[key] > 0 || (key !== 'waitingForThread' && (key !== 'waitingForDependencies' || this.model.kind(this.row) === 'operation')));
  }

  /** Whether the operation got as far as this time. */
  isReached(key) {
    if (this.times[key] > 0 || !STATES[this.model.state(this.row)]?.isBeforeStart) return true;
    const has = what => this.model.moments(this.row).some(moment => moment.what === what);
    return key === 'waitingForDependencies' || (key === 'waitingForSlot' && has('ready')) || has('executing');
  }

  /** What the parts of the page say of it. */
  addedParts() {
    return PARTS.map(({panel}) => panel?.(this.model, this.row)).filter(Boolean).map(([title, content]) => this.part(title, content));
  }

  stackPart(title, stack) {
    return stack >= 0 ? this.part(title, stackView(stackOf(this.model, stack))) : null;
  }

  waitPart() {
    const {model, row, times} = this;
    const unblocker = unblockerOf(model, row);
    if (unblocker.kind !== 'dependency' || unblocker.row < 0) return null;
    const thread = threadName(model, unblocker.thread);
    return this.part('Unblocked by', h('p', {class: 'line'}, this.button(unblocker.row)),
      h('p', {class: 'faint'}, `the last of its dependencies to finish${unblocker.time === null ? '' : `, at ${momentText(unblocker.time)}`}${thread ? `, on thread ${thread}` : ''}`,
        times.waitingForDependencies > 0 && `, after it had waited ${durationText(times.waitingForDependencies)}`));
  }

  slotPart() {
    const {model, row, times} = this;
    // An operation that only waited for a thread was not given a slot.
    const giver = times.waitingForSlot > 0 ? slotGiverOf(model, row) : null;
    const holders = times.waitingForSlot > 0 ? slotHoldersOf(model, row) : {rows: [], more: 0};
    if (!giver && holders.rows.length === 0) return null;
    const isBarrier = model.waitsForBarrier(row, 'waitingForSlot');
    return this.part(isBarrier ? 'Barrier' : 'Slot',
      giver && [h('p', {class: 'line'}, isBarrier ? 'let in by ' : 'given by ', this.button(giver.row)), h('p', {class: 'faint'}, `which ended at ${momentText(giver.time)}`)],
      holders.rows.length > 0 && [h('p', {}, `While it waited ${durationText(times.waitingForSlot)}, the queue’s slots were held by`),
        operationList(model, this.selection, holders.rows, () => null, 8),
        holders.more > 0 && h('p', {class: 'faint'}, `and ${counted(holders.more, 'other')}`)]);
  }

  momentsPart() {
    const {model, row} = this;
    const moments = model.moments(row);
    if (moments.length === 0) return null;
    return this.part('What happened', h('div', {class: 'scroll'}, h('table', {class: 'moments'},
      h('thead', {}, h('tr', {}, h('th', {scope: 'col'}, 'What'), h('th', {scope: 'col', class: 'figure'}, 'At'), h('th', {scope: 'col', class: 'figure'}, 'After'), h('th', {scope: 'col'}, 'Thread'))),
      h('tbody', {}, moments.map((moment, at) => h('tr', {}, h('th', {scope: 'row'}, moment.what),
        h('td', {class: 'figure', title: `${grouped(moment.time)} ns`}, momentText(moment.time)),
        h('td', {class: 'figure faint'}, at === 0 ? '' : `+${durationText(moment.time - moments[at - 1].time)}`),
        h('td', {class: 'thread', title: threadName(model, moment.thread)}, h('bdi', {}, threadName(model, moment.thread)))))))));
  }

  /** Shows the life of a task, piece by piece. */
  piecesPart() {
    const {model, row} = this;
    const indexes = model.isTask(row) ? model.piecesOfTask(row) : [];
    if (indexes.length < 2) return null;
    const {begin, end, isOpen, thread, resumer, stack} = model.pieces;
    const body = h('tbody');
    const more = moreButton(body, indexes.length, 30, (from, to) => {
      for (const index of indexes.slice(from, to)) {
        const resumerID = resumer[index] >= 0 ? model.id(resumer[index]) : -1;
        const code = stack[index] >= 0 ? codeText(stackOf(model, stack[index])) : '';
        const beside = resumer[index] >= 0 && resumer[index] !== row ? ['resumed by ', h('button', {type: 'button', class: 'plain', title: model.name(resumer[index]), onclick: () => this.selection.select(model.rowOf(resumerID))}, `#${model.id(resumer[index])}`)]
          : [model.pieceKind(index) === 'turn' && thread[index] >= 0 && 'resumed on ', h('bdi', {}, code || threadName(model, thread[index]))];
        body.append(h('tr', {}, h('th', {scope: 'row'}, model.pieceText(index)), h('td', {class: 'figure', title: `${grouped(begin[index])} ns`}, momentText(begin[index])),
          h('td', {class: 'figure'}, durationText(end[index] - begin[index]), isOpen[index] === 1 && ' so far'), h('td', {class: 'thread'}, beside)));
      }
    });
    return this.part('Runs and suspensions', h('div', {class: 'scroll'}, h('table', {class: 'moments pieces'},
      h('thead', {}, h('tr', {}, h('th', {scope: 'col'}, 'What'), h('th', {scope: 'col', class: 'figure'}, 'At'), h('th', {scope: 'col', class: 'figure'}, 'Took'), h('th', {scope: 'col'}, 'Where, or who'))), body)), more);
  }

  insidePart() {
    const {model, row} = this;
    // A run is the block itself, on its thread.
    const inside = model.inside(row).filter(one => one.kind !== 'run');
    if (inside.length === 0) return null;
    return this.part('Inside', h('ul', {class: 'inside'}, inside.map(one => h('li', {},
      h('span', {class: `tag ${one.kind}-tag`}, DETAILS[one.kind]?.tag ?? one.kind), h('bdi', {}, one.name),
      h('span', {class: 'figure'}, durationText(one.end - one.begin), one.isOpen && ' so far'),
      h('span', {class: 'beside'}, `at ${momentText(one.begin)}`, threadName(model, one.thread) && ` on ${threadName(model, one.thread)}`),
      one.signalRow >= 0 && h('span', {class: 'beside'}, 'ended by ', this.button(one.signalRow)),
      one.stack >= 0 && h('details', {class: 'stack-of'}, h('summary', {}, h('bdi', {}, codeText(stackOf(model, one.stack)))), stackView(stackOf(model, one.stack)))))));
  }

  /** Shows what its spans serve, and what they call, in other processes; each of these has a page of its own. */
  callsPart() {
    const calls = this.model.spanCalls.get(this.row) ?? [];
    if (calls.length === 0) return null;
    const list = h('ul', {class: 'inside'});
    const more = moreButton(list, calls.length, 20, (from, to) => {
      for (const {span, isServed, other, program, address} of calls.slice(from, to)) {
        list.append(h('li', {}, h('bdi', {}, span), h('span', {class: 'beside'}, isServed ? 'called by ' : 'calls ', h('a', {href: address}, h('bdi', {}, other)), ' in ', h('bdi', {}, program))));
      }
    });
    return this.part(`Other processes (${grouped(calls.length)})`, list, more);
  }

  removedText(dependency) {
    return dependency.removed !== null && dependency.removed !== undefined && h('span', {class: 'beside'}, `removed at ${momentText(dependency.removed)}`);
  }

  links(title, items, rowOf, beside) {
    if (items.length === 0) return null;
    return this.part(`${title} (${grouped(items.length)})`,
      operationList(this.model, this.selection, items.map(rowOf), (_, index) => beside(items[index])));
  }
}

/** Lets a path break after its slashes. */
function breakable(path) {
  return path.split('/').flatMap((part, at, all) => (at < all.length - 1 ? [`${part}/`, h('wbr')] : [part]));
}
