package import OpTraceKernel
package import OpTraceModel

extension Summary {
  /// Tasks that waited at one line of the program, for one reason.
  package struct TaskWait: Sendable, Equatable {
    /// The innermost line of the program's own code; else of the packages that it depends on.
    package var location: CodeLocation
    package var isOwn: Bool
    package var reason: TaskRecord.Reason
    /// Whether tasks that work in rounds wait here for their next piece of work, which is no delay.
    package var isIdle = false
    /// From the suspension until the task could continue, or until the trace's end.
    package var waited = Distribution()
    /// The function of the tasks or blocks that resumed most of them; nil: no recorded work did, for example an event
    /// from outside.
    package var resumer: String?
  }

  /// How long tasks ran after one line, until they waited again.
  package struct TaskRun: Sendable, Equatable {
    package var location: CodeLocation
    package var isOwn: Bool
    package var ran = Distribution()
  }

  /// The program's own code first, then by the longest total; idle waits are last. O(suspensions + runs).
  static func taskLines(_ trace: Trace) -> (waits: [TaskWait], runs: [TaskRun]) {
    struct Key: Hashable {
      var location: Int32
      var reason: TaskRecord.Reason
      var isIdle: Bool
    }
    struct Values {
      var isOwn: Bool
      var times: [Nanoseconds] = []
      var resumers: [String?: Int] = [:]
    }
    guard !trace.tasks.isEmpty else { return ([], []) }
    var code = ProgramCode(trace.stacks)
    let loops = TaskLoops(trace, &code)
    var waits: [Key: Values] = [:]
    var runs: [Int32: Values] = [:]
    for row in trace.tasks.indices {
      let task = trace.tasks[row]
      for suspension in task.suspensions where suspension.reason != .executor {
        let path = code.path(suspension.at)
        guard path.location >= 0 else { continue }
        let key = Key(
          location: path.location, reason: suspension.reason,
          isIdle: loops.isIdle(suspension.at, row))
        let end = suspension.letGoOn?.time ?? suspension.to ?? task.over ?? trace.end
        waits[key, default: Values(isOwn: path.isOwn)].times.append(max(0, end - suspension.from.time))
        if waits[key]?.resumers.count ?? 0 < 16 {
          let resumer = suspension.resumer.flatMap { trace.workIndex(of: $0) }.map { trace.work(at: $0).kind }
          waits[key]?.resumers[resumer, default: 0] += 1
        }
      }
      for piece in task.pieces(traceEnd: trace.end) where piece.kind == .run {
        let next = task.suspensions.firstSorted { $0.from.time >= piece.begin }
        let path = code.path(next > 0 ? task.suspensions[next - 1].at : task.code)
        guard path.location >= 0 else { continue }
        runs[path.location, default: Values(isOwn: path.isOwn)].times.append(piece.end - piece.begin)
      }
    }
    let waited = waits.map { key, of in
      TaskWait(
        location: code.locations[Int(key.location)], isOwn: of.isOwn, reason: key.reason, isIdle: key.isIdle,
        waited: Distribution(of.times),
        resumer: of.resumers.max { ($0.value, $1.key ?? "") < ($1.value, $0.key ?? "") }?.key)
    }
    let ran = runs.map { location, of in
      TaskRun(location: code.locations[Int(location)], isOwn: of.isOwn, ran: Distribution(of.times))
    }
    return (
      waited.sorted { Self.rank($0) < Self.rank($1) },
      ran.sorted {
        ($0.isOwn ? 0 : 1, -$0.ran.total, $0.location.function ?? "") < (
          $1.isOwn ? 0 : 1, -$1.ran.total, $1.location.function ?? ""
        )
      }
    )
  }

  private static func rank(_ wait: TaskWait) -> (Int, Nanoseconds, String, Int) {
    (
      (wait.isIdle ? 2 : 0) + (wait.isOwn ? 0 : 1), -wait.waited.total, wait.location.function ?? "",
      wait.location.line ?? 0
    )
  }
}
