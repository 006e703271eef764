// Runs files of tests in one process, with one browser and one of each report: node's own `--test` starts a process for each file.
// usage: node all.mjs FILES
import {resolve} from 'node:path';
import {pathToFileURL} from 'node:url';
// In the order of the page: parts add themselves once in the process, whichever test imports one first.
import './parts.mjs';

for (const file of process.argv.slice(2)) await import(pathToFileURL(resolve(file)).href);
