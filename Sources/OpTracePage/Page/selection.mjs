// What is selected and in view: the state that all parts of the page share, and its form in the page's address, so that
// an address opens the same view for somebody else.
import {presentParts, tabParts} from './parts.mjs';

// The view that an address means if it names none: the first.
const firstTab = () => tabParts()[0]?.name ?? null;

export class Selection {
  row = -1;
  tab = firstTab();
  // An index in the model's findings; -1: none.
  finding = -1;
  // The range of time that is shown; null: everything.
  view = null;
  // The id of the selected work and the name of the chosen finding, which stay when their numbers change.
  #id = null;
  #finding = null;
  #listeners = [];

  constructor(model) {
    this.model = model;
    this.tab = this.home;
  }

  // The tab to open if the address says nothing: the one that explains the run best, or else the first.
  get home() {
    let best = firstTab();
    let most = 0;
    for (const {name, explains} of presentParts(this.model)) {
      const how = explains?.(this.model) ?? 0;
      if (how > most) [best, most] = [name, how];
    }
    return best;
  }

  #isTab(tab) { return presentParts(this.model).some(({name}) => name === tab); }

  // `listener(selection, changed)`: `changed` is a set of 'row', 'tab', 'finding', 'view'.
  subscribe(listener) { this.#listeners.push(listener); }

  // Updates the selection when the model has grown: rows and findings may have moved.
  renew() {
    const {model} = this;
    const row = this.#id === null ? -1 : model.rowOf(this.#id);
    const finding = model.findings.findIndex((one) => this.#nameOf(one) === this.#finding);
    // If only the number is different, it is not a change.
    if (row >= 0) this.row = row;
    if (finding >= 0) this.finding = finding;
    this.#change({row, finding});
  }

  #nameOf(finding) { return `${finding.code} ${finding.rows.map((row) => this.model.id(row)).join(' ')}`; }

  select(row) { this.#change({row}); }
  show(tab) { if (this.#isTab(tab)) this.#change({tab}); }
  choose(finding) { this.#change({finding}); }
  showTime(from, to) { this.#change({view: to > from ? [from, to] : null}); }
  showAllTime() { this.#change({view: null}); }

  #change(wanted) {
    const changed = new Set();
    for (const [key, value] of Object.entries(wanted)) {
      if (String(this[key]) === String(value)) continue;
      this[key] = value;
      changed.add(key);
    }
    this.#id = this.row < 0 ? null : this.model.id(this.row);
    this.#finding = this.finding < 0 ? null : this.#nameOf(this.model.findings[this.finding]);
    if (changed.size > 0) for (const listener of this.#listeners) listener(this, changed);
  }

  // MARK: The address

  // The address: `op=5&tab=graph&finding=2&from=1000&to=2000`. It contains the id, not the row; times are in
  // nanoseconds.
  get address() {
    const parts = [];
    if (this.row >= 0) parts.push(`op=${this.model.id(this.row)}`);
    if (this.finding >= 0) parts.push(`finding=${this.finding}`);
    if (this.view) parts.push(`from=${Math.round(this.view[0])}`, `to=${Math.round(this.view[1])}`);
    if (this.tab !== (parts.length > 0 ? firstTab() : this.home)) parts.splice(this.row >= 0 ? 1 : 0, 0, `tab=${this.tab}`);
    return parts.join('&');
  }

  // Reads from an address whatever fits this trace, no matter who wrote it.
  read(address) {
    const values = new URLSearchParams(address.replace(/^#/, ''));
    const number = (name) => (/^-?\d{1,15}$/.test(values.get(name) ?? '') ? Number(values.get(name)) : NaN);
    const finding = number('finding');
    const [from, to] = [number('from'), number('to')];
    this.#change({
      row: Number.isNaN(number('op')) ? -1 : this.model.rowOf(number('op')),
      tab: this.#isTab(values.get('tab')) ? values.get('tab') : ['op', 'finding', 'from', 'tab'].some((name) => values.has(name)) ? firstTab() : this.home,
      finding: finding >= 0 && finding < this.model.findings.length ? finding : -1,
      view: to > from ? [from, to] : null,
    });
  }

  // Keeps the address up to date, and follows it when it is changed by hand or by "back".
  attach(window) {
    let known = window.location.hash;
    this.read(known);
    let isPlanned = false;
    this.subscribe(() => {
      if (isPlanned) return;
      isPlanned = true;
      // Browsers refuse more than a few hundred changes in half a minute.
      window.setTimeout(() => {
        isPlanned = false;
        // The reader has gone elsewhere, and the event for that is still to come: writing now would damage that history
        // entry.
        if (window.location.hash !== known) return;
        const hash = this.address === '' ? window.location.pathname + window.location.search : '#' + this.address;
        window.history.replaceState(null, '', hash);
        known = window.location.hash;
      }, 250);
    });
    window.addEventListener('hashchange', () => {
      known = window.location.hash;
      this.read(known);
    });
  }
}
