import assert from 'node:assert/strict';
import test from 'node:test';
import {Selection} from '../../../Sources/OpTraceReport/Page/selection.mjs';

// Two operations, #1 and #5, and three findings.
const model = {id: (row) => [1, 5][row], rowOf: (id) => [1, 5].indexOf(id), findings: [{}, {}, {}]};

test('the address holds what is selected and shown, and brings it back', () => {
  const one = new Selection(model);
  one.select(1);
  one.show('graph');
  one.choose(2);
  one.look(1000, 2000);
  assert.equal(one.address, 'op=5&tab=graph&finding=2&from=1000&to=2000');
  const other = new Selection(model);
  other.read('#' + one.address);
  assert.deepEqual([other.row, other.tab, other.finding, other.view], [1, 'graph', 2, [1000, 2000]]);
});

test('an address of nothing is empty', () => assert.equal(new Selection(model).address, ''));

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
  selection.look(1, 2);
  selection.look(1, 2);
  selection.lookAtAll();
  assert.deepEqual(heard, ['row', 'tab', 'view', 'view']);
});
