// The samples of work: merged stacks, and what of them is drawn.
import assert from 'node:assert/strict';
import test from 'node:test';
import {Model} from '../../../Sources/OpTracePage/Page/model.mjs';
import {flameBoxes, foundNodes} from '../../../Sources/COpTraceScripts/Scripts/flame.mjs';
import {mergedStacks} from '../../../Sources/OpTraceProfile/Page/samples-flame.mjs';
import {callOf, samplesLike, samplesOfWork} from '../../../Sources/OpTracePage/Page/samples.mjs';
import {markAt, sampleText} from '../../../Sources/OpTraceTimeline/Page/marks.mjs';
import {dataOf, json, written} from '../support/reports.mjs';
import {SAMPLES, PERIOD, sampledTrace} from '../support/sampled.mjs';

const load = (name, samples, options) => new Model(dataOf(written(name, sampledTrace(samples, options))));
const small = () => load('sampled', SAMPLES);
// `main 5 (load 5 (…))`: names, samples, and in brackets the callees.
const said = (model, node) => `${node.call < 0 ? 'all' : callOf(model, node.call).title} ${node.weight}${node.children.length > 0 ? ` (${node.children.map((child) => said(model, child)).join(', ')})` : ''}`;

test('the samples of an operation, merged from the outermost function on', () => {
  const model = small();
  assert.equal(model.samplePeriod, PERIOD);
  const tree = (row) => said(model, mergedStacks(model, samplesOfWork(model, row)));
  assert.equal(tree(model.rowOf(1)), 'all 5 (main 5 (load 5 (parse 3 (inflate<b> 2))))');
  assert.equal(tree(model.rowOf(2)), 'all 2 (main 2 (load 2 (parse 1)))');
  assert.equal(tree(model.rowOf(3)), 'all 2 (main 1 (render 1), [callers not known] 1 ([unknown] 1))'.replace('[unknown]', callOf(model, model.samples.call[8]).title));
});

test('all work of a class has its samples together', () => {
  const model = small();
  const like = samplesLike(model, model.rowOf(2));
  assert.deepEqual([like.name, like.works, like.indexes.length], ['Load', 2, 7]);
  assert.equal(said(model, mergedStacks(model, like.indexes)), 'all 7 (main 7 (load 7 (parse 4 (inflate<b> 2))))');
});

test('functions have their location, and whether they are the program\'s', () => {
  const model = small();
  const calls = samplesOfWork(model, model.rowOf(1)).map((index) => callOf(model, model.samples.call[index]));
  assert.deepEqual(calls.map(({title, location, isOwn}) => [title, location, isOwn]).slice(0, 3),
    [['load', 'main.swift:11', true], ['parse', 'main.swift:12', true], ['inflate<b>', null, false]]);
  assert.equal(sampleText(model, samplesOfWork(model, model.rowOf(1))[2]), 'parse at main.swift:12');
});

test('a search finds names, locations and modules, and counts what is inside of another once', () => {
  const model = small();
  const root = mergedStacks(model, Array.from({length: model.samples.count}, (_, index) => index));
  assert.equal(root.weight, SAMPLES.length);
  const textsOf = ({call}) => { const {title, location, module} = callOf(model, call); return [title, location, module]; };
  const found = (words) => { const {nodes, weight} = foundNodes(root, words, textsOf); return [nodes.size, weight]; };
  assert.deepEqual(found(' PARSE '), [1, 4]);
  assert.deepEqual(found('swift:1'), [4, 9]);
  assert.deepEqual(found('libz'), [1, 2]);
  assert.deepEqual([found(''), found('no such'), found('.*')], [[0, 0], [0, 0], [0, 0]]);
});

test('boxes are as wide as their samples, callers of an enlarged one as wide as all', () => {
  const model = small();
  const root = mergedStacks(model, samplesOfWork(model, model.rowOf(1)));
  const names = (boxes) => boxes.map(({node, depth, from, to, isAbove}) => `${node.call < 0 ? 'all' : callOf(model, node.call).title} ${depth} ${from.toFixed(2)} ${to.toFixed(2)}${isAbove ? ' above' : ''}`);
  assert.deepEqual(names(flameBoxes(root, 0.004)), ['all 0 0.00 1.00', 'main 1 0.00 1.00', 'load 2 0.00 1.00', 'parse 3 0.00 0.60', 'inflate<b> 4 0.00 0.40']);
  const parse = root.children[0].children[0].children[0];
  assert.deepEqual(names(flameBoxes(parse, 0.004)), ['all 0 0.00 1.00 above', 'main 1 0.00 1.00 above', 'load 2 0.00 1.00 above', 'parse 3 0.00 1.00', 'inflate<b> 4 0.00 0.67']);
});

test('the mark nearest to a time, on the first lane of its thread', () => {
  const model = small();
  const track = model.operations.track[model.rowOf(1)];
  const near = (time, reach) => markAt(model, track, time, reach);
  assert.equal(model.samples.time[near(30e6, 2e6)], 31000);
  assert.equal(near(26e6, 2e6), -1);
  assert.equal(model.samples.time[near(0, 20e6)], 11000);
  assert.equal(model.samples.time[near(1e9, 2e9)], 221000);
  const {starts} = model.marksOf;
  assert.equal(starts[track + 1] - starts[track], 9);
});

test('the same sums as the profile\'s, for many samples, of which none is marked', () => {
  const samples = Array.from({length: 100_400}, (_, index) => [1 + (index % 299) + index / 1e6, 't2', ['load', 'parse', 'render', 'inflate<b>'][index % 4]]);
  const model = load('sampled-much', samples);
  assert.ok(model.samples.count < 100, `${model.samples.count} rows`);
  assert.ok(model.samples.time.every(Number.isNaN) && model.samples.track.every((one) => one === -1));
  const sums = new Map();
  for (const name of ['Load', 'Render']) {
    const row = Array.from({length: model.count}, (_, each) => each).find((each) => model.className(each) === name);
    sums.set(name, mergedStacks(model, samplesLike(model, row).indexes).weight * PERIOD / 1e9);
  }
  for (const {kind, name, seconds} of json('profile', 'sampled-much').work) if (kind === 'operation') assert.equal(sums.get(name)?.toFixed(3), seconds.toFixed(3), name);
});
