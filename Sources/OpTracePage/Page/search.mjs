// Finds work by a part of its name or class, or by number: a combobox with a list below.
import {grouped} from './format.mjs';
import {h, nameText, onPageKey, sign} from './dom.mjs';

/** Runs the last of several calls that follow each other closely. `clock` replaces the timers in tests. */
export class Debounce {
  constructor(run, clock = {start: (act, delay) => setTimeout(act, delay), stop: timer => clearTimeout(timer)}) {
    this.run = run;
    this.clock = clock;
    this.timer = null;
  }

  call(delay, ...values) {
    this.cancel();
    this.timer = this.clock.start(() => {
      this.timer = null;
      this.run(...values);
    }, delay);
  }

  cancel() {
    if (this.timer !== null) this.clock.stop(this.timer);
    this.timer = null;
  }

  get isPending() { return this.timer !== null; }
}

/** Returns how many milliseconds to wait for more letters, given how long the last search took. A large trace is not searched after every letter. */
export function searchDelay(lastDuration) {
  return Math.min(600, Math.max(60, 2 * lastDuration));
}

/** `3 found`, `50 of 1,200 found`, `nothing found` */
export function foundText(shown, total) {
  if (total === 0) return 'nothing found';
  return shown < total ? `${grouped(shown)} of ${grouped(total)} found` : `${grouped(total)} found`;
}

/**
 * Finds work: `#5` by its id; anything else in parts of names and classes, ignoring case. If there are more than `most`, the longest come
 * first. Returns {rows, total}.
 */
export function findWork(model, text, most = 50) {
  const wanted = text.trim().toLowerCase();
  if (wanted === '') return {rows: [], total: 0};
  if (/^#\d+$/.test(wanted)) {
    const row = model.rowOf(Number(wanted.slice(1)));
    return row < 0 ? {rows: [], total: 0} : {rows: [row], total: 1};
  }
  const matches = Uint8Array.from(model.strings, (string) => (string.toLowerCase().includes(wanted) ? 1 : 0));
  const rows = [];
  const {name, class: className, function: functionName} = model.operations;
  for (let row = 0; row < model.count; row++) {
    if ((name[row] >= 0 && matches[name[row]]) || matches[className[row]] || matches[functionName[row]]) rows.push(row);
  }
  const total = rows.length;
  if (total <= most) return {rows, total};
  const lengths = new Map(rows.map((row) => {
    const span = model.span(row);
    return [row, span ? span.end - span.begin : 0];
  }));
  return {rows: rows.sort((one, other) => lengths.get(other) - lengths.get(one) || one - other).slice(0, most), total};
}

export function mountSearch(element, model, selection) {
  // Results are kept by id, because rows may move.
  let found = [], active = -1, lastDuration = 0, before = null;
  const list = h('ul', {id: 'search-list', role: 'listbox', 'aria-label': 'What was found'});
  const count = h('p', {class: 'search-count', role: 'status'});
  const popup = h('div', {class: 'search-popup', hidden: true}, count, list);
  const field = h('input', {type: 'search', id: 'search-field', role: 'combobox', autocomplete: 'off', spellcheck: 'false', enterkeyhint: 'go',
    placeholder: `Search ${model.nouns}`, 'aria-label': `Search ${model.nouns} by name, class or #number`, 'aria-keyshortcuts': '/',
    'aria-autocomplete': 'list', 'aria-expanded': 'false', 'aria-controls': 'search-list'});
  element.append(h('span', {class: 'search-field'}, field, h('kbd', {'aria-hidden': 'true'}, '/')), popup);
  const debounce = new Debounce(find);

  function find(text) {
    const began = performance.now();
    const {rows, total} = text === '' ? {rows: [], total: 0} : findWork(model, text);
    lastDuration = performance.now() - began;
    found = rows.map(row => model.id(row));
    count.textContent = text === '' ? '' : foundText(rows.length, total);
    list.replaceChildren(...rows.map((row, index) => option(row, index)));
    open(text !== '');
    activate(rows.length > 0 ? 0 : -1);
  }
  function option(row, index) {
    const queue = model.queues[model.queue(row)];
    return h('li', {role: 'option', id: `found-${index}`, 'aria-selected': 'false', 'aria-label': [`${model.name(row)} #${model.id(row)}`, queue?.name, model.stateText(row)].filter(Boolean).join(', '),
      onpointerdown: event => event.preventDefault(), onclick: () => choose(index)},
      sign(model.state(row)), nameText(model.name(row)), h('span', {class: 'number'}, `#${model.id(row)}`),
      h('span', {class: 'beside'}, [queue?.name ?? (model.isTask(row) && 'task'), model.stateText(row)].filter(Boolean).join(' · ')));
  }
  function open(isOpen) {
    popup.hidden = !isOpen;
    field.setAttribute('aria-expanded', String(isOpen && found.length > 0));
    if (!isOpen) field.removeAttribute('aria-activedescendant');
  }
  function activate(index) {
    list.children[active]?.setAttribute('aria-selected', 'false');
    active = index;
    const item = list.children[index];
    if (!item) return field.removeAttribute('aria-activedescendant');
    item.setAttribute('aria-selected', 'true');
    item.scrollIntoView({block: 'nearest'});
    field.setAttribute('aria-activedescendant', item.id);
  }
  function choose(index) {
    if (index < 0 || index >= found.length) return;
    selection.select(model.rowOf(found[index]));
    open(false);
  }

  field.addEventListener('input', () => debounce.call(searchDelay(lastDuration), field.value.trim()));
  field.addEventListener('focus', () => { if (found.length > 0) open(true); });
  field.addEventListener('blur', () => open(false));
  field.addEventListener('keydown', event => {
    if (event.isComposing) return;
    const steps = {ArrowDown: 1, ArrowUp: -1, PageDown: 10, PageUp: -10};
    if (event.key in steps && found.length > 0) {
      event.preventDefault();
      if (popup.hidden) return open(true);
      const step = steps[event.key];
      const next = active + step;
      // A single step wraps around, a page step stops at the end.
      activate(Math.abs(step) === 1 ? (next + found.length) % found.length : Math.min(found.length - 1, Math.max(0, next)));
    } else if (event.key === 'Enter') {
      event.preventDefault();
      if (debounce.isPending) {
        debounce.cancel();
        find(field.value.trim());
      }
      choose(active);
    } else if (event.key === 'Escape') {
      event.preventDefault();
      event.stopPropagation();
      debounce.cancel();
      if (popup.hidden) {
        field.value = '';
        find('');
      }
      open(false);
      if (before?.isConnected) before.focus();
      else field.blur();
    }
  });
  onPageKey(event => {
    if (event.key !== '/') return;
    event.preventDefault();
    before = document.activeElement === document.body ? null : document.activeElement;
    field.focus();
    field.select();
  });
  // The results stay as they were at the time of the search.
  return () => {
    field.placeholder = `Search ${model.nouns}`;
    field.setAttribute('aria-label', `Search ${model.nouns} by name, class or #number`);
  };
}
