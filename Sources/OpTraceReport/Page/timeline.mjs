// The timeline: adds canvas, overview, buttons and legend to the page, and turns the reader's actions into changes of
// what is drawn.
import {TIME_KINDS, h, stateChip, timeWords} from './dom.mjs';
import {counted, durationText, grouped} from './format.mjs';
import {buildLanes} from './slices.mjs';
import {buildCounters} from './steps.mjs';
import {layOut, rowAt} from './rows.mjs';
import {Viewport} from './viewport.mjs';
import {CLASS_COLOURS, Colours, waitFillOf} from './colours.mjs';
import {Painter, RULER} from './painter.mjs';
import {Minimap} from './minimap.mjs';
import {markAt, sampleText, sampleTime} from './samples.mjs';
import {isStuck} from './words.mjs';
import {actionOfKey, listenToPointer} from './gestures.mjs';
import {Tip} from '../../COpTraceScripts/Scripts/elements.mjs';

const LANE_KINDS = {execution: 'running', slot: 'waitingForSlot', dependencies: 'waitingForDependencies'};

export function mountTimeline(element, model, selection) {
  const timeline = new Timeline(element, model, selection);
  return () => timeline.renew();
}

class Timeline {
  constructor(element, model, selection) {
    Object.assign(this, {element, model, selection});
    this.#layOut();
    this.viewport = new Viewport(...this.#time());
    this.scrollTop = 0;
    this.hovered = null;
    this.dragged = null;
    // The keyboard's cursor: a lane row and a slice of it.
    this.cursor = null;
    this.#build();
    this.colours = new Colours(element, model);
    this.painter = new Painter(this.canvas, model, this.colours, this.rows);
    this.minimap = new Minimap(this.overview, this.lanes, this.viewport, this.colours, (from, to) => this.#showTime(from, to));
    listenToPointer(this.canvas, this);
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
    const button = (label, title, action) => h('button', {type: 'button', title, 'aria-label': title, onclick: action}, label);
    this.colourButtons = ['state', 'class'].map((by) => h('button',
      {type: 'button', 'aria-pressed': String(by === 'state'), onclick: () => this.#colourBy(by)}, by === 'state' ? 'State' : 'Class'));
    this.legend = h('span', {class: 'timeline-legend'});
    this.canvas = h('canvas', {
      tabindex: '0', role: 'application', 'aria-label': 'Timeline of threads and queues', 'aria-describedby': 'timeline-help',
      'aria-roledescription': 'timeline',
    });
    this.overview = h('canvas', {class: 'timeline-overview', role: 'img', 'aria-label': 'Overview: how much was executed when'});
    this.spacer = h('div', {});
    this.bar = h('div', {class: 'timeline-bar', tabindex: '-1', 'aria-hidden': 'true'}, this.spacer);
    this.stage = h('div', {class: 'timeline-stage'}, this.canvas, this.bar);
    this.tip = new Tip(this.stage);
    this.said = h('div', {class: 'unseen', role: 'status'});
    this.notes = h('div', {});
    this.following = h('button', {type: 'button', title: 'Go to the end, and follow it (End)', onclick: () => this.#act({follow: true})}, 'Follow');
    this.element.append(
      h('div', {class: 'timeline-tools', role: 'toolbar', 'aria-label': 'Timeline'},
        h('span', {class: 'group'},
          button('−', 'Zoom out (S)', () => this.#act({zoom: 1 / 0.6})), button('+', 'Zoom in (W)', () => this.#act({zoom: 0.6})),
          button('All', 'Show the whole trace (F)', () => this.#act({all: true})),
          button('Selected', 'Zoom to the selected operation (Z)', () => this.#act({toSelection: true})),
          this.following),
        h('span', {class: 'group', role: 'group', 'aria-label': 'Colours'}, h('span', {class: 'faint'}, 'Colours '), this.colourButtons),
        this.legend),
      this.overview, this.stage,
      h('p', {id: 'timeline-help', class: 'unseen'},
        'W and S zoom, A and D move, arrow up and down change the lane, brackets go to the operation before and after, Enter selects. '
        + 'The search finds the same work, and the panel lists its times.'),
      this.said);
    this.none = h('p', {class: 'timeline-none'});
    this.stage.append(this.none);
    this.element.append(this.notes);
    this.#showNotes();
    this.#showLegend('state');
  }

  #showNotes() {
    const {model} = this;
    const note = (text) => h('p', {class: 'timeline-note faint'}, text);
    this.notes.replaceChildren(...[
      model.waitsWithoutLane > 0 && note(`${grouped(model.waitsWithoutLane)} waits have no lane of their own, for want of room. The counters include them.`),
      model.tasksWithoutLane > 0 && note(`${counted(model.tasksWithoutLane, 'task')} have no row of their own, and are shown on their threads only. The counters include them.`),
    ].filter(Boolean));
    this.none.hidden = this.laneRows.length > 0;
    this.none.textContent = model.count === 0 ? 'No operation was recorded.' : `No ${model.nouns.replace(/s$/, '')} was executed.`;
  }

  #showLegend(by) {
    const {model} = this;
    const entries = by === 'state'
      ? model.states.map(({state}) => h('span', {class: 'class-chip'}, h('i', {class: `fill-of-${state}`}), stateChip(state)))
      : [...model.classes, ...model.functions, ...model.tasks].slice(0, CLASS_COLOURS).map(({name}, rank) => h('span', {class: 'class-chip'},
        h('i', {class: `class-colour-${rank}`}), h('bdi', {}, name)));
    this.waitFills ??= this.#fillsOfWaits();
    // A wait that never ends has the colour of its stuck state, whichever way slices are coloured.
    const waits = [['waits-for-slot', 'waiting for a slot'], ['waits-for-dependencies', 'waiting for dependencies'],
      ['fill-of-deadlocked', 'waiting, deadlocked'], ['fill-of-stalled', 'waiting, stalled']].filter(([css]) => this.waitFills.has(css));
    if (this.lanes.some((lane) => lane.kind === 'task')) {
      if (!this.waitFills.has('waits-for-slot')) waits.unshift(['waits-for-slot', 'waiting for its turn']);
      waits.push(['suspended', 'task suspended']);
    }
    if (model.details.kind.includes(model.detailKinds.indexOf('wait'))) waits.push(['thread-blocked', 'thread blocked']);
    if (this.laneRows.some((row) => row.hasMarks)) waits.push(['sample-mark', 'sample, when zoomed in']);
    const fresh = h('span', {}, entries, waits.map(([css, text]) => h('span', {class: 'class-chip'}, h('i', {class: `wait-mark ${css}`}), text)));
    if (fresh.innerHTML !== this.legend.innerHTML) this.legend.replaceChildren(...fresh.childNodes);
  }

  // Returns the colours that waits have: one for each state that occurs.
  #fillsOfWaits() {
    const fills = new Set();
    const {state} = this.model.operations;
    for (const lane of this.lanes.filter(({kind}) => kind === 'slot' || kind === 'dependencies')) {
      const states = new Set();
      for (let at = 0; at < lane.count; at++) states.add(state[lane.row[at]]);
      for (const one of states) fills.add(waitFillOf(this.model.stateWords[one] ?? 'unknown', lane.kind));
    }
    return fills;
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
    this.selectedSlices = row < 0 ? [] : this.#slicesOf(row);
    this.arrows = row < 0 ? [] : this.#arrowsOf(row);
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

  // Returns where the slices of an operation are: {row, at}.
  #slicesOf(row) {
    if (this.model.isTask(row)) return this.#sliceOfTask(row);
    const found = [];
    const add = (kind, track, time) => {
      if (track < 0 || Number.isNaN(time)) return;
      const own = this.laneRows.find((one) => one.lane.track === track && one.lane.kind === kind);
      if (!own) return;
      let at = own.lane.skip(0, time);
      while (at < own.lane.count && own.lane.begin[at] === time && own.lane.row[at] !== row) at += 1;
      if (own.lane.row[at] === row) found.push({row: own, at});
    };
    const {operations} = this.model;
    add('execution', operations.track[row], this.model.execution(row)?.begin ?? NaN);
    add('slot', operations.slotTrack[row], this.model.slotWait(row)?.begin ?? NaN);
    add('dependencies', operations.dependencyTrack[row], this.model.dependencyWait(row)?.begin ?? NaN);
    return found;
  }

  // Returns the slice of a task. All its pieces count as one, from the first to the last.
  #sliceOfTask(row) {
    const track = this.model.operations.track[row];
    const own = track < 0 ? null : this.laneRows.find((one) => one.lane.track === track && one.lane.kind === 'task');
    const pieces = this.model.piecesOfTask(row);
    if (!own || pieces.length === 0) return [];
    const at = own.lane.skip(0, this.model.pieces.begin[pieces[0]]);
    return [{row: own, at, last: Math.min(at + pieces.length, own.lane.count) - 1}];
  }

  // Returns arrows from the ends of what it depended on to its begin, and from its end to the begins of what depended
  // on it.
  #arrowsOf(row) {
    const {model} = this;
    const middle = (slice) => slice.row.top + slice.row.height / 2;
    // For work that never ran, this is its last wait: in a run that hangs, these arrows show why.
    const last = (one) => this.#slicesOf(one)[0];
    const own = last(row);
    if (!own) return [];
    const arrows = [];
    const add = (source, target) => {
      const [from, to] = [source === row ? own : last(source), target === row ? own : last(target)];
      if (!from || !to) return;
      const hasRun = to.row.lane.kind === 'execution';
      arrows.push({
        from: from.row.lane.end[from.at], to: hasRun ? to.row.lane.begin[to.at] : to.row.lane.end[to.at],
        fromTop: middle(from), toTop: middle(to), isStuck: isStuck(model.state(target)),
        isCritical: model.isCritical(source) && model.isCritical(target),
      });
    };
    for (const dependency of model.dependencies(row).slice(0, 200)) if (dependency.removed === null) add(dependency.row, row);
    for (const dependent of model.dependents(row).slice(0, 200)) add(row, dependent);
    // These arrows start at the moment of submission, which lies inside the submitter's slice.
    const leads = (source, target, time, arrives) => {
      const [from, to] = [source === row ? own : last(source), target === row ? own : last(target)];
      if (!from || !to) return;
      const usual = to.row.lane.kind === 'execution' ? to.row.lane.begin[to.at] : to.row.lane.end[to.last ?? to.at];
      arrows.push({
        from: time, to: Number.isNaN(arrives) ? usual : arrives, fromTop: middle(from), toTop: middle(to), isStuck: false, isCritical: false,
      });
    };
    const submits = (source, target) => leads(source, target, model.moment.enqueued[target], model.moment.executing[target]);
    // These arrows lead from whatever resumed a task to where the task ran again.
    const resumes = (index) => leads(model.pieces.resumer[index], model.pieces.row[index], model.pieces.begin[index], model.pieces.end[index]);
    for (const index of model.resumptions(row).slice(0, 200)) resumes(index);
    if (model.submitter(row) >= 0) submits(model.submitter(row), row);
    for (const submitted of model.submissions(row).slice(0, 200)) submits(row, submitted);
    return arrows;
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

  #showTip(event, x, y) {
    const counter = this.hovered || !event ? null : this.#counterTexts(x, y);
    const described = this.hovered ? this.#describe(this.hovered) : counter;
    const sample = event ? this.#sampleTexts(x, y) : null;
    const texts = described && sample ? [...described, sample[0]] : described ?? sample;
    this.tip.show(texts, event);
  }

  #counterTexts(x, y) {
    const row = this.rows[rowAt(this.rows, y - RULER + this.scrollTop)];
    if (!row || y < RULER || this.isGutter(x)) return null;
    if (row.kind === 'heading') return this.#instantTexts(row, x);
    if (row.kind !== 'counters') return null;
    const time = this.viewport.time(x);
    const value = (steps) => steps?.at(time) ?? 0;
    const limit = row.counter.limit ? value(row.counter.limit) : -1;
    return [`at ${durationText(time)}`, `executing ${value(row.counter.executing)}`, `ready ${value(row.counter.ready)}`,
      limit < 0 ? 'no limit' : `limit ${limit}`];
  }

  // Returns the texts of the sample under the pointer.
  #sampleTexts(x, y) {
    const row = y < RULER || x < 0 || this.isGutter(x) ? null : this.rows[rowAt(this.rows, y - RULER + this.scrollTop)];
    if (!row?.hasMarks || !this.painter.showsMarks(this.viewport)) return null;
    const index = markAt(this.model, row.lane.track, this.viewport.time(x), this.viewport.perPixel * 3);
    return index < 0 ? null : [`sampled in ${sampleText(this.model, index)}`, `${durationText(sampleTime(this.model, index))} after the start`];
  }

  #instantTexts({instants}, x) {
    const near = instants.filter((one) => Math.abs(this.viewport.x(one.time) - x) < 6);
    return near.length === 0 ? null : [near[0].name, `${durationText(near[0].time)} after the start`, ...(near.length > 1 ? [`and ${near.length - 1} more`] : [])];
  }

  // Returns the texts of a slice, as lines.
  #describe({row, at}) {
    const {lane} = row;
    if (lane.piece) return this.#describePiece(lane, at);
    const length = durationText(lane.end[at] - lane.begin[at]);
    const when = `${durationText(lane.begin[at])} after the start`;
    if (lane.detail) return [this.model.detailName(lane.detail[at]), length, when];
    const operation = lane.row[at];
    const queue = this.model.queues[this.model.queue(operation)];
    const times = this.model.times(operation);
    const isForThread = lane.kind === 'slot' && times.waitingForThread >= 9 * times.waitingForSlot;
    const kind = isForThread ? 'waitingForThread' : LANE_KINDS[lane.kind];
    return [`${this.model.name(operation)} #${this.model.id(operation)}`, `${timeWords(this.model, operation, TIME_KINDS.find((one) => one.key === kind))} ${length}`, when,
      `${this.model.className(operation)}${queue ? ` · ${queue.name}` : ''} · ${this.model.state(operation)}`];
  }

  #describePiece(lane, at) {
    const {model} = this;
    const [task, index] = [lane.row[at], lane.piece[at]];
    const thread = model.threads[model.pieces.thread[index]]?.name;
    return [`${model.name(task)} #${model.id(task)}`, `${model.pieceText(index)} ${durationText(lane.end[at] - lane.begin[at])}`,
      `${durationText(lane.begin[at])} after the start`,
      lane.runs[at] ? `on ${thread ?? 'an unknown thread'} · ${model.stateText(task)}` : `task · ${model.stateText(task)}`];
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
    this.said.textContent = this.#describe(this.cursor).join(', ');
    this.#plan();
  }
}
