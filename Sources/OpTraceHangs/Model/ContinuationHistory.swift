import OpTraceDoctor
import OpTraceKernel
import OpTraceModel

/// Waits for continuations by the function in which tasks wait: how many ended there, and which have not.
///
/// Where tasks idle between two rounds of work does not count, for others neither: those may not have had any work yet.
struct ContinuationHistory: Sendable {
  /// A function where tasks wait although others were resumed there.
  struct Stuck: Sendable {
    var location: CodeLocation
    /// How many tasks wait there.
    var count = 0
    /// Since when the first of them has waited, and which it is.
    var since: Nanoseconds
    var work: WorkID
    /// How many waits ended there, how many of these began after ``since``, and how long the longest took.
    var ended = 0
    var endedSince = 0
    var longest: Nanoseconds = 0
  }

  /// Functions where tasks wait, those with the most first.
  let stuck: [Stuck]

  /// O(suspensions).
  init(of trace: Trace) {
    guard !trace.tasks.isEmpty else {
      stuck = []
      return
    }
    var code = ProgramCode(trace.stacks)
    let loops = TaskLoops(trace, &code)
    let idle = Set(loops.idle.lazy.compactMap { $0 }.map { code.path($0).function })
    var open: [Int32: (location: Int32, stuck: Stuck)] = [:]
    var ended: [Int32: (count: Int, longest: Nanoseconds)] = [:]
    for row in trace.tasks.indices {
      let task = trace.tasks[row]
      for suspension in task.suspensions where suspension.reason == .continuation {
        let path = code.path(suspension.at)
        guard path.isOwn, !idle.contains(path.function) else { continue }
        let function = path.function
        if let end = suspension.resumed?.time ?? suspension.to {
          let known = ended[function] ?? (0, 0)
          ended[function] = (known.count + 1, max(known.longest, end - suspension.from.time))
        } else if task.over == nil, task.isOutcomeKnown {
          let since = suspension.from.time
          var one =
            open[function]
            ?? (path.location, Stuck(location: code.locations[Int(path.location)], since: since, work: task.id))
          one.stuck.count += 1
          if since < one.stuck.since { (one.stuck.since, one.stuck.work) = (since, task.id) }
          open[function] = one
        }
      }
    }
    for row in trace.tasks.indices where !open.isEmpty {
      for suspension in trace.tasks[row].suspensions where suspension.reason == .continuation {
        guard suspension.resumed != nil || suspension.to != nil else { continue }
        let function = code.path(suspension.at).function
        if let since = open[function]?.stuck.since, suspension.from.time > since {
          open[function]?.stuck.endedSince += 1
        }
      }
    }
    stuck = open.map { function, one in
      var one = one
      (one.stuck.ended, one.stuck.longest) = ended[function] ?? (0, 0)
      return one
    }
    .sorted { ($1.stuck.count, $0.location) < ($0.stuck.count, $1.location) }
    .map(\.stuck)
  }
}
