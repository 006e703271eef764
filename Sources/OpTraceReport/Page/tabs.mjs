// The four views: ARIA's tablist pattern, and the digits 1 to 4 from everywhere.
import {counted} from './format.mjs';
import {h, onPageKey} from './dom.mjs';

/** Where a key leads in a row of `count` tabs; null if it is none of the pattern's. */
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
  countFindings();

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
    const next = tabAfterKey(event.key, tabs.findIndex(tab => nameOf(tab) === selection.tab), tabs.length);
    if (next === null || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    selection.show(nameOf(tabs[next]));
    tabs[next].focus();
  });
  onPageKey(event => {
    const tab = /^[1-9]$/.test(event.key) ? tabs[Number(event.key) - 1] : null;
    if (!tab) return;
    event.preventDefault();
    selection.show(nameOf(tab));
  });
  selection.subscribe((_, changed) => { if (changed.has('tab')) show(); });
  show();
  return countFindings;
}
