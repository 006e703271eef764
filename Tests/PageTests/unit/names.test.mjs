// Names that are too long, as the page and the pictures shorten them.
import assert from 'node:assert/strict';
import test from 'node:test';
import {brieferForms, shortened} from '../../../Sources/COpTraceScripts/Scripts/names.mjs';

// Each letter as wide as any other.
const cut = (name, room) => shortened(name, room, (text) => Array.from(text).length);

// NameCutTests.swift has the same examples for all other outputs.
test('a function loses its labels, then the function that a closure is in, then its type', () => {
  assert.deepEqual(brieferForms('closure #1 in static Epoll.wait(_:for:)'), ['closure #1 in static Epoll.wait(…)', 'Epoll.wait(…)', 'wait(…)']);
  assert.deepEqual(brieferForms('implicit closure #2 in closure #1 in load(_:)'), ['implicit closure #2 in closure #1 in load(…)', 'load(…)']);
  assert.deepEqual(brieferForms('load(_:)'), ['load(…)']);
  for (const name of ['load()', 'a name (see:this)', '(_:)', 'x(y z:)', '']) assert.deepEqual(brieferForms(name), [], name);
  assert.equal(cut('closure #1 in static Epoll.wait(_:for:)', 100), 'closure #1 in static Epoll.wait(_:for:)');
  assert.equal(cut('closure #1 in static Epoll.wait(_:for:)', 34), 'closure #1 in static Epoll.wait(…)');
  assert.equal(cut('closure #1 in static Epoll.wait(_:for:)', 20), 'Epoll.wait(…)');
  assert.equal(cut('closure #1 in static Epoll.wait(_:for:)', 8), 'wait(…)');
  assert.equal(cut('closure #1 in static Epoll.wait(_:for:)', 5), 'wait');
});

test('other names keep both ends; of a few letters the first, but for numbers', () => {
  assert.equal(cut('image.resize.large', 12), 'image.…large');
  assert.equal(cut('a   and   b and c', 12), 'a   an…and c');
  assert.equal(cut('image.resize.large', 5), 'imag…');
  assert.equal(cut('operation 4711', 6), 'ope…11');
  assert.equal(cut('👩‍👩‍👧 family'.repeat(100), 30).length <= 40, true);
  assert.equal(cut('name', 1), '');
  assert.equal(cut('', 0), '');
});
