// The flame graph in a file: boxes that are drawn already get the window's width, and answer. Each brings where it begins, its nanoseconds and its
// depth (`data-r`), and what is told of it as its title.
import {Tip, drawn, searchField, written} from './elements.mjs';
import {FlameGraph} from './flame.mjs';
import {TextWidths, shortened} from './names.mjs';

// In pixels: below this width the window scrolls; boxes that are too narrow to be seen; what is beside a name.
const NARROWEST_WINDOW = 900;
const NARROWEST_BOX = 0.3;
const PADDING = 4;
const FIELD_WIDTH = 220;
const FONT = '11px ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace';
const HINT = 'click, Enter: zoom · arrows: from box to box · Escape: back · / or Ctrl-F: search';

class FileSurface {
  constructor(svg) {
    this.svg = svg;
    this.plot = svg.querySelector('.frames');
    this.details = svg.querySelector('.details');
    this.margin = Number(this.plot.dataset.left);
    this.isWhole = Number(this.plot.dataset.undrawn) === 0;
    this.widths = new TextWidths(written('canvas').getContext('2d'));
    this.nodes = this.#read();
    svg.removeAttribute('viewBox');
    svg.setAttribute('width', '100%');
    svg.style.minWidth = `${NARROWEST_WINDOW}px`;
    Object.assign(this, searchField(svg, {width: FIELD_WIDTH, y: 16, placeholder: 'Function or module  ( / )', label: 'Search functions and modules'}));
  }

  #read() {
    const path = [];
    return [...this.plot.children].map((element) => {
      const [start, weight, depth] = element.dataset.r.split(' ').map(Number);
      const title = element.querySelector('title');
      const lines = title.textContent.split('\n');
      // The tip says it, and what reads pages aloud.
      title.remove();
      element.setAttribute('role', 'button');
      element.setAttribute('aria-label', lines.join(', '));
      path.length = depth;
      const node = {
        element, start, weight, lines, parent: path[depth - 1] ?? null, children: [], rects: element.querySelectorAll('rect'), text: element.querySelector('text'),
        // At most two marks on a letter: more would stand in the boxes above and below.
        name: lines[0].replace(/(\p{M}{2})\p{M}+/gu, '$1'),
      };
      node.parent?.children.push(node);
      return path[depth] = node;
    });
  }

  /** Takes the window's width; false: it is as it was. */
  fit() {
    const width = Math.max(NARROWEST_WINDOW, this.svg.getBoundingClientRect().width);
    if (width === this.width) return false;
    this.width = width;
    this.corner.setAttribute('x', width - this.margin - FIELD_WIDTH);
    return true;
  }

  get #room() { return this.width - 2 * this.margin; }

  get narrowest() { return NARROWEST_BOX / this.#room; }

  place(boxes) {
    const shown = new Set(boxes.map(({node}) => node));
    for (const {element} of this.nodes.filter((node) => !shown.has(node))) element.setAttribute('display', 'none');
    return boxes.map(({node, from, to, isAbove}) => {
      const {element, rects} = node;
      const [x, width] = [this.margin + from * this.#room, (to - from) * this.#room];
      element.removeAttribute('display');
      element.classList.toggle('above', isAbove);
      for (const rect of rects) {
        rect.setAttribute('x', x);
        rect.setAttribute('width', width);
      }
      this.#label(node, x + PADDING, width - 2 * PADDING);
      return element;
    });
  }

  #label(node, x, room) {
    const text = shortened(node.name, room, (name) => this.widths.of(name, FONT));
    // Less than some letters say nothing.
    const isShown = text.length >= Math.min(5, node.name.length);
    if (isShown) node.text ??= drawn('text', {y: Number(node.rects[0].getAttribute('y')) + 13}, node.element);
    if (!node.text) return;
    node.text.textContent = isShown ? text : '';
    node.text.setAttribute('x', x);
  }

  lines(node) { return node.lines; }

  // Functions and modules.
  texts(node) { return node.lines.slice(0, 2); }

  percent(share) {
    const tenths = Math.round(share * 1000);
    return tenths === 0 && share > 0 ? '<0.1 %' : `${tenths / 10} %`;
  }

  tell(lines, isRoot) {
    const words = isRoot ? HINT : lines.join(' · ');
    this.details.textContent = shortened(words, this.#room, (text) => {
      this.details.textContent = text;
      return this.details.getComputedTextLength();
    });
  }

  answer({nodes, weight, isAsked}, root) {
    const count = nodes.size;
    this.status.textContent = !isAsked ? '' : count === 0 ? (this.isWhole ? 'not found' : 'in no box that is drawn')
      : `${count.toLocaleString('en')} ${count === 1 ? 'box' : 'boxes'}, ${this.isWhole ? '' : 'at least '}${this.percent(weight / Math.max(1, root.weight))}`;
  }
}

export function answerFlame(svg) {
  const surface = new FileSurface(svg);
  if (surface.nodes.length === 0) return;
  const graph = new FlameGraph(surface, surface.input, new Tip(svg));
  surface.fit();
  graph.show(surface.nodes[0]);
  addEventListener('resize', () => { if (surface.fit()) graph.arrange(); });
  addEventListener('keydown', (event) => {
    if (event.target === surface.input) return;
    // The browser's own search is the second Ctrl-F.
    const isFind = (event.ctrlKey || event.metaKey) && event.key.toLowerCase() === 'f' && !event.altKey && !event.shiftKey;
    if (isFind || event.key === '/') scrollTo(0, 0);
    if (isFind) {
      graph.seek();
      event.preventDefault();
    } else {
      graph.key(event, surface.plot.contains(document.activeElement));
    }
  });
}
