package import OpTraceModel

/// Tasks that work in rounds: a server's task for a connection answers one request after another, and idles in between.
///
/// If a task returns to the same suspension again and again, it idles at the one with the fewest of its own functions
/// on the stack, because a handler waits deeper inside; of several such suspensions at the one where it waits longest.
/// Tasks that run one function idle at the same location.
package struct TaskLoops {
  /// For each task the stack of the suspension in which it idles; nil: it does not work in rounds.
  package private(set) var idle: [FrameID?]
  /// For each task the group of those that run the same function.
  package private(set) var group: [Int32]
  /// How many tasks are in each group.
  package private(set) var sizes: [Int] = []
  /// For each task that works in rounds, by its index: when it began to idle, in the order of time.
  package private(set) var idleTimes: [Int: [Nanoseconds]] = [:]

  /// What is known of a group's suspensions with one stack.
  fileprivate struct Visits {
    var count = 0
    var waited: Nanoseconds = 0
    var tasks = 0
    var lastTask = -1
  }

  /// A task of a large group must return to where it idles this often on average; else each task is one unit.
  private static let leastVisits = 5.0
  /// The same for a task of a small group.
  private static let leastVisitsOfFew = 3.0
  private static let few = 8

  /// O(suspensions).
  package init(_ trace: Trace, _ code: inout ProgramCode) {
    group = []
    group.reserveCapacity(trace.tasks.count)
    idle = Array(repeating: nil, count: trace.tasks.count)
    var groups: [FrameID?: Int32] = [:]
    var visits: [[FrameID: Visits]] = []
    for row in trace.tasks.indices {
      let key = trace.tasks[row].code
      let of = groups[key] ?? Int32(groups.count)
      if Int(of) == groups.count {
        groups[key] = of
        sizes.append(0)
        visits.append([:])
      }
      group.append(of)
      sizes[Int(of)] += 1
      for suspension in trace.tasks[row].suspensions {
        guard let at = suspension.at, Self.mayIdle(suspension.reason) else { continue }
        visits[Int(of)][at, default: Visits()].add(suspension, of: row, traceEnd: trace.end)
      }
    }
    let idles = visits.indices.map { Self.idle(visits[$0], of: sizes[$0], &code) }
    for row in trace.tasks.indices {
      guard let at = idles[Int(group[row])] else { continue }
      idle[row] = at
      idleTimes[row] = trace.tasks.withUnsafeBufferPointer { tasks in
        tasks[row].suspensions.compactMap { $0.at == at ? $0.from.time : nil }
      }
    }
  }

  /// When the round ends that a task is in at this time; nil: it does not return to where it idles. O(log rounds).
  package func roundEnd(of row: Int, after time: Nanoseconds) -> Nanoseconds? {
    guard let times = idleTimes[row] else { return nil }
    let next = times.firstSorted { $0 >= time }
    return next < times.count ? times[next] : nil
  }

  private static func mayIdle(_ reason: TaskRecord.Reason) -> Bool { reason != .executor }

  private static func idle(_ visits: [FrameID: Visits], of size: Int, _ code: inout ProgramCode) -> FrameID? {
    var best: (at: FrameID, depth: Int, waited: Nanoseconds)?
    for (at, one) in visits {
      let average = Double(one.count) / Double(max(1, one.tasks))
      guard average >= (size < few ? leastVisitsOfFew : leastVisits), one.tasks * 2 >= min(size, few) else { continue }
      let depth = code.path(at).functions.count
      if let best, (best.depth, -best.waited, best.at.rawValue) < (depth, -one.waited, at.rawValue) { continue }
      best = (at, depth, one.waited)
    }
    return best?.at
  }
}

extension TaskLoops.Visits {
  fileprivate mutating func add(_ suspension: TaskRecord.Suspension, of row: Int, traceEnd: Nanoseconds) {
    count += 1
    waited = waited.saturating(max(0, (suspension.letGoOn?.time ?? suspension.to ?? traceEnd) - suspension.from.time))
    if lastTask != row { (tasks, lastTask) = (tasks + 1, row) }
  }
}
