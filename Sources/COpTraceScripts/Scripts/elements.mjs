// Elements of pictures and of pages, and what several have: a tip beside the pointer, a field to search in.

const SVG = 'http://www.w3.org/2000/svg';
const XHTML = 'http://www.w3.org/1999/xhtml';

export function drawn(name, attributes = {}, parent = null) { return made(SVG, name, attributes, parent); }

export function written(name, attributes = {}, parent = null) { return made(XHTML, name, attributes, parent); }

function made(space, name, attributes, parent) {
  const element = document.createElementNS(space, name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  parent?.append(element);
  return element;
}

/** What is said of what the pointer is on: lines beside it, in a page as in a picture. */
export class Tip {
  // `host`: what it belongs to, an `svg` in pixels or an element in which others are placed.
  constructor(host) {
    this.host = host;
    const frame = host.matches('svg') ? drawn('foreignObject', {width: 1, height: 1, overflow: 'visible', 'pointer-events': 'none'}, host) : null;
    this.element = written('div', {class: 'pointer-tip', 'aria-hidden': 'true'}, frame ?? host);
    this.element.hidden = true;
    this.frame = frame;
  }

  /** Lines, the first of which is a name; null: nothing is said. `event`: of the pointer. */
  show(lines, event) {
    this.element.hidden = !lines;
    if (!lines) return this.element.replaceChildren();
    const [name, ...more] = lines;
    // A name that is written from right to left stays within its line.
    const title = written('b');
    written('bdi', {}, title).textContent = name;
    this.element.replaceChildren(title, ...more.map((line) => {
      const one = written('span');
      one.textContent = line;
      return one;
    }));
    this.#place(event.clientX, event.clientY);
  }

  // Beside the pointer, within what is seen of the host.
  #place(x, y) {
    const [host, own] = [this.host.getBoundingClientRect(), this.element.getBoundingClientRect()];
    const [right, bottom] = [Math.min(host.right, innerWidth), Math.min(host.bottom, innerHeight)];
    const left = Math.max(4, Math.min(x + 14, right - own.width - 16) - host.left);
    const top = Math.max(0, (y + 18 + own.height > bottom ? y - own.height - 10 : y + 18) - host.top);
    if (this.frame) {
      this.frame.setAttribute('x', left);
      this.frame.setAttribute('y', top);
    } else {
      this.element.style.setProperty('left', `${left}px`);
      this.element.style.setProperty('top', `${top}px`);
    }
  }
}

/** A field to search in a corner of a picture, with room for what it found: `{corner, input, status}`. */
export function searchField(svg, {width, y, placeholder, label}) {
  const corner = drawn('foreignObject', {y, width, height: 56, overflow: 'visible'}, svg);
  const panel = written('div', {class: 'find'}, corner);
  const input = written('input', {type: 'search', placeholder, 'aria-label': label}, panel);
  return {corner, input, status: written('div', {role: 'status'}, panel)};
}
