// One unit of work as a waterfall: what it did and waited for, and below it the work that it submitted, on a common
// time axis.
import {durationText, grouped, momentText} from '../../OpTracePage/Page/format.mjs';
import {h, nameText} from '../../OpTracePage/Page/dom.mjs';
import {causeText, lineOfCode} from './requests.mjs';
import {Viewport, tickText} from '../../OpTracePage/Page/viewport.mjs';

const DEEPEST = 8;

export function waterfall(model, selection, unit, close) {
  const {requests} = model;
  const began = requests.units.began[unit];
  const length = Math.max(1, requests.units.length[unit]);
  const lines = requests.tree(unit);
  const place = (from, to) => ({left: `${100 * (from - began) / length}%`, width: `${100 * Math.max(0, to - from) / length}%`});
  const show = (id) => {
    const row = model.rowOf(id);
    if (row < 0) return;
    selection.show('timeline');
    selection.select(row);
    // This comes after the selection, which would move the view to its own range.
    selection.showTime(began - length * 0.05, began + length * 1.05);
  };
  // A piece says the same as the note on all that are like it.
  const noteText = (line, cause) => {
    const note = line.notes.find((one) => one.cause === cause);
    return note && [note.count > 1 && cause.what.word !== 'running' && `one of ${grouped(note.count)}, ${durationText(note.time)} together`, note.words].filter(Boolean).join('\n');
  };
  const bar = (line) => h('span', {class: 'waterfall-bar'}, h('span', {class: 'waterfall-life', css: place(line.began, line.ended)}),
    line.pieces.map(({cause, began: from, ended: to}) => h('span', {
      class: `what-${cause.what.word}`, css: place(from, to),
      title: [`${causeText(cause)} ${durationText(to - from)}`, lineOfCode(cause.code), `from ${durationText(from - began)} on`, noteText(line, cause)].filter(Boolean).join('\n'),
    })));
  const row = (line) => {
    const work = model.rowOf(line.work);
    const name = work < 0 ? 'unknown work' : model.name(work);
    const kind = work < 0 ? '' : model.kind(work);
    const sums = summary(line.pieces);
    return h('li', {}, h('button', {
      type: 'button', class: 'waterfall-line', 'data-work': line.work, title: `${name} #${line.work}, ${kind}: show in the timeline`,
      'aria-label': `${name} #${line.work}, ${kind}, begins after ${durationText(line.began - began)}, takes ${durationText(line.ended - line.began)}: ${sums}`,
      onclick: () => show(line.work),
    }, h('span', {class: `waterfall-name depth-${Math.min(DEEPEST, line.depth)}`}, nameText(name), h('span', {class: 'number'}, `#${line.work}`)), bar(line),
    h('span', {class: 'figure'}, durationText(line.ended - line.began))),
    line.notes.length > 0 && h('ul', {class: 'waterfall-notes'}, line.notes.map(note)));
  };
  const said = requests.said(unit);
  return h('section', {class: 'waterfall', 'aria-labelledby': 'waterfall-title'},
    h('header', {}, h('h3', {id: 'waterfall-title', tabindex: '-1'}, `Unit ${requests.unitName(unit)}: ${durationText(requests.units.length[unit])} at ${momentText(began)}`, said && h('span', {class: 'unit-said'}, h('bdi', {}, said))),
      h('button', {type: 'button', class: 'icon', 'aria-label': 'Close the waterfall', onclick: close}, '×')),
    h('p', {class: 'waterfall-axis', 'aria-hidden': 'true'}, h('span', {class: 'waterfall-bar'}, ticks(length))),
    h('ol', {class: 'waterfall-lines'}, lines.map(row)));
}

/** `blocked in a call: recv from 127.0.0.1:5432 ×41, 320 ms in query() (Store.swift:40)`, and who had it meanwhile. */
function note({cause, time, count, words}) {
  const times = count > 1 && cause.what.word !== 'running' ? ` ×${grouped(count)}` : '';
  // Whose code an actor or a loop mostly runs is said of the whole run; here it is known who had it.
  const code = words && ['actor', 'loop'].includes(cause.what.word) ? '' : lineOfCode(cause.code);
  return h('li', {}, h('i', {class: `what-mark what-${cause.what.word}`}), h('span', {},
    h('b', {}, `${causeText(cause)}${times}`), `, ${durationText(time)}${code && ` in ${code}`}${words && `; ${words}`}`));
}

function ticks(length) {
  const view = new Viewport(0, length);
  [view.from, view.to, view.width] = [0, length, 700];
  const {step, ticks: times} = view.ticks(120);
  return times.filter((time) => time < length * 0.94).map((time) => h('span', {css: {left: `${100 * time / length}%`}}, tickText(time, step, length)));
}

/** `running 3 ms, waiting for an actor 80 ms`, the longest first. */
function summary(pieces) {
  const sums = new Map();
  for (const {cause, began, ended} of pieces) sums.set(cause.what.title, (sums.get(cause.what.title) ?? 0) + ended - began);
  return [...sums].sort(([, one], [, other]) => other - one).map(([title, time]) => `${title} ${durationText(time)}`).join(', ');
}
