// The findings of the doctor: what is wrong, what proves it, what to do.
import {chainText, counted, grouped, listText, momentText, queueHeading} from './format.mjs';
import {renewUnits} from './renewal.mjs';
import {SEVERITIES, isOver} from './words.mjs';
import {h, moreButton, operationButton, operationList, sign, threadName, whenShown} from './dom.mjs';
import {addPart} from './parts.mjs';

/** The number of items that a card shows of a list at first. Findings with many operations would fill the tab. */
const FIRST_OF_FINDING = 10;
const andMore = rest => `and ${grouped(rest)} more`;

/** Returns the indexes of the findings in the order of `severities`, which begins with errors, and otherwise in the doctor's order. */
export function findingOrder(findings, severities) {
  const rank = index => (severities.indexOf(findings[index].severity) + severities.length + 1) % (severities.length + 1);
  return findings.map((_, index) => index).sort((a, b) => rank(a) - rank(b) || a - b);
}

/** `1 error and 2 warnings` */
export function findingCounts(findings, severities) {
  return listText(severities.map(severity => [severity, findings.filter(one => one.severity === severity).length])
    .filter(([, count]) => count > 0).map(([severity, count]) => counted(count, severity)));
}

export function mountFindings(element, model, selection) {
  const reading = h('div', {class: 'reading'});
  element.append(reading);
  const build = () => renewUnits(reading, [...h('div', {},
    h('h2', {}, model.findings.length === 0 ? 'Nothing is wrong here' : findingCounts(model.findings, model.severities)),
    h('p', {class: 'lead'}, model.verdict.sentence),
    model.findings.length === 0 ? healthyText(model) : findingOrder(model.findings, model.severities).map(index => findingCard(model, selection, index))).children]);
  return whenShown(selection, 'findings', isBuilt => {
    build();
    if (isBuilt) return;

    function mark() {
      for (const card of reading.querySelectorAll('.finding')) card.classList.toggle('chosen', card.id === `finding-${selection.finding}`);
    }
    function goThere() {
      const card = document.getElementById(`finding-${selection.finding}`);
      if (!card || selection.tab !== 'findings') return;
      card.scrollIntoView({block: 'start'});
      card.focus({preventScroll: true});
    }
    selection.subscribe((_, changed) => {
      if (!changed.has('finding') && !changed.has('tab')) return;
      mark();
      // This waits until the tabs have shown the section.
      if (selection.finding >= 0) requestAnimationFrame(goThere);
    });
    mark();
    if (selection.finding >= 0) requestAnimationFrame(goThere);
  });
}

function findingCard(model, selection, index) {
  const finding = model.findings[index];
  const isInCycle = new Set(finding.cycle);
  const others = finding.rows.filter(row => !isInCycle.has(row));
  return h('article', {class: `finding ${finding.severity}-finding${index === selection.finding ? ' chosen' : ''}`, id: `finding-${index}`, tabindex: '-1', 'aria-labelledby': `finding-title-${index}`},
    h('header', {},
      h('span', {class: `severity ${finding.severity}-badge`}, sign(SEVERITIES[finding.severity]?.sign), finding.severity),
      h('code', {}, finding.code),
      !finding.isProven && h('span', {class: 'unproven', title: 'The trace makes it likely, but does not prove it.'}, 'not proven'),
      h('a', {class: 'anchor', href: `#tab=findings&finding=${index}`, 'aria-label': 'Address of this finding',
        onclick: event => { event.preventDefault(); selection.choose(index); }}, '#')),
    h('h3', {id: `finding-title-${index}`}, finding.title),
    finding.cycle.length > 0 && cycleChain(model, selection, finding.cycle),
    h('p', {}, finding.explanation),
    finding.fix && h('div', {class: 'fix'}, h('h4', {}, 'What to do'), h('p', {}, finding.fix)),
    others.length > 0 && [h('h4', {}, finding.cycle.length > 0 ? 'Also part of it' : counted(others.length, 'operation')),
      operationList(model, selection, others, row => h('span', {class: 'beside'}, besideText(model, row)), FIRST_OF_FINDING, andMore)],
    finding.behind > 0 && h('p', {class: 'faint'}, `${counted(finding.behind, 'more operation')} ${waitsWord(model, finding)} behind ${isOne(finding) ? 'it' : 'them'}.`),
    finding.queues.length > 0 && h('p', {}, 'In ',
      finding.queues.map((queue, at) => [at > 0 && ', ', queueText(model.queues[queue])])),
    finding.evidence.length > 0 && [h('h4', {}, 'Evidence'), evidenceTable(model, finding.evidence)]);
}

/** Returns the verb for the waiting. Work that is over no longer waits. */
function waitsWord(model, finding) {
  if (finding.rows.every(row => isOver(model.state(row)))) return 'waited';
  return finding.behind === 1 ? 'waits' : 'wait';
}

function isOne(finding) { return finding.rows.length === 1; }

function besideText(model, row) {
  const queue = model.queues[model.queue(row)];
  return [model.state(row), queue && queueHeading(queue).replace(/^Q/, 'in q'), model.source(row)].filter(Boolean).join(' · ');
}

function queueText(queue) {
  if (!queue) return 'unknown';
  const limit = queue.limit < 0 ? 'no limit' : `limit ${queue.limit}`;
  return [queue.hasName && 'queue ', h('b', {}, h('bdi', {}, queue.name)), ` (${limit}${queue.isSuspended ? ', suspended' : ''})`];
}

/** Shows a cycle: each operation waits for the next one, and the last for the first. */
function cycleChain(model, selection, cycle) {
  const names = chainText(cycle.map(row => `${model.name(row)} #${model.id(row)}`));
  const links = [...cycle, cycle[0]];
  const chain = h('div', {class: 'cycle', role: 'group', 'aria-label': `Cycle of waiting: ${names}`});
  const more = moreButton(chain, links.length, FIRST_OF_FINDING, (from, to) => {
    for (let at = from; at < to; at += 1) {
      chain.append(h('span', {class: 'link'}, at > 0 && h('span', {class: 'arrow', 'aria-hidden': 'true'}, '→'), operationButton(model, selection, links[at])));
    }
  }, andMore);
  return h('div', {class: 'many'}, chain, more);
}

function evidenceTable(model, evidence) {
  const hasThreads = evidence.some(one => threadName(model, one.thread));
  const body = h('tbody');
  const more = moreButton(body, evidence.length, FIRST_OF_FINDING, (from, to) => {
    for (const one of evidence.slice(from, to)) {
      body.append(h('tr', {}, h('td', {class: 'figure', title: one.time === null ? null : `${grouped(one.time)} ns`}, one.time === null ? '' : momentText(one.time)),
        hasThreads && h('td', {class: 'thread'}, threadName(model, one.thread)), h('td', {}, one.text)));
    }
  }, andMore);
  return [h('div', {class: 'scroll'}, h('table', {class: 'evidence'},
    h('thead', {class: 'unseen'}, h('tr', {}, h('th', {scope: 'col'}, 'Time'), hasThreads && h('th', {scope: 'col'}, 'Thread'), h('th', {scope: 'col'}, 'What'))), body)), more];
}

function healthyText(model) {
  return [
    h('p', {}, `The doctor checked ${counted(model.counts.events, 'event')} of ${model.counted(model.count)} for:`),
    h('ul', {class: 'looked-for'},
      ['operations that wait for each other in a cycle, or for themselves',
        'operations that can never start: a dependency that nobody enqueued, a queue that is suspended, a main thread that is blocked',
        'queues whose slots are all held by operations that wait for others of the same queue',
        'operations that do not finish, finish twice, or run although they were cancelled',
        'blocked threads and slots held without work',
      ].map(text => h('li', {}, sign('finished'), text))),
    !model.loss.isComplete && h('p', {class: 'note-line warned'}, sign('warning'), ' Parts of the trace are lost and were not checked.'),
    !model.process.isClosed && h('p', {class: 'faint'}, 'The trace was not closed: it covers the time until its end.'),
  ];
}

addPart({
  name: 'findings', title: 'Findings', mount: mountFindings, badge: countBadge,
  // The reason for a hang.
  explains: ({findings, verdict}) => (verdict?.word === 'suspected' || findings.some(({severity}) => severity === 'error') ? 3 : 0),
});

/** The number of findings, in the colour of the worst. */
function countBadge({findings, severities}) {
  if (findings.length === 0) return [];
  const worst = severities.find(one => findings.some(finding => finding.severity === one));
  return [h('span', {class: `badge ${worst}-badge`, 'aria-hidden': 'true'}, String(findings.length)),
    h('span', {class: 'unseen'}, `, ${counted(findings.length, 'finding')}`)];
}
