// What would help: predictions for the run.
import {durationText, percentText} from '../../OpTracePage/Page/format.mjs';
import {h, readingPart} from '../../OpTracePage/Page/dom.mjs';
import {addPart} from '../../OpTracePage/Page/parts.mjs';

/** Shows what would help: the run, replayed with one change at a time, with a range for each answer. */
export function predictionPart(prediction) {
  if (!prediction || prediction.recorded === null) return null;
  const {recorded, replayed, reasons, scenarios, assumptions} = prediction;
  const lead = reasons.length === 0
    ? `A replay of this run in a simulator takes ${durationText(replayed)}, the run itself took ${durationText(recorded)}. The replay matches, so these are its predictions, for one change each.`
    : `Predictions from a replay of this run are not reliable: ${reasons.join(' ')}`;
  const saved = ({wall}) => `${wall < recorded ? '−' : '+'}${percentText(Math.abs(recorded - wall) / recorded)}`;
  return readingPart('What would help', h('p', {class: 'lead'}, lead),
    scenarios.length === 0 ? h('p', {class: 'faint'}, 'No change that was tried makes it faster.') : h('div', {class: 'scroll'}, h('table', {class: 'prediction'},
      h('thead', {}, h('tr', {}, h('th', {scope: 'col'}, 'With'), h('th', {scope: 'col', class: 'figure'}, 'It takes'), h('th', {scope: 'col', class: 'figure'}, 'Change'), h('th', {scope: 'col'}, 'Range'), h('th', {scope: 'col'}, 'Option of optrace whatif'))),
      h('tbody', {}, scenarios.map(one => h('tr', {}, h('th', {scope: 'row'}, h('bdi', {}, one.words)),
        h('td', {class: 'figure'}, durationText(one.wall)), h('td', {class: 'figure'}, saved(one)),
        h('td', {}, `${durationText(one.low)} to ${durationText(one.high)}`), h('td', {}, h('code', {}, one.options))))))),
    assumptions.length > 0 && scenarios.length > 0 && h('details', {}, h('summary', {}, 'What this assumes'), h('ul', {}, assumptions.map(text => h('li', {}, text)))));
}

addPart({name: 'prediction', readDocument: ({foresight}) => foresight, afterPath: (model) => predictionPart(model.prediction)});
