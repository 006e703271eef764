// Where processor time was used: the samples as a flame graph. Callers are above what they call; widths are
// proportional to the time used.
import {counted, durationText, percentText} from '../../OpTracePage/Page/format.mjs';
import {h} from '../../OpTracePage/Page/dom.mjs';
import {callOf, samplesLike, samplesOfWork} from '../../OpTracePage/Page/samples.mjs';
import {CALLS} from '../../OpTracePage/Page/words.mjs';
import {FlameBoxes} from '../../OpTracePage/Page/flame-boxes.mjs';

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

class SamplesFlame extends FlameBoxes {
  constructor(model, all, name, {hasSearch, ...size}) {
    const buttons = all.map(({words}, index) => h('button', {type: 'button', onclick: () => this.choose(index)}, words));
    super(name, size, hasSearch ? ['Function or module', 'Search functions and modules'] : null, all.length > 1 && h('p', {class: 'flame-switch', role: 'group', 'aria-label': 'Whose samples'}, buttons));
    Object.assign(this, {model, all, buttons});
    this.choose(0);
  }

  choose(index) {
    this.choice = index;
    this.graph.show(mergedStacks(this.model, this.all[index].indexes));
    for (const [at, button] of this.buttons.entries()) button.setAttribute('aria-pressed', String(at === index));
  }

  /** What was chosen stays so, too. */
  takeOver(last) {
    if (last.choice < this.all.length) this.choose(last.choice);
    super.takeOver(last);
  }

  keyOf(node) { return node.call; }

  box(node) {
    const call = this.call(node);
    return {title: call.title, css: `${flameLook(call)}${call.flag === 'joined' ? ' flame-joined' : ''}`};
  }

  /** Returns the call of a node. The root stands for all calls. */
  call(node) { return node.call < 0 ? {title: 'all', flag: 'all', module: null, isOwn: false, location: null} : callOf(this.model, node.call); }

  lines(node) {
    const {root} = this.graph;
    const call = this.call(node);
    const whole = node === root ? counted(root.weight, 'sample') : `${percentText(node.weight / Math.max(1, root.weight))}, ${counted(node.weight, 'sample')}`;
    return [call.title, call.location ?? (call.module === call.title ? '' : call.module ?? ''), `${this.amount(node.weight)}, ${whole}`,
      node.own > 0 && node.own < node.weight ? `its own code ${this.amount(node.own)}` : '', CALLS[call.flag]?.note ?? ''].filter(Boolean);
  }

  texts(node) {
    const {title, location, module} = this.call(node);
    return [title, location, module];
  }

  amount(weight) { return durationText(weight * this.model.samplePeriod); }
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
