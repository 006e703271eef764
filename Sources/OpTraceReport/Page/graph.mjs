// The dependency graph: the picture that `optrace graph` draws, which the reader can move, zoom and select from.
import {h, operationList, svg, whenShown} from './dom.mjs';

const GRAPH_MOST_ZOOM = 6, GRAPH_LEGIBLE_ZOOM = 0.7, GRAPH_OPENING_ZOOM = 0.8, ZOOM_STEP = 1.3, GRAPH_MARGIN = 16;

/** Returns the view zoomed by `factor`, and moved so that the point of the picture at (x, y) in the window stays there. `view`: {x, y, scale}. */
export function zoomedView(view, factor, x, y, limits) {
  const scale = Math.min(limits.most, Math.max(limits.least, view.scale * factor));
  return {x: view.x + x / view.scale - x / scale, y: view.y + y / view.scale - y / scale, scale};
}

/** Returns the view that shows a whole box in the middle, at no more than `most` times its size. */
export function fittedView(box, width, height, most) {
  const scale = Math.max(1e-3, Math.min(most, (width - 2 * GRAPH_MARGIN) / Math.max(1, box.width), (height - 2 * GRAPH_MARGIN) / Math.max(1, box.height)));
  return {x: box.x + box.width / 2 - width / scale / 2, y: box.y + box.height / 2 - height / scale / 2, scale};
}

/** Returns the box around boxes that are given by their centres. */
export function boxAround(boxes) {
  const edge = (key, size, sign) => boxes.map(box => sign * (box[key] + sign * box[size] / 2)).reduce((most, value) => Math.max(most, value)) * sign;
  const [x, y] = [edge('x', 'width', -1), edge('y', 'height', -1)];
  return {x, y, width: edge('x', 'width', 1) - x, height: edge('y', 'height', 1) - y};
}

/** Returns the view of a part of a picture at this `scale`, with as much of the rest as there is room for. */
export function partView(part, content, width, height, scale) {
  const startOf = (key, size, room) => {
    const margin = GRAPH_MARGIN / scale;
    // Start at the edge of the picture if it is near, because the names of its parts are there.
    if (part[key] + part[size] + 2 * margin <= content[key] + room) return content[key] - margin;
    // A part that is larger than the window is shown from its own start.
    const start = part[size] + 2 * margin > room ? part[key] - margin : part[key] + part[size] / 2 - room / 2;
    const [first, last] = [content[key] - margin, content[key] + content[size] + margin - room];
    return last < first ? content[key] + content[size] / 2 - room / 2 : Math.min(Math.max(start, first), last);
  };
  return {x: startOf('x', 'width', width / scale), y: startOf('y', 'height', height / scale), scale};
}

/** Returns all ids that `links` lead to from `start`, including `start`, and the links on the way. `links`: id -> [[id, link]]. */
export function reachable(start, links) {
  const ids = new Set([start]), passed = [], stack = [start];
  while (stack.length > 0) {
    for (const [id, link] of links.get(stack.pop()) ?? []) {
      passed.push(link);
      if (ids.has(id)) continue;
      ids.add(id);
      stack.push(id);
    }
  }
  return {ids, passed};
}

/** Returns the box that an arrow key leads to: the nearest in that direction; among equally near ones, one with an edge. Null if there is none. */
export function boxTowards(key, from, boxes, linked) {
  const [dx, dy] = {ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1]}[key];
  let best = null, least = Infinity;
  for (const box of boxes) {
    const [x, y] = [box.x - from.x, box.y - from.y];
    const along = x * dx + y * dy, across = Math.abs(x * dy) + Math.abs(y * dx);
    if (along < 1 || across > 3 * along) continue;
    const cost = (along + 2 * across) * (linked.has(box.id) ? 0.5 : 1);
    if (cost < least) [best, least] = [box, cost];
  }
  return best;
}

export function mountGraph(element, model, selection) {
  const drawing = element.querySelector('#drawing');
  const note = h('p', {class: 'graph-note', hidden: true});
  // The style of later drawings. The page's policy allows style sheets that its own script makes.
  const sheet = new CSSStyleSheet();
  let view = null;
  const picture = () => drawing.querySelector(':scope > svg');
  const say = () => {
    note.hidden = !picture() || !model.graphNote;
    note.textContent = model.graphNote ?? '';
    if (!picture()) drawing.replaceChildren(h('p', {class: 'empty'}, model.graphNote ?? 'There is no graph in this report.'));
    else if (model.count === 0) drawing.replaceChildren(h('p', {class: 'empty'}, 'No operation was recorded, so there is nothing to draw.'));
  };
  say();
  const renewShown = whenShown(selection, 'graph', () => {
    const drawn = model.takeDrawing();
    if (drawn) {
      sheet.replaceSync(drawn.style.join('\n'));
      if (!document.adoptedStyleSheets.includes(sheet)) document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet];
      const fresh = document.importNode(new DOMParser().parseFromString(drawn.svg.join('\n'), 'image/svg+xml').documentElement, true);
      if (view) view.renew(fresh);
      else drawing.replaceChildren(fresh);
    }
    say();
    if (view || !picture()) return;
    view = new GraphView(element, picture(), note, model, selection);
    view.start();
  });
  return isLast => { if (model.drawing) renewShown(isLast); };
}

class GraphView {
  constructor(element, picture, note, model, selection) {
    Object.assign(this, {element, picture, model, selection});
    this.frame = element.querySelector('#drawing');
    this.nodes = new Map([...picture.querySelectorAll('.op[id]')].map(node => [node.id, node]));
    this.view = {x: 0, y: 0, scale: 1};
    this.before = new Map();
    this.after = new Map();
    this.fold = h('div', {class: 'fold-list', hidden: true});
    this.percent = h('output', {class: 'zoom-text', 'aria-label': 'Zoom'});
    element.append(h('div', {class: 'graph-tools', role: 'group', 'aria-label': 'Zoom'},
      h('button', {type: 'button', class: 'icon', 'aria-label': 'Zoom out', title: 'Zoom out (−)', onclick: () => this.zoomMiddle(1 / ZOOM_STEP)}, '−'),
      this.percent,
      h('button', {type: 'button', class: 'icon', 'aria-label': 'Zoom in', title: 'Zoom in (+)', onclick: () => this.zoomMiddle(ZOOM_STEP)}, '+'),
      h('button', {type: 'button', title: 'Show the whole graph (0)', onclick: () => this.fit()}, 'Fit')), this.fold, note);
  }

  start() {
    const {frame, selection} = this;
    this.prepare();
    this.measure();
    this.open();
    // When the window changes its size, the view keeps what it shows. The first size may arrive after the first
    // drawing.
    let size = [frame.clientWidth, frame.clientHeight];
    new ResizeObserver(() => {
      const isFirst = size[0] === 0;
      size = [frame.clientWidth, frame.clientHeight];
      if (size[0] === 0) return;
      if (isFirst) this.measure();
      if (isFirst || this.isOpening) this.open();
      else if (this.isFitted) this.fit();
      else this.apply();
    }).observe(frame);
    frame.addEventListener('wheel', event => this.wheel(event), {passive: false});
    this.listenToPointers();
    frame.addEventListener('dblclick', event => {
      if (!event.target.closest('.op[id]')) this.zoomAt(event.shiftKey ? 1 / 2 : 2, event);
    });
    frame.addEventListener('keydown', event => this.key(event));
    frame.addEventListener('pointerover', event => this.hover(event.target.closest('.op[id]')));
    frame.addEventListener('pointerleave', () => this.hover(null));
    // The listener is not on the picture, because that would make the picture a tab stop in Chromium.
    frame.addEventListener('focusin', event => this.focused(event.target.closest('.op[id]')));
    selection.subscribe((_, changed) => {
      if (changed.has('row') || (changed.has('tab') && selection.tab === 'graph')) this.mark();
    });
    // Paper shows the whole picture, in its own proportions.
    addEventListener('beforeprint', () => { this.isPrinting = true; this.picture.setAttribute('viewBox', boxText(this.content)); });
    addEventListener('afterprint', () => { this.isPrinting = false; this.apply(); });
    this.mark();
  }

  /** Shows a new drawing. The box that the reader looks at stays where it is: the selected one, or else the one in the middle. */
  renew(picture) {
    const {view, frame, selection, model} = this;
    const middle = {x: view.x + frame.clientWidth / view.scale / 2, y: view.y + frame.clientHeight / view.scale / 2};
    const near = [...this.boxes].sort((one, other) => Math.hypot(one.x - middle.x, one.y - middle.y) - Math.hypot(other.x - middle.x, other.y - middle.y));
    const focused = document.activeElement?.closest?.('#drawing .op[id]')?.id;
    this.picture.replaceWith(picture);
    this.picture = picture;
    this.nodes = new Map([...picture.querySelectorAll('.op[id]')].map(node => [node.id, node]));
    this.before = new Map();
    this.after = new Map();
    this.pinned = this.lighted = null;
    delete this.fold.dataset.box;
    this.prepare();
    const last = new Map(near.map(box => [box.id, box]));
    if (!this.isFitted) this.apply();
    this.measure();
    if (this.isFitted) this.fit();
    else {
      const own = selection.row < 0 ? undefined : last.get(model.box(selection.row));
      const now = new Map(this.boxes.map(box => [box.id, box]));
      const anchor = [own, ...near].find(box => box && now.has(box.id));
      if (anchor) [view.x, view.y] = [view.x + now.get(anchor.id).x - anchor.x, view.y + now.get(anchor.id).y - anchor.y];
      this.apply();
    }
    this.mark(true);
    if (focused) this.nodes.get(focused)?.focus({preventScroll: true});
  }

  /** Turns a picture that was made for a file of its own into a part of a page: named buttons instead of an image, one of them in the tab order. */
  prepare() {
    const {picture, frame} = this;
    const title = picture.querySelector(':scope > title');
    picture.setAttribute('role', 'group');
    picture.setAttribute('aria-label', title?.textContent ?? 'Operations and their dependencies');
    // As a child of the drawing, it would show up as a tooltip everywhere.
    title?.remove();
    for (const name of ['width', 'height', 'style']) picture.removeAttribute(name);
    picture.setAttribute('preserveAspectRatio', 'xMidYMid meet');
    frame.tabIndex = 0;
    frame.setAttribute('role', 'group');
    frame.setAttribute('aria-label', 'Graph: plus and minus zoom, arrows move');
    for (const node of this.nodes.values()) {
      node.setAttribute('role', 'button');
      node.setAttribute('tabindex', '-1');
      node.setAttribute('aria-label', this.labelOf(node));
    }
    this.nodes.values().next().value?.setAttribute('tabindex', '0');
    for (const edge of picture.querySelectorAll('.dep[data-from]')) {
      const {from, to} = edge.dataset;
      addLink(this.before, to, from, edge);
      addLink(this.after, from, to, edge);
    }
  }

  labelOf(node) {
    const {model} = this;
    const rows = model.rowsOfBox(node.id);
    if (rows.length === 0) return node.querySelector('title')?.textContent ?? node.id;
    const [row] = rows;
    if (rows.length > 1) return `${model.counted(rows.length)} like ${model.name(row)}`;
    return `${model.name(row)}, #${model.id(row)}, ${model.state(row)}`;
  }

  /** Measures the boxes in the picture's own coordinates. This happens once, because they do not change. */
  measure() {
    const {picture} = this;
    const box = picture.getBBox();
    this.content = {x: box.x, y: box.y, width: box.width, height: box.height};
    const toPicture = picture.getScreenCTM()?.inverse();
    this.boxes = toPicture ? [...this.nodes.values()].map(node => {
      const {x, y, width, height} = (node.querySelector('.box') ?? node).getBBox();
      const matrix = toPicture.multiply(node.getScreenCTM());
      const point = new DOMPoint(x, y).matrixTransform(matrix);
      return {id: node.id, x: point.x + width / 2, y: point.y + height / 2, width, height};
    }) : [];
  }

  get limits() {
    const whole = fittedView(this.content, this.frame.clientWidth, this.frame.clientHeight, 1).scale;
    return {least: Math.min(0.5, whole / 2), most: GRAPH_MOST_ZOOM};
  }

  /** Shows the whole picture if it is legible then; otherwise what is stuck, or where the critical path begins. */
  open() {
    this.fit();
    this.isOpening = this.view.scale < GRAPH_LEGIBLE_ZOOM;
    if (!this.isOpening || this.boxes.length === 0 || this.frame.clientWidth === 0) return;
    const {content, frame} = this;
    const boxes = this.firstOfInterest();
    const part = boxAround(boxes);
    const scale = boxes.length > 1 ? fittedView(part, frame.clientWidth, frame.clientHeight, 1).scale : GRAPH_OPENING_ZOOM;
    this.view = partView(part, content, frame.clientWidth, frame.clientHeight, scale);
    this.isFitted = false;
    this.apply();
  }

  /** Returns the boxes to show first. Stuck boxes may lie far apart; then one of them is a better start than none. */
  firstOfInterest() {
    const {model, boxes, frame} = this;
    const boxById = new Map(boxes.map(box => [box.id, box]));
    const boxesOf = rows => [...new Set(rows.map(row => model.box(row)))].map(id => boxById.get(id)).filter(Boolean);
    const inState = state => boxesOf(Array.from({length: model.count}, (_, row) => row).filter(row => model.state(row) === state));
    const isShown = part => fittedView(part, frame.clientWidth, frame.clientHeight, 1).scale >= GRAPH_LEGIBLE_ZOOM;
    for (const stuck of [inState('deadlocked'), inState('stalled')]) {
      if (stuck.length > 0) return isShown(boxAround(stuck)) ? stuck : stuck.slice(0, 1);
    }
    const {steps, remaining} = model.criticalPath;
    const path = boxesOf([...steps.map(step => step.row), ...remaining]);
    return path.length > 0 ? path.slice(0, 1) : boxes.slice(0, 1);
  }

  fit() {
    this.isOpening = false;
    this.view = fittedView(this.content, this.frame.clientWidth, this.frame.clientHeight, 1.25);
    this.isFitted = true;
    this.apply();
  }

  /** Applies the view by setting the view box: the browser draws again, so text is sharp at every size. */
  apply() {
    const {view, frame, picture} = this;
    if (this.isPrinting || frame.clientWidth === 0) return;
    picture.setAttribute('viewBox', boxText({x: view.x, y: view.y, width: frame.clientWidth / view.scale, height: frame.clientHeight / view.scale}));
    this.percent.textContent = `${Math.round(view.scale * 100)} %`;
  }

  /** Applies the view once for all events of one frame. */
  applySoon() {
    if (this.isWaiting) return;
    this.isWaiting = true;
    requestAnimationFrame(() => {
      this.isWaiting = false;
      this.apply();
    });
  }

  pointOf(event) {
    const frame = this.frame.getBoundingClientRect();
    return [event.clientX - frame.left - this.frame.clientLeft, event.clientY - frame.top - this.frame.clientTop];
  }

  zoomAt(factor, event) {
    const [x, y] = this.pointOf(event);
    this.view = zoomedView(this.view, factor, x, y, this.limits);
    this.isFitted = this.isOpening = false;
    this.applySoon();
  }

  zoomMiddle(factor) {
    this.view = zoomedView(this.view, factor, this.frame.clientWidth / 2, this.frame.clientHeight / 2, this.limits);
    this.isFitted = this.isOpening = false;
    this.apply();
  }

  /** Moves the view by pixels of the window. A part of the picture always stays in it. */
  pan(dx, dy) {
    const {view, content, frame} = this;
    const [width, height] = [frame.clientWidth / view.scale, frame.clientHeight / view.scale];
    const within = (value, low, high) => Math.min(Math.max(value, low), high);
    view.x = within(view.x + dx / view.scale, content.x - width * 0.8, content.x + content.width - width * 0.2);
    view.y = within(view.y + dy / view.scale, content.y - height * 0.8, content.y + content.height - height * 0.2);
    this.isFitted = this.isOpening = false;
    this.applySoon();
  }

  wheel(event) {
    event.preventDefault();
    const line = event.deltaMode === 1 ? 16 : event.deltaMode === 2 ? this.frame.clientHeight : 1;
    if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY)) return this.pan((event.deltaX || event.deltaY) * line, 0);
    // A pinch on a touchpad arrives as wheel events with ctrl, in small steps.
    this.zoomAt(Math.exp(-Math.max(-200, Math.min(200, event.deltaY * line)) * (event.ctrlKey ? 0.01 : 0.0018)), event);
  }

  listenToPointers() {
    const {frame} = this;
    const pointers = new Map();
    let start = null, hasMoved = false;
    const middle = () => {
      const [a, b] = [...pointers.values()];
      return {clientX: (a.clientX + b.clientX) / 2, clientY: (a.clientY + b.clientY) / 2, apart: Math.hypot(a.clientX - b.clientX, a.clientY - b.clientY)};
    };
    frame.addEventListener('pointerdown', event => {
      if (event.button !== 0) return;
      pointers.set(event.pointerId, event);
      if (pointers.size === 1) {
        start = event;
        hasMoved = false;
      }
    });
    frame.addEventListener('pointermove', event => {
      const last = pointers.get(event.pointerId);
      if (!last) return;
      // A hand trembles when it clicks.
      if (!hasMoved && pointers.size === 1 && Math.hypot(event.clientX - start.clientX, event.clientY - start.clientY) < 4) return;
      if (!hasMoved) {
        hasMoved = true;
        frame.classList.add('dragging');
        for (const id of pointers.keys()) frame.setPointerCapture(id);
      }
      const before = pointers.size > 1 ? middle() : last;
      pointers.set(event.pointerId, event);
      const after = pointers.size > 1 ? middle() : event;
      this.pan(before.clientX - after.clientX, before.clientY - after.clientY);
      if (pointers.size > 1) this.zoomAt(after.apart / Math.max(1, before.apart), after);
    });
    for (const name of ['pointerup', 'pointercancel']) {
      frame.addEventListener(name, event => {
        pointers.delete(event.pointerId);
        if (pointers.size === 0) frame.classList.remove('dragging');
      });
    }
    frame.addEventListener('click', event => {
      const node = event.target.closest('.op[id]');
      // The end of a drag is not a click on whatever lies there. A click by keyboard has no drag before it. The second
      // click of a double click would deselect what the first one has selected.
      if (node && event.detail < 2 && !(hasMoved && event.detail > 0)) this.choose(node);
      hasMoved = false;
    });
  }

  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const node = event.target.closest('.op[id]');
    const moves = {ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1], a: [-1, 0], d: [1, 0], w: [0, -1], s: [0, 1]};
    const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
    if (node && key.startsWith('Arrow')) this.moveFocus(node, key);
    else if (node && (key === 'Enter' || key === ' ')) this.choose(node);
    else if (key in moves) this.pan(moves[key][0] * 80, moves[key][1] * 80);
    else if (key === '+' || key === '=') this.zoomMiddle(ZOOM_STEP);
    else if (key === '-' || key === '_') this.zoomMiddle(1 / ZOOM_STEP);
    else if (key === '0') this.fit();
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  moveFocus(node, key) {
    const linked = new Set([...(this.before.get(node.id) ?? []), ...(this.after.get(node.id) ?? [])].map(([id]) => id));
    const from = this.boxes.find(box => box.id === node.id);
    const next = from && boxTowards(key, from, this.boxes.filter(box => box.id !== node.id), linked);
    if (next) this.nodes.get(next.id).focus({preventScroll: true});
  }

  focused(node) {
    if (!node) return;
    for (const other of this.picture.querySelectorAll('.op[tabindex="0"]')) other.setAttribute('tabindex', '-1');
    node.setAttribute('tabindex', '0');
    // A node that a pointer pressed is in view already, and must not move away from under the pointer.
    if (node.matches(':focus-visible')) this.bringIntoView(node.id);
    this.hover(node);
  }

  choose(node) {
    const rows = this.model.rowsOfBox(node.id);
    if (rows.length === 0) return;
    const isSelected = rows.includes(this.selection.row);
    this.selection.select(isSelected && rows.length === 1 ? -1 : isSelected ? this.selection.row : rows[0]);
  }

  /** Marks the box of the selected operation, its ring, what it depends on and what depends on it, and lists the other operations in the box. */
  mark(isStill = false) {
    const {row} = this.selection;
    const node = row < 0 ? null : this.nodes.get(this.model.box(row));
    for (const other of this.picture.querySelectorAll('.op.selected')) {
      other.classList.remove('selected');
      other.removeAttribute('aria-pressed');
    }
    this.picture.querySelector('.ring')?.remove();
    this.pinned = node ?? null;
    this.light(node ?? null);
    this.showFold(node);
    if (!node) return;
    node.classList.add('selected');
    node.setAttribute('aria-pressed', 'true');
    const {x, y, width, height} = (node.querySelector('.box') ?? node).getBBox();
    node.append(svg('rect', {class: 'ring', x: x - 4.5, y: y - 4.5, width: width + 9, height: height + 9, rx: 12}));
    if (!isStill && this.selection.tab === 'graph') this.bringIntoView(node.id);
  }

  hover(node) {
    if (!this.pinned && !this.frame.classList.contains('dragging')) this.light(node);
  }

  light(node) {
    const {picture} = this;
    if (node === this.lighted) return;
    this.lighted = node;
    for (const one of picture.querySelectorAll('.lit,.here')) one.classList.remove('lit', 'here');
    picture.classList.toggle('tracing', Boolean(node));
    if (!node) return;
    node.classList.add('here');
    for (const {ids, passed} of [reachable(node.id, this.before), reachable(node.id, this.after)]) {
      for (const id of ids) this.nodes.get(id)?.classList.add('lit');
      for (const edge of passed) edge.classList.add('lit');
    }
  }

  bringIntoView(id) {
    const box = this.boxes.find(one => one.id === id);
    const {view, frame} = this;
    if (!box || frame.clientWidth === 0) return;
    const [x, y] = [(box.x - view.x) * view.scale, (box.y - view.y) * view.scale];
    const [halfWidth, halfHeight] = [box.width / 2 * view.scale + GRAPH_MARGIN, box.height / 2 * view.scale + GRAPH_MARGIN];
    const isVisible = x >= halfWidth && y >= halfHeight && x <= frame.clientWidth - halfWidth && y <= frame.clientHeight - halfHeight;
    // A box that is too small to read does not count as in view.
    const isLegible = view.scale >= GRAPH_LEGIBLE_ZOOM - 0.01;
    if (isVisible && isLegible) return;
    if (!isLegible) view.scale = 0.8;
    view.x = box.x - frame.clientWidth / view.scale / 2;
    view.y = box.y - frame.clientHeight / view.scale / 2;
    this.isFitted = this.isOpening = false;
    this.apply();
  }

  showFold(node) {
    const {fold, model, selection} = this;
    const rows = node ? model.rowsOfBox(node.id) : [];
    fold.hidden = rows.length < 2;
    if (fold.hidden || fold.dataset.box === node.id) return;
    fold.dataset.box = node.id;
    fold.replaceChildren(h('h3', {}, `${model.counted(rows.length)} in this box`),
      operationList(model, selection, rows, () => null, 50));
  }
}

function addLink(links, from, to, edge) {
  if (!links.has(from)) links.set(from, []);
  links.get(from).push([to, edge]);
}

function boxText({x, y, width, height}) {
  return [x, y, Math.max(1, width), Math.max(1, height)].map(value => value.toFixed(2)).join(' ');
}
