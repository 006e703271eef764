// Text is drawn on a canvas, where no accessibility checker sees it.
import assert from 'node:assert/strict';
import {readFileSync} from 'node:fs';
import test from 'node:test';

const css = readFileSync(new URL('../../../Sources/OpTraceTimeline/Page/timeline.css', import.meta.url), 'utf8');

function luminance(hex) {
  const full = hex.length === 4 ? hex.replace(/[0-9a-f]/g, '$&$&') : hex;
  const parts = [1, 3, 5].map((at) => parseInt(full.slice(at, at + 2), 16) / 255);
  const [red, green, blue] = parts.map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function contrast(one, other) {
  const [dark, light] = [luminance(one), luminance(other)].sort((a, b) => a - b);
  return (light + 0.05) / (dark + 0.05);
}

const schemes = css.split('prefers-color-scheme: dark').map((part) => Object.fromEntries(
  [...part.matchAll(/--([a-z0-9-]+): (#[0-9a-f]{3,6})/g)].map(([, name, value]) => [name, value])));

for (const [name, colours] of [['light', schemes[0]], ['dark', {...schemes[0], ...schemes[1]}]]) {
  test(`${name}: every text has enough contrast`, () => {
    const labelled = Object.keys(colours).filter((key) => /^(fill|class)-/.test(key)).concat('waits-for-slot', 'thread-blocked');
    for (const key of labelled) {
      assert.ok(contrast(colours['on-fill'], colours[key]) >= 4.5, `${key}: ${contrast(colours['on-fill'], colours[key]).toFixed(2)}`);
    }
    for (const ground of ['page', 'band']) {
      for (const text of ['text', 'muted']) assert.ok(contrast(colours[text], colours[ground]) >= 4.5, `${text} on ${ground}`);
    }
  });

  test(`${name}: lanes can be seen against the page`, () => {
    for (const key of Object.keys(colours).filter((one) => /^(fill|class)-/.test(one))) {
      assert.ok(contrast(colours.page, colours[key]) >= 1.3, `${key}: ${contrast(colours.page, colours[key]).toFixed(2)}`);
    }
  });
}
