// Formats numbers, times and sentences in the same way as the command. Nothing here depends on a document.

const DURATION_UNITS = [['µs', 1e3, 1e6], ['ms', 1e6, 1e9], ['s', 1e9, 60e9]];

/** Formats a duration with at most three significant digits and a unit: `0 ms`, `850 ns`, `12.3 µs`, `2 min 05 s`. An unknown duration is a dash. */
export function durationText(time) {
  if (time === null || time === undefined || Number.isNaN(time)) return '–';
  // What stands for an unknown time in the trace of a core (`TraceOrigin.isUnknown`).
  if (Math.abs(time) >= 2 ** 55 - 2 ** 51) return '–';
  const sign = time < 0 ? '−' : '';
  const value = Math.round(Math.abs(time));
  if (value === 0) return '0 ms';
  if (value < 1000) return `${sign}${value} ns`;
  for (const [unit, size, next] of DURATION_UNITS) {
    // A value that would round up to the next unit is shown in that unit.
    const digits = value < next ? threeDigits(value, size, next / size) : null;
    if (digits !== null) return `${sign}${digits} ${unit}`;
  }
  const seconds = Math.floor((value + 5e8) / 1e9);
  if (seconds < 3600) return `${sign}${Math.floor(seconds / 60)} min ${twoDigits(seconds % 60)} s`;
  return `${sign}${Math.floor(seconds / 3600)} h ${twoDigits(Math.floor(seconds % 3600 / 60))} min`;
}

/**
 * Formats a value in whole steps of the last digit shown. It uses integers, because the binary fraction of a quotient would round some
 * halves down.
 */
function threeDigits(value, unit, limit) {
  if (value < unit * 10) {
    const hundredths = Math.floor((value + unit / 200) / (unit / 100));
    if (hundredths < 1000) return shortDecimal(hundredths, 2);
  }
  if (value < unit * 100) {
    const tenths = Math.floor((value + unit / 20) / (unit / 10));
    if (tenths >= limit * 10) return null;
    if (tenths < 1000) return shortDecimal(tenths, 1);
  }
  const whole = Math.floor((value + unit / 2) / unit);
  return whole < limit ? `${whole}` : null;
}

function shortDecimal(value, digits) {
  const scale = 10 ** digits;
  const rest = value % scale;
  return rest === 0 ? `${value / scale}` : `${Math.floor(value / scale)}.${String(rest).padStart(digits, '0')}`;
}

function twoDigits(value) { return String(value).padStart(2, '0'); }

/**
 * Formats a moment of the trace, relative to its start. The unit is that of a duration of this length, with microsecond precision, so that
 * moments in close succession differ: `850 ns`, `12 µs`, `1.495 ms`, `2.600332 s`.
 */
export function momentText(time) {
  if (time === null || time === undefined || Number.isNaN(time)) return '–';
  const sign = time < 0 ? '−' : '';
  const value = Math.abs(time);
  if (value < 1e3) return durationText(time);
  const micro = Math.floor(value / 1e3);
  if (micro < 1e3) return `${sign}${micro} µs`;
  const [unit, size, digits] = micro < 1e6 ? ['ms', 1e3, 3] : ['s', 1e6, 6];
  return `${sign}${grouped(Math.floor(micro / size))}.${String(micro % size).padStart(digits, '0')} ${unit}`;
}

/** `1,234,567` */
export function grouped(number) {
  return String(Math.round(number)).replace(/\B(?=(\d{3})+$)/g, ',');
}

/** `1 operation`, `1,200 operations`. The plural has to be given if it does not end in -s. */
export function counted(number, word, plural = `${word}s`) {
  return `${grouped(number)} ${number === 1 ? word : plural}`;
}

/** Returns a count that fits into the width of a bar: `980`, `12k`, `3.4M`. */
export function shortCount(count) {
  if (count < 1000) return String(count);
  const [value, unit] = count < 999_500 ? [count / 1e3, 'k'] : [count / 1e6, 'M'];
  return `${value < 9.95 ? value.toFixed(1).replace('.0', '') : Math.round(value)}${unit}`;
}

/** `42 %`. A share above zero is never shown as zero. */
export function percentText(share) {
  if (share === null || share === undefined || Number.isNaN(share)) return '–';
  const value = share * 100;
  return value > 0 && value < 1 ? '<1 %' : `${Math.round(value)} %`;
}

/** `Queue network`, `Queue 7`. A queue without a name is called by its number. */
export function queueHeading(queue) {
  if (queue.isDispatch) return queue.hasName ? `Dispatch queue ${queue.name}` : queue.name.replace(/^d/, 'D');
  return queue.hasName ? `Queue ${queue.name}` : queue.name.replace(/^q/, 'Q');
}

/** `Wait for it` */
export function capitalised(text) { return text.charAt(0).toUpperCase() + text.slice(1); }

/** `a, b and c` */
export function listText(parts) {
  return parts.length < 2 ? parts.join('') : `${parts.slice(0, -1).join(', ')} and ${parts[parts.length - 1]}`;
}

/** `A → B → A`: each one waits for the next, and the last for the first. */
export function chainText(names) {
  return names.length === 0 ? '' : [...names, names[0]].join(' → ');
}

/** Returns an ISO time in local time and in UTC. Null: it is not a valid time. */
export function clockTexts(iso, locale = undefined) {
  const date = new Date(iso ?? NaN);
  if (Number.isNaN(date.getTime())) return null;
  return {
    local: date.toLocaleString(locale, {dateStyle: 'medium', timeStyle: 'medium'}),
    utc: `${date.toISOString().slice(0, 19).replace('T', ' ')} UTC`,
  };
}
