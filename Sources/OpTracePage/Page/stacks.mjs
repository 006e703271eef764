// A thread's stack: the program's own code, with system calls in between folded, as in StacksText.swift.
import {counted} from './format.mjs';
import {h} from './dom.mjs';

/** Returns a stack, by the row of its innermost function. */
export function stackOf(model, frame) {
  const {caller, title, place: location, image, flags} = model.frames;
  const {guessed, inlined, own} = model.frameFlags;
  const functions = [];
  // The limit is that of the reader of traces; each frame may contain inlined functions. Without it, a cycle would
  // not end.
  for (let row = frame; row >= 0 && functions.length < 4096; row = caller[row]) {
    functions.push({
      title: model.strings[title[row]] ?? '', location: model.strings[location[row]] ?? null, image: model.strings[image[row]] ?? null,
      isGuessed: (flags[row] & guessed) !== 0, isInlined: (flags[row] & inlined) !== 0, isOwn: (flags[row] & own) !== 0,
    });
  }
  return functions;
}

/** Returns the rows of a stack: `{function}` or `{folded: [functions]}`. A stack without own code is not folded, because nothing would be left. */
export function foldedStack(functions) {
  if (!functions.some(one => one.isOwn)) return functions.map(one => ({function: one}));
  const rows = [];
  for (const one of functions) {
    const last = rows[rows.length - 1];
    if (one.isOwn) rows.push({function: one});
    else if (last?.folded) last.folded.push(one);
    else rows.push({folded: [one]});
  }
  return rows;
}

/** `6 frames of libFoundation, libdispatch`. */
export function foldText(functions) {
  const images = [...new Set(functions.map(one => (one.image === null ? 'unknown code' : one.image.replace(/(.)\..*$/, '$1'))))];
  return `${counted(functions.length, 'frame')} of ${images.slice(0, 4).join(', ')}${images.length > 4 ? ', …' : ''}`;
}

/** A stack in a few words: `load() at main.swift:12`. */
export function codeText(functions) {
  const one = functions.find(each => each.isOwn) ?? functions[0];
  return one ? one.title + (one.location ? ` at ${one.location}` : '') : '';
}

function functionItem(one) {
  return h('li', {class: one.isOwn ? 'own-frame' : 'system-frame'},
    one.isGuessed && [h('span', {class: 'tag', title: 'found without unwind information: it may be wrong'}, '?'), ' '], h('bdi', {}, one.title),
    one.isInlined && [' ', h('span', {class: 'tag'}, 'inlined')], ' ', h('span', {class: 'beside'}, one.location ?? one.image ?? ''));
}

/** Shows a stack: own code is visible, the rest can be unfolded. */
export function stackView(functions) {
  return h('ol', {class: 'stack'}, foldedStack(functions).map(row => (row.function ? functionItem(row.function)
    : h('li', {class: 'system-frame'}, h('details', {}, h('summary', {}, row.folded.some(one => one.isGuessed) && '? ', foldText(row.folded)), h('ol', {class: 'stack'}, row.folded.map(functionItem)))))));
}
