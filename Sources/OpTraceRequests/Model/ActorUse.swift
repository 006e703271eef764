import OpTraceBlame
package import OpTraceKernel
package import OpTraceModel

/// How actors are used: who waited for them, and whose code ran on them. If a task finds an actor free, nothing is
/// recorded.
package struct ActorUse: Sendable {
  /// One actor.
  package struct One: Sendable {
    package var actor: TaskRecord.WaitedActor
    /// How long each task waited for it; tasks that still wait count until the trace's end.
    package var waits: [Nanoseconds] = []
    /// Nanoseconds in which tasks waited for it, or ran on it after a wait.
    package var held: Nanoseconds = 0
    /// From the first wait to the last end of a run, in nanoseconds since the trace's start; for a window, the window's
    /// bounds.
    package var first: Nanoseconds = .max
    package var last: Nanoseconds = .min
    /// The largest number of tasks that waited at once.
    package var deepest = 0
    /// How long code ran on it, by location.
    package var holders: [Int32: Nanoseconds] = [:]
    /// The distribution of ``waits``.
    package var waiting: Distribution { Distribution(waits) }
    /// The location that held it for most of the time; nil: not known.
    package var holder: Int32? { holders.filter { $0.key >= 0 }.max { ($0.value, $1.key) < ($1.value, $0.key) }?.key }
    /// The share of time in which it was held while it was seen in use; for a window, the share of the whole window.
    package var utilisation: Double { last > first ? min(1, Double(held) / Double(last - first)) : 0 }
  }

  /// The actors, those with the most waiting first.
  package private(set) var all: [One] = []
  private var holders: [String: Int32] = [:]

  /// - Parameter window: count only waits that ended in it; nil: all. O(suspensions), with a logarithm for those that
  ///   waited.
  init(
    _ trace: Trace, _ code: inout ProgramCode, _ threads: ThreadActivity, within window: ClosedRange<Nanoseconds>? = nil
  ) {
    let upper = min(window?.upperBound ?? .max, trace.end)
    var rows: [TaskRecord.WaitedActor: Int] = [:]
    var changes: [[(time: Nanoseconds, by: Int)]] = []
    var busy: [[(began: Nanoseconds, ended: Nanoseconds)]] = []
    var methods: [Int32: [Int32: Int]] = [:]
    for index in trace.tasks.indices where Self.waits(trace.tasks[index]) {
      let task = trace.tasks[index]
      for wait in task.actorWaits {
        let end = wait.began ?? task.over ?? trace.end
        guard window?.contains(end) ?? true else { continue }
        let row = rows[wait.actor] ?? all.count
        if row == all.count {
          rows[wait.actor] = row
          all.append(One(actor: wait.actor))
          changes.append([])
          busy.append([])
        }
        all[row].waits.append(max(0, end - wait.queued.time))
        all[row].first = min(all[row].first, wait.queued.time)
        changes[row] += [(wait.queued.time, 1), (end, -1)]
        guard let began = wait.began, let run = task.run(at: began) else {
          busy[row].append((wait.queued.time, end))
          continue
        }
        let ended = run.ended ?? trace.end
        busy[row].append((wait.queued.time, max(end, ended)))
        let at = code.path(wait.suspension.flatMap { task.suspensions[$0].at } ?? task.code).function
        all[row].holders[at] = (all[row].holders[at] ?? 0).saturating(max(0, ended - began))
        if let method = Self.method(threads.stacks(on: run.thread, began, ended), of: wait.actor.className, &code) {
          methods[at, default: [:]][method, default: 0] += 1
        }
      }
    }
    for row in all.indices {
      var depth = 0
      for change in changes[row].sorted(by: { ($0.time, $0.by) < ($1.time, $1.by) }) {
        depth += change.by
        all[row].deepest = max(all[row].deepest, depth)
      }
      // The actor is held as long as others wait for it, even if its holder did not wait.
      if let window { all[row].last = window.lowerBound }
      for stretch in busy[row].sorted(by: { $0 < $1 }) {
        let ended = window == nil ? stretch.ended : min(stretch.ended, upper)
        all[row].held = all[row].held.saturating(max(0, ended - max(stretch.began, all[row].last)))
        all[row].last = max(all[row].last, ended)
      }
      // The length of a window is known.
      if let window { (all[row].first, all[row].last) = (max(0, window.lowerBound), upper) }
      all[row].holders = all[row].holders.reduce(into: [:]) { sums, one in
        let method = methods[one.key]?.max { ($0.value, $1.key) < ($1.value, $0.key) }?.key
        sums[method ?? one.key] = (sums[method ?? one.key] ?? 0).saturating(one.value)
      }
    }
    all.sort { left, right in
      (right.waiting.total, left.actor.className, left.actor.number)
        < (left.waiting.total, right.actor.className, right.actor.number)
    }
    var sums: [String: [Int32: Nanoseconds]] = [:]
    for one in all { sums[one.actor.className, default: [:]].merge(one.holders) { $0.saturating($1) } }
    holders = sums.compactMapValues { sum in sum.max { ($0.value, $1.key) < ($1.value, $0.key) }?.key }
  }

  /// The actor's own function that was sampled, because the suspension only shows who called it.
  private static func method(_ stacks: [FrameID?], of name: String, _ code: inout ProgramCode) -> Int32? {
    guard !name.isEmpty else { return nil }
    for stack in stacks {
      let path = code.path(stack)
      if let index = path.functions.first(where: { code.functions[Int($0)].function?.contains(name + ".") == true }) {
        return code.location(ofFunction: index)
      }
    }
    return nil
  }

  private static func waits(_ task: TaskRecord) -> Bool {
    task.actor != nil || task.suspensions.contains { $0.actor != nil }
  }

  /// Which location runs longest on actors of this class, as an index of a location; nil: not known.
  func holder(of actor: TaskRecord.WaitedActor) -> Int32? { holders[actor.className] }
}
