// A picture in a frame, which the reader can move and zoom. What is in it, and what a click on it does, is up to the view that extends this.
import {h} from '../../OpTracePage/Page/dom.mjs';
import {fittedView, zoomedView} from './graph-geometry.mjs';

const GRAPH_MOST_ZOOM = 6;
export const ZOOM_STEP = 1.3;

export class PictureView {
  /** `frame`: the element around `picture`, an `svg` element. `tools`: where the buttons go. */
  constructor(frame, picture, tools) {
    Object.assign(this, {frame, picture});
    this.view = {x: 0, y: 0, scale: 1};
    this.percent = h('output', {class: 'zoom-text', 'aria-label': 'Zoom'});
    tools.append(h('div', {class: 'graph-tools', role: 'group', 'aria-label': 'Zoom'},
      h('button', {type: 'button', class: 'icon', 'aria-label': 'Zoom out', title: 'Zoom out (−)', onclick: () => this.zoomMiddle(1 / ZOOM_STEP)}, '−'),
      this.percent,
      h('button', {type: 'button', class: 'icon', 'aria-label': 'Zoom in', title: 'Zoom in (+)', onclick: () => this.zoomMiddle(ZOOM_STEP)}, '+'),
      h('button', {type: 'button', title: 'Show the whole graph (0)', onclick: () => this.fit()}, 'Fit')));
  }

  /** Starts to follow the size of the window, and what the reader does. */
  listen() {
    const {frame} = this;
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
    // Paper shows the whole picture, in its own proportions.
    addEventListener('beforeprint', () => { this.isPrinting = true; this.picture.setAttribute('viewBox', boxText(this.content)); });
    addEventListener('afterprint', () => { this.isPrinting = false; this.apply(); });
  }

  get limits() {
    const whole = fittedView(this.content, this.frame.clientWidth, this.frame.clientHeight, 1).scale;
    return {least: Math.min(0.5, whole / 2), most: GRAPH_MOST_ZOOM};
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
}

function boxText({x, y, width, height}) {
  return [x, y, Math.max(1, width), Math.max(1, height)].map(value => value.toFixed(2)).join(' ');
}
