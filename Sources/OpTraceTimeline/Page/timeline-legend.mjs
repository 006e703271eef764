// What stands beside the timeline: which colour means what, and what has no room.
import {CLASS_COLOURS, waitFillOf} from './colours.mjs';
import {h, stateChip} from '../../OpTracePage/Page/dom.mjs';
import {counted, grouped} from '../../OpTracePage/Page/format.mjs';

/** Returns the entries of the legend. `by`: what colours tell, 'state' or 'class'. `classes`: their names by rank. `waitFills`: the colours that waits have. */
export function legendChips(model, by, classes, waitFills, lanes, laneRows) {
  const entries = by === 'state'
    ? model.states.map(({state}) => h('span', {class: 'class-chip'}, h('i', {class: `fill-of-${state}`}), stateChip(state)))
    : classes.slice(0, CLASS_COLOURS).map((name, rank) => h('span', {class: 'class-chip'},
      h('i', {class: `class-colour-${rank}`}), h('bdi', {}, name)));
  // A wait that never ends has the colour of its stuck state, whichever way slices are coloured.
  const waits = [['waits-for-slot', 'waiting for a slot'], ['waits-for-dependencies', 'waiting for dependencies'],
    ['fill-of-deadlocked', 'waiting, deadlocked'], ['fill-of-stalled', 'waiting, stalled']].filter(([css]) => waitFills.has(css));
  if (lanes.some((lane) => lane.kind === 'task')) {
    if (!waitFills.has('waits-for-slot')) waits.unshift(['waits-for-slot', 'waiting for its turn']);
    waits.push(['suspended', 'task suspended']);
  }
  if (model.details.kind.includes(model.detailKinds.indexOf('wait'))) waits.push(['thread-blocked', 'thread blocked']);
  if (laneRows.some((row) => row.hasMarks)) waits.push(['sample-mark', 'sample, when zoomed in']);
  return [entries, waits.map(([css, text]) => h('span', {class: 'class-chip'}, h('i', {class: `wait-mark ${css}`}), text))];
}

/** Returns the colours that waits have: one for each state that occurs. */
export function fillsOfWaits(model, lanes) {
  const fills = new Set();
  const {state} = model.operations;
  for (const lane of lanes.filter(({kind}) => kind === 'slot' || kind === 'dependencies')) {
    const states = new Set();
    for (let at = 0; at < lane.count; at++) states.add(state[lane.row[at]]);
    for (const one of states) fills.add(waitFillOf(model.stateWords[one] ?? 'unknown', lane.kind));
  }
  return fills;
}

/** Returns what is said below the lanes of what has none. */
export function notesBelow(model) {
  const note = (text) => h('p', {class: 'timeline-note faint'}, text);
  return [
    model.waitsWithoutLane > 0 && note(`${grouped(model.waitsWithoutLane)} waits have no lane of their own, for want of room. The counters include them.`),
    model.tasksWithoutLane > 0 && note(`${counted(model.tasksWithoutLane, 'task')} have no row of their own, and are shown on their threads only. The counters include them.`),
  ].filter(Boolean);
}
