// Which work is in which box of the graph's drawing. EmbeddedGraph.swift writes it.
import {decodeTable} from '../../OpTracePage/Page/columns.mjs';

export class GraphBoxes {
  #folds = new Map();

  // `last`: what there was before. A drawing that has not been shown yet stays until there is a new one.
  constructor({note, boxes, drawing}, last) {
    this.note = note;
    this.drawing = drawing ?? last?.drawing ?? null;
    const {work, box, count} = decodeTable(boxes);
    for (let at = 0; at < count; at++) this.#folds.set(work[at], box[at]);
  }

  // Returns a drawing that has not been shown yet; null: there is none.
  takeDrawing() {
    const {drawing} = this;
    this.drawing = null;
    return drawing;
  }

  // Returns the id of the box of work.
  box(model, row) {
    const id = model.id(row);
    return this.#folds.has(id) ? `fold-${this.#folds.get(id)}` : `op-${id}`;
  }

  // Returns the rows of what is in a box.
  rowsOf(model, box) {
    const [kind, text] = box.split('-');
    const number = Number(text);
    const ids = kind === 'op' ? [number] : [...this.#folds].filter(([, fold]) => fold === number).map(([id]) => id);
    return ids.map((id) => model.rowOf(id)).filter((row) => row >= 0).sort((one, other) => one - other);
  }
}

const NONE = new GraphBoxes({note: null, boxes: {count: 0, columns: {work: {all: null}, box: {all: null}}}});

/** Returns the boxes of a page; without a drawing, each work has a box of its own. */
export function boxesOf(model) { return model.graph ?? NONE; }
