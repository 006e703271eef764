// A page that `optrace view` serves asks now and then whether the trace has grown. It is loaded anew when its reader rests, and
// says meanwhile that there is more; what is selected stands in the address, and stays.
import {h} from './dom.mjs';

const PAUSE = 1500;
// Whoever has touched the page so lately is in the middle of something.
const REST = 3000;

export function watchForNews(document, window) {
  const meta = document.querySelector('meta[name="optrace-live"]');
  if (!meta) return;
  let known = null;
  let touched = -Infinity;
  for (const kind of ['pointerdown', 'wheel', 'keydown', 'input']) {
    document.addEventListener(kind, () => { touched = window.performance.now(); }, {capture: true, passive: true});
  }
  const isBusy = () => document.hidden || document.querySelector('dialog[open]') !== null
    || document.activeElement?.tagName === 'INPUT' || window.performance.now() - touched < REST;
  const note = h('p', {class: 'news', role: 'status'});
  document.getElementById('head').append(note);
  const ask = async () => {
    try {
      const answer = await window.fetch(meta.content, {cache: 'no-store'});
      if (!answer.ok) return;
      const state = await answer.text();
      known ??= state;
      if (state !== known) {
        if (!isBusy()) return window.location.reload();
        if (note.childElementCount === 0) note.append('There is more of this trace. ', h('button', {type: 'button', onclick: () => window.location.reload()}, 'Load it'));
      }
      window.setTimeout(ask, PAUSE);
    } catch {
      // The server has ended: what the page shows is still true.
    }
  };
  ask();
}
