// The parts of the page, each added by its own module: views with a tab, and what others show in views. What all of them share knows none.

/** The parts; those with a tab are in the order of their tabs. */
export const PARTS = [];

/**
 * Adds a part:
 * - `name`: the id of its section and, in the address, of its tab; also the key of its data, if it has any of its own.
 * - `title`: of its tab. Without `mount` it has none.
 * - `mount(element, model, selection)`: fills the section, and returns what renews it when there is more data.
 * - `read(data, last)`: the answers to its questions from its data: `model[name]`; `last` are those from the data before.
 * - `readDocument(document)`: the same from what the document says.
 * - `isPresent(model)`: whether there is anything to show. If not, there is no tab. Without this there always is one.
 * - `explains(model)`: how well it explains the run, from 0, not at all, to 3. The page opens with the best.
 * - `badge(model)`: what is added to the title.
 * - `beforePath(model)`, `afterPath(model)`: a section before or after what decides when the run ends; null: nothing.
 * - `decides(model)`: the work that decides when the run ends, in order, as `{rows, remaining}`: what has run, and what has to run after that.
 * - `showsCallers`: whether it shows which function called which.
 * - `panel(model, row)`: `[title, element]` for the panel of selected work; null: nothing.
 * - `lead(model, row, selection)`: `[label, action]` for a button in that panel, which leads to the part; null: nothing.
 * - `asksFor`: a word for what a page that follows a program asks for while the part is shown.
 * - `help`: `[title, lines]` for the list of keys and gestures.
 * - `isPicture`: whether it fills the view, and does not scroll.
 */
export function addPart(part) { PARTS.push(part); }

/** Returns the parts with a tab. */
export function tabParts() { return PARTS.filter(({mount}) => mount); }

/** Returns those of them that have something to show. */
export function presentParts(model) { return tabParts().filter(({isPresent}) => isPresent?.(model) ?? true); }
