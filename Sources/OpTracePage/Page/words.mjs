// How the page shows the words of the trace's enumerations. The words come with the document, which lists all of them
// in order; here they are known by name. A test compares the two, so that neither side has a word that the other lacks.

/** The states of work. `path` is the sign, drawn 11 units square as in the graph, because fonts lack some of the characters. */
export const STATES = {
  finished: {path: 'M1.5 6 4.5 9 9.5 2.5', isOver: true},
  executing: {path: 'M2.5 1.5 9.5 5.5 2.5 9.5Z'},
  ready: {path: 'M2.5 1.5 9.5 5.5 2.5 9.5Z', isBeforeStart: true},
  pending: {path: 'M9.5 5.5a4 4 0 1 1-8 0a4 4 0 1 1 8 0', isBeforeStart: true},
  cancelled: {path: 'M2 2 9 9M9 2 2 9', isOver: true},
  failed: {path: 'M5.5 1V6.5M5.5 9V9.6', isOver: true},
  deadlocked: {path: 'M9.3 3.2A4.4 4.4 0 1 0 10 6.6M9.8 0.6V3.6H6.8', isBeforeStart: true, isStuck: true},
  stalled: {path: 'M9.5 5.5a4 4 0 1 1-8 0a4 4 0 1 1 8 0M2.7 8.3 8.3 2.7', isBeforeStart: true, isStuck: true},
  unknown: {path: 'M3.2 3.4a2.3 2.3 0 1 1 3.4 2.1c-.8.5-1.1.9-1.1 1.7M5.5 9.3V9.6'},
};

/** Signs of what is not a state. */
export const OTHER_SIGNS = {
  warning: 'M5.5 1 10.3 9.8H.7ZM5.5 4.2V6.6M5.5 8.1V8.4',
  note: 'M5.5 4.8V9M5.5 2V2.3',
};

/** Whether it has ended: finished, cancelled or failed. */
export const isOver = (state) => STATES[state]?.isOver ?? false;
/** Whether it waits in a cycle, or for something that does not come. */
export const isStuck = (state) => STATES[state]?.isStuck ?? false;

/** How certain and how serious a finding is. `sign` is the name of its sign. */
export const SEVERITIES = {error: {sign: 'failed'}, warning: {sign: 'warning'}, note: {sign: 'note'}};

export const VERDICTS = {
  healthy: {sign: 'finished', css: 'good'},
  unknown: {sign: 'warning', css: 'warned'},
  warning: {sign: 'warning', css: 'warned'},
  suspected: {sign: 'warning', css: 'warned'},
  stalled: {sign: 'stalled', css: 'wrong'},
  deadlocked: {sign: 'deadlocked', css: 'wrong'},
};

/** How the trace was recorded. */
export const MODES = {streaming: 'as a stream', 'flight-recorder': 'by a flight recorder'};

/** What a task does in a piece of its life. `column` is the title of a table column with such times. */
export const PIECES = {
  run: {text: 'running'},
  turn: {text: 'waiting for its turn'},
  suspended: {text: 'waiting for its first run'},
  task: {text: 'waiting for a task', column: 'For tasks'},
  group: {text: 'waiting for a child', column: 'For children'},
  continuation: {text: 'waiting for a continuation', column: 'Continuations'},
  executor: {text: 'going to another executor', column: 'Executors'},
  sleep: {text: 'sleeping', column: 'Sleep'},
  unknown: {text: 'suspended', column: 'Not known'},
};

/** What goes on inside an operation or on a thread. `tag` is its name in a list. `isOfWork`: on a thread, it is named after its work. */
export const DETAILS = {
  block: {tag: 'block'},
  span: {tag: 'span'},
  wait: {tag: 'waited for'},
  loss: {tag: 'loss'},
  start: {tag: 'on its thread', isOfWork: true},
  run: {tag: 'run'},
  completion: {tag: 'completion', isOfWork: true},
};

/** What a node of merged stacks is besides a function. `title` is for nodes without a function. */
export const CALLS = {
  joined: {note: 'awaits what is below; it was on no thread'},
  kernel: {title: '[kernel]', note: 'in a system call'},
  callersUnknown: {title: '[callers not known]', note: 'the stack is deeper than what was read of it'},
};

/**
 * The moments in the life of work, in order, with the words that people read: for an operation, a block and a task; null: nothing is said
 * for such work. This is a list, because the order decides between moments at the same time.
 */
export const MOMENTS = [
  ['enqueued', {operation: 'enqueued', block: 'submitted', task: 'created'}],
  ['ready', {operation: 'ready', block: null, task: 'enqueued'}],
  ['started', {operation: 'started'}],
  ['executing', {operation: 'executing', block: 'began', task: 'first ran'}],
  ['executionEnded', {operation: 'execution ended'}],
  ['startReturned', {operation: 'start returned'}],
  ['cancelRequested', {operation: 'cancel requested', block: 'cancel requested', task: 'cancel requested'}],
  ['finished', {operation: 'finished', block: 'ended', task: 'ended'}],
  ['completionBegan', {operation: 'completion block began'}],
  ['completionEnded', {operation: 'completion block ended'}],
  ['released', {operation: 'released'}],
];
