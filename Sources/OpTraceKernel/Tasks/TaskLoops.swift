package import OpTraceModel

/// Tasks that work in rounds: a server's task for a connection answers one request after another, and idles in between.
///
/// If a task returns to the same suspension again and again, it idles at the one with the fewest of its own functions
/// on the stack, because a handler waits deeper inside; of several such suspensions at the one where it waits longest.
/// Tasks that run one function idle at the same location.
///
/// A loop may wait for the next piece of work at other lines, too, such as behind a request that had a body: ``OtherIdling``.
///
/// A task that answers one request or two hardly returns. It works in rounds as well if all of them begin and end by waiting at that
/// suspension, and wait for something else in between.
package struct TaskLoops {
  /// For each task the stack of the suspension in which it idles; nil: it does not work in rounds.
  package private(set) var idle: [FrameID?]
  /// For each task the group of those that run the same function.
  package private(set) var group: [Int32]
  /// How many tasks are in each group.
  package private(set) var sizes: [Int] = []
  /// For each group all places where its tasks idle.
  private var places: [Set<FrameID>] = []
  /// For each task that works in rounds, by its index: when it began to idle, in the order of time.
  package private(set) var idleTimes: [Int: [Nanoseconds]] = [:]

  /// What is known of a group's suspensions with one stack.
  fileprivate struct Visits {
    var count = 0
    var waited: Nanoseconds = 0
    var tasks = 0
    /// Tasks that have come there once and are still there, such as connections on which nothing was ever asked: they do not tell whether
    /// tasks return.
    var resting = 0
    var lastTask = -1
    /// Tasks whose first and last wait is there.
    var framed = 0
    /// How often such tasks came back, and how often they had waited elsewhere meanwhile, but for time to pass.
    var returns = 0
    var busyReturns = 0
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
      if let (at, returns, busy) = Self.frame(of: trace.tasks[row]) {
        visits[Int(of)][at, default: Visits()].add(returns: returns, busy)
      }
    }
    let idles = visits.indices.map { Self.idle(visits[$0], of: sizes[$0], &code) }
    for row in trace.tasks.indices { idle[row] = idles[Int(group[row])] }
    places = zip(idles, OtherIdling(trace, idles, group).found(&code)).map { idle, others in
      idle.map { others.union([$0]) } ?? []
    }
    for row in trace.tasks.indices where idle[row] != nil {
      idleTimes[row] = trace.tasks.withUnsafeBufferPointer { tasks in
        tasks[row].suspensions.compactMap { isIdle($0.at, row) ? $0.from.time : nil }
      }
    }
  }

  /// Whether a task idles where it waits.
  package func isIdle(_ at: FrameID?, _ row: Int) -> Bool {
    at.map(places(of: row).contains) ?? false
  }

  /// Where a task idles; empty: it does not work in rounds.
  package func places(of row: Int) -> Set<FrameID> { places[Int(group[row])] }

  /// When the round ends that a task is in at this time; nil: it does not return to where it idles. O(log rounds).
  package func roundEnd(of row: Int, after time: Nanoseconds) -> Nanoseconds? {
    guard let times = idleTimes[row] else { return nil }
    let next = times.firstSorted { $0 >= time }
    return next < times.count ? times[next] : nil
  }

  /// The suspension at which a task first and last waited, how often it came back there, and how often it had waited elsewhere meanwhile.
  /// Nil: there is none. O(suspensions).
  private static func frame(of task: TaskRecord) -> (at: FrameID, returns: Int, busy: Int)? {
    let waits = task.suspensions.filter { $0.at != nil }
    guard let first = waits.first(where: { mayIdle($0.reason) })?.at,
      waits.last(where: { mayIdle($0.reason) })?.at == first
    else { return nil }
    var (returns, busy, hasWaited) = (-1, 0, false)
    for wait in waits {
      if wait.at == first {
        returns += 1
        busy += returns > 0 && hasWaited ? 1 : 0
        hasWaited = false
      } else if wait.reason != .sleep {
        hasWaited = true
      }
    }
    return returns > 0 ? (first, returns, busy) : nil
  }

  private static func mayIdle(_ reason: TaskRecord.Reason) -> Bool { reason != .executor }

  private static func idle(_ visits: [FrameID: Visits], of size: Int, _ code: inout ProgramCode) -> FrameID? {
    var best: (at: FrameID, depth: Int, waited: Nanoseconds)?
    for (at, one) in visits {
      let average = Double(one.count - one.resting) / Double(max(1, one.tasks - one.resting))
      guard average >= (size < few ? leastVisitsOfFew : leastVisits) || one.framesAll(of: size),
        one.tasks * 2 >= min(size, few)
      else { continue }
      let depth = code.path(at).functions.count
      if let best, (best.depth, -best.waited, best.at.rawValue) < (depth, -one.waited, at.rawValue) { continue }
      best = (at, depth, one.waited)
    }
    return best?.at
  }
}

extension TaskLoops.Visits {
  private static let fewest = 8

  /// Whether nine of ten tasks of a group begin and end there, and mostly do something in between.
  fileprivate func framesAll(of size: Int) -> Bool {
    framed >= Self.fewest && framed * 10 >= (size - resting) * 9 && busyReturns * 2 >= returns
  }

  fileprivate mutating func add(returns: Int, _ busy: Int) {
    framed += 1
    self.returns += returns
    busyReturns += busy
  }

  fileprivate mutating func add(_ suspension: TaskRecord.Suspension, of row: Int, traceEnd: Nanoseconds) {
    count += 1
    let ended = suspension.letGoOn?.time ?? suspension.to
    waited = waited.saturating(max(0, (ended ?? traceEnd) - suspension.from.time))
    guard lastTask != row else { return }
    (tasks, lastTask) = (tasks + 1, row)
    if ended == nil { resting += 1 }
  }
}
