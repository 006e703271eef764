// How long operations waited or ran, in buckets that double from a nanosecond to over an hour.
import {durationText, grouped, percentText, shortCount} from '../../OpTracePage/Page/format.mjs';
import {TIME_KINDS, h, operationList} from '../../OpTracePage/Page/dom.mjs';
import {largestRows} from '../../OpTracePage/Page/table.mjs';
import {timeKindsOf, timeWordsOfAll} from './why-data.mjs';

/** The number of buckets. Bucket 0 holds times of 0, bucket n those from 2^(n-1) to below 2^n ns, and the last one everything longer. */
export const BUCKETS = 44;

/** Returns the bucket of a time. It uses the leading bit rather than a logarithm, which rounds up just below a power of two. */
export function bucketOf(time) {
  if (!(time >= 1)) return 0;
  const high = Math.floor(time / 2 ** 32);
  return Math.min(BUCKETS - 1, high >= 1 ? 64 - Math.clz32(Math.min(high, 2 ** 31)) : 32 - Math.clz32(time));
}

/** Returns the first time that belongs to the bucket, and the first that no longer does. */
export function bucketRange(bucket) {
  if (bucket === 0) return [0, 1];
  return [2 ** (bucket - 1), bucket === BUCKETS - 1 ? Infinity : 2 ** bucket];
}

export function bucketText(bucket) {
  const [from, to] = bucketRange(bucket);
  if (bucket === 0) return 'none at all';
  if (to === Infinity) return `${durationText(from)} and more`;
  return `${durationText(from)} to ${durationText(to)}`;
}

/** Returns the counts per kind of time, in one pass over all rows. Unknown times are not counted. `queue` -1: all queues. */
export function histogramCounts(model, queue) {
  const kinds = TIME_KINDS.map(kind => kind.key);
  const counts = Object.fromEntries(kinds.map(kind => [kind, new Uint32Array(BUCKETS)]));
  for (let row = 0; row < model.count; row += 1) {
    if (queue >= 0 && model.queue(row) !== queue) continue;
    const times = model.times(row);
    for (let kind = 0; kind < kinds.length; kind += 1) {
      const time = times[kinds[kind]];
      if (isKnownTime(time)) counts[kinds[kind]][bucketOf(time)] += 1;
    }
  }
  return counts;
}

function isKnownTime(time) { return time !== null && time >= 0; }

/** Returns the first and the last bucket that is not empty; [0, -1] if all are empty. */
export function bucketsInUse(counts) {
  const first = counts.findIndex(count => count > 0);
  return first < 0 ? [0, -1] : [first, counts.findLastIndex(count => count > 0)];
}

export function histogramView(model, selection) {
  const state = {kind: TIME_KINDS[1], queue: -1, bucket: -1, counts: histogramCounts(model, -1)};
  const bars = h('div', {class: 'bars', role: 'group'});
  const below = h('div', {class: 'bucket'});
  const kinds = h('span', {class: 'switch', role: 'group', 'aria-label': 'Which time'}, timeKindsOf(model).map(kind =>
    h('button', {type: 'button', 'data-kind': kind.key, onclick: () => change({kind, bucket: -1})}, timeWordsOfAll(model, kind))));
  const queues = model.queues.length < 2 ? null : h('label', {}, 'Queue ', h('select', {onchange: event => {
    const queue = Number(event.target.value);
    change({queue, bucket: -1, counts: histogramCounts(model, queue)});
  }}, h('option', {value: '-1'}, 'all'), model.queues.map((queue, index) => h('option', {value: String(index)}, queue.name))));

  function change(values) {
    Object.assign(state, values);
    draw();
  }
  function draw() {
    const counts = state.counts[state.kind.key];
    const [first, last] = bucketsInUse(counts);
    const total = counts.reduce((sum, count) => sum + count, 0);
    const highest = Math.max(1, ...counts);
    for (const button of kinds.children) button.setAttribute('aria-pressed', String(button.dataset.kind === state.kind.key));
    bars.setAttribute('aria-label', `${model.counted(total)} by time ${timeWordsOfAll(model, state.kind)}`);
    bars.replaceChildren();
    // Labels that would touch each other are left out; every bar has its range as its title. Times of zero have a
    // separate bar: there may be thirty empty buckets between it and the next one.
    const start = first === 0 ? Math.max(1, counts.findIndex((count, bucket) => bucket > 0 && count > 0)) : first;
    const every = Math.max(1, Math.ceil((last - start + 1) / 9));
    for (let bucket = first; bucket <= last; bucket = bucket === 0 ? start : bucket + 1) {
      const words = `${bucketText(bucket)}: ${model.counted(counts[bucket])}, ${percentText(counts[bucket] / total)}`;
      bars.append(h('button', {type: 'button', class: 'bar-column', title: words, 'aria-label': words, disabled: counts[bucket] === 0,
        'aria-pressed': String(bucket === state.bucket), onclick: () => choose(bucket)},
        h('span', {class: 'bar-count', css: {bottom: `${100 * counts[bucket] / highest}%`}}, counts[bucket] ? shortCount(counts[bucket]) : ''),
        h('span', {class: `bar ${state.kind.css}`, css: {height: `${100 * counts[bucket] / highest}%`}}),
        (bucket === 0 || (bucket - start) % every === 0) && h('span', {class: 'bar-label'}, bucket === 0 ? 'none' : durationText(bucketRange(bucket)[0]))));
    }
    if (total === 0) bars.append(h('p', {class: 'faint'}, `None of the ${model.nouns} has such a time.`));
    below.replaceChildren(...(total === 0 ? [] : state.bucket < 0
      ? [h('p', {class: 'faint'}, `Each bar holds times up to twice as long as the one before. Choose one to see its longest ${model.nouns}.`)]
      : bucketList()));
  }
  function choose(bucket) {
    const at = [...bars.children].findIndex(bar => bar.contains(document.activeElement));
    // A change that the reader asked for is announced; growth by itself is not.
    below.setAttribute('aria-live', 'polite');
    change({bucket: bucket === state.bucket ? -1 : bucket});
    if (at >= 0) bars.children[at]?.focus();
  }
  function bucketList() {
    const {key} = state.kind;
    const text = timeWordsOfAll(model, state.kind);
    const isIn = row => (state.queue < 0 || model.queue(row) === state.queue) && bucketOf(model.times(row)[key]) === state.bucket;
    // The value is one higher, for the bucket of those that did not wait: only values above zero are listed.
    const rows = largestRows(model.count, row => (isKnownTime(model.times(row)[key]) && isIn(row) ? model.times(row)[key] + 1 : 0), 50);
    const count = state.counts[key][state.bucket];
    const lead = count > rows.length ? `The ${rows.length} longest of ${grouped(count)}` : model.counted(count);
    return [h('h4', {}, `${lead} ${text} ${bucketText(state.bucket)}`),
      operationList(model, selection, rows, row => h('span', {class: 'beside'}, durationText(model.times(row)[key])))];
  }
  draw();
  const root = h('div', {class: 'histogram'}, h('div', {class: 'controls'}, kinds, queues), h('div', {class: 'bars-frame'}, bars), below);
  root.choice = state;
  root.takeOver = old => {
    const {kind, queue, bucket} = old.choice;
    change({kind, queue, bucket, counts: histogramCounts(model, queue)});
    if (queues) queues.querySelector('select').value = String(queue);
  };
  return root;
}
