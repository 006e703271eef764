// The page's parts, in the order in which a report has them: what is imported adds itself.
import {existsSync, readFileSync, readdirSync} from 'node:fs';
import {join} from 'node:path';
import {pathToFileURL} from 'node:url';
import {root, sample} from './reports.mjs';

const start = /^addPart\(\{\s*name: '(\w+)'/gm;
const names = [...readFileSync(sample('photo-import'), 'utf8').matchAll(start)].map(([, name]) => name);
const folders = readdirSync(join(root, 'Sources')).map((name) => join(root, 'Sources', name, 'Page')).filter(existsSync);
const modules = new Map(folders.flatMap((folder) => readdirSync(folder).map((name) => join(folder, name))).flatMap((path) =>
  [...readFileSync(path, 'utf8').matchAll(start)].map(([, name]) => [name, path])));
for (const name of names) await import(pathToFileURL(modules.get(name)));
if (modules.size !== names.length || names.length < 8) throw new Error(`the page has the parts ${names}, and there are ${[...modules.keys()]}`);
