// The timeline: turns the reader's actions into changes of what is drawn.
import {h} from '../../OpTracePage/Page/dom.mjs';
import {buildLanes} from './slices.mjs';
import {buildCounters} from './steps.mjs';
import {layOut, rowAt} from './rows.mjs';
import {Viewport} from '../../OpTracePage/Page/viewport.mjs';
import {Colours} from './colours.mjs';
import {Painter, RULER} from './painter.mjs';
import {Minimap} from './minimap.mjs';
import {markAt} from './marks.mjs';
import {actionOfKey, listenToPointer} from './gestures.mjs';
import {Tip} from '../../COpTraceScripts/Scripts/elements.mjs';
import {arrowsOf, slicesOf} from './timeline-arrows.mjs';
import {timelineElements} from './timeline-elements.mjs';
import {fillsOfWaits, legendChips, notesBelow} from './timeline-legend.mjs';
import {counterTexts, instantTexts, sampleTexts, sliceTexts} from './timeline-texts.mjs';

export class Timeline {
  constructor(element, model, selection) {
    Object.assign(this, {element, model, selection});
    this.#layOut();
    this.viewport = new Viewport(...this.#time());
    this.scrollTop = 0;
    this.hovered = null;
    this.dragged = null;
    // The keyboard's cursor: a lane row and a slice of it.
    this.cursor = null;
    this.colours = new Colours(element, model);
    this.#build();
    this.painter = new Painter(this.canvas, model, this.colours, this.rows);
    this.minimap = new Minimap(this.overview, this.lanes, this.viewport, this.colours, (from, to) => this.#showTime(from, to));
    listenToPointer(this.canvas, this);
    // For tests, which look for things at thousands of points: what the tip says at one, without a pointer there.
    this.canvas.textsAt = (x, y) => this.#textsAt(this.#sliceAt(x, y), x, y);
    this.canvas.addEventListener('keydown', (event) => this.#key(event));
    this.bar.addEventListener('scroll', () => this.#scrollTo(this.bar.scrollTop));
    new ResizeObserver(() => this.#resize()).observe(this.stage);
    matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => {
      this.colours.read();
      this.#plan();
    });
    selection.subscribe((_, changed) => this.#follow(changed));
    this.#follow(new Set(['row', 'view']));
    this.#showFollowing();
  }

  #layOut() {
    this.lanes = buildLanes(this.model);
    const layout = layOut(this.model, this.lanes, buildCounters(this.model));
    this.rows = layout.rows;
    this.contentHeight = layout.height;
    this.laneRows = this.rows.filter((row) => row.kind === 'lane');
    this.#placeMarks();
    this.waitFills = null;
  }

  // Samples are marked on the first lane of their thread.
  #placeMarks() {
    const {starts} = this.model.marksOf;
    const met = new Set();
    for (const row of this.laneRows) {
      const {track} = row.lane;
      row.hasMarks = !met.has(track) && starts[track + 1] > starts[track];
      met.add(track);
    }
  }

  // Returns the range of time in which there is anything.
  #time() { return [Math.min(this.model.origin, this.model.activity?.[0] ?? 0), Math.max(this.model.end, 1000)]; }

  // Renews the timeline when there is more data: everything is laid out again, and what is in view stays where it is.
  renew() {
    const anchor = this.rows[rowAt(this.rows, this.scrollTop)];
    const kept = [this.hovered, this.cursor].map((slice) => slice && {key: slice.row.key, begin: slice.row.lane.begin[slice.at]});
    this.#layOut();
    const byKey = new Map(this.rows.map((row) => [row.key, row]));
    [this.hovered, this.cursor] = kept.map((slice) => {
      const row = slice && byKey.get(slice.key);
      const at = row ? row.lane.skip(0, slice.begin) : -1;
      return row && row.lane.begin[at] === slice.begin ? {row, at} : null;
    });
    this.viewport.grow(...this.#time());
    this.painter.renew(this.rows);
    this.colours.rank(this.model);
    this.minimap.renew(this.lanes);
    this.#showNotes();
    this.#showLegend(this.painter.colourBy);
    this.#showFollowing();
    this.#mark();
    this.spacer.style.height = `${this.contentHeight + RULER}px`;
    if (this.scrollTop > 0 && anchor && byKey.has(anchor.key)) this.#scrollTo(this.scrollTop + byKey.get(anchor.key).top - anchor.top);
    this.#plan();
  }

  // MARK: The page's elements

  #build() {
    Object.assign(this, timelineElements((action) => this.#act(action), (by) => this.#colourBy(by)));
    this.tip = new Tip(this.stage);
    this.element.append(this.tools, this.overview, this.stage, this.help, this.said, this.notes);
    this.#showNotes();
    this.#showLegend('state');
  }

  #showNotes() {
    const {model} = this;
    this.notes.replaceChildren(...notesBelow(model));
    this.none.hidden = this.laneRows.length > 0;
    this.none.textContent = model.count === 0 ? 'No operation was recorded.' : `No ${model.nouns.replace(/s$/, '')} was executed.`;
  }

  #showLegend(by) {
    this.waitFills ??= fillsOfWaits(this.model, this.lanes);
    const fresh = h('span', {}, legendChips(this.model, by, this.colours.classes, this.waitFills, this.lanes, this.laneRows));
    if (fresh.innerHTML !== this.legend.innerHTML) this.legend.replaceChildren(...fresh.childNodes);
  }

  // Shows, while the program runs, whether the view follows the time.
  #showFollowing() {
    this.following.hidden = !this.model.isLive;
    this.following.setAttribute('aria-pressed', String(this.viewport.isAtEnd));
  }

  #resize() {
    const box = this.stage.getBoundingClientRect();
    if (box.width < 10 || box.height < 10) return;
    const isFirst = !this.painter.height;
    const ratio = Math.min(3, window.devicePixelRatio || 1);
    const width = box.width - 12;
    this.painter.resize(width, box.height, ratio);
    this.minimap.resize(this.overview.getBoundingClientRect().width, this.overview.getBoundingClientRect().height, ratio);
    this.viewport.left = this.painter.gutter;
    this.viewport.width = Math.max(50, width - this.painter.gutter - 4);
    this.spacer.style.height = `${this.contentHeight + RULER}px`;
    this.#scrollTo(this.scrollTop);
    if (isFirst && this.cursor) this.#revealRow(this.cursor.row);
    this.#plan();
  }

  // MARK: Drawing

  #plan() {
    if (this.isPlanned) return;
    this.isPlanned = true;
    requestAnimationFrame(() => {
      this.isPlanned = false;
      if (!this.painter.width) return;
      const began = performance.now();
      this.painter.paint({
        rows: this.rows, viewport: this.viewport, scroll: this.scrollTop, selected: this.selectedSlices, hovered: this.hovered,
        range: this.dragged, arrows: this.arrows,
      });
      this.minimap.paint();
      this.element.dataset.shown = `${this.viewport.from} ${this.viewport.to}`;
      // This is for measurements: the cost of a frame.
      this.element.dataset.frame = (performance.now() - began).toFixed(2);
    });
  }

  #showTime(from, to) {
    this.viewport.show(from, to);
    this.#moved();
  }

  #moved() {
    this.#plan();
    this.#showFollowing();
    // The address is updated once the hand rests.
    clearTimeout(this.addressTimer);
    this.addressTimer = setTimeout(() => {
      this.isReporting = true;
      if (this.viewport.isAll) this.selection.showAllTime(); else this.selection.showTime(Math.round(this.viewport.from), Math.round(this.viewport.to));
      this.isReporting = false;
    }, 200);
  }

  #scrollTo(top) {
    const room = (this.painter.height ?? 0) - RULER;
    this.scrollTop = Math.max(0, Math.min(top, this.contentHeight - room));
    if (Math.abs(this.bar.scrollTop - this.scrollTop) > 1) this.bar.scrollTop = this.scrollTop;
    this.#plan();
  }

  #colourBy(by) {
    this.painter.colourBy = by;
    for (const [index, button] of this.colourButtons.entries()) button.setAttribute('aria-pressed', String((index === 0) === (by === 'state')));
    this.#showLegend(by);
    this.#plan();
  }

  // MARK: The selection

  #follow(changed) {
    const {view} = this.selection;
    if (changed.has('view') && !this.isReporting) {
      if (view) this.viewport.show(view[0], view[1]); else this.viewport.all();
    }
    // If an address contains both, the range of time that it gives takes precedence.
    this.isTimeGiven = Boolean(changed.has('view') && view);
    if (changed.has('row')) this.#showSelected();
    // A view that follows the time keeps following it.
    const follows = this.model.isLive && this.viewport.isAtEnd;
    if (changed.has('tab') && this.selection.tab === 'timeline' && this.selection.row >= 0 && !follows) this.#revealSelected();
    this.#plan();
  }

  // Marks where the selected work is, and the arrows from and to it.
  #mark() {
    const {row} = this.selection;
    this.selectedSlices = row < 0 ? [] : slicesOf(this.model, this.laneRows, row);
    this.arrows = row < 0 ? [] : arrowsOf(this.model, this.laneRows, row);
  }

  #showSelected() {
    const {row} = this.selection;
    this.#mark();
    const execution = this.selectedSlices.find((one) => one.row.lane.kind === 'execution') ?? this.selectedSlices[0];
    if (execution) this.cursor = execution;
    if (row >= 0 && !this.isChoosing) this.#revealSelected();
  }

  #revealSelected() {
    const span = this.model.span(this.selection.row);
    const execution = this.model.execution(this.selection.row);
    if (span && !this.isTimeGiven) {
      // The execution has priority: a long wait before it would make it small.
      const part = execution ?? span;
      this.viewport.reveal(part.begin, part.end);
      this.#moved();
    }
    if (this.cursor && this.selectedSlices.includes(this.cursor)) this.#revealRow(this.cursor.row);
  }

  #revealRow(row) {
    // Before the page has a size, nothing is in view.
    if (!this.painter.height) return;
    const room = this.painter.height - RULER;
    if (row.top < this.scrollTop + 10 || row.top + row.height > this.scrollTop + room - 10) this.#scrollTo(row.top - room / 2);
  }

  // MARK: What pointer and wheel ask for

  isGutter(x) { return x < this.painter.gutter; }

  zoom(factor, x) {
    this.viewport.zoom(factor, Math.max(x, this.painter.gutter));
    this.#moved();
  }

  pan(pixels) {
    this.viewport.pan(pixels);
    this.#moved();
  }

  scroll(pixels) { this.#scrollTo(this.scrollTop + pixels); }

  #sliceAt(x, y) {
    if (y < RULER || this.isGutter(x)) return null;
    const row = this.rows[rowAt(this.rows, y - RULER + this.scrollTop)];
    if (!row || row.kind !== 'lane') return null;
    const at = row.lane.at(this.viewport.time(x), this.viewport.perPixel * 3);
    return at < 0 ? null : {row, at};
  }

  hover(x, y, event) {
    const slice = x < 0 ? null : this.#sliceAt(x, y);
    const isSame = slice?.row === this.hovered?.row && slice?.at === this.hovered?.at;
    this.hovered = slice;
    this.canvas.style.cursor = slice ? 'pointer' : 'default';
    if (!isSame) this.#plan();
    this.#showTip(event, x, y);
  }

  #showTip(event, x, y) { this.tip.show(event ? this.#textsAt(this.hovered, x, y) : null, event); }

  // Returns the lines of the tip for a point of the canvas, where this slice is; null: there is nothing.
  #textsAt(slice, x, y) {
    const described = slice ? sliceTexts(this.model, slice) : this.#counterTexts(x, y);
    const sample = this.#sampleTexts(x, y);
    return described && sample ? [...described, sample[0]] : described ?? sample;
  }

  #counterTexts(x, y) {
    const row = this.rows[rowAt(this.rows, y - RULER + this.scrollTop)];
    if (!row || y < RULER || this.isGutter(x)) return null;
    if (row.kind === 'heading') return instantTexts(row.instants, this.viewport, x);
    return row.kind === 'counters' ? counterTexts(row.counter, this.viewport.time(x)) : null;
  }

  // Returns the texts of the sample under the pointer.
  #sampleTexts(x, y) {
    const row = y < RULER || x < 0 || this.isGutter(x) ? null : this.rows[rowAt(this.rows, y - RULER + this.scrollTop)];
    if (!row?.hasMarks || !this.painter.showsMarks(this.viewport)) return null;
    const index = markAt(this.model, row.lane.track, this.viewport.time(x), this.viewport.perPixel * 3);
    return index < 0 ? null : sampleTexts(this.model, index);
  }

  click(x, y) {
    const slice = this.#sliceAt(x, y);
    this.clicked = {slice, time: this.viewport.time(x)};
    this.canvas.focus({preventScroll: true});
    if (slice) this.#choose(slice); else if (!this.isGutter(x) && y > RULER) this.selection.select(-1);
  }

  #choose(slice) {
    this.cursor = slice;
    this.isChoosing = true;
    this.selection.select(slice.row.lane.row[slice.at]);
    this.isChoosing = false;
    this.#plan();
  }

  // Zooms so that a slice is as large as fits, on a double click.
  open() {
    const {slice, time} = this.clicked ?? {};
    if (!slice) return this.zoom(0.5, this.viewport.x(time ?? this.viewport.from));
    const [begin, end] = [slice.row.lane.begin[slice.at], slice.row.lane.end[slice.at]];
    const margin = Math.max(end - begin, 100) * 0.15;
    this.#showTime(begin - margin, end + margin);
  }

  range(from, to, isOver) {
    const times = [from, to].map((x) => this.viewport.time(Math.max(x, this.painter.gutter)));
    this.dragged = isOver ? null : times;
    if (isOver) this.#showTime(Math.min(...times), Math.max(...times)); else this.#plan();
  }

  // MARK: Keys

  #key(event) {
    const action = actionOfKey(event);
    if (!action) return;
    event.preventDefault();
    this.#act(action);
  }

  #act(action) {
    const {viewport} = this;
    if (action.zoom) this.zoom(action.zoom, viewport.left + viewport.width / 2);
    if (action.pan) this.pan(action.pan * viewport.width);
    if (action.scroll) this.scroll(action.scroll * this.painter.height);
    if (action.all) this.#showTime(viewport.first, viewport.last);
    if (action.follow) this.#goToEnd();
    if (action.colours) this.#colourBy(this.painter.colourBy === 'state' ? 'class' : 'state');
    if (action.toSelection) {
      const part = this.selection.row < 0 ? null : this.model.execution(this.selection.row) ?? this.model.span(this.selection.row);
      if (part) this.#showTime(part.begin - (part.end - part.begin) * 0.2 - 100, part.end + (part.end - part.begin) * 0.2 + 100);
    }
    if (action.lane) this.#step(action.lane);
    if (action.neighbour) this.#neighbour(action.neighbour);
    if (action.choose && this.cursor) this.#choose(this.cursor);
  }

  // Goes to the end. The span stays the same; if everything was in view, it becomes the last tenth. Some room is left
  // for what comes.
  #goToEnd() {
    const span = this.viewport.isAll ? this.viewport.span / 10 : this.viewport.span;
    this.#showTime(this.model.end - span * 0.95, this.model.end + span * 0.05);
  }

  // Moves the cursor to the lane above or below, to the slice nearest to the current one or to the middle of the view.
  #step(direction) {
    const time = this.cursor ? this.cursor.row.lane.begin[this.cursor.at] : (this.viewport.from + this.viewport.to) / 2;
    const now = this.cursor ? this.laneRows.indexOf(this.cursor.row) : direction > 0 ? -1 : this.laneRows.length;
    const row = this.laneRows[now + direction];
    if (row) this.#moveCursor(row, row.lane.at(time, Infinity));
  }

  #neighbour(direction) {
    if (!this.cursor) return this.#step(1);
    const at = this.cursor.at + direction;
    if (at >= 0 && at < this.cursor.row.lane.count) this.#moveCursor(this.cursor.row, at);
  }

  // Moves the keyboard's cursor: it is framed like what is under the pointer, scrolled into view, and announced.
  #moveCursor(row, at) {
    if (at < 0) return;
    this.cursor = {row, at};
    this.hovered = this.cursor;
    const [begin, end] = [row.lane.begin[at], row.lane.end[at]];
    if (end < this.viewport.from || begin > this.viewport.to) {
      const half = this.viewport.span / 2;
      this.#showTime((begin + end) / 2 - half, (begin + end) / 2 + half);
    }
    this.#revealRow(row);
    this.said.textContent = sliceTexts(this.model, this.cursor).join(', ');
    this.#plan();
  }
}
