// Elements, and the few pieces that several parts of the page show. Names come from a user's program, so they are only
// ever inserted as text.
import {durationText, grouped} from './format.mjs';
import {OTHER_SIGNS, STATES} from './words.mjs';

/** Makes an element: `h('button', {class: 'wide', onclick: f}, 'Text', child)`. Null, false and undefined are left out. */
export function h(tag, attributes, ...children) {
  return furnish(document.createElement(tag), attributes, children);
}

/** Makes an SVG element in the same way. */
export function svg(tag, attributes, ...children) {
  return furnish(document.createElementNS('http://www.w3.org/2000/svg', tag), attributes, children);
}

function furnish(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes ?? {})) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith('on')) element.addEventListener(name.slice(2), value);
    // The page's policy forbids style attributes, not properties set by its own script.
    else if (name === 'css') for (const [key, text] of Object.entries(value)) element.style.setProperty(key, text);
    else element.setAttribute(name, value === true ? '' : value);
  }
  element.append(...children.flat(Infinity).filter(one => one !== null && one !== undefined && one !== false));
  return element;
}

/** Makes the sign of a state, a warning or a note. */
export function sign(kind) {
  const known = Object.hasOwn(STATES, kind) || Object.hasOwn(OTHER_SIGNS, kind) ? kind : 'unknown';
  return svg('svg', {class: `sign-of ${known}-sign`, viewBox: '0 0 11 11', 'aria-hidden': 'true'}, svg('path', {d: OTHER_SIGNS[known] ?? STATES[known].path}));
}

/** Makes a chip for a state, with its sign and word. */
export function stateChip(state, count, word = state) {
  return h('span', {class: `chip ${state}-chip`}, sign(state), count === undefined ? word : `${grouped(count)} ${state}`);
}

const LONG_NAME = 20;

/** Makes a name that is cut in the middle if there is no room, as everywhere: of its two parts, the first one gives way. */
export function nameText(name, attributes = {}) {
  if (name.length <= LONG_NAME) return h('bdi', attributes, name);
  const end = [...new Intl.Segmenter().segment(name.slice(-4 * LONG_NAME))].slice(-LONG_NAME / 2).map(one => one.segment).join('');
  return h('bdi', {...attributes, class: [attributes.class, 'in-two'].filter(Boolean).join(' ')},
    h('span', {}, name.slice(0, name.length - end.length)), h('span', {}, end));
}

/** Makes a button that selects an operation. It is used wherever an operation is named. */
export function operationButton(model, selection, row) {
  if (row < 0) return h('span', {class: 'faint'}, 'unknown operation');
  const name = model.name(row), state = model.stateText(row), id = model.id(row);
  return h('button', {type: 'button', class: 'operation', title: `${name} #${id}, ${state}`, 'aria-label': `${name} #${id}, ${state}`, onclick: () => selection.select(model.rowOf(id))},
    sign(model.state(row)), nameText(name), h('span', {class: 'number'}, `#${id}`), h('span', {class: 'unseen'}, `, ${state}`));
}

/** Makes a button with the number only, for places where names would take too much room. */
export function numberButton(model, selection, row) {
  if (row < 0) return '–';
  const id = model.id(row);
  return h('button', {type: 'button', class: 'plain', title: model.name(row), onclick: () => selection.select(model.rowOf(id))}, `#${id}`);
}

/** Makes a cell with a time. Zero is shown faintly: a column of zeros would hide the other values. */
export function figureCell(time) { return time === 0 ? h('span', {class: 'zero'}, '0') : durationText(time); }

export const TIME_KINDS = [
  {key: 'waitingForDependencies', css: 'blocked-time', text: 'waiting for dependencies', short: 'Dependencies'},
  {key: 'waitingForSlot', css: 'queued-time', text: 'waiting for a slot', short: 'Slot'},
  {key: 'waitingForThread', css: 'thread-time', text: 'waiting for a thread', short: 'Thread'},
  {key: 'running', css: 'running-time', text: 'running', short: 'Running'},
];

/** Makes one bar for the times, relative to `longest`. The parts differ in height too, not by colour alone. */
export function timesBar(times, longest, wordsOf = kind => kind.text) {
  const parts = TIME_KINDS.filter(kind => times[kind.key] > 0);
  const words = parts.map(kind => `${wordsOf(kind)} ${durationText(times[kind.key])}`).join(', ');
  return h('span', {class: 'times-bar', role: 'img', 'aria-label': words || 'no time', title: words},
    parts.map(kind => h('span', {class: kind.css, css: {width: `${100 * times[kind.key] / Math.max(longest, 1)}%`}})));
}

export function threadName(model, index) {
  const thread = index === null || index === undefined || index < 0 ? null : model.threads[index];
  return thread ? thread.name : '';
}

/** Returns what a kind of time was for this operation. If a barrier made it wait, the words say so. */
export function timeWords(model, row, kind) {
  if (model.isTask(row) && kind.key !== 'running') return kind.key === 'waitingForSlot' ? 'waiting for its turn' : 'suspended';
  if (kind.key === 'waitingForDependencies' && model.kind(row) !== 'operation') return 'waiting for a time or a group';
  return model.waitsForBarrier(row, kind.key) ? 'waiting for a barrier' : kind.text;
}

/**
 * Fills `list` with the first of `count` items, and returns the button for the rest. `draw(from, to)` appends items. A click shows all
 * items if there are some hundreds, or else the next thousand: a browser that has to lay out a million rows hangs. `words(rest)` is the
 * text of the button for all.
 */
export function moreButton(list, count, first, draw, words = () => `Show all ${grouped(count)}`) {
  const step = 1000;
  let shown = 0;
  const button = h('button', {type: 'button', class: 'more', onclick: () => {
    const next = list.childElementCount;
    show(shown + step);
    // The button may be gone, so the focus moves to the first new item.
    if (button.hidden) list.children[next]?.querySelector('button, a')?.focus();
  }});
  function show(end) {
    const from = shown;
    shown = Math.min(count, end);
    draw(from, shown);
    button.hidden = shown >= count;
    button.textContent = count - shown <= step ? words(count - shown) : `Show ${grouped(step)} more of ${grouped(count)}`;
  }
  show(first);
  list.takeOver = old => { if (old.childElementCount > shown) show(old.childElementCount); };
  return button;
}

/**
 * Makes a list of operations as buttons. `beside(row, index)` adds what follows each button. Operations are remembered by id, because rows
 * may move.
 */
export function operationList(model, selection, rows, beside = () => null, first = 20, words = undefined) {
  const list = h('ul', {class: 'operations', 'aria-label': model.counted(rows.length)});
  const ids = rows.map(row => model.id(row));
  const more = moreButton(list, rows.length, first, (from, to) => {
    for (let index = from; index < to; index += 1) {
      const row = model.rowOf(ids[index]);
      list.append(h('li', {}, operationButton(model, selection, row), beside(row, index)));
    }
  }, words);
  return h('div', {class: 'many'}, list, more);
}

/** Handles the keys of the whole page, except while somebody types, holds a modifier, or reads the help. */
export function onPageKey(handle) {
  document.addEventListener('keydown', event => {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.target.closest?.('input, select, textarea, [contenteditable], dialog')) return;
    if (document.querySelector('dialog[open]')) return;
    handle(event);
  });
}

/**
 * Builds a view when it is first shown or printed, because most readers open only one or two views. Returns a function that builds it again
 * the next time it is shown, and so rarely that this takes at most a twentieth of the time.
 */
export function whenShown(selection, tab, build) {
  let isBuilt = false, isStale = false, next = 0;
  function make() {
    const began = performance.now();
    build(isBuilt);
    isBuilt = true;
    isStale = false;
    next = began + 20 * (performance.now() - began);
  }
  function check() {
    if (selection.tab === tab && (!isBuilt || isStale)) make();
  }
  selection.subscribe(check);
  check();
  addEventListener('beforeprint', () => { if (!isBuilt || isStale) make(); });
  return isLast => {
    isStale = isBuilt;
    if (isLast || performance.now() >= next) check();
  };
}

/** Makes a section of a view that is read from top to bottom. */
export function readingPart(title, ...content) {
  return h('section', {class: 'part'}, h('h2', {}, title), content);
}
