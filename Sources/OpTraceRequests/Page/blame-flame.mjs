// Where the time of slow units went, as a flame graph: from what they waited for, over who had it and what those waited for, to where it ended.
import {counted, durationText, percentText} from '../../OpTracePage/Page/format.mjs';
import {FlameBoxes} from '../../OpTracePage/Page/flame-boxes.mjs';

const SIZE = {narrowest: 0.001, narrowestName: 0.02};

/**
 * Returns the nodes of a flame graph, with `{row, step}` added; the root has no step. Weights are nanoseconds per unit. `units`: rows of the slow units that count,
 * which are of one kind.
 */
export function blameTree(requests, kind, units) {
  const {blameNodes: {parent, words}, blameUnits, blameShares: {node, time}, shareStarts} = requests;
  const made = (row, step) => ({row, step, weight: 0, start: 0, children: [], parent: null});
  const root = made(-1, null);
  const nodes = Array.from({length: kind.nodes}, (_, row) => made(row, requests.steps[words[kind.firstNode + row]]));
  for (const unit of units) {
    for (let share = shareStarts[unit]; share < shareStarts[unit + 1]; share += 1) nodes[node[share]].weight += time[share] / units.length;
  }
  // A node comes after its parent: backwards, all below it are added before it is.
  for (const one of [...nodes].reverse()) {
    const above = parent[kind.firstNode + one.row];
    one.parent = above < 0 ? root : nodes[above];
    one.parent.weight += one.weight;
    if (one.weight > 0) one.parent.children.push(one);
  }
  for (const one of [root, ...nodes]) {
    one.children.sort((a, b) => b.weight - a.weight || a.row - b.row);
    one.children.reduce((at, child) => (child.start = at) + child.weight, one.start);
  }
  return Object.assign(root, {units: units.length, longest: units.reduce((most, unit) => Math.max(most, blameUnits.length[unit]), 0)});
}

/** The flame graph of a kind's slow units; `show(units)` shows only some of them. */
export class BlameFlame extends FlameBoxes {
  constructor(requests, kind) {
    super(`what slow units of ${kind.name} lose their time to`, SIZE, ['Function, lock, actor, queue', 'Search what time is lost to']);
    Object.assign(this, {requests, kind});
  }

  show(units) { this.graph.show(blameTree(this.requests, this.kind, units)); }

  // The words of the way to it, which stay when numbers move.
  keyOf(node) {
    const path = [];
    for (let one = node; one.step; one = one.parent) path.push(one.step.title);
    return path.join('\n');
  }

  box({step}) { return step ? {title: step.title, css: `step-${step.kind}`} : {title: `slow ${this.kind.name}`, css: 'step-root'}; }

  lines(node) {
    const {root} = this.graph;
    const {step} = node;
    if (!step) return [`slow ${this.kind.name}`, `${durationText(node.weight)} each, on average of ${counted(root.units, 'slow unit')}`];
    return [step.title, step.text, `${durationText(node.weight)} each, ${percentText(node.weight / Math.max(1, root.weight))} of their time`,
      step.culprit && `blamed on ${step.culprit}`].filter(Boolean);
  }

  texts({step}) { return step ? [step.title, step.text] : []; }

  amount(weight) { return `${durationText(weight)} each`; }
}
