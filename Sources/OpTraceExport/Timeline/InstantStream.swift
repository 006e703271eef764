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
    instants = Self.moments(of: trace, selection)
    // At what shows it last.
    for (index, finding) in findings.enumerated() {
      instants.append((finding.evidence.compactMap(\.time).max() ?? trace.end, .finding(index)))
    }
    instants.removeAll { !selection.contains($0.time) }
    instants.append((0, .start))
    instants.sort { $0.time < $1.time }
  }

  /// What the trace itself tells, in no order: the timeline's origin is not behind any of it.
  static func moments(
    of trace: Trace, _ selection: TimelineSelection = TimelineSelection()
  ) -> [(time: Nanoseconds, instant: Instant)] {
    var moments: [(time: Nanoseconds, instant: Instant)] = []
    for (index, mark) in trace.marks.enumerated() { moments.append((mark.at.time, .mark(index))) }
    for (queue, record) in trace.queues.enumerated() where selection.queues?.contains(record.id) ?? true {
      for (index, change) in record.changes.enumerated() {
        if case .limit = change.kind { continue }
        moments.append((change.time, .queue(queue, index)))
      }
    }
    return moments
  }

  var next: Nanoseconds { place < instants.count ? instants[place].time : .max }

  mutating func take() -> Instant {
    defer { place += 1 }
    return instants[place].instant
  }
}

/// The words of an instant.
extension TimelineContent {
  /// `group`: whose instant it is.
  func describe(_ instant: InstantStream.Instant) -> (category: TimelineCategory, group: Int, name: String) {
    switch instant {
    case .start: return (.mark, 0, "trace starts")
    case .mark(let index): return (.mark, 0, trace.marks[index].name)
    case .finding(let index): return (.finding, 0, "\(findings[index].severity.rawValue): \(findings[index].title)")
    case .queue(let index, let place):
      let queue = trace.queues[index]
      return (.mark, timeline.group(of: queue.id), queue.changes[place].kind.words)
    }
  }

  func arguments(of instant: InstantStream.Instant, _ sink: inout some ArgumentSink) {
    guard options.includesArguments else { return }
    switch instant {
    case .start: startArguments(&sink)
    case .mark(let index): sink.operation(trace.marks[index].operation)
    case .queue: break
    case .finding(let index):
      let finding = findings[index]
      sink.text(.code, finding.code)
      sink.text(.severity, finding.severity.rawValue)
      sink.flag(.isProven, finding.isProven)
      sink.text(.operations, finding.operations.map(\.description).joined(separator: ", "))
      sink.text(.explanation, finding.explanation)
      sink.text(.fix, finding.fix)
    }
  }
}

extension QueueRecord.ChangeKind {
  var words: String {
    switch self {
    case .suspended: "suspended"
    case .resumed: "resumed"
    case .cancelledAll: "all operations cancelled"
    case .limit: "limit changed"
    }
  }
}
