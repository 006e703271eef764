// Enumerations of the trace come with the document; what the page knows of them by name is compared here with what comes.
import assert from 'node:assert/strict';
import {existsSync, readFileSync, readdirSync} from 'node:fs';
import {join} from 'node:path';
import test from 'node:test';
import {Model} from '../../../Sources/OpTracePage/Page/model.mjs';
import {CAUSES} from '../../../Sources/OpTraceSummary/Page/critical-path.mjs';
import {CALLS, DETAILS, MODES, MOMENTS, OTHER_SIGNS, PIECES, SEVERITIES, STATES, VERDICTS} from '../../../Sources/OpTracePage/Page/words.mjs';
import {dataOf, root, textTrace, written} from '../support/reports.mjs';

// The page's own, and those of its parts.
const folders = readdirSync(join(root, 'Sources')).map((name) => join(root, 'Sources', name, 'Page')).filter(existsSync);
const sources = (extension) => folders.flatMap((folder) => readdirSync(folder).map((name) => join(folder, name)))
  .filter((path) => path.endsWith(extension)).map((path) => readFileSync(path, 'utf8')).join('\n');
const script = sources('.mjs');
const style = sources('.css');
const data = dataOf(written('words', textTrace(['1000 t1 thread t1 tid=1 "main"', '2000 t1 created #1 class="A"'])));
const {document, tables} = data;
const {enumerations} = document;

const sorted = (words) => [...new Set(words)].sort();
const same = (page, sent, message) => assert.deepEqual(sorted(page), sorted(sent), message);
// What a pattern's group finds in the page's script. There is at least one, else the pattern has grown old.
function found(pattern) {
  const words = [...script.matchAll(pattern)].map((match) => match[1]);
  assert.ok(words.length > 0, String(pattern));
  return words;
}
const known = (words, sent, message) => { for (const word of words) assert.ok(sent.includes(word), `${message}: '${word}' is none of ${sent}`); };

test('each word of an enumeration has a meaning in the page, and no other word has one', () => {
  same(Object.keys(STATES), document.stateWords, 'states');
  same(Object.keys(PIECES), document.pieceKinds, 'pieces of tasks');
  same(Object.keys(DETAILS), enumerations.details, 'details');
  same(Object.keys(CALLS), Object.keys(enumerations.callFlags), 'nodes of merged stacks');
  same(Object.keys(CAUSES), data.why.facts.causes, 'causes');
  same(Object.keys(SEVERITIES), enumerations.severities, 'severities');
  same(Object.keys(VERDICTS), enumerations.verdicts, 'verdicts');
  same(Object.keys(MODES), enumerations.modes, 'modes');
  same(MOMENTS.map(([name]) => name), Object.keys(tables.moments.columns).filter((name) => `${name}Thread` in tables.moments.columns), 'moments');
  same(found(/\bcounter\.(\w+)/g).concat(found(/const \{(\w+), \w+, \w+\} = counter;/g), 'ready', 'limit'), enumerations.counters, 'counters');
  for (const [, words] of MOMENTS) known(Object.keys(words), document.kinds.map(({word}) => word), 'moments of');
});

test('each kind of suspension has a column in the table of tasks', () => {
  const [run, turn, beforeFirst, ...reasons] = document.pieceKinds;
  assert.deepEqual([run, turn, beforeFirst], ['run', 'turn', 'suspended']);
  same(reasons, Object.keys(PIECES).filter((kind) => PIECES[kind].column), 'columns');
});

test('a word that the code asks for is one that comes', () => {
  const kinds = document.kinds.map(({word}) => word);
  known(found(/\bis\(\w+(?:\.\w+)?, '(\w+)'\)/g), Object.keys(enumerations.flags), 'flags');
  known(found(/stateWords\.indexOf\('(\w+)'\)/g), document.stateWords, 'states');
  known(found(/[sS]tate === '(\w+)'/g).concat(found(/inState\('(\w+)'\)/g)), document.stateWords, 'states');
  known(found(/pieceKinds\.indexOf\('(\w+)'\)/g), document.pieceKinds, 'pieces');
  known(found(/detailKinds\.indexOf\('(\w+)'\)/g), enumerations.details, 'details');
  known(found(/\bkind\((?:this\.|step\.)?\w+\) [!=]== '(\w+)'/g).concat(found(/\bword === '(\w+)'\)/g)), kinds, 'kinds of work');
  known(Object.values(VERDICTS).concat(Object.values(SEVERITIES)).map(({sign}) => sign), Object.keys(STATES).concat(Object.keys(OTHER_SIGNS)), 'signs');
  const model = new Model(data);
  assert.deepEqual(model.pieceKinds.slice(0, 2), ['run', 'turn']);
  same(Object.keys(enumerations.frameFlags), ['guessed', 'inlined', 'own']);
});

test('each of what units do has its colour', () => {
  const {requests} = dataOf(written('words of units', textTrace(['1000 t1 thread t1 tid=1 "main"', '1000 t1 queue q1 limit=1 "work"', '2000 t1 created #1 class="A"', '2001 t1 enqueued #1 queue=q1 priority=0',
    '2002 t1 ready #1', '2003 t1 started #1', '2004 t1 began #1', '2005 t1 ended #1', '2006 t1 finished #1', '2007 t1 start-returned #1'])));
  const words = requests.facts.whats.map(([word]) => word);
  for (const word of words) for (const name of [`.what-${word} `, `--what-${word}:`]) assert.ok(style.includes(name), name);
  same([...style.matchAll(/--what-([\w-]+):/g)].map((match) => match[1]), words, 'colours');
});

test('each state and each severity has its colours', () => {
  for (const word of document.stateWords) {
    for (const name of [`.${word}-sign`, `.${word}-chip`, `--fill-${word}:`, `.fill-of-${word} `]) assert.ok(style.includes(name), name);
  }
  for (const word of enumerations.severities) for (const name of [`.${word}-badge`, `.${word}-finding`]) assert.ok(style.includes(name), name);
});
