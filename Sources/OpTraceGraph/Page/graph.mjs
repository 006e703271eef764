// The dependency graph: the picture that `optrace graph` draws, which the reader can move, zoom and select from.
import {h, operationList, svg, whenShown} from '../../OpTracePage/Page/dom.mjs';
import {addPart} from '../../OpTracePage/Page/parts.mjs';
import {GraphBoxes, boxesOf} from './graph-boxes.mjs';
import {GRAPH_MARGIN, boxAround, boxTowards, fittedView, partView, reachable} from './graph-geometry.mjs';
import {PictureView, ZOOM_STEP} from './picture-view.mjs';

const GRAPH_LEGIBLE_ZOOM = 0.7, GRAPH_OPENING_ZOOM = 0.8;

export function mountGraph(element, model, selection) {
  const drawing = element.querySelector('#drawing') ?? h('div', {id: 'drawing'});
  if (!drawing.isConnected) element.append(drawing);
  const note = h('p', {class: 'graph-note', hidden: true});
  // The style of later drawings. The page's policy allows style sheets that its own script makes.
  const sheet = new CSSStyleSheet();
  let view = null;
  const picture = () => drawing.querySelector(':scope > svg');
  const say = () => {
    const text = boxesOf(model).note;
    note.hidden = !picture() || !text;
    note.textContent = text ?? '';
    if (!picture()) drawing.replaceChildren(h('p', {class: 'empty'}, text ?? 'There is no graph in this report.'));
    else if (model.count === 0) drawing.replaceChildren(h('p', {class: 'empty'}, 'No operation was recorded, so there is nothing to draw.'));
  };
  say();
  const renewShown = whenShown(selection, 'graph', () => {
    const drawn = boxesOf(model).takeDrawing();
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
  return isLast => { if (boxesOf(model).drawing) renewShown(isLast); };
}

class GraphView extends PictureView {
  constructor(element, picture, note, model, selection) {
    super(element.querySelector('#drawing'), picture, element);
    Object.assign(this, {model, selection});
    this.nodes = new Map([...picture.querySelectorAll('.op[id]')].map(node => [node.id, node]));
    this.before = new Map();
    this.after = new Map();
    this.fold = h('div', {class: 'fold-list', hidden: true});
    element.append(this.fold, note);
  }

  start() {
    const {frame, selection} = this;
    this.prepare();
    this.measure();
    this.open();
    this.listen();
    frame.addEventListener('keydown', event => this.key(event));
    frame.addEventListener('pointerover', event => this.hover(event.target.closest('.op[id]')));
    frame.addEventListener('pointerleave', () => this.hover(null));
    // The listener is not on the picture, because that would make the picture a tab stop in Chromium.
    frame.addEventListener('focusin', event => this.focused(event.target.closest('.op[id]')));
    selection.subscribe((_, changed) => {
      if (changed.has('row') || (changed.has('tab') && selection.tab === 'graph')) this.mark();
    });
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
      const own = selection.row < 0 ? undefined : last.get(boxesOf(model).box(model, selection.row));
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
    const rows = boxesOf(model).rowsOf(model, node.id);
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
    const shown = rows => [...new Set(rows.map(row => boxesOf(model).box(model, row)))].map(id => boxById.get(id)).filter(Boolean);
    const inState = state => shown(Array.from({length: model.count}, (_, row) => row).filter(row => model.state(row) === state));
    const isShown = part => fittedView(part, frame.clientWidth, frame.clientHeight, 1).scale >= GRAPH_LEGIBLE_ZOOM;
    for (const stuck of [inState('deadlocked'), inState('stalled')]) {
      if (stuck.length > 0) return isShown(boxAround(stuck)) ? stuck : stuck.slice(0, 1);
    }
    const {rows, remaining} = model.deciding;
    const path = shown([...rows, ...remaining]);
    return path.length > 0 ? path.slice(0, 1) : boxes.slice(0, 1);
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
    const rows = boxesOf(this.model).rowsOf(this.model, node.id);
    if (rows.length === 0) return;
    const isSelected = rows.includes(this.selection.row);
    this.selection.select(isSelected && rows.length === 1 ? -1 : isSelected ? this.selection.row : rows[0]);
  }

  /** Marks the box of the selected operation, its ring, what it depends on and what depends on it, and lists the other operations in the box. */
  mark(isStill = false) {
    const {row} = this.selection;
    const node = row < 0 ? null : this.nodes.get(boxesOf(this.model).box(this.model, row));
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
    const rows = node ? boxesOf(model).rowsOf(model, node.id) : [];
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

addPart({
  name: 'graph', title: 'Graph', mount: mountGraph, isPicture: true, read: (data, last) => new GraphBoxes(data, last), asksFor: 'graph',
  // Blocks have boxes only if the graph was made with them.
  lead: (model, row, selection) => (model.kind(row) === 'operation' || document.getElementById(boxesOf(model).box(model, row)) !== null ? ['Show in graph', () => selection.show('graph')] : null),
  // The picture of a deadlock.
  explains: (model) => (model.findings.some(({severity, cycle}) => severity === 'error' && cycle?.length > 0) ? 3 : 0),
  help: ['Graph', [
    [['Wheel', 'Pinch', '+', '−'], 'zoom'],
    [['Double click'], 'zoom in; with Shift out'],
    [['Drag', 'W', 'A', 'S', 'D'], 'move'],
    [['0'], 'show the whole graph'],
    [['Click', 'Enter'], 'select an operation; what it waits for and what waits for it is highlighted'],
    [['←', '→', '↑', '↓'], 'on a box: to the next box; else move'],
  ]],
});
