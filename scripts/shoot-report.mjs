#!/usr/bin/env node
// Takes the pictures of a report for the documents, in light and in dark: of the timeline with what is selected in view, or of one
// part of "why slow".
// usage: scripts/shoot-report.mjs REPORT.html FOLDER NAME WORK|TITLE     the browser and its driver: scripts/setup test
import {join} from 'node:path';
import {closeBrowser, openReport, settled} from '../Tests/PageTests/support/browser.mjs';

const [report, folder, title, what] = process.argv.slice(2);
if (!what) {
  console.error('usage: scripts/shoot-report.mjs REPORT.html FOLDER NAME WORK|TITLE');
  process.exit(64);
}
const isWork = /^\d+$/.test(what);
for (const [name, colorScheme] of [[title, 'light'], [`${title}-dark`, 'dark']]) {
  const path = join(folder, `${name}.png`);
  const {tab, close} = await openReport(report, {hash: isWork ? `#op=${what}` : '#tab=why', width: isWork ? 1360 : 1060, height: 840, colorScheme});
  if (isWork) {
    await tab.keyboard.press('f');
    await tab.locator('#timeline canvas[role=application]').focus();
    await tab.keyboard.press('f');
    await tab.locator('h1').click();
    await settled(tab);
    await tab.waitForTimeout(400);
    await tab.screenshot({path});
  } else {
    await settled(tab);
    const part = tab.locator('#why .part', {has: tab.locator('h2', {hasText: new RegExp(`^${what}$`)})});
    await part.scrollIntoViewIfNeeded();
    const {x, y, width, height} = await part.boundingBox();
    const edge = 14;
    await tab.screenshot({path, clip: {x: x - edge, y: y - edge, width: width + 2 * edge, height: height + edge}});
  }
  await close();
}
await closeBrowser();
