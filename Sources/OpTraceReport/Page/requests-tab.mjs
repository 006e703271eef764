// The tab for units of work: their kinds, where the time of the slow ones goes, and how event loops and actors are
// used.
import {capitalised, counted, durationText, grouped, momentText, percentText} from './format.mjs';
import {h, moreButton, svg, whenShown} from './dom.mjs';
import {renewUnits} from './renewal.mjs';
import {causeText, lineOfCode} from './requests.mjs';
import {Latency} from './latency.mjs';
import {sortableTable} from './table.mjs';
import {waterfall} from './waterfall.mjs';

const FIRST_KINDS = 12;
const FIRST_UNITS = 10;
const FIRST_SHARES = 12;

export function mountRequests(element, model, selection) {
  const reading = h('div', {class: 'reading'});
  element.append(reading);
  const tab = new RequestsTab(model, selection, reading);
  return whenShown(selection, 'requests', () => tab.build());
}

const codeCell = (code) => [code.name && h('bdi', {}, code.name), code.name && code.at && ' ', code.at && h('code', {class: 'faint'}, code.at)];

class RequestsTab {
  constructor(model, selection, reading) {
    Object.assign(this, {model, selection, reading, chosen: null, unit: null});
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
    this.latency = new Latency(requests, kind, () => this.showRange());
    this.shares = h('div', {class: 'shares'});
    this.list = h('div', {class: 'request-units'});
    this.opened = h('div', {class: 'request-unit'});
    this.details.replaceChildren(
      h('h2', {id: 'request-kind-title'}, h('bdi', {}, kind.name)),
      h('p', {class: 'request-sentence'}, capitalised(kind.sentence), '.'),
      h('h3', {}, 'How long they took'), h('p', {class: 'faint'}, 'Drag, or press Shift with an arrow key, to choose a range.'), this.latency.element,
      this.shares, this.list, this.opened);
    this.showRange();
    if (this.unit !== null) this.open(requests.unitsBetween(kind).find((unit) => requests.unitName(unit) === this.unit) ?? -1, false);
  }

  /** Shows what depends on the chosen range of durations. */
  showRange() {
    const {requests, kind, latency} = this;
    const {range} = latency;
    const units = range && requests.unitsBetween(kind, ...range);
    const words = range ? `${durationText(range[0])} to ${durationText(range[1])}` : `slowest ${grouped(kind.tail)}`;
    this.shares.replaceChildren(...(units?.length === 0 ? [h('p', {class: 'faint'}, 'The page has no unit of these durations.')] : this.breakdown(units, words)));
    this.list.replaceChildren(...this.unitList(units ?? requests.unitsBetween(kind), range ? `${counted(latency.count, 'unit')} of ${words}` : 'The slowest'));
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
        list.append(h('li', {}, h('button', {type: 'button', class: 'unit-button', 'data-unit': requests.unitName(unit), onclick: () => this.open(unit)},
          h('b', {}, durationText(requests.units.length[unit])), ` ${requests.unitName(unit)} at ${momentText(requests.units.began[unit])}`, requests.units.isFailed[unit] === 1 && ', failed')));
      }
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

/** `0.4`, `1,200` */
export function rateText(rate) { return rate >= 10 ? grouped(rate) : rate.toFixed(1); }

/** Draws how much of each second a loop spent in turns. */
function sparkline(seconds) {
  if (seconds.length === 0) return '';
  const [first, last] = [seconds[0][0], seconds[seconds.length - 1][0]];
  const points = seconds.map(([time, share]) => `${last > first ? (100 * (time - first) / (last - first)).toFixed(1) : 50},${(19 - share * 18 / 1000).toFixed(1)}`);
  const most = Math.max(...seconds.map(([, share]) => share));
  return svg('svg', {class: 'sparkline', viewBox: '0 0 100 20', preserveAspectRatio: 'none', role: 'img', 'aria-label': `at most ${percentText(most / 1000)} of a second`},
    svg('polyline', {points: points.join(' ')}));
}
