// What scripts that check pages know of Markdown: blocks, links, headings' anchors. Not all of the language: what stands in our pages.

/**
 * The blocks of a page, in order, each with the number of its first line: `heading` (with `level`), `code` (with `info`, the words
 * behind its fence), `row` of a table (with `cells`), `item` of a list, `html`, `text`.
 */
export function blocks(page) {
  const found = [];
  let open;
  let fence;
  page.split('\n').forEach((line, index) => {
    const begin = (block) => {
      open = {line: index + 1, ...block};
      found.push(open);
    };
    if (fence) {
      if (line.trimEnd() === fence) fence = undefined;
      else open.lines.push(line);
      return;
    }
    const mark = /^(`{3,})(.*)$/.exec(line);
    if (mark) {
      fence = mark[1];
      begin({kind: 'code', info: mark[2].trim(), lines: []});
    } else if (line.trim() === '') {
      open = undefined;
    } else if (/^#{1,6} /.test(line)) {
      const [, marks, text] = /^(#+) (.*)$/.exec(line);
      begin({kind: 'heading', level: marks.length, lines: [text]});
      open = undefined;
    } else if (line.startsWith('|')) {
      if (!/^\|[-:| ]+\|$/.test(line)) begin({kind: 'row', lines: [line], cells: cells(line)});
      open = undefined;
    } else if (/^(-|\d+\.) /.test(line)) {
      begin({kind: 'item', lines: [line]});
    } else if (open && open.kind !== 'code') {
      open.lines.push(line);
    } else {
      begin({kind: line.startsWith('<') ? 'html' : 'text', lines: [line]});
    }
  });
  return found.map((block) => ({...block, text: block.lines.join('\n')}));
}

const cells = (row) => row.split(/(?<!\\)\|/).slice(1, -1).map((cell) => cell.trim());

/** The pieces of code inside a line of text. */
export const codeSpans = (text) => [...text.matchAll(/(?<!`)(`+)(?!`)(.+?)(?<!`)\1(?!`)/gs)].map((match) => match[2].trim());

export const withoutCode = (text) => text.replace(/(?<!`)(`+)(?!`)(.+?)(?<!`)\1(?!`)/gs, '');

/** Where a block leads: links, pictures and their sources for dark pages. */
export function targets({kind, text}) {
  if (kind === 'code') return [];
  const plain = withoutCode(text);
  return [
    ...[...plain.matchAll(/\]\(([^)\s]+)(?: "[^"]*")?\)/g)].map((match) => match[1]),
    ...[...plain.matchAll(/\b(?:href|src|srcset)="([^"\s]+)/g)].map((match) => match[1]),
  ];
}

/** The anchors of a page, as GitHub makes them of headings, and those that are written. */
export function anchors(page) {
  const seen = new Map();
  const found = new Set();
  for (const {kind, text} of blocks(page)) {
    if (kind === 'heading') {
      const base = slug(text);
      const count = seen.get(base) ?? 0;
      seen.set(base, count + 1);
      found.add(count ? `${base}-${count}` : base);
    } else if (kind !== 'code') {
      for (const match of text.matchAll(/\b(?:id|name)="([^"]+)"/g)) found.add(match[1]);
    }
  }
  return found;
}

const slug = (heading) =>
  heading
    .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .toLowerCase()
    .replace(/[^\p{L}\p{M}\p{N}\p{Pc}\- ]/gu, '')
    .replace(/ /g, '-');
