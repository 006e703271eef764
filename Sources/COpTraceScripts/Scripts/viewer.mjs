// Makes a viewer of a lean picture: it opens as a whole, between its head and its legend; wheel, pinch, drag and keys move it. A name or a
// number is searched in all of it, a click shows the lines of an operation, and `FILE#op-5` opens at it.
import {Tip, drawn, searchField} from './elements.mjs';
import {Tiles} from './tiles.mjs';

const MARGIN = 28;
// The scales at which names can be read, at which lines are thicker, and the largest.
const LEGIBLE = 0.5;
const FAR = 0.15;
const CLOSEST = 2;
const FIELD_WIDTH = 240;
const HINT = 'wheel, + − 0: zoom · drag, arrows: move';

class Viewer {
  #isPlanned = false;
  #chosen = null;
  #traced = null;
  #search = {words: '', found: [], at: -1};
  #pointers = new Map();
  #moved = 0;

  constructor(svg) {
    this.svg = svg;
    this.lean = svg.querySelector('.lean');
    this.graph = this.lean.parentNode;
    this.head = svg.querySelector('.head');
    this.legend = svg.querySelector('.legend');
    this.tiles = new Tiles(this.lean);
    this.view = {x: 0, y: 0, scale: 1};
    this.#fillWindow();
    this.#listen();
    this.#arrange();
    if (!this.#showAddressed()) this.#fit();
  }

  // Head and legend stay where they can be read.
  #fillWindow() {
    const {svg} = this;
    svg.removeAttribute('viewBox');
    svg.removeAttribute('style');
    svg.setAttribute('width', '100%');
    svg.setAttribute('height', '100%');
    svg.setAttribute('role', 'group');
    svg.classList.add('viewer');
    svg.insertBefore(this.graph, this.head);
    this.grounds = [this.head, this.legend].map((one) => {
      const ground = drawn('rect', {class: 'page', width: '100%'});
      one.before(ground);
      return ground;
    });
    Object.assign(this, searchField(svg, {
      width: FIELD_WIDTH, y: 20, placeholder: 'Name or number  ( / )', label: 'Find an operation by its name or number',
    }));
    this.status.textContent = HINT;
    this.tip = new Tip(svg);
  }

  #arrange() {
    let [x, y] = [0, 0];
    for (const entry of this.legend.children) {
      const width = entry.getBBox().width + 22;
      if (x > 0 && x + width > innerWidth - 2 * MARGIN) [x, y] = [0, y + 26];
      entry.setAttribute('transform', `translate(${x} ${y})`);
      x += width;
    }
    const head = this.head.getBBox();
    this.top = head.y + head.height + 12;
    this.bottom = y + 42;
    this.grounds[0].setAttribute('height', this.top);
    this.grounds[1].setAttribute('y', innerHeight - this.bottom);
    this.grounds[1].setAttribute('height', this.bottom);
    this.legend.setAttribute('transform', `translate(${MARGIN} ${innerHeight - this.bottom + 12})`);
    this.corner.setAttribute('x', innerWidth - MARGIN - FIELD_WIDTH);
  }

  // MARK: Where one looks

  #draw() {
    if (this.#isPlanned) return;
    this.#isPlanned = true;
    requestAnimationFrame(() => {
      this.#isPlanned = false;
      const {x, y, scale} = this.view;
      this.graph.setAttribute('transform', `translate(${x} ${y}) scale(${scale})`);
      this.lean.classList.toggle('far', scale < FAR);
      this.lean.classList.toggle('near', scale >= LEGIBLE);
      this.tiles.show(scale < LEGIBLE ? null : {
        left: -x / scale, right: (innerWidth - x) / scale, top: (this.top - y) / scale, bottom: (innerHeight - this.bottom - y) / scale,
      }, this.#chosen);
    });
  }

  get #middle() { return [innerWidth / 2, (this.top + innerHeight - this.bottom) / 2]; }

  get #whole() {
    const [, , width, height] = this.tiles.bounds;
    return Math.min((innerWidth - 2 * MARGIN) / width, (innerHeight - this.top - this.bottom - 16) / height, 1);
  }

  #look(x, y, scale) {
    const [middleX, middleY] = this.#middle;
    this.view = {x: middleX - x * scale, y: middleY - y * scale, scale};
    this.#draw();
  }

  #fit() {
    const [x, y, width, height] = this.tiles.bounds;
    this.#look(x + width / 2, y + height / 2, this.#whole);
  }

  #zoom(factor, x, y) {
    const {view} = this;
    const scale = Math.min(CLOSEST, view.scale * factor);
    if (scale <= this.#whole) return this.#fit();
    const moved = (from, to) => to - (to - from) * scale / view.scale;
    this.view = {x: moved(view.x, x), y: moved(view.y, y), scale};
    this.#draw();
  }

  // Some of it stays in sight.
  #move(x, y) {
    const {view} = this;
    const [left, top, width, height] = this.tiles.bounds.map((one) => one * view.scale);
    view.x = Math.min(innerWidth - 100 - left, Math.max(100 - left - width, view.x + x));
    view.y = Math.min(innerHeight - this.bottom - 60 - top, Math.max(this.top + 60 - top - height, view.y + y));
    this.#draw();
  }

  // MARK: What is chosen, and what is found

  #choose(id) {
    this.#traced?.remove();
    for (const one of this.lean.querySelectorAll('.here')) one.classList.remove('here');
    this.#chosen = id;
    this.#traced = null;
    // A link to it; what a file's address may not be given stays as it is.
    try { history.replaceState(null, '', id ? `#${id}` : location.pathname + location.search); } catch { /* As it was. */ }
    if (!id) return;
    document.getElementById(id)?.classList.add('here');
    this.#traced = drawn('path', {class: 'traced', d: this.tiles.linesOf(id)});
    this.lean.querySelector('.lines').after(this.#traced);
  }

  #show(one) {
    const [x, y, width, height] = this.tiles.box;
    this.#look(one.x + x + width / 2, one.y + y + height / 2, Math.max(this.view.scale, 1));
    this.#choose(one.id);
  }

  #showAddressed() {
    const id = location.hash.slice(1);
    const one = id === '' ? null : this.tiles.operations.find((each) => each.id === id);
    if (one) this.#show(one);
    return Boolean(one);
  }

  // Once more with the same words it goes on by `step`.
  #find(step) {
    const search = this.#search;
    const words = this.input.value.trim().toLowerCase();
    if (words !== search.words) {
      const {operations} = this.tiles;
      const exact = operations.filter((one) => one.id === `op-${words.replace(/^#/, '')}`);
      const named = words === '' ? [] : operations.filter((one) => one !== exact[0] && one.name.toLowerCase().includes(words));
      Object.assign(search, {words, found: [...exact, ...named], at: step > 0 ? -1 : 0});
    }
    const {length} = search.found;
    if (length > 0) {
      search.at = (search.at + step + length) % length;
      this.#show(search.found[search.at]);
    }
    this.status.textContent = words === '' ? HINT
      : length > 0 ? `${(search.at + 1).toLocaleString('en')} of ${length.toLocaleString('en')}` : 'no operation is called so';
  }

  // MARK: Pointers and keys

  #listen() {
    const {svg, corner, input} = this;
    input.addEventListener('keydown', (event) => {
      event.stopPropagation();
      if (event.key === 'Enter') this.#find(event.shiftKey ? -1 : 1);
      if (event.key === 'Escape') input.blur();
    });
    svg.addEventListener('wheel', (event) => {
      event.preventDefault();
      const turn = event.deltaY * (event.deltaMode === 1 ? 16 : 1);
      this.#zoom(Math.exp(-Math.max(-300, Math.min(300, turn)) * (event.ctrlKey ? 0.01 : 0.003)), event.clientX, event.clientY);
    }, {passive: false});
    svg.addEventListener('pointerdown', (event) => {
      if (event.button !== 0 || corner.contains(event.target)) return;
      if (this.#pointers.size === 0) this.#moved = 0;
      this.#pointers.set(event.pointerId, {x: event.clientX, y: event.clientY});
    });
    addEventListener('pointermove', (event) => this.#drag(event));
    for (const name of ['pointerup', 'pointercancel']) addEventListener(name, (event) => this.#pointers.delete(event.pointerId));
    svg.addEventListener('pointermove', (event) => this.#hover(event));
    svg.addEventListener('pointerleave', () => this.tip.show(null));
    svg.addEventListener('click', (event) => {
      if (this.#moved > 4 || corner.contains(event.target)) return;
      const node = event.target.closest('.op[id]');
      this.#choose(node && node.id !== this.#chosen ? node.id : null);
    });
    svg.addEventListener('dblclick', (event) => { if (!corner.contains(event.target)) this.#zoom(3, event.clientX, event.clientY); });
    addEventListener('keydown', (event) => this.#key(event));
    addEventListener('hashchange', () => this.#showAddressed());
    addEventListener('resize', () => {
      this.#arrange();
      this.#move(0, 0);
    });
  }

  // Where two pointers are, and how far from each other; null: there are not two.
  get #spread() {
    const [one, other] = this.#pointers.values();
    return other ? {x: (one.x + other.x) / 2, y: (one.y + other.y) / 2, far: Math.hypot(one.x - other.x, one.y - other.y) || 1} : null;
  }

  #drag(event) {
    const one = this.#pointers.get(event.pointerId);
    if (!one) return;
    const before = this.#spread;
    const [x, y] = [event.clientX - one.x, event.clientY - one.y];
    this.#moved += Math.abs(x) + Math.abs(y);
    [one.x, one.y] = [event.clientX, event.clientY];
    const now = this.#spread;
    if (!now) return this.#move(x, y);
    this.view.x += now.x - before.x;
    this.view.y += now.y - before.y;
    this.#zoom(now.far / before.far, now.x, now.y);
  }

  // Not while it moves below the pointer.
  #hover(event) { this.tip.show(this.#pointers.size > 0 ? null : this.tiles.told(event.target.closest('.op[id]')), event); }

  #key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const step = event.shiftKey ? 400 : 100;
    const action = {
      '+': () => this.#zoom(1.5, ...this.#middle), '=': () => this.#zoom(1.5, ...this.#middle), '-': () => this.#zoom(1 / 1.5, ...this.#middle),
      0: () => this.#fit(), ArrowLeft: () => this.#move(step, 0), ArrowRight: () => this.#move(-step, 0), ArrowUp: () => this.#move(0, step),
      ArrowDown: () => this.#move(0, -step), Escape: () => this.#choose(null), '/': () => { this.input.focus(); this.input.select(); },
    }[event.key];
    if (!action) return;
    action();
    event.preventDefault();
  }
}

export function viewLean(svg) { return new Viewer(svg); }
