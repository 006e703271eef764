// The tab for processor time: the samples of the whole run as one flame graph. The samples of selected work are in its
// panel.
import {counted, durationText, percentText} from '../../OpTracePage/Page/format.mjs';
import {h, whenShown} from '../../OpTracePage/Page/dom.mjs';
import {addPart} from '../../OpTracePage/Page/parts.mjs';
import {flameView, wholeFlame} from './samples-flame.mjs';
import {renewUnits} from '../../OpTracePage/Page/renewal.mjs';

export function mountFlame(element, model, selection) {
  const reading = h('div', {class: 'reading'});
  element.append(reading);
  return whenShown(selection, 'flame', () => renewUnits(reading, model.hasSamples ? [flameTabPart(model)] : []));
}

function flameTabPart(model) {
  const samples = model.samples.times.reduce((sum, count) => sum + count, 0);
  const share = model.flame?.share ?? null;
  const known = share === null ? '' : `, which stand for ${percentText(share)} of what the program used`;
  return h('section', {class: 'part', id: 'flame-of-run'}, h('h2', {}, 'Processor time of the whole run'),
    h('p', {class: 'lead'}, `${durationText(samples * model.samplePeriod)} in ${counted(samples, 'sample')} of all threads${known}. A box is as wide as the time of a function and of all that it called; what it called is below it. `,
      'Select an operation, block or task for its own samples.'),
    wholeFlame(model));
}

addPart({
  name: 'flame', title: 'Flame graph', mount: mountFlame, read: ({share}) => ({share}), isPresent: (model) => Boolean(model.hasSamples), showsCallers: true,
  // How selected work used the processor.
  panel: (model, row) => {
    const flame = flameView(model, row);
    return flame && ['Processor time', flame];
  },
  help: ['Flame graphs', [
    [['Click', 'Enter'], 'enlarge a function; on a caller: show more again'],
    [['←', '→', '↑', '↓'], 'to the function beside, to its caller, to what it calls'],
    [['0', 'Esc'], 'show all'],
    [['/'], 'in the graph of the whole run: search functions and modules; Esc leaves the search'],
  ]],
});
