// The accessibility checker, run inside of a page.
import {readFileSync} from 'node:fs';
import {join} from 'node:path';
import {tools} from './browser.mjs';

let source;

// What breaks the rules of WCAG 2.2's levels A and AA, as sentences.
export async function violations(tab) {
  source ??= readFileSync(join(tools, 'axe.min.js'), 'utf8');
  // Through the debugger: the page's own policy lets no other script in.
  await tab.evaluate(source);
  const {violations: found, passes, incomplete} = await tab.evaluate(() => window.axe.run(document, {
    runOnly: {type: 'tag', values: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa']}, resultTypes: ['violations'],
  }));
  // Of text that something lies over it says that it does not know.
  if (![...passes, ...incomplete].some((rule) => rule.id === 'color-contrast')) throw new Error('axe looked at no text');
  return found.flatMap((rule) => rule.nodes.slice(0, 5).map((node) => `${rule.id}: ${node.html.slice(0, 160)}: ${node.failureSummary.replace(/\s+/g, ' ')}`));
}
