#!/usr/bin/env node
// Takes the pictures of the report for the documents, in light and in dark.
// usage: scripts/shoot-report.mjs REPORT.html FOLDER      the browser and its driver: scripts/setup test
import {join} from 'node:path';
import {closeBrowser, openReport, settled} from '../Tests/PageTests/support/browser.mjs';

const [report, folder] = process.argv.slice(2);
if (!folder) {
  console.error('usage: scripts/shoot-report.mjs REPORT.html FOLDER');
  process.exit(64);
}
for (const [name, colorScheme] of [['report', 'light'], ['report-dark', 'dark']]) {
  const {tab, close} = await openReport(report, {hash: '#op=5', width: 1360, height: 840, colorScheme});
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
