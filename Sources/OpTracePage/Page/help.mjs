// All keys and gestures, in a dialog.
import {h, onPageKey} from './dom.mjs';
import {PARTS} from './parts.mjs';

const EVERYWHERE = ['Everywhere', [
  [['1', '2', '…'], 'the first tab, the second, …'],
  [['/'], 'search operations'],
  [['Esc'], 'deselect the operation; leave the search'],
  [['?'], 'this help'],
]];
const IN_TABLES = ['Tables', [
  [['Click'], 'on a column’s title: sort by it; once more: reverse the order'],
]];

export function mountHelp(element, model, selection) {
  const close = h('button', {type: 'button', class: 'icon', 'aria-label': 'Close', onclick: () => element.close()}, '×');
  element.append(h('header', {}, h('h2', {id: 'help-title'}, 'Keys and gestures'), close),
    h('div', {class: 'help-columns'}, [EVERYWHERE, ...PARTS.map(({help}) => help).filter(Boolean), IN_TABLES].map(([title, lines]) => h('section', {}, h('h3', {}, title),
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
