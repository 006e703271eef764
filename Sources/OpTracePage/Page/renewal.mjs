// Replaces a part of the page with one that shows more, while somebody reads it.

// Returns what identifies a unit before and after: its heading, without the numbers in it.
function keyOf(unit) {
  return unit.id || (unit.querySelector('h1, h2, h3')?.textContent ?? unit.className).replace(/\d[\d,]*/g, '#');
}

/**
 * Gives `container` the children in `fresh`, which have been rebuilt. A unit that shows the same stays the same element. While the reader
 * has the keyboard focus in a unit, holds the pointer down in it or has selected text in it, the old one stays until the next time.
 * Whatever is opened, sorted or unfolded stays so.
 */
export function renewUnits(container, fresh) {
  const before = new Map([...container.children].map(unit => [keyOf(unit), unit]));
  let next = container.firstElementChild;
  for (const unit of fresh) {
    const old = before.get(keyOf(unit));
    before.delete(keyOf(unit));
    const isUnmoved = old !== undefined && old === next;
    if (isUnmoved) next = next.nextElementSibling;
    const stays = old ? settle(old, unit) : unit;
    if (!isUnmoved) container.insertBefore(stays, next);
  }
  for (const unit of before.values()) unit.remove();
}

// Returns the element that is on the page now: the old one or the new one.
function settle(old, unit) {
  if (isHeld(old)) return old;
  handOver(old, unit);
  if (old.isEqualNode(unit)) return old;
  const path = pathTo(old, document.activeElement);
  const scrolled = [...old.querySelectorAll('.scroll')].map(one => [one.scrollLeft, one.scrollTop]);
  old.replaceWith(unit);
  [...unit.querySelectorAll('.scroll')].forEach((one, at) => { if (scrolled[at]) [one.scrollLeft, one.scrollTop] = scrolled[at]; });
  if (path) follow(unit, path)?.focus({preventScroll: true});
  return unit;
}

function isHeld(unit) {
  const marked = getSelection();
  return unit.matches(':active') || unit.querySelector(':focus-visible') !== null || (unit.isHeld?.() ?? false)
    || (marked !== null && !marked.isCollapsed && marked.containsNode(unit, true));
}

// Passes on the state of a unit. Elements with a state of their own have a method `takeOver(old)`; if there are several
// of one kind, they are matched by their order.
function handOver(old, unit) {
  const pair = (one, other, act) => one.slice(0, other.length).forEach((each, at) => act(each, other[at]));
  const folds = root => [...root.querySelectorAll('details')];
  pair(folds(unit), folds(old), (each, last) => { each.open = last.open; });
  const named = root => {
    const found = new Map();
    for (const one of [root, ...root.querySelectorAll('*')]) {
      if (!one.takeOver) continue;
      const name = one.querySelector?.('caption')?.textContent ?? one.nodeName;
      if (!found.has(name)) found.set(name, []);
      found.get(name).push(one);
    }
    return found;
  };
  const last = named(old);
  for (const [name, all] of named(unit)) pair(all, last.get(name) ?? [], (each, other) => each.takeOver(other));
}

// Returns the path to an element inside another, as indexes among siblings; null: it is elsewhere.
function pathTo(root, element) {
  if (!root.contains(element)) return null;
  const path = [];
  for (let one = element; one !== root; one = one.parentElement) path.unshift([...one.parentElement.children].indexOf(one));
  return path;
}

function follow(root, path) { return path.reduce((one, at) => one?.children[at], root); }
