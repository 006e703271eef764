// The page of a running program, as `optrace view` serves it: what is new is fetched and added, without a reload.
import {PARTS} from './parts.mjs';

// Follows the program. `parts` are the parts to renew: functions that are told whether it is the last time.
export function followProgram(model, selection, parts, document, window) {
  const meta = document.querySelector('meta[name="optrace-live"]');
  if (!meta) return;
  const renew = (isLast) => {
    const began = window.performance.now();
    selection.renew();
    for (const part of parts) part(isLast);
    // This is for measurements: the cost of showing more.
    document.documentElement.dataset.renewal = (window.performance.now() - began).toFixed(1);
    document.documentElement.dataset.revision = String(model.revision);
  };
  const end = (words) => {
    model.isLive = false;
    model.ending = words;
    renew(true);
    document.getElementById('announcer').textContent = words;
  };
  // A page in the background asks again once it is visible.
  const seen = () => new Promise((done) => {
    if (!document.hidden) return done();
    const resume = () => {
      if (document.hidden) return;
      document.removeEventListener('visibilitychange', resume);
      done();
    };
    document.addEventListener('visibilitychange', resume);
  });
  const ask = async () => {
    await seen();
    let news;
    try {
      const wanted = PARTS.find(({name}) => name === selection.tab)?.asksFor;
      const answer = await window.fetch(`${meta.content}?since=${model.revision}${wanted ? `&${wanted}` : ''}`, {cache: 'no-store'});
      news = answer.ok ? await answer.json() : null;
    } catch { /* Nobody is there. */ }
    // What the page shows is still valid.
    if (!news) return end('optrace has exited: this page gets no more updates.');
    const began = window.performance.now();
    for (const update of news.updates) model.grow(update);
    document.documentElement.dataset.growth = (window.performance.now() - began).toFixed(1);
    if (news.isOver) return end('The program has ended: this is the whole run.');
    if (news.updates.length > 0) renew(false);
    window.setTimeout(ask, news.again);
  };
  window.setTimeout(ask, 1000);
}
