// The rows of the timeline from top to bottom: the threads with their lanes, then each queue with its counters and lanes.
import {counted, listText, queueHeading} from '../../OpTracePage/Page/format.mjs';
import {threadsOfQueue} from './queue-threads.mjs';

const HEIGHTS = {heading: 24, counters: 48, lane: 20, note: 20, detail: 15, wait: 15, task: 16, gap: 6};
const MOST_THREADS = 3;

// Returns the rows from top to bottom: {kind: 'heading'|'counters'|'lane'|'note', key, title, top, height, group,
// lane?, counter?, instants?, text?}. Their tops count from 0. A row keeps its key when there is more data.
export function layOut(model, lanes, counters) {
  const rows = [];
  let top = 0;
  const seen = new Map();
  const add = (row) => {
    const group = model.groups[row.group];
    const name = `${group.kind} ${group.queue ?? group.name} ${row.kind} ${row.lane?.kind} ${row.lane ? trackTitle(row.lane) : ''}`;
    seen.set(name, (seen.get(name) ?? 0) + 1);
    rows.push({...row, key: `${name} ${seen.get(name)}`, top});
    top += row.height;
  };
  const groupOf = (lane) => model.tracks.group[lane.track];
  const trackTitle = (lane) => model.strings[model.tracks.name[lane.track]];
  const byGroup = model.groups.map(() => []);
  for (const lane of lanes) byGroup[groupOf(lane)]?.push(lane);
  const instants = instantsByQueue(model);
  model.groups.forEach((group, index) => {
    const own = byGroup[index];
    const counter = counters.get(index);
    if (own.length === 0 && !counter && group.queue === null) return;
    add({kind: 'heading', title: headingOf(model, group), group: index, height: HEIGHTS.heading, instants: instants.get(group.queue ?? (index === 0 ? -1 : null)) ?? []});
    if (counter && (group.queue !== null || group.kind === 'task')) {
      add({kind: 'counters', title: group.kind === 'task' ? 'executing · ready' : 'executing · ready · limit', group: index, height: HEIGHTS.counters, counter});
    }
    let before = null;
    const running = own.filter((lane) => lane.kind === 'execution').length;
    const note = group.queue === null ? null : runningNote(model, group.queue, running > 0);
    for (const [number, lane] of own.entries()) {
      if (note && number === running) add({kind: 'note', title: running > 0 ? '' : 'running', text: note, group: index, height: HEIGHTS.note});
      // Consecutive lanes of one sort share a title.
      const sort = `${lane.kind} ${trackTitle(lane)}`;
      const title = sort === before && lane.kind !== 'execution' ? '' : trackTitle(lane);
      const isWait = lane.kind === 'slot' || lane.kind === 'dependencies';
      const height = isWait ? HEIGHTS.wait : HEIGHTS[lane.kind] ?? HEIGHTS.lane;
      add({kind: 'lane', title: before === sort ? '' : title, group: index, lane, height});
      before = sort;
    }
    if (note && own.length === running) add({kind: 'note', title: running > 0 ? '' : 'running', text: note, group: index, height: HEIGHTS.note});
    top += HEIGHTS.gap;
  });
  return {rows, height: top};
}

// Says where the operations of a queue ran if they have no lane with the queue; null: all of them have one.
function runningNote(model, queue, hasLanes) {
  const threads = threadsOfQueue(model, queue);
  if (threads.length === 0) return hasLanes ? null : 'nothing has run';
  const count = threads.reduce((sum, one) => sum + one.count, 0);
  const names = threads.slice(0, MOST_THREADS).map(({thread}) => model.threads[thread]?.name ?? 'an unknown thread');
  if (threads.length > MOST_THREADS) names.push(counted(threads.length - MOST_THREADS, 'more thread'));
  return `${counted(count, 'operation')} on ${listText(names)}, above`;
}

// Groups the instants by queue. The program's own marks are with the threads (-1), and changes of a queue with the
// queue.
function instantsByQueue(model) {
  const {time, name, queue, count} = model.instants;
  const found = new Map();
  for (let row = 0; row < count; row++) {
    if (!found.has(queue[row])) found.set(queue[row], []);
    found.get(queue[row]).push({time: time[row], name: model.strings[name[row]]});
  }
  return found;
}

function headingOf(model, group) {
  if (group.queue === null) return group.name === model.process.name ? 'Threads' : group.name;
  const queue = model.queues[group.queue];
  const limit = queue.limit < 0 ? 'no limit' : `limit ${queue.limit}`;
  return `${queueHeading(queue)} · ${limit}${queue.isSuspended ? ' · suspended' : ''}`;
}

// Returns the row at a height; -1: none.
export function rowAt(rows, y) {
  let low = 0;
  let high = rows.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (rows[middle].top <= y) low = middle + 1; else high = middle;
  }
  return low > 0 && y < rows[low - 1].top + rows[low - 1].height ? low - 1 : -1;
}
