import OpTraceAnalysis
import OpTraceModel

/// Moments in the order of time: marks of the program, what was done to queues, what the doctor found.
struct InstantStream {
  enum Instant {
    case start
    case mark(Int)
    case queue(Int, Int)
    case finding(Int)
  }

  private var instants: [(time: Nanoseconds, instant: Instant)] = []
  private var place = 0

  init(_ trace: Trace, _ findings: [Finding], _ selection: TimelineSelection) {
    for (index, mark) in trace.marks.enumerated() { instants.append((mark.at.time, .mark(index))) }
    for (queue, record) in trace.queues.enumerated() where selection.queues?.contains(record.id) ?? true {
      for (index, change) in record.changes.enumerated() {
        if case .limit = change.kind { continue }
        instants.append((change.time, .queue(queue, index)))
      }
    }
    // At what shows it last.
    for (index, finding) in findings.enumerated() {
      instants.append((finding.evidence.compactMap(\.time).max() ?? trace.end, .finding(index)))
    }
    instants.removeAll { !selection.contains($0.time) }
    instants.append((0, .start))
    instants.sort { $0.time < $1.time }
  }

  var next: Nanoseconds { place < instants.count ? instants[place].time : .max }

  mutating func take() -> Instant {
    defer { place += 1 }
    return instants[place].instant
  }
}
