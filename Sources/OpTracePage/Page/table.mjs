// Tables whose columns can be sorted. The order is computed independently of the document.
import {h, moreButton} from './dom.mjs';

/** Returns a sorted copy. Equal rows keep their order in both directions; rows without a value come last in both. */
export function sortedRows(rows, value, isDescending) {
  const isMissing = one => one === null || one === undefined || Number.isNaN(one);
  const keyed = rows.map((row, index) => ({row, index, key: value(row)}));
  keyed.sort((a, b) => {
    if (isMissing(a.key) || isMissing(b.key)) return isMissing(a.key) - isMissing(b.key) || a.index - b.index;
    const order = typeof a.key === 'string' ? a.key.localeCompare(b.key, undefined, {numeric: true}) : a.key - b.key;
    return (isDescending ? -order : order) || a.index - b.index;
  });
  return keyed.map(one => one.row);
}

/** Returns the `most` rows of 0 ..< count with the largest values, largest first, in one pass. Rows without a value above zero are left out. */
export function largestRows(count, value, most) {
  const rows = [], values = [];
  for (let row = 0; row < count; row += 1) {
    const one = value(row);
    if (!(one > 0) || (rows.length === most && one <= values[most - 1])) continue;
    let at = rows.length;
    while (at > 0 && values[at - 1] < one) at -= 1;
    rows.splice(at, 0, row);
    values.splice(at, 0, one);
    if (rows.length > most) {
      rows.pop();
      values.pop();
    }
  }
  return rows;
}

/**
 * A table. Columns: `{title, cell(row) -> text or nodes, value(row) -> number or string, isNumber, hint}`; one without `value` does not sort, one with `isOnScreen` is not on paper.
 * `sort` is the column that sorts first, or -1 to keep the rows' order. `first` rows are shown at once.
 */
export function sortableTable({caption, columns, rows, sort = -1, first = 50}) {
  const body = h('tbody');
  const state = {column: sort, isDescending: sort >= 0 && Boolean(columns[sort].isNumber)};
  const heads = columns.map((column, index) => h('th', {scope: 'col', class: classOf(column, false), title: column.hint},
    column.value ? h('button', {type: 'button', class: 'sort', onclick: () => order(index)}, column.title) : column.title));
  const table = h('table', {}, h('caption', {class: 'unseen'}, caption), h('thead', {}, h('tr', {}, heads)), body);
  const below = h('div', {class: 'below-table'});

  function order(index) {
    state.isDescending = state.column === index ? !state.isDescending : Boolean(columns[index].isNumber);
    state.column = index;
    draw();
  }
  function draw() {
    const sorted = state.column < 0 ? rows : sortedRows(rows, columns[state.column].value, state.isDescending);
    heads.forEach((head, index) => {
      if (!columns[index].value) return;
      head.setAttribute('aria-sort', index !== state.column ? 'none' : state.isDescending ? 'descending' : 'ascending');
    });
    body.replaceChildren();
    below.replaceChildren(moreButton(body, sorted.length, first, (from, to) => {
      for (const row of sorted.slice(from, to)) body.append(tableRow(columns, row));
    }));
  }
  draw();
  const root = h('div', {class: 'table'}, h('div', {class: 'scroll'}, table), below);
  root.sorting = state;
  root.takeOver = old => {
    if (columns[old.sorting?.column]?.value) Object.assign(state, old.sorting);
    draw();
  };
  return root;
}

/** Returns the classes of a column. Its colour applies to its cells, not to its head. */
const classOf = (column, isCell) => [column.isNumber && 'figure', isCell && column.css, column.isOnScreen && 'on-screen'].filter(Boolean).join(' ') || null;

function tableRow(columns, row) {
  return h('tr', {}, columns.map((column, index) => {
    const attributes = {class: classOf(column, true)};
    return index === 0 ? h('th', {...attributes, scope: 'row'}, column.cell(row)) : h('td', attributes, column.cell(row));
  }));
}
