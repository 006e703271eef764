extension Question {
  static let waits = [
    Question(
      "waits-by-class", "How long do the operations of each class wait and run (p99)?",
      """
      SELECT class, count(*) AS operations,
        p99(wait_dependencies) AS p99_wait_dependencies, p99(wait_slot) AS p99_wait_slot, p99(running) AS p99_running,
        p99(wait_thread) AS p99_wait_thread
      FROM operations GROUP BY class ORDER BY p99_wait_slot DESC, class
      """),
    Question(
      "starved-queues", "In which queues do operations wait for a slot or a thread, and for how long?",
      """
      SELECT q.name AS queue, q.max_concurrent, o.operations, o.wait_slot, o.longest,
        round(1.0 * o.wait_slot / nullif(o.running, 0), 3) AS waits_per_running, o.wait_thread
      FROM (
        SELECT a.trace AS trace, a.queue AS queue, count(*) AS operations, sum(a.wait_slot) AS wait_slot, max(a.wait_slot) AS longest,
          sum(a.running) AS running, sum(a.wait_thread) AS wait_thread
        FROM operations a GROUP BY a.trace, a.queue) o
      JOIN queues q ON q.trace = o.trace AND q.id = o.queue ORDER BY o.wait_slot DESC
      """),
    Question(
      "cross-queue", "Which queue waits for operations of which other queue?",
      """
      SELECT q.name AS queue, p.name AS waits_for, e.dependencies, e.until_finished
      FROM (
        SELECT w.trace AS trace, w.queue AS queue, w.other AS other, count(*) AS dependencies,
          sum(CASE WHEN w.until > w.enqueued THEN w.until - w.enqueued ELSE 0 END) AS until_finished
        FROM (
          SELECT o.trace AS trace, o.queue AS queue, d.queue AS other, o.enqueued AS enqueued,
            CASE WHEN e.removed < coalesce(d.finished, t.ended) THEN e.removed ELSE coalesce(d.finished, t.ended) END AS until
          FROM dependencies e
          JOIN traces t ON t.trace = e.trace
          JOIN operations o ON o.trace = e.trace AND o.id = e.operation
          JOIN operations d ON d.trace = e.trace AND d.id = e.dependency
          WHERE o.queue <> d.queue) w
        GROUP BY w.trace, w.queue, w.other) e
      JOIN queues q ON q.trace = e.trace AND q.id = e.queue
      JOIN queues p ON p.trace = e.trace AND p.id = e.other
      ORDER BY e.dependencies DESC, queue
      """),
    Question(
      "slowest", "Which operations took longest (the slowest 1 %), and what did they wait for?",
      """
      SELECT o.id, o.name, o.class, q.name AS queue, o.state, o.took, o.wait_dependencies, o.wait_slot, o.running,
        h.name AS held_by, o.wait_thread
      FROM (
        SELECT a.trace AS trace, a.id AS id, a.name AS name, a.class AS class, a.queue AS queue, a.state AS state,
          a.wait_dependencies AS wait_dependencies, a.wait_slot AS wait_slot, a.running AS running, a.held_by AS held_by,
          a.wait_thread AS wait_thread,
          a.wait_dependencies + a.wait_slot + coalesce(a.wait_thread, 0) + coalesce(a.running, 0) AS took
        FROM operations a) o
      LEFT JOIN queues q ON q.trace = o.trace AND q.id = o.queue
      LEFT JOIN operations h ON h.trace = o.trace AND h.id = o.held_by
      WHERE o.took >= (
        SELECT p99(b.wait_dependencies + b.wait_slot + coalesce(b.wait_thread, 0) + coalesce(b.running, 0))
        FROM operations b)
      ORDER BY took DESC LIMIT 100
      """),
    Question(
      "thread-waits", "What do threads block on, and for how long?",
      """
      SELECT target_kind, target_name, count(*) AS waits, sum(duration) AS total, max(duration) AS longest,
        sum(ended IS NULL) AS not_over
      FROM waits GROUP BY trace, target_kind, target, target_name ORDER BY total DESC LIMIT 50
      """),
    Question(
      "slot-holders", "Which classes hold the slots that others wait for?",
      """
      SELECT h.class AS holder, o.class AS waiter, q.name AS queue, count(*) AS times, sum(o.wait_slot) AS wait_slot
      FROM operations o JOIN operations h ON h.trace = o.trace AND h.id = o.held_by
      LEFT JOIN queues q ON q.trace = o.trace AND q.id = o.queue
      GROUP BY o.trace, h.class, o.class, q.id, q.name ORDER BY wait_slot DESC LIMIT 50
      """),
  ]

  static let structure = [
    Question(
      "path-by-class", "Which classes are on the critical path?",
      """
      SELECT c.kind AS kind, o.class AS class, count(*) AS steps, sum(c.running) AS running, sum(c.wait_slot) AS wait_slot,
        sum(c.wait_dependencies) AS wait_dependencies, sum(c.wait_thread) AS wait_thread
      FROM critical_path c LEFT JOIN operations o ON o.trace = c.trace AND o.id = c.work
      GROUP BY c.kind, o.class ORDER BY running DESC
      """),
    Question(
      "fan-in-out", "Which operations have the most dependencies, and the most dependents?",
      """
      SELECT o.id, o.name, coalesce(w.count, 0) AS waits_for, coalesce(n.count, 0) AS needed_by
      FROM operations o
      LEFT JOIN (
        SELECT trace, operation, count(*) AS count FROM dependencies WHERE removed IS NULL GROUP BY trace, operation) w
        ON w.trace = o.trace AND w.operation = o.id
      LEFT JOIN (
        SELECT trace, dependency, count(*) AS count FROM dependencies WHERE removed IS NULL GROUP BY trace, dependency) n
        ON n.trace = o.trace AND n.dependency = o.id
      WHERE w.count IS NOT NULL OR n.count IS NOT NULL
      ORDER BY coalesce(w.count, 0) + coalesce(n.count, 0) DESC, o.id LIMIT 50
      """),
    Question(
      "retries", "What runs repeatedly, by name pattern?",
      """
      SELECT name_pattern(o.name) AS pattern, o.class, count(*) AS operations, sum(o.state = 'failed') AS failed,
        sum(o.state = 'cancelled') AS cancelled, sum(o.running) AS running
      FROM operations o GROUP BY pattern, o.class HAVING count(*) > 1 ORDER BY failed DESC, operations DESC LIMIT 50
      """),
    Question(
      "adders", "From which threads is work added, and how much?",
      """
      SELECT t.name AS thread, t.main, q.name AS queue, o.operations
      FROM (
        SELECT trace, enqueued_thread, queue, count(*) AS operations
        FROM operations GROUP BY trace, enqueued_thread, queue) o
      JOIN threads t ON t.trace = o.trace AND t.id = o.enqueued_thread
      LEFT JOIN queues q ON q.trace = o.trace AND q.id = o.queue ORDER BY o.operations DESC LIMIT 50
      """),
  ]

  static let load = [
    Question(
      "busy-threads", "For how long did how many threads run work at once?",
      """
      SELECT threads, sum(until - time) AS time FROM busy_threads GROUP BY threads ORDER BY threads
      """),
    Question(
      "queue-depth", "How many operations were in each queue, at most and on average?",
      """
      SELECT q.name AS queue, d.most_pending, d.most_ready, d.most_executing, d.mean_ready
      FROM (
        SELECT trace, queue, max(pending) AS most_pending, max(ready) AS most_ready, max(executing) AS most_executing,
          round(sum(1.0 * ready * (until - time)) / nullif(sum(until - time), 0), 2) AS mean_ready
        FROM queue_depth GROUP BY trace, queue) d
      JOIN queues q ON q.trace = d.trace AND q.id = d.queue ORDER BY d.mean_ready DESC
      """),
    Question(
      "idle-slots", "Which queues had free slots on average, and how long did operations of other queues wait for one?",
      """
      WITH waits AS (
          SELECT a.trace AS trace, a.queue AS queue, sum(a.wait_slot) AS waited
          FROM operations a WHERE a.queue IS NOT NULL GROUP BY a.trace, a.queue),
        load AS (
          SELECT d.trace AS trace, d.queue AS queue,
            1.0 * sum(d.executing * (d.until - d.time)) / nullif(sum(d.until - d.time), 0) AS mean_executing
          FROM queue_depth d GROUP BY d.trace, d.queue)
      SELECT q.name AS queue, q.max_concurrent, round(l.mean_executing, 2) AS mean_executing,
        t.waited - coalesce(w.waited, 0) AS others_waited
      FROM load l
      JOIN queues q ON q.trace = l.trace AND q.id = l.queue
      JOIN (SELECT w.trace AS trace, sum(w.waited) AS waited FROM waits w GROUP BY w.trace) t ON t.trace = l.trace
      LEFT JOIN waits w ON w.trace = l.trace AND w.queue = l.queue
      WHERE q.max_concurrent IS NOT NULL AND l.mean_executing < q.max_concurrent ORDER BY others_waited DESC
      """),
    Question(
      "traces-that-differ", "Which traces have classes that run much longer than in other traces?",
      """
      SELECT s.trace AS trace, s.class AS class, s.operations, round(s.total / s.operations, 1) AS running,
        round((e.total - s.total) / nullif(e.operations - s.operations, 0), 1) AS usual,
        round(s.total / s.operations * (e.operations - s.operations) / nullif(e.total - s.total, 0), 2) AS times
      FROM (
        SELECT o.trace AS trace, o.class AS class, count(*) AS operations, sum(1.0 * o.running) AS total
        FROM operations o WHERE o.running IS NOT NULL GROUP BY o.trace, o.class) s
      JOIN (
        SELECT a.class AS class, count(*) AS operations, sum(1.0 * a.running) AS total
        FROM operations a WHERE a.running IS NOT NULL GROUP BY a.class) e ON e.class = s.class
      ORDER BY times DESC, trace, class LIMIT 50
      """),
  ]

  static let outcomes = [
    Question(
      "never-started", "Which operations were enqueued and never began?",
      """
      SELECT o.id, o.name, o.class, q.name AS queue, o.state,
        o.wait_dependencies + o.wait_slot + coalesce(o.wait_thread, 0) AS waited
      FROM operations o LEFT JOIN queues q ON q.trace = o.trace AND q.id = o.queue
      WHERE o.enqueued IS NOT NULL AND o.began IS NULL AND o.started IS NULL AND o.state <> 'unknown'
      ORDER BY waited DESC LIMIT 100
      """),
    Question(
      "cancelled-early", "Which operations were cancelled before they began?",
      """
      SELECT class, count(*) AS operations,
        avg(CASE WHEN cancelled > enqueued THEN cancelled - enqueued WHEN enqueued IS NULL THEN NULL ELSE 0 END) AS mean_age
      FROM operations WHERE cancelled IS NOT NULL AND state <> 'unknown' AND (began IS NULL OR cancelled < began)
      GROUP BY class ORDER BY operations DESC
      """),
    Question(
      "failures", "How often does each class fail?",
      """
      SELECT class, count(*) AS operations, sum(state = 'failed') AS failed,
        round(100.0 * sum(state = 'failed') / count(*), 1) AS percent
      FROM operations GROUP BY class HAVING sum(state = 'failed') > 0 ORDER BY failed DESC
      """),
    Question(
      "findings", "What does the doctor find?",
      "SELECT code, severity, count(*) AS findings, min(title) AS first FROM findings GROUP BY code, severity ORDER BY findings DESC"
    ),
  ]
}

/// A question that everybody asks, with a name: `optrace sql run.optrace @slowest`.
package struct Question: Sendable {
  /// Without the `@`.
  package let name: String
  /// In words.
  package let text: String
  /// In SQL.
  package let query: String

  /// A question over the tables, in SQL.
  package init(_ name: String, _ text: String, _ query: String) {
    (self.name, self.text, self.query) = (name, text, query)
  }

  /// About operations, queues and threads, in the order in which they are listed.
  static let usual: [Question] = waits + structure + load + outcomes
}
