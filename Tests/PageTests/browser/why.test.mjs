// "Why slow": the figures of `optrace summary`, which add up, and tables that sort.
import {after, test} from 'node:test';
import assert from 'node:assert/strict';
import {closeBrowser, focused, openReport, selected, text, texts} from '../support/browser.mjs';
import {dataOf, json, sample, samples, textTrace, workload, written} from '../support/reports.mjs';
import {Model} from '../../../Sources/OpTracePage/Page/model.mjs';
import '../support/parts.mjs';
import {durationText, grouped, percentText} from '../../../Sources/OpTracePage/Page/format.mjs';

after(closeBrowser);

const open = (page) => openReport(page, {hash: '#tab=why', height: 1000});
const part = (tab, title) => tab.locator('#why .part', {has: tab.locator('h2', {hasText: new RegExp(`^${title}$`)})});
const table = (locator) => locator.locator('table').first().evaluate((one) => [...one.tBodies[0].rows].map((row) => [...row.cells].map((cell) => cell.innerText.trim())));
const titles = (locator) => locator.locator('table').first().evaluate((one) => [...one.tHead.rows[0].cells].map((cell) => cell.innerText.trim()));
const duration = (seconds) => durationText(Math.round(seconds * 1e9));
// What a cell shows, whose nothing is a bare 0.
const cell = (seconds) => (Math.round(seconds * 1e9) === 0 ? '0' : duration(seconds));

// A shown time as nanoseconds, and by how much its rounding may be off.
function parsed(shown) {
  if (shown === '0') return [0, 0];
  const [, value, unit] = shown.match(/^([\d.]+) (ns|µs|ms|s)$/);
  const size = {ns: 1, 'µs': 1e3, ms: 1e6, s: 1e9}[unit];
  return [Number(value) * size, (size / 10 ** (value.split('.')[1]?.length ?? 0)) * (value.includes('.') ? 0.51 : 5)];
}

for (const name of ['photo-import', 'i-love-u-limit-1', 'diamond', 'barrier', 'photo-import-stuck']) {
  test(`the critical path adds up to the wall time, and is that of the command: ${name}`, async () => {
    const {tab, problems, close} = await open(sample(name));
    const {document} = dataOf(sample(name));
    const summary = json('summary', name);
    const path = part(tab, 'Critical path');
    const rows = await table(path.locator('.steps'));
    const steps = rows.filter((row) => row[0].includes('#'));
    assert.deepEqual(steps.map((row) => Number(row[0].match(/#(\d+)/)[1])), summary.criticalPath.steps.map((step) => step.id));
    const wall = document.wall;
    // Shown times are rounded; the columns before the last two of a step are its three times.
    let sum = 0;
    let slack = 0;
    for (const row of rows) {
      const [took, within] = parsed(row[row.length - 2]);
      sum += took;
      slack += within;
    }
    assert.ok(Math.abs(sum - wall) <= slack + 1, `${sum} is not ${wall}`);
    assert.equal(rows[rows.length - 1].at(-1), durationText(wall), 'adds up to the wall time');
    assert.equal(await path.locator('tfoot td').last().innerText(), durationText(wall));
    assert.equal((await titles(path.locator('.steps'))).length, steps[0].length, 'a title for each column');
    assert.match(await path.locator('.lead').innerText(), new RegExp(`decides? the ${durationText(wall)}`));
    assert.deepEqual(problems, []);
    await close();
  });
}

for (const name of ['photo-import', 'cross-queue', 'priorities']) {
  test(`queues, classes and slowest are those of the command: ${name}`, async () => {
    const {tab, close} = await open(sample(name));
    const summary = json('summary', name);
    const queues = await table(part(tab, 'Queues'));
    assert.equal(queues.length, summary.queues.length);
    // A column of its own only where it matters.
    const isLong = (seconds) => seconds >= 0.001;
    const hasThreads = summary.queues.some((queue) => isLong(queue.waitingForThreadSeconds));
    for (const queue of summary.queues) {
      const threads = hasThreads ? [cell(queue.waitingForThreadSeconds)] : [];
      const row = queues.find(([first]) => first.split('\n')[0] === queue.name);
      assert.deepEqual(row.slice(2), [queue.limit < 0 ? 'none' : grouped(queue.limit), grouped(queue.peakExecuting), grouped(queue.operationCount),
        percentText(queue.utilisation), cell(queue.waitingForDependenciesSeconds), cell(queue.waitingForSlotSeconds), ...threads, cell(queue.busySeconds)], queue.name);
    }
    const classes = await table(part(tab, 'Classes'));
    assert.equal(classes.length, summary.classes.length);
    for (const one of summary.classes) {
      const threads = summary.classes.some((each) => isLong(each.waitingForThread.totalSeconds)) ? [one.waitingForThread] : [];
      const figures = [one.waitingForDependencies, one.waitingForSlot, ...threads, one.running]
        .flatMap((times) => [times.totalSeconds, times.p50Seconds, times.p95Seconds, times.maxSeconds].map((seconds) => cell(seconds ?? 0)));
      assert.deepEqual(classes.find(([first]) => first === one.name).slice(2), [grouped(one.operationCount), ...figures], one.name);
    }
    const heights = await part(tab, 'Classes').locator('tbody th').evaluateAll((all) => all.map((one) => one.offsetHeight));
    assert.ok(Math.max(...heights) < 34, 'short names stand in one line');
    const slowest = await table(part(tab, 'Operations'));
    assert.deepEqual(slowest.slice(0, summary.slowest.length).map((row) => row.at(-1)), summary.slowest.slice(0, slowest.length).map((one) => duration(one.runningSeconds)));
    assert.equal((await table(part(tab, 'Threads'))).length, dataOf(sample(name)).document.threads.length);
    await close();
  });
}

test('tables sort both ways, by click and by keyboard, and say so', async () => {
  const {tab, close} = await open(sample('photo-import'));
  const classes = part(tab, 'Classes');
  const names = async () => (await table(classes)).map(([name]) => name);
  const sortOf = (title) => classes.locator('th', {hasText: new RegExp(`^${title}$`)}).first().getAttribute('aria-sort');
  const button = classes.getByRole('button', {name: 'Class', exact: true});
  await button.click();
  assert.deepEqual(await names(), ['Decode', 'Download', 'Request', 'Step', 'Thumbnail', 'Transaction']);
  assert.equal(await sortOf('Class'), 'ascending');
  await tab.keyboard.press('Enter');
  assert.deepEqual(await names(), ['Transaction', 'Thumbnail', 'Step', 'Request', 'Download', 'Decode']);
  assert.equal(await sortOf('Class'), 'descending');
  await tab.keyboard.press('Tab');
  assert.equal((await focused(tab)).text, 'Operations');
  await tab.keyboard.press('Space');
  const counts = (await table(classes)).map((row) => Number(row[2]));
  assert.deepEqual(counts, [...counts].sort((one, other) => other - one), 'numbers begin with the largest');
  assert.equal(await sortOf('Operations'), 'descending');
  assert.equal(await sortOf('Class'), 'none');
  assert.equal((await focused(tab)).text, 'Operations', 'the focus stays');
  await close();
});

test('the histogram counts each operation once, and a bar lists its operations', async () => {
  const {tab, close} = await open(sample('photo-import'));
  const waits = part(tab, 'Times by length');
  const bars = async () => (await waits.locator('.bar-column').evaluateAll((all) => all.map((one) => one.getAttribute('aria-label')))).map((words) => Number(words.match(/: ([\d,]+) operation/)[1]));
  const {queues} = json('summary', 'photo-import');
  assert.equal((await bars()).reduce((sum, count) => sum + count), 27);
  await waits.getByRole('button', {name: 'waiting for dependencies'}).click();
  assert.equal((await bars()).reduce((sum, count) => sum + count), 27);
  await waits.locator('select').selectOption({label: 'network'});
  assert.equal((await bars()).reduce((sum, count) => sum + count), queues.find((queue) => queue.name === 'network').operationCount);
  const bar = waits.locator('.bar-column:not([disabled])').last();
  const [, count] = (await bar.getAttribute('aria-label')).match(/: (\d+) operation/);
  await bar.focus();
  await tab.keyboard.press('Enter');
  assert.equal(await waits.locator('.bar-column[aria-pressed=true]').count(), 1);
  assert.equal(await waits.locator('.bucket .operation').count(), Number(count));
  await waits.locator('.bucket .operation').first().click();
  assert.equal(await selected(tab), 'UploadFaces #23');
  assert.ok((await texts(tab, '#panel .times dd'))[0].startsWith('2.73 s'));
  await close();
});

test('steps of the path select their operation', async () => {
  const {tab, close} = await open(sample('photo-import'));
  await part(tab, 'Critical path').locator('.steps tbody .operation').nth(2).click();
  assert.equal(await selected(tab), 'Download 3 #5');
  await part(tab, 'Critical path').locator('.strip-step').first().click();
  assert.equal(await selected(tab), 'FetchManifest #1');
  await part(tab, 'Critical path').locator('.cause button').first().click();
  assert.equal(await selected(tab), 'FetchManifest #1');
  await close();
});

test('a path of thousands of steps shows its parts; its steps are folded, and shown some, then more', async () => {
  const {tab, close} = await open(written('chain', workload(1500, {width: 1})));
  const path = part(tab, 'Critical path').locator('.steps');
  assert.equal(await path.locator('tbody').isVisible(), false);
  assert.equal(await part(tab, 'Critical path').locator('.strip').count(), 0);
  assert.match(await path.locator('summary').innerText(), /^1,500 operations in their order; the slowest: operation 1 #1 \(103 µs\), operation \d+ #\d+ \(15/);
  await path.locator('summary').focus();
  await tab.keyboard.press('Enter');
  assert.equal(await path.locator('tbody').isVisible(), true);
  const count = () => path.locator('tbody tr').count();
  assert.equal(await count(), 100);
  await path.getByRole('button', {name: /^Show/}).click();
  assert.ok(await count() > 1000);
  assert.match(await text(tab, '#why tfoot'), /Wall time of workload/);
  await close();
});

for (const name of ['photo-import', 'barrier', 'async-wait', 'photo-import-stuck']) {
  test(`the parts of the path add up to its time, the largest first: ${name}`, async () => {
    const {tab, problems, close} = await open(sample(name));
    const path = part(tab, 'Critical path');
    const model = new Model(dataOf(sample(name)));
    const {steps, before, after: rest} = model.why.path(model);
    const took = steps.reduce((sum, {waitingForDependencies, waitingForSlot, waitingForThread, running}) => sum + waitingForDependencies + waitingForSlot + waitingForThread + running, 0);
    assert.equal(await path.locator('details').evaluate((one) => one.open), steps.length <= 12);
    const parts = path.locator('.path-parts > .table');
    for (let at = 0; at < await parts.count(); at++) {
      const [head] = await titles(parts.nth(at));
      const rows = await table(parts.nth(at));
      const figures = rows.map((row) => parsed(row[3]));
      assert.deepEqual(figures.map(([time]) => time), figures.map(([time]) => time).toSorted((one, other) => other - one), head);
      const slack = figures.reduce((sum, [, within]) => sum + within, 1);
      const whole = head === 'Time' ? took + before + rest : took;
      assert.ok(Math.abs(figures.reduce((sum, [time]) => sum + time, 0) - whole) <= slack, `${head}: not ${whole}`);
      if (head !== 'Time') assert.equal(rows.reduce((sum, row) => sum + Number(row[2]), 0), steps.length, head);
    }
    assert.ok(steps.length < 2 || await parts.count() >= 2);
    assert.deepEqual(problems, []);
    await close();
  });
}

test('of many classes the largest are shown, and the others behind a button', async () => {
  const lines = ['0 t1 thread t1 tid=1 "main"', '0 t1 queue q1 limit=1 "work"'];
  const ms = (time) => time * 1e6;
  for (let number = 1; number <= 14; number++) {
    const [began, ended] = [ms(number * (number - 1) / 2 + 1), ms(number * (number + 1) / 2 + 1)];
    lines.push(`0 t1 created #${number} class="Kind${number}"`, ...(number > 1 ? [`0 t1 depends #${number} on=#${number - 1}`] : []), `0 t1 enqueued #${number} queue=q1 priority=0`,
      `${began} t1 ready #${number}`, `${began} t1 started #${number}`, `${began} t1 began #${number}`, `${ended} t1 ended #${number}`, `${ended} t1 finished #${number}`, `${ended} t1 start-returned #${number}`);
  }
  const sorted = lines.map((line, at) => [Number(line.split(' ')[0]), at, line]).sort((one, other) => one[0] - other[0] || one[1] - other[1]).map(([, , line]) => line);
  const {tab, close} = await open(written('many-classes', textTrace(sorted, {end: ms(120)})));
  const classes = part(tab, 'Critical path').locator('.path-parts > .table').first();
  const names = async () => (await table(classes)).map(([name]) => name);
  assert.deepEqual(await names(), [14, 13, 12, 11, 10, 9, 8, 7].map((number) => `Kind${number}`));
  assert.equal(await part(tab, 'Critical path').locator('.steps').evaluate((one) => one.open), false);
  await classes.getByRole('button', {name: '6 more'}).click();
  assert.equal((await names()).length, 14);
  await close();
});

test('every sample says why it took as long as it did', async () => {
  for (const name of samples.filter((one) => one !== 'deadlock').slice(0, 5)) {
    const {tab, close} = await open(sample(name));
    assert.deepEqual((await texts(tab, '#why h2')).slice(0, 1), ['Critical path'], name);
    await close();
  }
});

test('what would help: changes, the best first, each with its range and the option that predicts it', async () => {
  const {tab, problems, close} = await open(sample('photo-import'));
  const {document: {foresight}} = dataOf(sample('photo-import'));
  const help = part(tab, 'What would help');
  assert.match(await help.innerText(), /A replay of this run in a simulator takes 2\.94 s, the run itself took 2\.94 s/);
  const rows = await table(help);
  assert.equal(rows.length, 6);
  assert.deepEqual(rows.map(([words, , , , option]) => [words, option]), foresight.scenarios.map(({words, options}) => [words, options]));
  assert.ok(rows.some(([, , , , option]) => option === "--without 'Decode>Download'"));
  const walls = foresight.scenarios.map(({wall}) => wall);
  assert.deepEqual(walls, walls.toSorted((one, other) => one - other));
  for (const [index, [, takes, change, range]] of rows.entries()) {
    const {wall, low, high} = foresight.scenarios[index];
    assert.ok(low <= wall && wall <= high && high > low);
    assert.equal(takes, durationText(wall));
    assert.equal(range, `${durationText(low)} to ${durationText(high)}`);
    assert.equal(change, `−${percentText((foresight.recorded - wall) / foresight.recorded)}`);
  }
  assert.deepEqual(problems, []);
  await close();
});

test('nothing is predicted for a run that did not end', async () => {
  const {tab, problems, close} = await open(sample('photo-import-stuck'));
  assert.equal(await part(tab, 'What would help').count(), 0);
  assert.deepEqual(problems, []);
  await close();
});

test('processor time: what used it, and in which functions', async () => {
  const page = written('sampled', textTrace([
    '0 t0 profile period=1000000 copied=16384', '0 t0 image i1 page=16 pages=16 "/opt/photos/photos"',
    '0 t0 frame f1 image=i1 offset=4096', '0 t0 symbol f1 short="Import.main()" line=3 file="/src/main.swift" module="Photos" "Import.main()"',
    '0 t0 frame f2 image=i1 offset=8192 caller=f1', '0 t0 symbol f2 short="decode<T>(_:)" line=9 file="/src/main.swift" module="Photos" "decode<T>(_:)"',
    '0 t1 thread t1 tid=4711 "main"', '0 t1 thread t2 tid=4712 "worker"', '0 t1 sampling used=0',
    '1000 t1 queue q1 limit=1 "imports"', '1000 t1 created #1 class="Import"', '1000 t1 enqueued #1 queue=q1 priority=0', '1000 t1 ready #1',
    '2000000 t2 started #1', '2000000 t2 began #1', '10000000 t2 ended #1', '10000000 t2 finished #1', '10000000 t2 start-returned #1',
    ...[3, 4, 5].map((ms) => `${ms}000000 t2 sampled f2 age=0 thread=t2`), '6000000 t2 sampled f1 age=0 thread=t2',
    '11000000 t1 sampling used=5000000',
  ]));
  const {tab, problems, close} = await open(page);
  const time = part(tab, 'Processor time');
  assert.match(await time.innerText(), /4 ms in 4 samples, which stand for 80 % of what the program used/);
  assert.deepEqual(await table(time), [['Import', 'operation', '8 ms', '4 ms', '100 %', 'decode<T>(_:)']]);
  assert.deepEqual(await table(part(tab, 'Hot functions')), [
    ['decode<T>(_:)', 'main.swift:9', '3 ms', '75 %', '3 ms'], ['Import.main()', 'main.swift:3', '1 ms', '25 %', '4 ms'],
  ]);
  assert.deepEqual(problems, []);
  await close();
});

test('nothing is said of processor time where it was not sampled', async () => {
  const {tab, close} = await open(sample('photo-import'));
  assert.equal(await part(tab, 'Processor time').count(), 0);
  assert.equal(await part(tab, 'Hot functions').count(), 0);
  await close();
});
