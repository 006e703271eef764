// The tab for units of work: their kinds, where the time of the slow ones goes, and how event loops and actors are
// used.
import {capitalised, counted, durationText, grouped, momentText, percentText} from '../../OpTracePage/Page/format.mjs';
import {h, moreButton, svg, whenShown} from '../../OpTracePage/Page/dom.mjs';
import {renewUnits} from '../../OpTracePage/Page/renewal.mjs';
import {addPart} from '../../OpTracePage/Page/parts.mjs';
import {Requests, causeText, lineOfCode, rateText} from './requests.mjs';
import {BlameFlame} from './blame-flame.mjs';
import {Course} from './course.mjs';
import {Latency} from './latency.mjs';
import {sortableTable} from '../../OpTracePage/Page/table.mjs';
import {waterfall} from './waterfall.mjs';

const FIRST_KINDS = 12;
const FIRST_UNITS = 10;
const FIRST_SHARES = 12;

// The tab of the page, for what leads to it.
let mounted = null;

export function mountRequests(element, model, selection) {
  const reading = h('div', {class: 'reading'});
  element.append(reading);
  const tab = mounted = new RequestsTab(model, selection, reading);
  const renew = whenShown(selection, 'requests', () => tab.build());
  // After what builds the tab when it is shown.
  selection.subscribe((_, changed) => tab.follow(changed));
  return renew;
}

const codeCell = (code) => [code.name && h('bdi', {}, code.name), code.name && code.at && ' ', code.at && h('code', {class: 'faint'}, code.at)];

class RequestsTab {
  constructor(model, selection, reading) {
    Object.assign(this, {model, selection, reading, chosen: null, unit: null, latency: null, isBehind: false});
    this.details = h('section', {class: 'part', id: 'request-kind', 'aria-labelledby': 'request-kind-title'});
  }

  get requests() { return this.model.requests; }

  /** The chosen kind. It keeps its name and code when there is more data. */
  get kind() { return this.requests.kinds.find((kind) => keyOfKind(kind) === this.chosen) ?? this.requests.kinds[0]; }

  build() {
    const {requests} = this;
    if (!requests) return this.reading.replaceChildren();
    renewUnits(this.reading, [this.kindsPart(), requests.kinds.length > 0 && this.details, this.loopsPart(), this.actorsPart()].filter(Boolean));
    if (requests.kinds.length > 0 && !this.details.contains(document.activeElement)) this.showKind();
  }

  /** Follows the range of time that the page shows, and the work that is selected, whoever chooses it. */
  follow(changed) {
    if (changed.has('view')) this.isBehind = true;
    if (changed.has('row')) this.markSelected();
    if (!this.isBehind || !this.latency || this.selection.tab !== 'requests') return;
    this.course?.show();
    this.showRange();
  }

  /** Marks units and lines of the selected work. */
  markSelected() {
    const {row} = this.selection;
    const id = row < 0 ? null : String(this.model.id(row));
    for (const one of this.reading.querySelectorAll('[data-work]')) {
      if (one.dataset.work === id) one.setAttribute('aria-current', 'true'); else one.removeAttribute('aria-current');
    }
  }

  /** Shows a unit, and its kind. */
  showUnit(unit) {
    this.chosen = keyOfKind(this.requests.kindOf(unit));
    this.unit = null;
    this.markKind(this.reading);
    this.showKind();
    if (this.requests.hasTree(unit)) this.open(unit); else this.details.scrollIntoView({block: 'start'});
  }

  // MARK: Kinds

  kindsPart() {
    const {requests} = this;
    const figure = (title, key, text) => ({title, isNumber: true, value: (kind) => kind[key], cell: (kind) => text(kind[key])});
    const table = sortableTable({
      caption: 'Kinds of units', rows: requests.kinds, first: FIRST_KINDS,
      columns: [
        {title: 'Kind', value: (kind) => kind.name, cell: (kind) => this.kindButton(kind)},
        figure('Count', 'count', grouped), figure('Per second', 'perSecond', rateText), figure('p50', 'p50', durationText), figure('p95', 'p95', durationText),
        figure('p99', 'p99', durationText), figure('Max', 'max', durationText), figure('Failed', 'failed', (count) => (count > 0 ? grouped(count) : '')),
        {title: 'Source', value: (kind) => kind.code.at, cell: (kind) => h('code', {}, kind.code.at)},
      ],
    });
    this.markKind(table);
    return h('section', {class: 'part', id: 'request-kinds'}, h('h2', {}, 'Units of work'),
      h('p', {class: 'lead'}, 'What the program does again and again, such as answering a request, found by itself; your own code first. Choose one to see where its time goes.'),
      table,
      requests.open > 0 && h('p', {class: 'faint'}, `${counted(requests.open, 'more unit')} not over.`),
      requests.moreKinds > 0 && h('p', {class: 'faint'}, `${counted(requests.moreKinds, 'more kind')}: see optrace requests.`));
  }

  kindButton(kind) {
    return h('button', {type: 'button', class: 'plain kind-button', 'data-kind': keyOfKind(kind), onclick: () => {
      this.chosen = keyOfKind(kind);
      this.unit = null;
      this.markKind(this.reading);
      this.showKind();
    }}, h('bdi', {}, kind.name));
  }

  markKind(root) {
    for (const button of root.querySelectorAll('.kind-button')) button.setAttribute('aria-pressed', String(button.dataset.kind === keyOfKind(this.kind)));
  }

  // MARK: The chosen kind

  showKind() {
    const {requests, kind} = this;
    const last = this.flame?.kind.name === kind.name ? this.flame : null;
    this.latency = new Latency(requests, kind, () => this.showRange());
    this.course = kind.hasCourse ? new Course(requests, kind, () => this.selection.view, (from, to) => this.chooseTime(from, to)) : null;
    this.flame = kind.blamed > 0 ? new BlameFlame(requests, kind) : null;
    this.blame = h('div', {class: 'blame'});
    this.notice = h('p', {class: 'time-notice', role: 'status'});
    this.shares = h('div', {class: 'shares'});
    this.list = h('div', {class: 'request-units'});
    this.opened = h('div', {class: 'request-unit'});
    this.details.replaceChildren(
      h('h2', {id: 'request-kind-title'}, h('bdi', {}, kind.name)),
      h('p', {class: 'request-sentence'}, capitalised(kind.sentence), '.'), this.lost(),
      h('div', {class: 'charts'},
        this.course && h('div', {class: 'chart'}, h('h3', {}, 'How they went over time'), this.course.element, this.course.legend),
        h('div', {class: 'chart'}, h('h3', {}, 'How long they took'), this.latency.element)),
      h('p', {class: 'faint'}, 'Drag, or press Shift with an arrow key, to choose a range: what is below is then that of the units in it.'), this.notice,
      this.blame, this.shares, this.list, this.opened);
    this.showRange();
    // What was enlarged and searched for stays so when there is more data.
    if (last?.graph.root && this.flame?.graph.root) this.flame.takeOver(last);
    if (this.unit !== null) this.open(requests.unitsBetween(kind).find((unit) => requests.unitName(unit) === this.unit) ?? -1, false);
  }

  /** Shows what the slow ones lose their time to, wherever they wait for it. */
  lost() {
    const {lost} = this.kind;
    return lost.length > 0 && h('div', {class: 'lost'}, h('h3', {}, 'What the slow ones lose their time to'),
      h('ol', {}, lost.map(({share, text}) => h('li', {}, h('i', {css: {width: `${100 * share}%`}}), h('span', {}, text)))));
  }

  chooseTime(from, to) { if (to > from) this.selection.showTime(from, to); else this.selection.showAllTime(); }

  /** Shows what depends on the chosen ranges of durations and of time. */
  showRange() {
    const {requests, kind, latency, selection: {view}} = this;
    const {range} = latency;
    this.isBehind = false;
    const units = range || view ? requests.unitsBetween(kind, ...(range ?? [0, Infinity]), view) : null;
    const durations = range ? `${durationText(range[0])} to ${durationText(range[1])}` : '';
    const words = durations || (view ? 'ended then' : `slowest ${grouped(kind.tail)}`);
    const title = view ? `The slowest${durations && ` of ${durations}`} that ended then` : range ? `${counted(latency.count, 'unit')} of ${durations}` : 'The slowest';
    this.tellTime(view);
    this.showBlame(requests.blamedBetween(kind, ...(range ?? [0, Infinity]), view));
    this.shares.replaceChildren(...(units?.length === 0 ? [h('p', {class: 'faint'}, `The page has no unit of these ${view ? 'times' : 'durations'}.`)] : this.breakdown(units, words)));
    this.list.replaceChildren(...(units?.length === 0 ? [] : this.unitList(units ?? requests.unitsBetween(kind), title)));
    this.markSelected();
  }

  /** Shows what these slow units lost their time to, step by step. */
  showBlame(units) {
    if (!this.flame) return;
    const {element} = this.flame;
    if (units.length > 0) this.flame.show(units);
    this.blame.replaceChildren(h('h3', {}, 'What they waited for, and who had it'), ...(units.length === 0 ? [h('p', {class: 'faint'}, 'None of the slow units that were followed is among these.')]
      : [h('p', {class: 'faint'}, `From top to bottom: what ${counted(units.length, 'slow unit')} waited for, who had it, what those waited for, and so on to where the time went. A box is as wide as the time that a unit loses there.`), element]));
  }

  /** Says that only a part of the time counts, as chosen here or in the timeline. */
  tellTime(view) {
    this.notice.hidden = !view;
    this.notice.replaceChildren(...(view ? [h('span', {}, `What is below is of the units that ended from ${durationText(Math.max(0, view[0]))} to ${durationText(view[1])}. `),
      h('button', {type: 'button', onclick: () => {
        this.selection.showAllTime();
        (this.course ?? this.latency).element.focus();
      }}, 'Show all times')] : []));
  }

  /** Shows two bars, and their contents as a table. */
  breakdown(units, words) {
    const {requests, kind} = this;
    const rows = requests.breakdown(kind, units);
    const sum = (key) => rows.reduce((all, one) => all + one[key], 0);
    const longest = Math.max(1, sum('median'), sum('tail'));
    const bar = (key, title) => h('div', {class: 'share-row'}, h('span', {class: 'share-title'}, title),
      h('span', {class: 'share-bar', role: 'img', 'aria-label': `${title}, ${durationText(sum(key))}: ${rows.filter((one) => one[key] > 0).map((one) => `${causeText(requests.causes[one.cause])} ${durationText(one[key])}`).join(', ')}`},
        rows.map((one) => one[key] > 0 && h('span', {class: `what-${requests.causes[one.cause].what.word}`, css: {width: `${100 * one[key] / longest}%`},
          title: `${causeText(requests.causes[one.cause])} ${durationText(one[key])}\n${lineOfCode(requests.causes[one.cause].code)}`}))),
      h('span', {class: 'figure'}, durationText(sum(key))));
    const cause = (one) => requests.causes[one.cause];
    return [h('h3', {}, 'Where the time goes'), bar('median', 'median'), bar('tail', words), sortableTable({
      caption: 'Where the time of a unit goes', rows, first: FIRST_SHARES,
      columns: [
        {title: 'What', value: (one) => cause(one).what.title, cell: (one) => [h('i', {class: `what-mark what-${cause(one).what.word}`}), cause(one).what.title]},
        {title: 'Who', value: (one) => cause(one).who, cell: (one) => h('bdi', {}, cause(one).who)},
        {title: 'Function', value: (one) => cause(one).code.name, cell: (one) => h('bdi', {}, cause(one).code.name)},
        {title: 'Source', value: (one) => cause(one).code.at, cell: (one) => h('code', {}, cause(one).code.at)},
        {title: 'Median', isNumber: true, value: (one) => one.median, cell: (one) => (one.median > 0 ? durationText(one.median) : '')},
        {title: units ? 'Chosen' : 'Slowest', isNumber: true, value: (one) => one.tail, cell: (one) => (one.tail > 0 ? durationText(one.tail) : '')},
      ],
    })];
  }

  unitList(units, title) {
    const {requests} = this;
    const list = h('ol', {class: 'unit-list'});
    const more = moreButton(list, units.length, FIRST_UNITS, (from, to) => {
      for (const unit of units.slice(from, to)) {
        list.append(h('li', {}, h('button', {type: 'button', class: 'unit-button', 'data-unit': requests.unitName(unit), 'data-work': requests.units.work[unit], onclick: () => this.open(unit)},
          h('b', {}, durationText(requests.units.length[unit])), ` ${requests.unitName(unit)} at ${momentText(requests.units.began[unit])}`, requests.said(unit) && [' ', h('bdi', {class: 'unit-said'}, requests.said(unit))], requests.units.isFailed[unit] === 1 && ', failed')));
      }
      this.markSelected();
    });
    return [h('h3', {}, title), list, more].filter(Boolean);
  }

  /** Opens the waterfall of a unit. If that is not in the page, its work is shown in the timeline. */
  open(unit, isAsked = true) {
    const {requests, model, selection} = this;
    if (unit < 0) return;
    if (!requests.hasTree(unit)) {
      if (!isAsked) return;
      const {work, began, length} = requests.units;
      selection.show('timeline');
      selection.select(model.rowOf(work[unit]));
      return selection.showTime(began[unit] - length[unit] * 0.05, began[unit] + length[unit] * 1.05);
    }
    this.unit = requests.unitName(unit);
    this.opened.replaceChildren(waterfall(model, selection, unit, () => {
      this.opened.replaceChildren();
      const button = [...this.list.querySelectorAll('.unit-button')].find((one) => one.dataset.unit === this.unit);
      this.unit = null;
      (button ?? this.latency.element).focus();
    }));
    this.markSelected();
    if (!isAsked) return;
    this.opened.scrollIntoView({block: 'nearest'});
    this.opened.querySelector('h3').focus({preventScroll: true});
  }

  // MARK: Loops and actors

  loopsPart() {
    const {loops} = this.requests;
    if (loops.length === 0) return null;
    const figure = (title, key, text) => ({title, isNumber: true, value: (loop) => loop[key], cell: (loop) => text(loop[key])});
    return h('section', {class: 'part', id: 'request-loops'}, h('h2', {}, 'Event loops'), sortableTable({
      caption: 'Event loops', rows: loops,
      columns: [
        {title: 'Event loop', value: (loop) => loop.name, cell: (loop) => h('bdi', {}, loop.name)},
        figure('Turns', 'turns', grouped), figure('Busy', 'utilisation', percentText),
        {title: 'By time', cell: (loop) => sparkline(loop.seconds)},
        figure('Longest', 'longest', durationText), figure('10 ms or more', 'long', grouped), figure('In these', 'longTime', durationText),
        {title: 'Mostly', value: (loop) => loop.code.name, cell: (loop) => [loop.what && `${loop.what} `, codeCell(loop.code)]},
      ],
    }));
  }

  actorsPart() {
    const {actors, moreActors} = this.requests;
    if (actors.length === 0) return null;
    const figure = (title, key, text) => ({title, isNumber: true, value: (actor) => actor[key], cell: (actor) => text(actor[key])});
    return h('section', {class: 'part', id: 'request-actors'}, h('h2', {}, 'Actors that tasks waited for'), sortableTable({
      caption: 'Actors that tasks waited for', rows: actors, first: FIRST_KINDS,
      columns: [
        {title: 'Actor', value: (actor) => actor.name, cell: (actor) => h('bdi', {}, actor.name)},
        figure('Waits', 'waits', grouped), figure('p50', 'p50', durationText), figure('p99', 'p99', durationText), figure('Deepest', 'deepest', grouped),
        figure('Used', 'utilisation', percentText), {title: 'Most in', value: (actor) => actor.code.name, cell: (actor) => codeCell(actor.code)},
      ],
    }), moreActors > 0 && h('p', {class: 'faint'}, `${counted(moreActors, 'more actor')}.`));
  }
}

function keyOfKind(kind) { return `${kind.name} ${kind.code.at}`; }

/** Draws how much of each second a loop spent in turns. */
function sparkline(seconds) {
  if (seconds.length === 0) return '';
  const [first, last] = [seconds[0][0], seconds[seconds.length - 1][0]];
  const points = seconds.map(([time, share]) => `${last > first ? (100 * (time - first) / (last - first)).toFixed(1) : 50},${(19 - share * 18 / 1000).toFixed(1)}`);
  const most = Math.max(...seconds.map(([, share]) => share));
  return svg('svg', {class: 'sparkline', viewBox: '0 0 100 20', preserveAspectRatio: 'none', role: 'img', 'aria-label': `at most ${percentText(most / 1000)} of a second`},
    svg('polyline', {points: points.join(' ')}));
}

/** Returns what leads from selected work to the unit that it is, or is part of. */
function leadToUnit(model, row, selection) {
  const unit = model.requests?.unitOf(model.id(row)) ?? -1;
  return unit < 0 ? null : ['Show in requests', () => {
    selection.show('requests');
    mounted?.showUnit(unit);
  }];
}

addPart({
  name: 'requests', lead: leadToUnit, title: 'Requests', mount: mountRequests, read: (data) => new Requests(data),
  isPresent: (model) => Boolean(model.requests), explains: (model) => (model.requests.areLoad ? 2 : 0),
  help: ['Requests', [
    [['Drag', 'Click'], 'in the histogram: choose a range of durations; in the chart over time: a range of time, also that of the timeline'],
    [['←', '→'], 'in both: choose a column; with Shift more of them'],
    [['Esc'], 'choose none'],
  ]],
});
