// Names that are too long for their room, as NameCut.swift shortens them in all other outputs: a function first loses its argument labels, then
// the function that a closure is in, then its type; what is left is cut in its middle, since ends often tell names apart.

/** `closure #1 in static Epoll.wait(…)`, `Epoll.wait(…)`, `wait(…)` for a function with labels; nothing for other names. */
export function brieferForms(name) {
  const [, function_] = name.length < 1000 ? /^(.+)\([\p{L}\p{N}_:]*:\)$/u.exec(name) ?? [] : [];
  if (!function_) return [];
  const outer = function_.replace(/^(?:(?:implicit )?closure #.*? in )*(?:static )?/, '');
  const forms = [function_, outer, outer.replace(/^.+\./s, '')].filter(Boolean);
  return [...new Set(forms)].map((form) => `${form}(…)`);
}

/** As much of a name as has room, empty if that is nothing. `width`: of a text, in the unit of the room. */
export function shortened(name, room, width) {
  if (width(name) <= room) return name;
  const forms = brieferForms(name);
  // A second ellipsis says no more than one.
  const shortest = forms.length > 0 ? forms[forms.length - 1].slice(0, -3) : name;
  const fitting = [...forms, shortest].find((form) => width(form) <= room);
  if (fitting !== undefined) return fitting;
  const letters = shortest.length <= 400 ? Array.from(shortest) : [...Array.from(shortest.slice(0, 200)), ...Array.from(shortest.slice(-200))];
  // By the average width of its own letters, and then by as many more as it takes.
  for (let kept = Math.min(letters.length - 1, Math.floor((room / width(shortest)) * letters.length)); kept >= 1; kept--) {
    // Of a few letters those at the end say little, but for numbers.
    const end = kept < 8 && !/\p{N}$/u.test(shortest) ? 0 : Math.floor(kept / 2);
    const cut = `${letters.slice(0, kept - end).join('').trimEnd()}…${letters.slice(letters.length - end).join('').trimStart()}`;
    if (width(cut) <= room) return cut;
  }
  return '';
}

/** The widths of texts in a canvas' fonts. Each is measured once only: drawing asks for the same ones again and again. */
export class TextWidths {
  #known = new Map();

  constructor(context) { this.context = context; }

  of(text, font) {
    const key = `${font} ${text}`;
    let width = this.#known.get(key);
    if (width === undefined) {
      if (this.#known.size > 20000) this.#known.clear();
      this.context.font = font;
      this.#known.set(key, width = this.context.measureText(text.slice(0, 400)).width);
    }
    return width;
  }
}
