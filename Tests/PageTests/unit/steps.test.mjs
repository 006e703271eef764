import assert from 'node:assert/strict';
import test from 'node:test';
import {Steps} from '../../../Sources/OpTraceTimeline/Page/steps.mjs';
import {seeded} from '../support/random.mjs';

function visited(steps, from, to, cell) {
  const parts = [];
  steps.visit(from, to, cell, (begin, end, value) => parts.push([begin, end, value]));
  return parts;
}

test('a value holds until the next, and the last to the end', () => {
  const steps = new Steps([10, 20, 50], [1, 3, 0]);
  assert.deepEqual(visited(steps, 0, 100, 1), [[10, 20, 1], [20, 50, 3], [50, 100, 0]]);
  assert.deepEqual(visited(steps, 15, 30, 1), [[15, 20, 1], [20, 30, 3]]);
  assert.equal(steps.at(5), null);
  assert.equal(steps.at(20), 3);
  assert.equal(steps.highest, 3);
});

test('a peak between two pixels is not lost', () => {
  const steps = new Steps([0, 10, 10.001, 20], [1, 9, 2, 1]);
  assert.ok(visited(steps, 0, 30, 5).some(([, , value]) => value === 9));
});

test('the pyramid finds the highest of any stretch', () => {
  const {random, seed} = seeded();
  const values = Float64Array.from({length: 3000}, () => Math.floor(random() * 1000));
  const steps = new Steps(Float64Array.from(values, (_, index) => index), values);
  for (let round = 0; round < 2000; round++) {
    const from = Math.floor(random() * values.length);
    const to = from + 1 + Math.floor(random() * (values.length - from));
    assert.equal(steps.highestOf(from, Math.min(to, values.length)), Math.max(...values.subarray(from, to)), `seed ${seed}`);
  }
});

test('parts cover the view: each begins where the one before ends', () => {
  const {random, seed} = seeded();
  for (let round = 0; round < 200; round++) {
    let time = 0;
    const times = Array.from({length: 50}, () => (time += 1 + Math.floor(random() ** 3 * 40)));
    const values = times.map(() => Math.floor(random() * 5));
    const from = times[0] + random() * 20;
    const to = from + 1 + random() * time;
    const parts = visited(new Steps(times, values), from, to, 1 + random() * 20);
    assert.equal(parts[0][0], from, `seed ${seed}`);
    assert.ok(Math.abs(parts[parts.length - 1][1] - to) < 1e-6, `seed ${seed}`);
    for (let at = 1; at < parts.length; at++) assert.ok(Math.abs(parts[at][0] - parts[at - 1][1]) < 1e-6, `seed ${seed}`);
  }
});
