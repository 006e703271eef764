// Memory on the page: texts of bytes, values over time, and what lives at the end as the nodes of a flame graph.
import assert from 'node:assert/strict';
import test from 'node:test';
import {memoryEstimate, memoryText, memoryAt} from '../../../Sources/OpTraceMemory/Page/memory-curve.mjs';
import {memoryNodes} from '../../../Sources/OpTraceMemory/Page/memory-flame.mjs';
import {allocatedTrace} from '../support/allocated.mjs';
import {dataOf, json, written} from '../support/reports.mjs';

const page = () => written('allocated', allocatedTrace());

test('bytes read as the command writes them', () => {
  for (const [bytes, words] of [[0, '0 B'], [999, '999 B'], [1000, '1 kB'], [9940, '9.9 kB'], [9960, '10 kB'], [999_600, '1 MB'], [-2_300_000, '-2.3 MB'], [7.2e9, '7.2 GB']]) {
    assert.equal(memoryText(bytes), words);
  }
  assert.equal(memoryEstimate([8e6, 1e6]), '8 MB ± 1 MB');
  assert.equal(memoryEstimate([8e6, 1e4]), '8 MB');
});

test('a value holds until the next one', () => {
  const places = [[10, 1], [20, 5], [20, 6], [30, 0]];
  assert.deepEqual([0, 10, 19, 20, 29, 99].map((time) => memoryAt(places, time)), [null, 1, 1, 6, 6, 0]);
});

test('what lives is merged from the outermost function on, and what was freed is not there', () => {
  const {memory} = dataOf(page());
  const said = ({call, weight, children}) => `${call?.[0] ?? 'all'} ${weight}${children.length > 0 ? ` (${children.map(said).join(', ')})` : ''}`;
  assert.equal(said(memoryNodes(memory)), 'all 9000000 (main 9000000 (serve() 9000000 (insert(_:) 9000000)))');
});

test('the page has the same figures as the command', () => {
  const {memory} = dataOf(page());
  const command = json('memory', 'allocated');
  assert.deepEqual([memory.allocated[0], memory.live[0]], [command.allocated.bytes, command.live.bytes]);
  assert.deepEqual(memory.use.map(([, resident, anonymous]) => [resident, anonymous]), command.timeline.map(({residentBytes, anonymousBytes}) => [residentBytes, anonymousBytes]));
  for (const {atSeconds, liveBytes} of command.timeline) {
    // The curve has the highest and the last value of each part of the run.
    assert.ok(Math.abs(memoryAt(memory.curve, atSeconds * 1e9) - liveBytes) <= 100_000);
  }
  assert.deepEqual(memory.growth.map(({function: name, bytes}) => [name, bytes[0]]), command.growth.map(({function: name, bytes}) => [name, bytes]));
  assert.deepEqual(memory.types.map(({name, live}) => [name, live[0]]), command.types.map(({type, liveBytes}) => [type, liveBytes]));
});
