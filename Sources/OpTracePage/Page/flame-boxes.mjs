// A flame graph on the page: boxes as buttons, with their names as far as there is room, details below, and a search. Parts extend it with what their boxes
// stand for.
import {h} from './dom.mjs';
import {counted, percentText} from './format.mjs';
import {FlameGraph} from '../../COpTraceScripts/Scripts/flame.mjs';
import {TextWidths, shortened} from '../../COpTraceScripts/Scripts/names.mjs';
import {Tip} from '../../COpTraceScripts/Scripts/elements.mjs';

const ROW = 19;
const FONT = '11px system-ui';

/**
 * Who extends it says `box(node)`, a box's `{title, css}`; `keyOf(node)`, which stays when there is more data; `lines(node)`, what is told of it; `texts(node)`, what
 * is searched; and `amount(weight)`, in words.
 */
export class FlameBoxes {
  #width = 0;

  /**
   * `size`: fractions of the whole width: a pixel or so, `narrowest`, and what a name needs, `narrowestName`. `search`: the texts in and of its field, null: there is
   * none. `above`: an element above the graph.
   */
  constructor(name, size, search = null, above = null) {
    this.size = size;
    this.narrowest = size.narrowest;
    this.plot = h('div', {class: 'flame', role: 'group', 'aria-label': `Flame graph of ${name}: arrow keys move, Enter enlarges, 0 shows all${search ? ', slash searches' : ''}`,
      onkeydown: event => this.graph.key(event)});
    this.details = h('p', {class: 'flame-details faint'});
    const field = search ? h('input', {type: 'search', placeholder: search[0], 'aria-label': search[1], spellcheck: 'false', autocomplete: 'off'}) : null;
    this.status = h('span', {class: 'faint', role: 'status'});
    this.drawing = h('div', {class: 'flame-drawing'}, this.plot);
    this.element = h('div', {class: 'flame-part'}, above, field && h('p', {class: 'flame-search'}, field, this.status), this.drawing, this.details);
    this.widths = new TextWidths(document.createElement('canvas').getContext('2d'));
    this.graph = new FlameGraph(this, field, new Tip(this.drawing));
    this.element.flame = this;
    this.element.takeOver = ({flame}) => { if (flame) this.takeOver(flame); };
    // The length of names depends on the room for them.
    new ResizeObserver(() => {
      if (this.plot.clientWidth === this.#width) return;
      this.#width = this.plot.clientWidth;
      for (const box of this.plot.children) this.#label(box);
    }).observe(this.plot);
  }

  /** Takes over the state when there is more data: what was zoomed and searched for stays so. */
  takeOver(last) {
    const wanted = last.keyOf(last.graph.zoomed);
    const find = (node) => this.keyOf(node) === wanted ? node : node.children.reduce((found, child) => found ?? find(child), null);
    this.graph.zoom(find(this.graph.root) ?? this.graph.root);
    if (!this.graph.field) return;
    this.graph.field.value = last.graph.field.value;
    this.graph.search();
  }

  place(boxes) {
    const depth = boxes.reduce((most, box) => Math.max(most, box.depth), 0);
    this.plot.style.setProperty('height', `${(depth + 1) * ROW}px`);
    const buttons = boxes.map(({node, depth, from, to, isAbove}) => {
      const {title, css} = this.box(node);
      const button = h('button', {type: 'button', 'aria-label': this.lines(node).join(', '), class: `flame-box ${css}${isAbove ? ' above' : ''}`,
        css: {left: `${100 * from}%`, width: `${100 * (to - from)}%`, top: `${depth * ROW}px`}}, to - from > this.size.narrowestName && h('bdi', {}, title));
      return Object.assign(button, {share: to - from, whole: title});
    });
    this.plot.replaceChildren(...buttons);
    for (const button of buttons) this.#label(button);
    return buttons;
  }

  // Before the graph is shown, it has no width; names are cut by the style sheet then.
  #label(button) {
    if (this.#width > 0 && button.firstChild) button.firstChild.textContent = shortened(button.whole, button.share * this.#width - 7, (text) => this.widths.of(text, FONT));
  }

  percent(share) { return percentText(share); }

  tell(lines) { this.details.textContent = lines.join(' · '); }

  answer({nodes, weight, isAsked}, root) {
    const count = nodes.size;
    this.status.textContent = !isAsked ? '' : count === 0 ? 'nothing found'
      : `${counted(count, 'box', 'boxes')}, ${this.amount(weight)}, ${percentText(weight / Math.max(1, root.weight))}`;
  }
}
