// The tab for processor time: the samples of the whole run as one flame graph. The samples of selected work are in its
// panel.
import {counted, durationText, percentText} from './format.mjs';
import {h, whenShown} from './dom.mjs';
import {wholeFlame} from './samples-flame.mjs';
import {renewUnits} from './renewal.mjs';

export function mountFlame(element, model, selection) {
  const reading = h('div', {class: 'reading'});
  element.append(reading);
  return whenShown(selection, 'flame', () => renewUnits(reading, model.hasSamples ? [flameTabPart(model)] : []));
}

function flameTabPart(model) {
  const samples = model.samples.times.reduce((sum, count) => sum + count, 0);
  const share = model.processorTime?.share ?? null;
  const known = share === null ? '' : `, which stand for ${percentText(share)} of what the program used`;
  return h('section', {class: 'part', id: 'flame-of-run'}, h('h2', {}, 'Processor time of the whole run'),
    h('p', {class: 'lead'}, `${durationText(samples * model.samplePeriod)} in ${counted(samples, 'sample')} of all threads${known}. A box is as wide as the time of a function and of all that it called; what it called is below it. `,
      'Select an operation, block or task for its own samples.'),
    wholeFlame(model));
}
