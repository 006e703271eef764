// A lean picture of a graph: tiles, each with few paths for many operations and lines. What is close enough to be read becomes elements, tile
// by tile, and is given up when it leaves.
import {drawn} from './elements.mjs';

// With more lines than this in one tile they stay as they are.
const MOST_LINES = 3000;

export class Tiles {
  #tiles = new Map();
  #open = new Map();
  #told = new WeakMap();
  #ends = null;
  #all = null;

  constructor(lean) {
    this.lean = lean;
    const numbers = (name) => lean.getAttribute(name).split(' ').map(Number);
    // An operation's outline, the whole picture, and a tile's side.
    this.box = numbers('data-box');
    this.bounds = numbers('data-bounds');
    [this.side] = numbers('data-side');
    this.looks = lean.querySelector('.looks').textContent.split('\n').map((line) => line.split('\t'));
    for (const one of lean.querySelectorAll('[data-tile]')) {
      const name = one.getAttribute('data-tile');
      if (!this.#tiles.has(name)) this.#tiles.set(name, {lines: [], boxes: [], list: null});
      const tile = this.#tiles.get(name);
      if (one.nodeName === 'metadata') tile.list = one;
      else (one.hasAttribute('data-ids') ? tile.lines : tile.boxes).push(one);
    }
  }

  /** All operations: `{id, look, x, y, shown, name}`. */
  get operations() { return this.#all ??= [...this.#tiles.values()].flatMap((tile) => this.#operationsOf(tile)); }

  #operationsOf(tile) {
    return !tile.list ? [] : tile.list.textContent.split('\n').map((line) => {
      const [id, look, x, y, ...words] = line.split(' ');
      const [shown, name] = words.join(' ').split('\t');
      // The name without the sign before it; all of it.
      return {id, look: this.looks[look], x: Number(x), y: Number(y), shown, name: name || shown.replace(/^\S+ /, '')};
    });
  }

  /** The tiles that are within a part of the picture are open, and no others; null: none. `chosen`: the id of an operation that stands out. */
  show(part, chosen) {
    const wanted = new Set();
    if (part) {
      const [wide, high] = this.box.slice(2);
      for (let row = Math.floor((part.top - high) / this.side); row * this.side < part.bottom + high; row++) {
        for (let column = Math.floor((part.left - wide) / this.side); column * this.side < part.right + wide; column++) wanted.add(`${column}/${row}`);
      }
    }
    for (const name of this.#open.keys()) if (!wanted.has(name)) this.#close(name);
    for (const name of wanted) {
      if (this.#tiles.has(name) && !this.#open.has(name)) this.#open.set(name, this.#opened(this.#tiles.get(name), chosen));
    }
  }

  #opened(tile, chosen) {
    const made = [];
    const ids = tile.lines.map((path) => path.getAttribute('data-ids').split(' '));
    const count = ids.reduce((sum, some) => sum + some.length, 0);
    for (const [number, path] of count > MOST_LINES ? [] : tile.lines.entries()) {
      const [group, parts] = [drawn('g'), shapesOf(path)];
      for (const [at, id] of ids[number].entries()) drawn('path', {id, class: path.getAttribute('class'), d: parts[at]}, group);
      path.setAttribute('display', 'none');
      path.after(group);
      made.push(group);
    }
    const group = drawn('g');
    const [x, y, width, height] = this.box;
    for (const one of this.#operationsOf(tile)) {
      const node = drawn('g', {id: one.id, class: one.look[0], 'aria-label': `${one.name}, ${one.look[1]}`, transform: `translate(${one.x} ${one.y})`}, group);
      node.classList.toggle('here', one.id === chosen);
      this.#told.set(node, [one.name, one.look[1]]);
      drawn('path', {d: `M${x} ${y}h${width}v${height}h-${width}z`}, node);
      drawn('text', {}, node).textContent = one.shown;
    }
    this.lean.append(group);
    for (const one of tile.boxes) one.setAttribute('display', 'none');
    return [...made, group];
  }

  /** What is told of an element that an operation has, in lines; null: of another one. */
  told(element) { return this.#told.get(element) ?? null; }

  #close(name) {
    for (const one of this.#open.get(name)) one.remove();
    this.#open.delete(name);
    const {lines, boxes} = this.#tiles.get(name);
    for (const one of [...lines, ...boxes]) one.removeAttribute('display');
  }

  /** The shapes of all lines of an operation, also those in tiles that are not open. */
  linesOf(id) {
    this.#ends ??= this.#findEnds();
    const parts = new Map();
    return (this.#ends.get(id.replace('op-', '').replace('fold-', 'f')) ?? []).map(([path, at]) => {
      if (!parts.has(path)) parts.set(path, shapesOf(path));
      return parts.get(path)[at];
    }).join('');
  }

  #findEnds() {
    const ends = new Map();
    for (const path of this.lean.querySelectorAll('[data-ids]')) {
      for (const [at, edge] of path.getAttribute('data-ids').split(' ').entries()) {
        for (const end of edge.split('-').slice(1)) {
          if (!ends.has(end)) ends.set(end, []);
          ends.get(end).push([path, at]);
        }
      }
    }
    return ends;
  }
}

function shapesOf(path) { return path.getAttribute('d').split('M').slice(1).map((shape) => `M${shape}`); }
