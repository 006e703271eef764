// Finds out which threads ran a queue's work, when first asked, for all queues at once.

// The cache for a model's present rows, by queue.
const threadCounts = new WeakMap();

/**
 * Returns the threads that operations of a queue ran on, with the number of operations, the busiest first; without operations that leave
 * their thread.
 */
export function threadsOfQueue(model, queue) {
  if (!threadCounts.has(model.operations)) threadCounts.set(model.operations, countThreads(model));
  return threadCounts.get(model.operations).get(queue) ?? [];
}

// Counts the threads of all queues in one pass.
function countThreads(model) {
  const counts = new Map();
  const {began, executingThread, startedThread} = model.moment;
  for (let row = 0; row < model.count; row++) {
    if (Number.isNaN(began[row]) || model.is(row, 'leavesThread')) continue;
    const thread = executingThread[row] >= 0 ? executingThread[row] : startedThread[row];
    const queue = model.queue(row);
    let own = counts.get(queue);
    if (!own) counts.set(queue, own = new Map());
    own.set(thread, (own.get(thread) ?? 0) + 1);
  }
  for (const [queue, own] of counts) {
    counts.set(queue, [...own].map(([thread, count]) => ({thread, count})).sort((one, other) => other.count - one.count || one.thread - other.thread));
  }
  return counts;
}
