// Names as no friend gives them, and a trace in which every name is one of them.
import {textTrace} from './reports.mjs';

export const hostile = [
  '</script><img src=x onerror=alert(1)>', '<script>window.pwned=1</script>', '<!--', '-->', '<!--<script>', ']]>', '<![CDATA[', '<svg onload=window.pwned=2>',
  '"><script>window.pwned=3</script>', '\' onmouseover=\'window.pwned=4', 'javascript:alert(1)', '__proto__', 'constructor', 'toString', 'hasOwnProperty',
  'line\u2028separator\u2029end', '\u202eright to left', '\u2066isolate', 'nul\u0000inside', '\u0001\u0007\u001b[31m\u007f\u0085', 'zero\u200bwidth\ufeff', '\u{1f3fd}', '\u{1f469}\u200d\u{1f4bb}',
  'e\u0301\u0323\u0323\u0323\u0323\u0323', '{{data}}', '{{script}}', '${1}', '$&', '$`', '$\'', '$$', '"', '\'', '`', '\\', 'ends with \\', '%s%n%d', '../../etc/passwd', '&lt;b&gt;', '&amp;', '&#x3c;script&#x3e;',
  '\ufffe\uffff', ' ', '\t tab \n line \r\n', 'tab=graph&op=1', '#5', '\u05d0\u05d1 \u0627\u0628', '<style>*{display:none}</style>', '<base href=//evil>', '</svg><img src=x onerror=alert(2)>', '</title>', '</style>',
];

// A text of the text form: what is not plain as an escape.
export function quoted(name) {
  return `"${Array.from(name, (one) => (one === '"' || one === '\\' ? `\\${one}` : /[ -~]/.test(one) ? one : `\\u{${one.codePointAt(0).toString(16)}}`)).join('')}"`;
}

// As every command shows a name: control characters, which steer terminals, and those that turn the direction of writing are
// replaced; all others are as they are.
export const shown = (name) => name.replace(/[\p{Cc}\u202a-\u202e\u2066-\u2069]/gu, '\ufffd');

export const long = (length) => '<b>x</b>'.repeat(Math.ceil(length / 8)).slice(0, length);

// Operations with these names in turn, and with other ones of them for process, threads, queues, classes, locations in the
// source, errors, spans, marks and objects. Those with an odd number fail, and some wait for one before.
export function hostileTrace(names = hostile) {
  const at = (index) => quoted(names[((index % names.length) + names.length) % names.length]);
  const lines = [[1000, `t1 thread t1 tid=4711 ${at(1)}`], [1000, `t1 thread t2 tid=5 ${at(2)}`], [1100, `t1 queue q1 limit=2 ${at(3)}`], [1100, `t1 queue q2 limit=-1 ${at(4)}`]];
  const last = names.length;
  let time = 3000;
  for (let id = 1; id <= last; id++) {
    lines.push([2000 + id, `t1 created #${id} class=${at(id + 7)}`], [2000 + id, `t1 named #${id} source=${at(id + 11)} ${at(id - 1)}`]);
    if (id > 3 && id % 3 === 0) lines.push([2000 + id, `t1 depends #${id} on=#${id - 3}`]);
    lines.push([2500 + id, `t1 enqueued #${id} queue=q${1 + (id % 2)} priority=0`], [2900 + id, `t1 ready #${id}`]);
    const begin = time + 100;
    lines.push([begin, `t2 started #${id}`], [begin + 1, `t2 began #${id}`], [begin + 2, `t2 span #${id} id=${id} ${at(id + 13)}`], [begin + 300, `t2 mark #${id} ${at(id + 17)}`],
      [begin + 350, `t2 object-named object=0x${(4096 + id).toString(16)} ${at(id + 19)}`], [begin + 400, `t2 blocked #${id} object=0x${(4096 + id).toString(16)} kind=queue age=6`],
      [begin + 500, `t2 unblocked #${id} object=0x${(4096 + id).toString(16)} kind=queue`], [begin + 600, `t2 span-ended s${id}`], [begin + 900, `t2 ended #${id}`],
      [begin + 910, id % 2 ? `t2 failed #${id} ${at(id + 23)}` : `t2 finished #${id}`], [begin + 920, `t2 start-returned #${id}`]);
    time += 1000;
  }
  lines.sort((one, other) => one[0] - other[0]);
  return textTrace(lines.map(([when, what]) => `${when} ${what}`), {process: `4711 ${at(0)}`, end: time + 1000});
}
