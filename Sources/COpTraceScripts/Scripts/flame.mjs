// A flame graph, wherever it is drawn: callers above what they call, as wide as the time that they used. A click or Enter enlarges, arrows go from
// box to box, a search marks boxes.
//
// Its nodes are `{parent, children, start, weight}`, in one unit of time; children come in the order of their starts.

/** What is drawn where `zoomed` fills the width: `{node, depth, from, to}` as shares of it; what is narrower than `narrowest` is left out. */
export function flameBoxes(zoomed, narrowest) {
  const boxes = [];
  const path = [];
  for (let node = zoomed.parent; node; node = node.parent) path.unshift(node);
  for (const node of path) boxes.push({node, depth: boxes.length, from: 0, to: 1, isAbove: true});
  const whole = Math.max(1, zoomed.weight);
  const add = (node, depth) => {
    const from = (node.start - zoomed.start) / whole;
    boxes.push({node, depth, from, to: from + node.weight / whole, isAbove: false});
    for (const child of node.children) if (child.weight >= whole * narrowest) add(child, depth + 1);
  };
  add(zoomed, path.length);
  // The enlarged one fills the width, whatever it weighs.
  boxes[path.length].to = 1;
  return boxes;
}

/** The nodes below the root in whose texts the words are, and their weight: those inside of another one are counted once. */
export function foundNodes(root, words, textsOf) {
  const wanted = words.trim().toLowerCase();
  const found = {nodes: new Set(), weight: 0, isAsked: wanted !== ''};
  const rest = found.isAsked ? root.children.map((node) => ({node, isInside: false})) : [];
  while (rest.length > 0) {
    const {node, isInside} = rest.pop();
    const isFound = textsOf(node).some((text) => text?.toLowerCase().includes(wanted));
    if (isFound) found.nodes.add(node);
    if (isFound && !isInside) found.weight += node.weight;
    for (const child of node.children) rest.push({node: child, isInside: isInside || isFound});
  }
  return found;
}

export class FlameGraph {
  /**
   * `surface` draws it and has the words: `plot`, the element with the boxes; `narrowest`, a share of the width; `place(boxes)`, which returns their
   * elements; `lines(node)`, what is told of one; `texts(node)`, what is searched; `percent(share)`; `tell(lines)`, for all that do not point;
   * `answer(found, root)`. `field`: that of the search, null: there is none. `tip`: beside the pointer.
   */
  constructor(surface, field, tip) {
    Object.assign(this, {surface, field, tip});
    const {plot} = surface;
    plot.addEventListener('click', (event) => this.#click(this.#nodeAt(event)));
    plot.addEventListener('pointermove', (event) => this.#hover(event));
    plot.addEventListener('pointerleave', () => this.#hover(null));
    plot.addEventListener('focusin', (event) => {
      const node = this.#nodeAt(event);
      if (node) this.#point(node);
    });
    field?.addEventListener('input', () => this.search());
    field?.addEventListener('keydown', (event) => this.#fieldKey(event));
  }

  /** Shows another whole. */
  show(root) {
    this.root = root;
    this.zoom(root);
    this.search();
  }

  zoom(node, focused = null) {
    this.zoomed = node;
    this.arrange();
    this.#point(focused ?? node);
    this.tip.show(null);
    if (focused) this.#focus(focused);
  }

  /** Draws what there is where it is now; after the width has changed, too. */
  arrange() {
    this.boxes = flameBoxes(this.zoomed, this.surface.narrowest);
    const elements = this.surface.place(this.boxes);
    this.elements = new Map(this.boxes.map(({node}, at) => [node, elements[at]]));
    this.nodes = new Map(this.boxes.map(({node}, at) => [elements[at], node]));
    for (const [node, element] of this.elements) element.setAttribute('tabindex', node === this.pointed ? '0' : '-1');
    this.#mark();
  }

  #nodeAt(event) {
    for (let element = event.target; element && element !== this.surface.plot; element = element.parentNode) {
      if (this.nodes.has(element)) return this.nodes.get(element);
    }
    return null;
  }

  // One that is enlarged gives way to its caller.
  #click(node) {
    if (node) this.zoom(node === this.zoomed && node.parent ? node.parent : node, node);
  }

  // MARK: What is told

  #lines(node) {
    const lines = this.surface.lines(node);
    let above = node.parent;
    while (above && above !== this.zoomed) above = above.parent;
    if (!above || this.zoomed === this.root) return lines;
    return [...lines, `${this.surface.percent(node.weight / Math.max(1, this.zoomed.weight))} of what is shown`];
  }

  #tell(node) { this.surface.tell(this.#lines(node), node === this.root && this.zoomed === this.root); }

  #hover(event) {
    const node = event && this.#nodeAt(event);
    this.tip.show(node && this.#lines(node), event);
    this.#tell(node ?? this.pointed);
  }

  // MARK: The box that the keyboard is on

  #focus(node) { this.elements.get(node)?.focus({preventScroll: true}); }

  #point(node) {
    this.elements.get(this.pointed)?.setAttribute('tabindex', '-1');
    this.pointed = this.elements.has(node) ? node : this.zoomed;
    this.elements.get(this.pointed).setAttribute('tabindex', '0');
    this.#tell(this.pointed);
  }

  /** What a key does; with `isInside`, also those that need a box: true if it did something. */
  key(event, isInside = true) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const action = this.#actions[event.key] ?? (isInside ? this.#actionsInside[event.key] : undefined);
    if (!action || action() === false) return;
    event.preventDefault();
    event.stopPropagation();
  }

  #actions = {
    '/': () => this.seek(),
    Escape: () => {
      if (this.zoomed !== this.root) return this.zoom(this.root, this.root);
      return this.#clear();
    },
  };

  #actionsInside = {
    Enter: () => this.#click(this.pointed),
    ' ': () => this.#click(this.pointed),
    0: () => this.zoom(this.root, this.root),
    ArrowUp: () => this.#go(this.boxes.find(({node}) => node === this.pointed.parent)),
    ArrowDown: () => this.#go(this.boxes.find(({node}) => node.parent === this.pointed)),
    ArrowLeft: () => this.#goBeside(-1),
    ArrowRight: () => this.#goBeside(1),
  };

  #go(box) {
    if (box) this.elements.get(box.node).focus();
  }

  #goBeside(step) {
    const {depth} = this.boxes.find(({node}) => node === this.pointed);
    const beside = this.boxes.filter((box) => box.depth === depth);
    this.#go(beside[beside.findIndex(({node}) => node === this.pointed) + step]);
  }

  // MARK: Search

  /** Goes to the field; false: there is none. */
  seek() {
    if (!this.field) return false;
    this.field.focus();
    this.field.select();
    return true;
  }

  search() {
    this.found = foundNodes(this.root, this.field?.value ?? '', (node) => this.surface.texts(node));
    this.surface.answer(this.found, this.root);
    this.#mark();
  }

  // False: nothing was sought.
  #clear() {
    if (!this.field || this.field.value === '') return false;
    this.field.value = '';
    this.search();
    return true;
  }

  #mark() {
    for (const [node, element] of this.elements) element.classList.toggle('hit', this.found?.nodes.has(node) ?? false);
    this.surface.plot.classList.toggle('searching', this.found?.isAsked ?? false);
  }

  #fieldKey(event) {
    if (event.key !== 'Escape' || event.ctrlKey || event.metaKey || event.altKey) return;
    this.#clear();
    this.#focus(this.pointed);
    event.preventDefault();
    event.stopPropagation();
  }
}
