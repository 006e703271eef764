// What changed between two versions, for a page that shows a run of each.
import {counted, durationText, grouped} from '../../OpTracePage/Page/format.mjs';
import {h, readingPart} from '../../OpTracePage/Page/dom.mjs';
import {addPart} from '../../OpTracePage/Page/parts.mjs';
import {sortableTable} from '../../OpTracePage/Page/table.mjs';

/** The signs of changes. The last one is used on this page only: work that ends in another state. */
export const CHANGES = {came: '+', went: '−', more: '↑', fewer: '↓', ends: '≠'};

/** `12`, `12 to 15`. */
const rangeText = ([least, most]) => least === most ? grouped(least) : `${grouped(least)} to ${grouped(most)}`;
export const ratioText = ratio => ratio === null || ratio >= 1000 ? '>×1000' : ratio < 0.005 ? '<×0.01' : `×${ratio.toFixed(2)}`;
export const chanceText = p => p === null ? '' : p < 0.001 ? '<0.001' : p > 0.9995 ? '1' : p.toFixed(3);
const seconds = value => durationText(value * 1e9);
const patternText = one => {
  const kind = one.function ?? one.class;
  return kind && kind !== one.pattern ? `${one.pattern} (${kind})` : one.pattern;
};
const queueWords = queue => queue === null ? 'no queue' : queue === '' ? '(no name)' : queue;

/** Returns the lines for differences of structure: `{change, what, base, new}`. */
export function structureLines({operations, edges, queues, limits, states}) {
  const line = (one, what) => ({change: one.change, what, base: rangeText(one.base), new: rangeText(one.new)});
  return [
    ...operations.map(one => line(one, `operations ${patternText(one)}`)),
    ...edges.map(one => line(one, `${patternText(one.waiter)} waits for ${patternText(one.dependency)}`)),
    ...queues.map(one => line(one, `queue ${queueWords(one.queue)}`)),
    ...limits.map(one => line(one, `queue ${queueWords(one.queue)}, ${one.limit === null ? 'no limit' : `at most ${grouped(one.limit)}`}`)),
    ...endLines(states),
  ];
}

/** Returns the lines for different ends, one for each pattern: the states that went, and those that came. */
function endLines(states) {
  const byPattern = new Map();
  for (const one of states) {
    const key = JSON.stringify([one.pattern, one.class, one.queue, one.function]);
    if (!byPattern.has(key)) byPattern.set(key, {name: patternText(one), before: [], after: []});
    const isMore = one.change === 'came' || one.change === 'more';
    byPattern.get(key)[isMore ? 'after' : 'before'].push(`${rangeText(isMore ? one.new : one.base)} ${one.state}`);
  }
  return [...byPattern.values()].map(({name, before, after}) => ({
    change: 'ends', what: `${name} at the end`, base: before.join(', ') || '–', new: after.join(', ') || '–',
  }));
}

/** Returns one part of the page, or null if the page shows a single run. */
export function comparisonPart(comparison) {
  if (!comparison) return null;
  const {runs, structure, timings, wall, failedOn} = comparison;
  const walls = wall.baseSeconds !== null && wall.newSeconds !== null && `, ${seconds(wall.baseSeconds)} before and ${seconds(wall.newSeconds)} after (${ratioText(wall.ratio)})`;
  const isTested = Math.min(runs.base, runs.new) >= 5;
  return readingPart('What changed',
    h('p', {class: 'lead'}, `${counted(runs.base, 'run')} of the base against ${counted(runs.new, 'run')} of the new version`, walls, '. ',
      'The timeline shows a run of each, one above the other: the new one’s queues and threads have “(new)” behind their names, and both begin at the same moment. ',
      'The graph shows patterns of operations, with what was added and removed in colours. Everything below counts all runs of both versions.'),
    failedOn.length > 0 && h('p', {class: 'wrong'}, `Fails on ${failedOn.join(', ')}.`),
    structurePart(structure), findingsPart(structure.findings), timingsPart(timings, isTested), predictedPart(wall.foreseen), functionsPart(comparison.processorTime));
}

function structurePart(structure) {
  const lines = structureLines(structure);
  if (lines.length === 0) return h('p', {}, 'Structure: the same.');
  return sortableTable({caption: 'What came and what went', rows: lines, columns: [
    {title: '', css: 'change-cell', cell: ({change}) => h('span', {class: `change ${change}`, title: change}, CHANGES[change] ?? ''), value: ({change}) => change},
    {title: 'What', cell: ({what}) => h('bdi', {}, what), value: ({what}) => what},
    {title: 'Before', isNumber: true, cell: one => one.base},
    {title: 'After', isNumber: true, cell: one => one.new},
  ]});
}

function findingsPart(findings) {
  if (findings.length === 0) return null;
  return h('ul', {class: 'changes'}, findings.map(({code, change, severity}) => h('li', {},
    h('span', {class: `change ${change === 'came' ? 'went' : 'came'}`}, change === 'came' ? '+' : '−'),
    ` the doctor ${change === 'came' ? 'finds' : 'no longer finds'} `, h('code', {}, code), severity === 'error' && ', an error')));
}

function timingsPart(timings, isTested) {
  if (timings.length === 0) return null;
  return [h('h3', {}, 'Times of operations'), sortableTable({caption: 'Times of operations', rows: timings, columns: [
    {title: 'Operations', cell: one => h('bdi', {}, patternText(one)), value: patternText},
    {title: 'Queue', cell: one => h('bdi', {}, queueWords(one.queue)), value: one => queueWords(one.queue)},
    {title: 'Times', isNumber: true, cell: one => ratioText(one.ratio), value: one => one.ratio},
    {title: 'Range', cell: one => `${ratioText(one.low)} to ${ratioText(one.high)}`},
    {title: 'p', isNumber: true, cell: one => isTested ? chanceText(one.p) : '', value: one => one.p ?? 2},
    {title: 'Verdict', cell: one => isTested ? h('span', {class: `change ${one.verdict}`}, one.verdict) : '', value: one => one.verdict},
  ]}), !isTested && h('p', {class: 'faint'}, 'Verdicts need at least five runs of each side: optrace record --runs 10.')];
}

function predictedPart(prediction) {
  if (!prediction) return null;
  const wall = one => one.wallSeconds === null ? 'never ends' : `${seconds(one.wallSeconds)} (${seconds(one.lowSeconds)} to ${seconds(one.highSeconds)})`;
  return [h('h3', {}, 'What that means for the wall time'),
    h('p', {}, `From a replay of a base run, which took ${seconds(prediction.recordedSeconds)}`, prediction.trusted ? ':' : ` (not reliable here: ${prediction.reasons.join(' ')}):`),
    h('ul', {class: 'changes'}, prediction.patterns.map(one => h('li', {}, h('bdi', {}, patternText(one)), ` ${ratioText(one.ratio)} as long: ${wall(one)}`)),
      prediction.patterns.length > 1 && h('li', {}, `all of these: ${wall(prediction)}`))];
}

/** Returns the part that shows which functions take more processor time, for a page whose runs were sampled. */
function functionsPart(processorTime) {
  if (!processorTime) return null;
  const {base, new: changed, total, functions, named} = processorTime;
  const isTested = Math.min(base.runs, changed.runs) >= 5;
  const signed = value => `${value > 0 ? '+' : ''}${seconds(value)}`;
  const change = one => one.newSeconds - one.baseSeconds;
  const changeText = one => `${one.clear || change(one) === 0 ? '' : '~ '}${signed(change(one))}`;
  return [h('h3', {}, 'Processor time by function'),
    h('p', {}, `${seconds(total.baseSeconds)} in ${counted(base.samples, 'sample')} before, ${seconds(total.newSeconds)} in ${counted(changed.samples, 'sample')} after, both for one run. `,
      'A function has the libraries that it calls. A change marked ~ is what chance explains: it is below twice what numbers of samples vary by, which is their square root.'),
    !named ? h('p', {class: 'faint'}, 'Functions are not compared: the code of some run has no names; optrace symbolicate finds them.')
      : functions.length > 0 && sortableTable({caption: 'Processor time of functions', rows: functions, first: Math.min(20, Math.max(1, functions.filter(one => one.p !== null).length)), columns: [
        {title: 'Function', cell: one => h('bdi', {}, one.function), value: one => one.function},
        {title: 'Module', cell: one => h('bdi', {}, one.module ?? ''), value: one => one.module ?? ''},
        {title: 'Before', isNumber: true, cell: one => seconds(one.baseSeconds), value: one => one.baseSeconds},
        {title: 'After', isNumber: true, cell: one => seconds(one.newSeconds), value: one => one.newSeconds},
        {title: 'Change', isNumber: true, cell: changeText, value: change},
        {title: 'Range', cell: one => `${signed(one.lowSeconds)} to ${signed(one.highSeconds)}`},
        {title: 'p', isNumber: true, cell: one => isTested ? chanceText(one.p) : '', value: one => one.p ?? 2},
        {title: 'Verdict', cell: one => isTested ? h('span', {class: `change ${one.verdict}`}, one.verdict) : '', value: one => one.verdict},
      ]})];
}

addPart({name: 'comparison', readDocument: ({comparison}) => comparison ?? null, beforePath: (model) => comparisonPart(model.comparison)});
