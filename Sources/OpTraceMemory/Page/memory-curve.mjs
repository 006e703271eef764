// What the process had in memory, and what lived of it, over time.
import {durationText, momentText} from '../../OpTracePage/Page/format.mjs';
import {h, svg} from '../../OpTracePage/Page/dom.mjs';

const [MEMORY_WIDTH, MEMORY_HEIGHT] = [1000, 220];
const MEMORY_LINES = [
  {key: 'resident', title: 'resident'}, {key: 'anonymous', title: 'in no file'}, {key: 'live', title: 'live, estimated'},
];

/** `1.2 MB`: decimal units, as the command has them. */
export function memoryText(bytes) {
  const size = Math.abs(bytes);
  if (size < 999.5) return `${Math.round(bytes)} B`;
  let [value, unit] = [size / 1000, 0];
  const units = ['kB', 'MB', 'GB', 'TB', 'PB'];
  while (value >= 999.5 && unit + 1 < units.length) [value, unit] = [value / 1000, unit + 1];
  return `${bytes < 0 ? '-' : ''}${value < 9.95 ? value.toFixed(1).replace('.0', '') : Math.round(value)} ${units[unit]}`;
}

/** With its standard error, where that is more than a hundredth. `estimate`: bytes and their error. */
export function memoryEstimate([bytes, error]) {
  return error * 100 < Math.abs(bytes) ? memoryText(bytes) : `${memoryText(bytes)} ± ${memoryText(error)}`;
}

/** The last value at or before a time of `places`, which are `[time, value]`; null: there is none. */
export function memoryAt(places, time) {
  let [low, high] = [0, places.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (places[middle][0] <= time) low = middle + 1;
    else high = middle;
  }
  return low > 0 ? places[low - 1][1] : null;
}

// Values hold until the next one.
function memoryPath(places, end, highest) {
  const x = (time) => (MEMORY_WIDTH * time / Math.max(1, end)).toFixed(1);
  const y = (value) => (MEMORY_HEIGHT * (1 - value / highest)).toFixed(1);
  const steps = places.map(([time, value], index) => (index === 0 ? `M${x(time)} ${y(value)}` : `H${x(time)}V${y(value)}`));
  return places.length === 0 ? '' : `${steps.join('')}H${MEMORY_WIDTH}`;
}

/** The picture, with a legend that tells the values under the pointer. */
export function memoryCurve({use, curve, end, peak}) {
  const places = {resident: use.map(([time, resident]) => [time, resident]), anonymous: use.map(([time, , anonymous]) => [time, anonymous]), live: curve};
  const shown = MEMORY_LINES.filter(({key}) => places[key].length > 0);
  const highest = Math.max(1, ...shown.flatMap(({key}) => places[key].map(([, value]) => value)));
  const values = shown.map(({key, title}) => h('span', {class: `memory-key memory-${key}`}, h('bdi', {}, title), h('span', {class: 'memory-value'})));
  const when = h('span', {class: 'faint'});
  const pointer = svg('line', {class: 'memory-pointer', y1: 0, y2: MEMORY_HEIGHT, x1: -1, x2: -1});
  const last = shown.map(({key, title}) => `${title} ${memoryText(places[key].at(-1)[1])}`).join(', ');
  const drawing = svg('svg', {class: 'memory-drawing', viewBox: `0 0 ${MEMORY_WIDTH} ${MEMORY_HEIGHT}`, preserveAspectRatio: 'none', role: 'img',
    'aria-label': `Memory over ${durationText(end)}, at most ${memoryText(highest)}; at the end ${last}`},
    shown.map(({key}) => svg('path', {class: `memory-line memory-${key}`, d: memoryPath(places[key], end, highest)})), pointer);

  function tell(time) {
    for (const [index, {key}] of shown.entries()) {
      const value = memoryAt(places[key], time);
      values[index].lastChild.textContent = value === null ? '–' : memoryText(value);
    }
    when.textContent = time >= end ? `at the end, after ${durationText(end)}` : `at ${momentText(time)}`;
    const x = time >= end ? -1 : MEMORY_WIDTH * time / end;
    pointer.setAttribute('x1', x);
    pointer.setAttribute('x2', x);
  }
  drawing.addEventListener('pointermove', (event) => {
    const box = drawing.getBoundingClientRect();
    tell(Math.min(1, Math.max(0, (event.clientX - box.left) / Math.max(1, box.width))) * end);
  });
  drawing.addEventListener('pointerleave', () => tell(end));
  tell(end);
  return h('div', {class: 'memory-curve'}, h('p', {class: 'memory-legend'}, values, when),
    h('div', {class: 'memory-frame'}, h('span', {class: 'memory-top faint'}, memoryText(highest)), drawing),
    h('p', {class: 'memory-times faint'}, h('span', {}, '0'), peak && h('span', {}, `most lived after ${durationText(peak.at)}: ${memoryText(peak.bytes)}`), h('span', {}, durationText(end))));
}
