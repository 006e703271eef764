// A page that `optrace view` serves asks now and then whether the trace has grown, and shows the new one: what is selected
// stands in the address, and stays.

const PAUSE = 1500;

export function watchForNews(document, window) {
  const meta = document.querySelector('meta[name="optrace-live"]');
  if (!meta) return;
  let known = null;
  const ask = async () => {
    try {
      const answer = await window.fetch(meta.content, {cache: 'no-store'});
      if (!answer.ok) return;
      const state = await answer.text();
      if (known !== null && state !== known && !document.hidden) return window.location.reload();
      known ??= state;
      window.setTimeout(ask, PAUSE);
    } catch {
      // The server has ended: what the page shows is still true.
    }
  };
  ask();
}
