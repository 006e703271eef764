// Reads the data, and mounts what all pages have and each part. The modules of the parts have been read by now.
import {Model} from './model.mjs';
import {tabParts} from './parts.mjs';
import {Selection} from './selection.mjs';
import {mountHead} from './head.mjs';
import {addSections, mountTabs} from './tabs.mjs';
import {mountSearch} from './search.mjs';
import {mountPanel} from './panel.mjs';
import {mountHelp} from './help.mjs';
import {followProgram} from './live.mjs';

const dataElement = document.getElementById('data');
const model = new Model(JSON.parse(dataElement.textContent));
// The text has been read; only the columns are kept.
dataElement.remove();
model.isLive = document.querySelector('meta[name="optrace-live"]') !== null;
const selection = new Selection(model);
addSections(document.getElementById('main'));
const mounts = [
  ['head', mountHead], ['tabs', mountTabs], ['search', mountSearch], ...tabParts().map(({name, mount}) => [name, mount]),
  ['panel', mountPanel], ['help', mountHelp],
];
const renewals = mounts.map(([id, mount]) => mount(document.getElementById(id), model, selection)).filter(Boolean);
selection.attach(window);
followProgram(model, selection, renewals, document, window);
document.documentElement.dataset.ready = '';

// The first view needs a third of the data. The rest is read while the page is idle, a few milliseconds at a time.
const inQuiet = window.requestIdleCallback ?? ((work) => window.setTimeout(work, 50));
const readOn = () => { if (model.readAhead()) inQuiet(readOn); };
inQuiet(readOn);
