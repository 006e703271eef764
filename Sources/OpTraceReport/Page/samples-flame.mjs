// Where processor time was used: the samples as a flame graph. Callers are above what they call; widths are
// proportional to the time used.
import {counted, durationText, percentText} from './format.mjs';
import {h} from './dom.mjs';
import {callOf, samplesLike, samplesOfWork} from './samples.mjs';
import {CALLS} from './words.mjs';
import {FlameGraph} from '../../COpTraceScripts/Scripts/flame.mjs';
import {TextWidths, shortened} from '../../COpTraceScripts/Scripts/names.mjs';
import {Tip} from '../../COpTraceScripts/Scripts/elements.mjs';

const ROW = 19;
const FONT = '11px system-ui';
// Fractions of the whole width: a pixel or so, and what a name needs. The panel is a third as wide as a view.
const IN_PANEL = {narrowest: 0.004, narrowestName: 0.06, hasSearch: false};
const IN_VIEW = {narrowest: 0.001, narrowestName: 0.02, hasSearch: true};

/**
 * Merges the stacks of samples from the outermost function on. Returns the nodes of a flame graph, with `{call, own}` added; the root's
 * `call` is -1, and the children with the most samples come first. `indexes` are those of the samples.
 */
export function mergedStacks(model, indexes) {
  const {call, times} = model.samples;
  const {caller} = model.calls;
  const made = (row) => ({call: row, weight: 0, own: 0, start: 0, children: [], parent: null});
  const root = made(-1);
  const nodes = new Map([[-1, root]]);
  const nodeOf = (row) => {
    let node = nodes.get(row);
    if (node) return node;
    node = made(row);
    nodes.set(row, node);
    // Callers have lower rows, except in damaged data.
    node.parent = nodeOf(caller[row] < row ? caller[row] : -1);
    node.parent.children.push(node);
    return node;
  };
  for (const index of indexes) nodeOf(call[index]).own += times[index];
  const sorted = [...nodes].sort(([one], [other]) => one - other).map(([, node]) => node);
  // The first pass starts with the highest row, so that all callees of a node come before it. The second goes the other
  // way, because callers determine where callees begin.
  for (const node of [...sorted].reverse()) {
    node.weight += node.own;
    if (node.parent) node.parent.weight += node.weight;
    node.children.sort((one, other) => other.weight - one.weight || one.call - other.call);
  }
  for (const {start, children} of sorted) children.reduce((at, child) => (child.start = at) + child.weight, start);
  return root;
}

/** Returns the look of a call. Functions of the same module have the same colour. */
export function flameLook(call) {
  if (call.flag) return 'flame-other';
  let hash = 7;
  for (const letter of call.module ?? '') hash = (hash * 31 + letter.codePointAt(0)) % 9973;
  return call.isOwn ? `flame-own-${hash % 4}` : `flame-library-${hash % 3}`;
}

class SamplesFlame {
  #width = 0;

  constructor(model, all, name, size) {
    Object.assign(this, {model, name, all, size, narrowest: size.narrowest, choice: 0});
    this.plot = h('div', {class: 'flame', role: 'group', 'aria-label': `Flame graph of ${name}: arrow keys move, Enter enlarges, 0 shows all${size.hasSearch ? ', slash searches' : ''}`,
      onkeydown: event => this.graph.key(event)});
    this.details = h('p', {class: 'flame-details faint'});
    this.switch = h('p', {class: 'flame-switch', role: 'group', 'aria-label': 'Whose samples'}, all.map(({words}, index) => h('button',
      {type: 'button', onclick: () => this.choose(index)}, words)));
    const field = size.hasSearch ? h('input', {type: 'search', placeholder: 'Function or module', 'aria-label': 'Search functions and modules', spellcheck: 'false', autocomplete: 'off'}) : null;
    this.status = h('span', {class: 'faint', role: 'status'});
    this.drawing = h('div', {class: 'flame-drawing'}, this.plot);
    this.element = h('div', {class: 'flame-part'}, all.length > 1 && this.switch, field && h('p', {class: 'flame-search'}, field, this.status),
      this.drawing, this.details);
    this.widths = new TextWidths(document.createElement('canvas').getContext('2d'));
    this.graph = new FlameGraph(this, field, new Tip(this.drawing));
    this.element.flame = this;
    this.element.takeOver = ({flame}) => this.takeOver(flame);
    this.choose(0);
    // The length of names depends on the room for them.
    new ResizeObserver(() => {
      if (this.plot.clientWidth === this.#width) return;
      this.#width = this.plot.clientWidth;
      for (const box of this.plot.children) this.#label(box);
    }).observe(this.plot);
  }

  choose(index) {
    this.choice = index;
    this.graph.show(mergedStacks(this.model, this.all[index].indexes));
    for (const [at, button] of [...this.switch.children].entries()) button.setAttribute('aria-pressed', String(at === index));
  }

  /** Takes over the state when there is more data: what was chosen, zoomed and searched for stays so. */
  takeOver(last) {
    if (!last) return;
    if (last.choice < this.all.length) this.choose(last.choice);
    const find = (node) => node.call === last.graph.zoomed.call ? node : node.children.reduce((found, child) => found ?? find(child), null);
    this.graph.zoom(find(this.graph.root) ?? this.graph.root);
    if (!this.graph.field) return;
    this.graph.field.value = last.graph.field.value;
    this.graph.search();
  }

  place(boxes) {
    const depth = boxes.reduce((most, box) => Math.max(most, box.depth), 0);
    this.plot.style.setProperty('height', `${(depth + 1) * ROW}px`);
    const buttons = boxes.map(({node, depth, from, to, isAbove}) => {
      const call = this.call(node);
      const name = h('bdi', {}, call.title);
      const button = h('button', {type: 'button', 'aria-label': this.lines(node).join(', '),
        class: `flame-box ${flameLook(call)}${isAbove ? ' above' : ''}${call.flag === 'joined' ? ' flame-joined' : ''}`,
        css: {left: `${100 * from}%`, width: `${100 * (to - from)}%`, top: `${depth * ROW}px`}}, to - from > this.size.narrowestName && name);
      return Object.assign(button, {share: to - from, call});
    });
    this.plot.replaceChildren(...buttons);
    for (const button of buttons) this.#label(button);
    return buttons;
  }

  // Before the graph is shown, it has no width; names are cut by the style sheet then.
  #label(button) {
    if (this.#width > 0 && button.firstChild) button.firstChild.textContent = shortened(button.call.title, button.share * this.#width - 7, (text) => this.widths.of(text, FONT));
  }

  /** Returns the call of a node. The root stands for all calls. */
  call(node) { return node.call < 0 ? {title: 'all', flag: 'all', module: null, isOwn: false, location: null} : callOf(this.model, node.call); }

  lines(node) {
    const {model, graph: {root}} = this;
    const call = this.call(node);
    const time = (count) => durationText(count * model.samplePeriod);
    const whole = node === root ? counted(root.weight, 'sample') : `${percentText(node.weight / Math.max(1, root.weight))}, ${counted(node.weight, 'sample')}`;
    return [call.title, call.location ?? (call.module === call.title ? '' : call.module ?? ''), `${time(node.weight)}, ${whole}`,
      node.own > 0 && node.own < node.weight ? `its own code ${time(node.own)}` : '', CALLS[call.flag]?.note ?? ''].filter(Boolean);
  }

  texts(node) {
    const {title, location, module} = this.call(node);
    return [title, location, module];
  }

  percent(share) { return percentText(share); }

  tell(lines) { this.details.textContent = lines.join(' · '); }

  answer({nodes, weight, isAsked}, root) {
    this.status.textContent = !isAsked ? '' : nodes.size === 0 ? 'nothing found'
      : `${counted(nodes.size, 'box', 'boxes')}, ${durationText(weight * this.model.samplePeriod)}, ${percentText(weight / Math.max(1, root.weight))}`;
  }
}

/** Shows the samples of the selected work and, if there are more, those of all similar work; null: there are none. */
export function flameView(model, row) {
  const own = samplesOfWork(model, row);
  const like = samplesLike(model, row);
  const {samplePeriod} = model;
  if (like.indexes.length === 0 || !(samplePeriod > 0)) return null;
  const all = [];
  if (own.length > 0) all.push({words: `this ${model.kind(row)}`, indexes: own});
  if (like.works > 1) all.push({words: `all of ${like.name}`, indexes: like.indexes});
  if (all.length === 0) return null;
  return new SamplesFlame(model, all, model.name(row), IN_PANEL).element;
}

/** Shows the samples of the whole run, whatever they were taken in. */
export function wholeFlame(model) {
  const indexes = Array.from({length: model.samples.count}, (_, index) => index);
  return new SamplesFlame(model, [{words: 'all samples', indexes}], 'the whole run', IN_VIEW).element;
}
