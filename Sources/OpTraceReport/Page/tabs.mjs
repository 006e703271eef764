// The views, as tabs: ARIA's tablist pattern, plus digits that work everywhere. A view with nothing to show has no tab.
import {counted} from './format.mjs';
import {h, onPageKey} from './dom.mjs';

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

export function mountTabs(element, model, selection) {
  const tabs = [...element.querySelectorAll('[role=tab]')];
  const nameOf = tab => tab.getAttribute('aria-controls');
  const findings = tabs.find(tab => nameOf(tab) === 'findings');
  const countFindings = () => {
    for (const one of findings?.querySelectorAll('span') ?? []) one.remove();
    if (!findings || model.findings.length === 0) return;
    const worst = model.severities.find(one => model.findings.some(finding => finding.severity === one));
    findings.append(h('span', {class: `badge ${worst}-badge`, 'aria-hidden': 'true'}, String(model.findings.length)),
      h('span', {class: 'unseen'}, `, ${counted(model.findings.length, 'finding')}`));
  };
  const [requests, flame] = ['requests', 'flame'].map(name => tabs.find(tab => nameOf(tab) === name));
  const present = () => tabs.filter(tab => !tab.hidden);
  const renew = () => {
    countFindings();
    if (requests) requests.hidden = !model.requests;
    if (flame) flame.hidden = !model.hasSamples;
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
