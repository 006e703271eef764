// Finds out what kept work waiting. This is computed when first used, for all work of a queue at once.

// The cache for a model's present rows, by queue.
const members = new WeakMap();

/** Returns what removed the last dependency: the one that finished last before this one became ready. */
export function unblockerOf(model, row) {
  const {ready, finished, readyThread} = model.moment;
  let last = {kind: 'none', row: -1, time: null, thread: -1};
  if (Number.isNaN(ready[row]) || model.times(row).waitingForDependencies <= 0) return last;
  for (const {row: other, removed} of model.dependencies(row)) {
    if (removed !== null && removed <= ready[row]) continue;
    if (finished[other] <= ready[row] && (last.time === null || finished[other] > last.time)) {
      last = {kind: 'dependency', row: other, time: finished[other], thread: readyThread[row]};
    }
  }
  return last;
}

// Returns the members of a queue, by the time when their executions began.
function membersOf(model, queue) {
  if (!members.has(model.operations)) members.set(model.operations, new Map());
  const byQueue = members.get(model.operations);
  if (!byQueue.has(queue)) {
    const {began} = model.moment;
    const rows = [];
    for (let row = 0; row < model.count; row++) if (model.queue(row) === queue && !Number.isNaN(began[row])) rows.push(row);
    byQueue.set(queue, rows.sort((one, other) => began[one] - began[other]));
  }
  return byQueue.get(queue);
}

/** Returns the operations of its queue that executed while it waited for a slot, the longest first. */
export function slotHoldersOf(model, row, most = 8) {
  const wait = model.slotWait(row);
  if (!wait || model.queue(row) < 0) return {rows: [], more: 0};
  const {began, finished} = model.moment;
  const holders = [];
  for (const other of membersOf(model, model.queue(row))) {
    if (other === row) continue;
    // A slot is held until the operation has finished, not just until its own code has returned.
    const end = Math.max(model.execution(other).end, Number.isNaN(finished[other]) ? model.end : finished[other]);
    const shared = Math.min(end, wait.end) - Math.max(began[other], wait.begin);
    if (shared > 0) holders.push({row: other, shared});
  }
  holders.sort((one, other) => other.shared - one.shared || one.row - other.row);
  return {rows: holders.slice(0, most).map((holder) => holder.row), more: Math.max(0, holders.length - most)};
}

/** Returns the operation that it got its slot from: the last of its queue that finished while it waited. */
export function slotGiverOf(model, row) {
  const wait = model.slotWait(row);
  if (!wait || model.queue(row) < 0 || !model.execution(row)) return null;
  let giver = null;
  for (const other of membersOf(model, model.queue(row))) {
    const time = model.moment.finished[other];
    if (other === row || !(time > wait.begin && time <= wait.end)) continue;
    if (giver === null || time > giver.time) giver = {row: other, time};
  }
  return giver;
}
