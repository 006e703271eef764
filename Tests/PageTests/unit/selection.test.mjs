import assert from 'node:assert/strict';
import test from 'node:test';
import {Selection} from '../../../Sources/OpTracePage/Page/selection.mjs';
import '../support/parts.mjs';

// Operations, and a finding of each code.
function modelOf(ids, codes) {
  return {id: (row) => ids[row], rowOf: (id) => ids.indexOf(id), findings: codes.map((code) => ({code, rows: [0]}))};
}
const model = modelOf([1, 5], ['OT-1', 'OT-2', 'OT-3']);

test('the address holds what is selected and shown, and brings it back', () => {
  const one = new Selection(model);
  one.select(1);
  one.show('graph');
  one.choose(2);
  one.showTime(1000, 2000);
  assert.equal(one.address, 'op=5&tab=graph&finding=2&from=1000&to=2000');
  const other = new Selection(model);
  other.read('#' + one.address);
  assert.deepEqual([other.row, other.tab, other.finding, other.view], [1, 'graph', 2, [1000, 2000]]);
});

test('an address of nothing is empty', () => assert.equal(new Selection(model).address, ''));

test('a page opens with what explains the run', () => {
  const homeOf = (findings, verdict, requests) => new Selection({...model, findings, verdict: {word: verdict}, requests}).tab;
  const cycle = {severity: 'error', cycle: [0, 1], rows: [0]}, lost = {severity: 'error', cycle: [], rows: [0]};
  const slow = {severity: 'warning', cycle: [], rows: []}, note = {severity: 'note', cycle: [], rows: []};
  assert.equal(homeOf([lost, cycle], 'deadlocked', {areLoad: true}), 'graph');
  assert.equal(homeOf([lost], 'stalled'), 'findings');
  assert.equal(homeOf([slow], 'suspected'), 'findings');
  assert.equal(homeOf([slow], 'warning', {areLoad: true}), 'requests');
  assert.equal(homeOf([slow], 'warning', {areLoad: false}), 'why');
  assert.equal(homeOf([note], 'healthy'), 'timeline');
  // An address that says something is obeyed.
  const selection = new Selection({...model, findings: [cycle], verdict: {word: 'deadlocked'}});
  selection.read('#op=5');
  assert.equal(selection.tab, 'timeline');
  selection.read('');
  assert.equal(selection.tab, 'graph');
});

test('the flame graph of the run is a tab where there are samples', () => {
  for (const [hasSamples, tab] of [[true, 'flame'], [false, 'timeline'], [undefined, 'timeline']]) {
    const selection = new Selection({...model, hasSamples});
    selection.read('#tab=flame');
    assert.equal(selection.tab, tab);
    assert.equal(selection.address, hasSamples ? 'tab=flame' : '');
  }
});

test('nonsense in an address selects nothing', () => {
  for (const address of ['#op=7', '#op=-1', '#op=1e9', '#op=x', '#tab=<script>', '#finding=3', '#finding=-1', '#from=5&to=2', '#from=x&to=9', '#&&&===', '#%zz']) {
    const selection = new Selection(model);
    selection.read(address);
    assert.deepEqual([selection.row, selection.tab, selection.finding, selection.view], [-1, 'timeline', -1, null], address);
  }
});

test('listeners hear what has changed, and nothing where nothing did', () => {
  const selection = new Selection(model);
  const heard = [];
  selection.subscribe((_, changed) => heard.push([...changed].join()));
  selection.select(1);
  selection.select(1);
  selection.show('nowhere');
  selection.show('why');
  selection.showTime(1, 2);
  selection.showTime(1, 2);
  selection.showAllTime();
  assert.deepEqual(heard, ['row', 'tab', 'view', 'view']);
});

test('the selection follows its operation and finding to new numbers, and is dropped when they are gone', () => {
  const grown = modelOf([1, 5], ['OT-2', 'OT-3']);
  const selection = new Selection(grown);
  selection.select(1);
  selection.choose(1);
  const heard = [];
  selection.subscribe((_, changed) => heard.push([...changed].join()));
  Object.assign(grown, modelOf([1, 3, 5], ['OT-1', 'OT-3', 'OT-2']));
  selection.renew();
  assert.deepEqual([selection.row, selection.finding, heard], [2, 1, []]);
  Object.assign(grown, modelOf([1, 3], []));
  selection.renew();
  assert.deepEqual([selection.row, selection.finding, heard], [-1, -1, ['row,finding']]);
});

// A window with one entry, whose timers and events come when the test says.
function windowAt(hash) {
  const planned = [];
  const window = {
    location: {hash, pathname: '/report.html', search: ''},
    history: {replaceState(_, __, address) { window.location.hash = address.startsWith('#') ? address : ''; }},
    setTimeout: (work) => planned.push(work),
    addEventListener: (_, listener) => { window.tell = listener; },
    runTimers() { for (const work of planned.splice(0)) work(); },
  };
  return window;
}

test('the address follows what is selected', () => {
  const window = windowAt('#op=5');
  const selection = new Selection(model);
  selection.attach(window);
  assert.equal(selection.row, 1);
  selection.select(0);
  selection.show('graph');
  assert.equal(window.location.hash, '#op=5');
  window.runTimers();
  assert.equal(window.location.hash, '#op=1&tab=graph');
  selection.select(-1);
  selection.show('timeline');
  window.runTimers();
  assert.equal(window.location.hash, '');
});

test('an entry that somebody has gone to keeps its address, though the page was about to write', () => {
  const window = windowAt('#op=5');
  const selection = new Selection(model);
  selection.attach(window);
  selection.select(0);
  // "Back": the address has changed, and the event comes only after the timer.
  window.location.hash = '#op=5&tab=graph';
  window.runTimers();
  assert.equal(window.location.hash, '#op=5&tab=graph');
  window.tell();
  assert.deepEqual([selection.row, selection.tab], [1, 'graph']);
  window.runTimers();
  assert.equal(window.location.hash, '#op=5&tab=graph');
});
