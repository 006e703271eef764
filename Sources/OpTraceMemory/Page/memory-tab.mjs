// The tab for memory: the answer, what lived over time, what lives at the end, what grows, and types.
import {capitalised, durationText, grouped, percentText} from '../../OpTracePage/Page/format.mjs';
import {h, readingPart, whenShown} from '../../OpTracePage/Page/dom.mjs';
import {addPart} from '../../OpTracePage/Page/parts.mjs';
import {renewUnits} from '../../OpTracePage/Page/renewal.mjs';
import {sortableTable} from '../../OpTracePage/Page/table.mjs';
import {MemoryFlame} from './memory-flame.mjs';
import {memoryCurve, memoryEstimate} from './memory-curve.mjs';

const bytesColumn = (title, of) => ({title, isNumber: true, value: (row) => of(row)[0], cell: (row) => memoryEstimate(of(row))});

export function mountMemory(element, model, selection) {
  const reading = h('div', {class: 'reading'});
  element.append(reading);
  return whenShown(selection, 'memory', () => renewUnits(reading, model.memory ? memoryUnits(model.memory) : []));
}

function memoryUnits(memory) {
  return [
    readingPart('Memory', h('p', {class: 'lead'}, `${capitalised(memory.sentence)}.`), memoryCurve(memory),
      h('details', {class: 'memory-notes'}, h('summary', {}, 'How it was sampled'), h('ul', {}, memory.notes.map((note) => h('li', {}, note))))),
    memory.growth.length > 0 && readingPart('What grows', memoryGrowth(memory)),
    memory.tree.length > 0 && readingPart('What lives at the end', h('p', {class: 'lead'}, `${memoryEstimate(memory.live)} of ${memoryEstimate(memory.allocated)} that were allocated. `,
      'A box is as wide as what lives of what a function and all that it called allocated; what it called is below it.'), new MemoryFlame(memory).element),
    memory.types.length > 0 && readingPart('Types', memoryTypes(memory)),
  ].filter(Boolean);
}

function memoryGrowth({growth}) {
  return sortableTable({caption: 'What grows', rows: growth, columns: [
    {title: 'Function', value: (row) => row.function, cell: (row) => h('bdi', {}, row.function)},
    {title: 'Source', value: (row) => row.source, cell: (row) => row.source ?? ''},
    {title: 'Called by', value: (row) => row.caller, cell: (row) => h('bdi', {}, row.caller ?? '')},
    {title: 'Type', value: (row) => row.type, cell: (row) => h('bdi', {}, row.type ?? '')},
    bytesColumn('A second', (row) => row.perSecond), bytesColumn('Grown by', (row) => row.bytes),
    {title: 'Lives on', hint: 'The share of what was allocated there that lives at the end', isNumber: true, value: (row) => row.share, cell: (row) => percentText(row.share)},
    {title: 'Since', isNumber: true, value: (row) => row.since, cell: (row) => durationText(row.since)},
  ]});
}

function memoryTypes({types}) {
  return sortableTable({caption: 'Types', rows: types, first: 15, columns: [
    {title: 'Type', value: (row) => row.name, cell: (row) => (row.name ? h('bdi', {}, row.name) : h('span', {class: 'faint'}, 'no object, or not known'))},
    bytesColumn('Live', (row) => row.live),
    {title: 'Objects', hint: 'How many live at the end, about', isNumber: true, value: (row) => row.live[2], cell: (row) => grouped(row.live[2])},
    bytesColumn('Allocated', (row) => row.allocated),
    {title: 'Times', hint: 'How many were allocated, about', isNumber: true, value: (row) => row.allocated[2], cell: (row) => grouped(row.allocated[2])},
  ]});
}

addPart({
  name: 'memory', title: 'Memory', mount: mountMemory, read: (data) => data, isPresent: (model) => Boolean(model.memory), showsCallers: true,
  explains: (model) => (model.findings[0]?.code === 'memory-growth' ? 3 : 0),
});
