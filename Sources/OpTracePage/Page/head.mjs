// The head: what ran, when, for how long, and the doctor's verdict.
import {clockTexts, counted, durationText, grouped} from './format.mjs';
import {h, sign, stateChip} from './dom.mjs';
import {renewUnits} from './renewal.mjs';
import {MODES, VERDICTS} from './words.mjs';

export function mountHead(element, model, selection) {
  const facts = element.querySelector('#facts');
  const renew = () => renewUnits(facts, headUnits(model, selection));
  renew();
  return renew;
}

function headUnits(model, selection) {
  const {process, counts} = model;
  const started = clockTexts(process.started);
  const style = VERDICTS[model.verdict.word] ?? VERDICTS.warning;
  const css = model.verdict.hasErrors ? 'wrong' : style.css;
  const facts = [
    started && h('time', {datetime: process.started, title: started.utc}, started.local),
    model.wall > 0 && h('span', {title: `${grouped(Math.round(model.wall))} ns`}, h('b', {}, durationText(model.wall))),
    ...headFigures(counts).map(([count, word, more = '']) => h('span', {title: word === 'thread' ? recordingText(model) : null},
      h('b', {}, grouped(count)), ` ${count === 1 ? word : `${word}s`}${more}`)),
  ];
  return [
    process.kept && h('p', {class: 'note-line kept'}, sign('note'), ' ', process.kept),
    h('h1', {}, h('bdi', {}, process.name || 'unnamed process'), h('span', {class: 'pid'}, `pid ${process.id}`)),
    h('p', {class: 'facts'}, facts.filter(Boolean).map(fact => [fact, ' '])),
    model.states.length > 0 && h('p', {class: 'states', 'aria-label': 'States'}, model.states.map(({state, count}) => [stateChip(state, count), ' '])),
    h('p', {class: `verdict-line ${css}`},
      h('a', {href: '#tab=findings', onclick: event => { event.preventDefault(); selection.show('findings'); }},
        sign(style.sign), ' ', model.verdict.answer)),
    model.ending && h('p', {class: 'note-line ending'}, sign('note'), ' ', model.ending),
    !process.isClosed && !process.kept && h('p', {class: 'note-line'}, sign('executing'),
      model.isLive ? ' The program is running, and this page follows it.' : ' The trace was not closed: the program was still running, or was killed.'),
    !model.loss.isComplete && model.loss.sentence && h('p', {class: 'note-line warned'}, sign('warning'), ' ', model.loss.sentence),
  ].filter(Boolean);
}

// Returns the figures. They leave out operations if the trace has none.
function headFigures(counts) {
  const own = [[counts.operations, 'operation'], [counts.queues, 'queue'], [counts.threads, 'thread', ' ran operations']];
  const others = [[counts.blocks, 'block'], [counts.blocks && counts.dispatchQueues, 'dispatch queue'], [counts.tasks, 'task']].filter(([count]) => count > 0);
  if (others.length === 0) return own;
  return counts.operations === 0 ? others : [...own.slice(0, 2), ...others, own[2]];
}

function recordingText({process, counts}) {
  const how = MODES[process.mode] ?? '';
  return `${counted(counts.events, 'event')} recorded ${how}${process.writer ? ` by OpTrace ${process.writer}` : ''}`;
}
