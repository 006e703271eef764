// What lives at the end as a flame graph: callers above what they call, as wide as the bytes that live of what they and all that they called allocated.
import {percentText} from '../../OpTracePage/Page/format.mjs';
import {FlameBoxes} from '../../OpTracePage/Page/flame-boxes.mjs';
import {memoryText} from './memory-curve.mjs';

const MEMORY_SIZE = {narrowest: 0.001, narrowestName: 0.02};

/** Returns the nodes of a flame graph, with `{row, call}` added; the root has no call. `rows` are `[parent, function, bytes]`, a parent before what it called. */
export function memoryNodes({functions, tree}) {
  const made = (row, call, weight) => ({row, call, weight, start: 0, children: [], parent: null});
  const root = made(-1, null, 0);
  const nodes = tree.map(([, call, bytes], row) => made(row, functions[call], bytes));
  for (const [row, [parent]] of tree.entries()) {
    const above = parent < 0 ? root : nodes[parent];
    nodes[row].parent = above;
    above.children.push(nodes[row]);
    if (parent < 0) root.weight += nodes[row].weight;
  }
  for (const one of [root, ...nodes]) {
    one.children.sort((a, b) => b.weight - a.weight || a.row - b.row);
    one.children.reduce((at, child) => (child.start = at) + child.weight, one.start);
  }
  return root;
}

/** Functions of one module have one colour. */
function memoryLook([, module, , isOwn]) {
  if (!isOwn) return 'memory-library';
  let hash = 5;
  for (const letter of module ?? '') hash = (hash * 31 + letter.codePointAt(0)) % 9973;
  return `memory-own-${hash % 3}`;
}

export class MemoryFlame extends FlameBoxes {
  constructor(memory) {
    super('what lives at the end', MEMORY_SIZE, ['Function or module', 'Search functions and modules']);
    this.graph.show(memoryNodes(memory));
  }

  // The way to it, which stays when rows move.
  keyOf(node) {
    const names = [];
    for (let one = node; one.call; one = one.parent) names.push(one.call[0]);
    return names.join('\n');
  }

  box({call}) { return call ? {title: call[0], css: memoryLook(call)} : {title: 'all that lives', css: 'memory-all'}; }

  lines(node) {
    const {root} = this.graph;
    const {call} = node;
    if (!call) return ['all that lives', memoryText(node.weight)];
    const [title, module, source] = call;
    const own = node.weight - node.children.reduce((sum, {weight}) => sum + weight, 0);
    return [title, source ?? (module === title ? '' : module ?? ''), `${memoryText(node.weight)}, ${percentText(node.weight / Math.max(1, root.weight))} of what lives`,
      own > 0 && own < node.weight ? `allocated by itself ${memoryText(own)}` : ''].filter(Boolean);
  }

  texts({call}) { return call ? call.slice(0, 3) : []; }

  amount(weight) { return memoryText(weight); }
}
