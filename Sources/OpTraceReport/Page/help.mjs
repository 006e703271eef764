// All keys and gestures, in a dialog.
import {h, onPageKey} from './dom.mjs';

const HELP = [
  ['Everywhere', [
    [['1', '2', '…'], 'the first tab, the second, …'],
    [['/'], 'search operations'],
    [['Esc'], 'deselect the operation; leave the search'],
    [['?'], 'this help'],
  ]],
  ['Timeline', [
    [['Wheel', 'Pinch'], 'zoom at the pointer'],
    [['Drag'], 'move'],
    [['Shift + Drag'], 'choose a range and zoom to it'],
    [['Click', 'Enter'], 'select an operation'],
    [['W', 'S'], 'zoom in, zoom out'],
    [['A', 'D', '←', '→'], 'move earlier, later'],
    [['↑', '↓'], 'lane above, lane below'],
    [['[', ']'], 'operation before, after on the lane'],
    [['F'], 'show the whole trace'],
    [['End'], 'show the end, and follow it while the program runs'],
    [['Z'], 'zoom to the selected operation'],
    [['C'], 'colours by state or by class'],
  ]],
  ['Graph', [
    [['Wheel', 'Pinch', '+', '−'], 'zoom'],
    [['Double click'], 'zoom in; with Shift out'],
    [['Drag', 'W', 'A', 'S', 'D'], 'move'],
    [['0'], 'show the whole graph'],
    [['Click', 'Enter'], 'select an operation; what it waits for and what waits for it is highlighted'],
    [['←', '→', '↑', '↓'], 'on a box: to the next box; else move'],
  ]],
  ['Flame graphs', [
    [['Click', 'Enter'], 'enlarge a function; on a caller: show more again'],
    [['←', '→', '↑', '↓'], 'to the function beside, to its caller, to what it calls'],
    [['0', 'Esc'], 'show all'],
    [['/'], 'in the graph of the whole run: search functions and modules; Esc leaves the search'],
  ]],
  ['Requests', [
    [['Drag', 'Click'], 'in the histogram: choose a range of durations'],
    [['←', '→'], 'in the histogram: choose durations; with Shift more of them'],
    [['Esc'], 'choose none'],
  ]],
  ['Tables', [
    [['Click'], 'on a column’s title: sort by it; once more: reverse the order'],
  ]],
];

export function mountHelp(element, model, selection) {
  const close = h('button', {type: 'button', class: 'icon', 'aria-label': 'Close', onclick: () => element.close()}, '×');
  element.append(h('header', {}, h('h2', {id: 'help-title'}, 'Keys and gestures'), close),
    h('div', {class: 'help-columns'}, HELP.map(([title, lines]) => h('section', {}, h('h3', {}, title),
      h('dl', {}, lines.map(([keys, what]) => h('div', {}, h('dt', {}, keys.map(key => [h('kbd', {}, key), ' '])), h('dd', {}, what))))))),
    h('p', {class: 'faint'}, 'The page’s address holds what is selected and shown: copy it to share this view.'));
  // A click beside the dialog hits the dialog element itself, and nothing inside it.
  element.addEventListener('click', event => { if (event.target === element) element.close(); });
  document.getElementById('help-button')?.addEventListener('click', () => element.showModal());
  onPageKey(event => {
    if (event.key !== '?') return;
    event.preventDefault();
    element.showModal();
  });
}
