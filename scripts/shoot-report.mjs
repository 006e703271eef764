#!/usr/bin/env node
// Takes the pictures of a report for the documents, in light and in dark, with what is selected in view.
// usage: scripts/shoot-report.mjs REPORT.html FOLDER NAME WORK     the browser and its driver: scripts/setup test
import {join} from 'node:path';
import {closeBrowser, openReport, settled} from '../Tests/PageTests/support/browser.mjs';

const [report, folder, title, work] = process.argv.slice(2);
if (!work) {
  console.error('usage: scripts/shoot-report.mjs REPORT.html FOLDER NAME WORK');
  process.exit(64);
}
for (const [name, colorScheme] of [[title, 'light'], [`${title}-dark`, 'dark']]) {
  const {tab, close} = await openReport(report, {hash: `#op=${work}`, width: 1360, height: 840, colorScheme});
  await tab.keyboard.press('f');
  await tab.locator('#timeline canvas[role=application]').focus();
  await tab.keyboard.press('f');
  await tab.locator('h1').click();
  await settled(tab);
  await tab.waitForTimeout(400);
  await tab.screenshot({path: join(folder, `${name}.png`)});
  await close();
}
await closeBrowser();
