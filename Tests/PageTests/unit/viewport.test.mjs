import assert from 'node:assert/strict';
import test from 'node:test';
import {Viewport, tickText} from '../../../Sources/OpTracePage/Page/viewport.mjs';
import {actionOfKey} from '../../../Sources/OpTraceTimeline/Page/gestures.mjs';
import {seeded} from '../support/random.mjs';

function viewport(from = 0, to = 1_000_000) {
  return Object.assign(new Viewport(from, to), {left: 100, width: 1000});
}

test('zooming leaves what is under the pointer where it is', () => {
  const {random, seed} = seeded();
  const view = viewport();
  view.show(400_000, 600_000);
  for (let round = 0; round < 100; round++) {
    const x = 100 + random() * 1000;
    const before = view.time(x);
    view.zoom(0.5 + random() * 0.6, x);
    if (view.from > view.first && view.to < view.last) assert.ok(Math.abs(view.time(x) - before) < view.span * 1e-6, `seed ${seed}`);
  }
});

test('nothing beside the trace is shown, nor less than 100 ns', () => {
  const view = viewport();
  view.pan(-100_000);
  assert.equal(view.from, view.first);
  view.zoom(1e-9, 500);
  assert.ok(Math.abs(view.span - 100) < 1e-6);
  view.zoom(1e12, 500);
  assert.ok(view.isAll);
});

test('revealing an interval centres it, large enough; one that is well visible stays', () => {
  const view = viewport();
  view.reveal(500_000, 500_100);
  assert.ok(view.from < 500_000 && view.to > 500_100);
  assert.ok(100 / view.span > 0.04);
  const seen = [view.from, view.to];
  view.reveal(500_000, 500_100);
  assert.deepEqual([view.from, view.to], seen);
});

test('an operation without a length can be shown', () => {
  const view = viewport();
  view.reveal(5_000, 5_000);
  assert.ok(view.from <= 5_000 && view.to >= 5_000 && view.span >= 100);
});

test('marks on the ruler are round, and far enough apart to be read', () => {
  for (const span of [200, 3_333, 1e6, 7.7e8, 3e12]) {
    const view = Object.assign(new Viewport(0, 1e13), {left: 0, width: 1000});
    view.show(1e9, 1e9 + span);
    const {step, ticks} = view.ticks();
    assert.ok(step / view.perPixel >= 110);
    assert.ok(ticks.length >= 1 && ticks.length <= 10);
    assert.ok(['1', '2', '5'].includes(String(step).replace(/[0.]|e.*/g, '')), String(step));
  }
});

test('a mark is written as exactly as its neighbours need it', () => {
  assert.equal(tickText(1_500_000_000, 500_000_000, 3e9), '1.5 s');
  assert.equal(tickText(2_000, 100, 5_000), '2.0 µs');
  assert.equal(tickText(1_234_567_000, 1_000, 2e9), '1.234567 s');
  assert.equal(tickText(0, 20_000_000, 90_000_000), '0 ms');
});

test('keys mean the same whatever the case, and nothing with a modifier', () => {
  const key = (name, more = {}) => actionOfKey({key: name, ctrlKey: false, metaKey: false, altKey: false, shiftKey: false, ...more});
  assert.deepEqual(key('W', {shiftKey: true}).zoom < key('w').zoom, true);
  assert.deepEqual(key('ArrowLeft'), key('a'));
  assert.deepEqual(key(']'), {neighbour: 1});
  assert.equal(key('w', {ctrlKey: true}), null);
  assert.equal(key('q'), null);
});
