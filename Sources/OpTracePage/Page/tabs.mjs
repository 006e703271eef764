// The views, as tabs: ARIA's tablist pattern, plus digits that work everywhere. A view with nothing to show has no tab.
import {h, onPageKey} from './dom.mjs';
import {presentParts, tabParts} from './parts.mjs';

/** Returns where a key leads in a row of `count` tabs; null if the key is not part of the pattern. */
export function tabAfterKey(key, current, count) {
  switch (key) {
    case 'ArrowRight': return (current + 1) % count;
    case 'ArrowLeft': return (current + count - 1) % count;
    case 'Home': return 0;
    case 'End': return count - 1;
    default: return null;
  }
}

/** Adds a section for each part. One that is there already, because it has content, gets its place among them. */
export function addSections(main) {
  for (const {name, isPicture} of tabParts()) {
    const section = document.getElementById(name) ?? h('section', {id: name});
    section.setAttribute('role', 'tabpanel');
    section.setAttribute('aria-labelledby', `tab-${name}`);
    if (!isPicture) {
      section.classList.add('scrolling');
      section.tabIndex = 0;
    }
    main.append(section);
  }
}

export function mountTabs(element, model, selection) {
  const parts = tabParts();
  const tabs = parts.map(({name}) => h('button', {type: 'button', role: 'tab', id: `tab-${name}`, 'aria-controls': name}));
  element.append(...tabs);
  const nameOf = tab => tab.getAttribute('aria-controls');
  const present = () => tabs.filter(tab => !tab.hidden);
  const renew = () => {
    const shown = presentParts(model);
    parts.forEach((part, index) => {
      tabs[index].replaceChildren(part.title, ...(part.badge?.(model) ?? []));
      tabs[index].hidden = !shown.includes(part);
    });
    // The digits count the tabs that are present.
    present().forEach((tab, index) => tab.setAttribute('aria-keyshortcuts', String(index + 1)));
  };
  renew();

  function show() {
    for (const tab of tabs) {
      const isShown = nameOf(tab) === selection.tab;
      tab.setAttribute('aria-selected', String(isShown));
      tab.tabIndex = isShown ? 0 : -1;
      const section = document.getElementById(nameOf(tab));
      if (section) section.hidden = !isShown;
    }
  }
  for (const tab of tabs) tab.addEventListener('click', () => selection.show(nameOf(tab)));
  element.addEventListener('keydown', event => {
    const next = tabAfterKey(event.key, present().findIndex(tab => nameOf(tab) === selection.tab), present().length);
    if (next === null || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    const tab = present()[next];
    selection.show(nameOf(tab));
    tab.focus();
  });
  onPageKey(event => {
    const tab = /^[1-9]$/.test(event.key) ? present()[Number(event.key) - 1] : null;
    if (!tab) return;
    event.preventDefault();
    selection.show(nameOf(tab));
  });
  selection.subscribe((_, changed) => { if (changed.has('tab')) show(); });
  show();
  return renew;
}
