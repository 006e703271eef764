// On hover or focus: all that an operation of a drawn graph waits for, and all that waits for it. A click holds it, Escape lets go.

export function traceGraph(svg) {
  const [before, after] = [new Map(), new Map()];
  const link = (links, id, other, edge) => {
    if (!links.has(id)) links.set(id, []);
    links.get(id).push([other, edge]);
  };
  for (const edge of svg.querySelectorAll('.dep[data-from]')) {
    const {from, to} = edge.dataset;
    link(before, to, from, edge);
    link(after, from, to, edge);
  }
  let pinned = null;

  function reach(id, links) {
    const seen = new Set([id]);
    for (const stack = [id]; stack.length > 0;) {
      for (const [other, edge] of links.get(stack.pop()) ?? []) {
        edge.classList.add('lit');
        if (!seen.has(other)) stack.push(other);
        seen.add(other);
      }
    }
    return seen;
  }

  function show(node) {
    svg.classList.toggle('tracing', node !== null);
    for (const one of svg.querySelectorAll('.lit,.here')) one.classList.remove('lit', 'here');
    if (!node) return;
    node.classList.add('here');
    for (const id of [...reach(node.id, before), ...reach(node.id, after)]) svg.getElementById(id)?.classList.add('lit');
  }

  const operation = (event) => event.target.closest?.('.op[id]') ?? null;
  const showPointed = (event) => { if (!pinned) show(operation(event)); };
  svg.addEventListener('pointerover', showPointed);
  svg.addEventListener('focusin', showPointed);
  svg.addEventListener('pointerleave', () => { if (!pinned) show(null); });
  svg.addEventListener('click', (event) => {
    const node = operation(event);
    pinned = node === pinned ? null : node;
    show(pinned);
  });
  svg.addEventListener('keydown', (event) => {
    if (event.key !== 'Escape') return;
    pinned = null;
    show(null);
  });
}
