// Reads the data, and mounts each part.
import {Model} from './model.mjs';
import {Selection} from './selection.mjs';
import {mountHead} from './head.mjs';
import {mountTabs} from './tabs.mjs';
import {mountSearch} from './search.mjs';
import {mountTimeline} from './timeline.mjs';
import {mountGraph} from './graph.mjs';
import {mountWhy} from './why.mjs';
import {mountFindings} from './findings.mjs';
import {mountRequests} from './requests-tab.mjs';
import {mountFlame} from './flame-tab.mjs';
import {mountPanel} from './panel.mjs';
import {mountHelp} from './help.mjs';
import {followProgram} from './live.mjs';

const dataElement = document.getElementById('data');
const model = new Model(JSON.parse(dataElement.textContent));
// The text has been read; only the columns are kept.
dataElement.remove();
model.isLive = document.querySelector('meta[name="optrace-live"]') !== null;
const selection = new Selection(model);
const parts = [
  ['head', mountHead], ['tabs', mountTabs], ['search', mountSearch], ['timeline', mountTimeline], ['graph', mountGraph],
  ['why', mountWhy], ['findings', mountFindings], ['requests', mountRequests], ['flame', mountFlame], ['panel', mountPanel], ['help', mountHelp],
];
const renewals = parts.map(([id, mount]) => mount(document.getElementById(id), model, selection)).filter(Boolean);
selection.attach(window);
followProgram(model, selection, renewals, document, window);
document.documentElement.dataset.ready = '';

// The first view needs a third of the data. The rest is read while the page is idle, a few milliseconds at a time.
const inQuiet = window.requestIdleCallback ?? ((work) => window.setTimeout(work, 50));
const readOn = () => { if (model.readAhead()) inQuiet(readOn); };
inQuiet(readOn);
