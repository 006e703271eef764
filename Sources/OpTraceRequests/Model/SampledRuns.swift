import OpTraceBlame
import OpTraceKernel
import OpTraceModel

/// What tasks do between two suspensions, by the samples of all runs that resumed at the same line. A single run is
/// mostly shorter than the time between two samples.
struct SampledRuns {
  /// A function, and its share of the time.
  struct Share: Sendable {
    var location: Int32
    var share: Double
  }

  private var known: [Int32: [Share]] = [:]

  /// Fewer samples say too little.
  private static let leastSamples = 5
  /// Functions with a smaller share are shown as the line at which the run resumed.
  private static let leastShare = 0.1

  /// O(runs · log samples).
  init(_ trace: Trace, _ threads: ThreadActivity, _ code: inout ProgramCode) {
    guard !trace.samples.isEmpty else { return }
    var counts: [Int32: [Int32: Int]] = [:]
    for row in trace.tasks.indices {
      trace.tasks.withUnsafeBufferPointer { tasks in
        var suspension = -1
        for run in tasks[row].runs {
          while suspension + 1 < tasks[row].suspensions.count,
            tasks[row].suspensions[suspension + 1].from.time <= run.began
          {
            suspension += 1
          }
          let stacks = threads.stacks(on: run.thread, run.began, run.ended ?? trace.end)
          if stacks.isEmpty { continue }
          let at = suspension >= 0 ? tasks[row].suspensions[suspension].at : tasks[row].code
          let line = code.path(at).location
          for stack in stacks {
            let path = code.path(stack)
            counts[line, default: [:]][path.isOwn ? path.function : line, default: 0] += 1
          }
        }
      }
    }
    for (line, functions) in counts {
      let all = functions.values.reduce(0, +)
      guard all >= Self.leastSamples else { continue }
      let shares = functions.map { Share(location: $0.key, share: Double($0.value) / Double(all)) }
        .filter { $0.location != line && $0.share >= Self.leastShare }
        .sorted { ($1.share, $0.location) < ($0.share, $1.location) }
      if !shares.isEmpty { known[line] = shares }
    }
  }

  /// The functions that take a tenth or more of the time after this line, the most first; empty: not known.
  func shares(after line: Int32) -> [Share] { known[line] ?? [] }
}
