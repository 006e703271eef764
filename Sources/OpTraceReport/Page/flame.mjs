// Where processor time was used: samples as a flame graph, callers above what they call, as wide as the time that they used.
import {counted, durationText, percentText} from './format.mjs';
import {h} from './dom.mjs';
import {callOf, samplesLike, samplesOfWork} from './samples.mjs';
import {CALLS} from './words.mjs';

const ROW = 19;
// Of the whole width: a pixel or so, and what a name needs. The panel is a third as wide as a view.
const IN_PANEL = {narrowest: 0.004, narrowestName: 0.06, hasSearch: false};
const IN_VIEW = {narrowest: 0.001, narrowestName: 0.02, hasSearch: true};

/**
 * The stacks of samples, merged from the outermost function on: `{call, count, own, children}` with the root's `call` -1, children with the
 * most samples first. `indexes`: of the samples.
 */
export function mergedStacks(model, indexes) {
  const {call, times} = model.samples;
  const {caller} = model.calls;
  const root = {call: -1, count: 0, own: 0, children: [], parent: null};
  const nodes = new Map([[-1, root]]);
  const nodeOf = (row) => {
    let node = nodes.get(row);
    if (node) return node;
    node = {call: row, count: 0, own: 0, children: [], parent: null};
    nodes.set(row, node);
    // Callers have lower rows, but for damage.
    node.parent = nodeOf(caller[row] < row ? caller[row] : -1);
    node.parent.children.push(node);
    return node;
  };
  for (const index of indexes) nodeOf(call[index]).own += times[index];
  // From the highest row on, so that all of a node's callees are before it.
  for (const [, node] of [...nodes].sort(([one], [other]) => other - one)) {
    node.count += node.own;
    if (node.parent) node.parent.count += node.count;
    node.children.sort((one, other) => other.count - one.count || one.call - other.call);
  }
  return root;
}

/** What is drawn where `zoomed` fills the width: `{node, depth, from, to}` as shares of it; what is too narrow to be seen is left out. */
export function flameBoxes(zoomed, narrowest = IN_PANEL.narrowest) {
  const boxes = [];
  const path = [];
  for (let node = zoomed.parent; node; node = node.parent) path.unshift(node);
  for (const node of path) boxes.push({node, depth: boxes.length, from: 0, to: 1, isOutside: true});
  const add = (node, depth, from) => {
    boxes.push({node, depth, from, to: from + node.count / Math.max(1, zoomed.count)});
    for (const child of node.children) {
      if (child.count < zoomed.count * narrowest) break;
      add(child, depth + 1, from);
      from += child.count / Math.max(1, zoomed.count);
    }
  };
  add(zoomed, path.length, 0);
  return boxes;
}

/**
 * The boxes in which a function's name, location or module has the words: `calls`, as a set; `boxes`, how many; and `count`, the samples in
 * them, those of a box inside of another one counted once.
 */
export function foundCalls(model, root, words) {
  const wanted = words.trim().toLowerCase();
  const found = {calls: new Set(), boxes: 0, count: 0};
  if (wanted === '') return found;
  const rest = root.children.map((node) => ({node, isInside: false}));
  while (rest.length > 0) {
    const {node, isInside} = rest.pop();
    const {title, location, module} = callOf(model, node.call);
    const isFound = [title, location, module].some((text) => text?.toLowerCase().includes(wanted));
    if (isFound) {
      found.calls.add(node.call);
      found.boxes += 1;
      if (!isInside) found.count += node.count;
    }
    for (const child of node.children) rest.push({node: child, isInside: isInside || isFound});
  }
  return found;
}

/** The same module has the same colour. */
export function flameLook(call) {
  if (call.flag) return 'flame-other';
  let hash = 7;
  for (const letter of call.module ?? '') hash = (hash * 31 + letter.codePointAt(0)) % 9973;
  return call.isOwn ? `flame-own-${hash % 4}` : `flame-library-${hash % 3}`;
}

class Flame {
  constructor(model, all, name, size) {
    Object.assign(this, {model, name, all, size, choice: 0, found: null});
    this.drawing = h('div', {class: 'flame', role: 'group', onkeydown: event => this.key(event)});
    this.details = h('p', {class: 'flame-details faint'});
    this.switch = h('p', {class: 'flame-switch', role: 'group', 'aria-label': 'Whose samples'}, all.length > 1 && all.map(({words}, index) => h('button',
      {type: 'button', onclick: () => this.choose(index)}, words)));
    this.field = h('input', {type: 'search', placeholder: 'Function or module', 'aria-label': 'Search functions and modules', spellcheck: 'false', autocomplete: 'off',
      oninput: () => this.search(), onkeydown: event => this.fieldKey(event)});
    this.answer = h('span', {class: 'faint', role: 'status'});
    this.element = h('div', {class: 'flame-part'}, all.length > 1 && this.switch, size.hasSearch && h('p', {class: 'flame-search'}, this.field, this.answer),
      this.drawing, this.details);
    this.element.flame = this;
    this.element.takeOver = ({flame}) => this.takeOver(flame);
    this.choose(0);
  }

  choose(index) {
    this.choice = index;
    this.root = mergedStacks(this.model, this.all[index].indexes);
    for (const [at, button] of [...this.switch.querySelectorAll('button')].entries()) button.setAttribute('aria-pressed', String(at === index));
    this.zoom(this.root);
    this.search();
  }

  /** There is more: what was chosen and enlarged stays so. */
  takeOver(last) {
    if (!last) return;
    if (last.choice < this.all.length) this.choose(last.choice);
    const find = (node) => node.call === last.zoomed.call ? node : node.children.reduce((found, child) => found ?? find(child), null);
    this.zoom(find(this.root) ?? this.root);
    this.field.value = last.field.value;
    this.search();
  }

  zoom(node, focused = null) {
    this.zoomed = node;
    this.boxes = flameBoxes(node, this.size.narrowest);
    this.buttons = this.boxes.map((box) => this.button(box));
    const depth = this.boxes.reduce((most, box) => Math.max(most, box.depth), 0);
    this.drawing.style.setProperty('height', `${(depth + 1) * ROW}px`);
    this.drawing.setAttribute('aria-label', `Flame graph of ${this.name}: arrow keys move, Enter enlarges, 0 shows all${this.size.hasSearch ? ', slash searches' : ''}`);
    this.drawing.replaceChildren(...this.buttons);
    this.mark();
    const at = Math.max(0, this.boxes.findIndex((box) => box.node === (focused ?? node)));
    this.point(at);
    if (focused) this.buttons[at].focus();
  }

  button({node, depth, from, to, isOutside}) {
    const call = this.call(node);
    const text = this.texts(node, call);
    return h('button', {
      type: 'button', tabindex: '-1', class: `flame-box ${flameLook(call)}${isOutside ? ' flame-outside' : ''}${call.flag === 'joined' ? ' flame-joined' : ''}`,
      css: {left: `${100 * from}%`, width: `${100 * (to - from)}%`, top: `${depth * ROW}px`}, title: text.join('\n'), 'aria-label': text.join(', '),
      onclick: () => this.zoom(node, node), onfocus: event => this.point(this.buttons.indexOf(event.target)), onpointerenter: () => this.tell(node),
    }, to - from > this.size.narrowestName && h('bdi', {}, call.title));
  }

  /** Of the root, what all of it is. */
  call(node) { return node.call < 0 ? {title: 'all', flag: 'all', module: null, isOwn: false, location: null} : callOf(this.model, node.call); }

  texts(node, call) {
    const {model, root} = this;
    const time = (count) => durationText(count * model.samplePeriod);
    const whole = node === root ? counted(root.count, 'sample') : `${percentText(node.count / Math.max(1, root.count))}, ${counted(node.count, 'sample')}`;
    return [call.title, call.location ?? (call.module === call.title ? '' : call.module ?? ''), `${time(node.count)}, ${whole}`,
      node.own > 0 && node.own < node.count ? `its own code ${time(node.own)}` : '', CALLS[call.flag]?.note ?? ''].filter(Boolean);
  }

  // MARK: Search

  search() {
    const {model, root, field} = this;
    this.found = foundCalls(model, root, field.value);
    const {boxes, count} = this.found;
    this.answer.textContent = field.value.trim() === '' ? '' : boxes === 0 ? 'nothing found'
      : `${counted(boxes, 'box', 'boxes')}, ${durationText(count * model.samplePeriod)}, ${percentText(count / Math.max(1, root.count))}`;
    this.mark();
  }

  mark() {
    for (const [at, button] of this.buttons.entries()) button.classList.toggle('flame-hit', this.found?.calls.has(this.boxes[at].node.call) ?? false);
  }

  fieldKey(event) {
    if (event.key !== 'Escape' || event.ctrlKey || event.metaKey || event.altKey) return;
    this.field.value = '';
    this.search();
    this.buttons[this.pointed].focus();
    event.preventDefault();
    event.stopPropagation();
  }

  // MARK: The box that the keyboard is on

  point(index) {
    for (const [at, button] of this.buttons.entries()) button.setAttribute('tabindex', at === index ? '0' : '-1');
    this.pointed = index;
    this.tell(this.boxes[index].node);
  }

  tell(node) { this.details.textContent = this.texts(node, this.call(node)).join(' · '); }

  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const {node, depth} = this.boxes[this.pointed];
    const beside = this.boxes.map((box, index) => ({box, index})).filter(({box}) => box.depth === depth).map(({index}) => index);
    const target = {
      ArrowUp: () => this.boxes.findIndex((box) => box.node === node.parent),
      ArrowDown: () => this.boxes.findIndex((box) => box.node.parent === node && (!this.boxes[this.pointed].isOutside || box.isOutside || box.node === this.zoomed)),
      ArrowLeft: () => beside[beside.indexOf(this.pointed) - 1] ?? -1,
      ArrowRight: () => beside[beside.indexOf(this.pointed) + 1] ?? -1,
    }[event.key];
    if (target) {
      const at = target();
      if (at >= 0) this.buttons[at].focus();
    } else if (event.key === '0' || (event.key === 'Escape' && this.zoomed !== this.root)) {
      this.zoom(this.root, this.root);
    } else if (event.key === '/' && this.size.hasSearch) {
      this.field.focus();
      this.field.select();
    } else {
      return;
    }
    event.preventDefault();
    event.stopPropagation();
  }
}

/** The samples of selected work, and those of all work like it, where there is more; null: there are none. */
export function flameView(model, row) {
  const own = samplesOfWork(model, row);
  const like = samplesLike(model, row);
  const {samplePeriod} = model;
  if (like.indexes.length === 0 || !(samplePeriod > 0)) return null;
  const all = [];
  if (own.length > 0) all.push({words: `this ${model.kind(row)}`, indexes: own});
  if (like.works > 1) all.push({words: `all of ${like.name}`, indexes: like.indexes});
  if (all.length === 0) return null;
  return new Flame(model, all, model.name(row), IN_PANEL).element;
}

/** The samples of the whole run, whatever they were taken in. */
export function wholeFlame(model) {
  const indexes = Array.from({length: model.samples.count}, (_, index) => index);
  return new Flame(model, [{words: 'all samples', indexes}], 'the whole run', IN_VIEW).element;
}
