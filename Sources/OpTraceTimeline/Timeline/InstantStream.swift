import OpTraceDoctor
import OpTraceKernel
package import OpTraceModel
import OpTraceText

/// A moment that the trace itself contains. The timeline files and the report's page show all of these.
package enum TraceInstant {
  case mark(Int)
  /// A change that was made to a queue.
  case queue(Int, change: Int)

  /// Returns all instants of a trace, in no particular order. Changes of limits are not among them: the counters show
  /// those.
  package static func all(
    of trace: Trace, _ selection: TimelineSelection = TimelineSelection()
  ) -> [(time: Nanoseconds, instant: TraceInstant)] {
    var found: [(time: Nanoseconds, instant: TraceInstant)] = []
    for (index, mark) in trace.marks.enumerated() { found.append((mark.at.time, .mark(index))) }
    for (queue, record) in trace.queues.enumerated() where selection.queues?.contains(.queue(record.id)) ?? true {
      for (index, change) in record.changes.enumerated() {
        if case .limit = change.kind { continue }
        found.append((change.time, .queue(queue, change: index)))
      }
    }
    return found
  }

  /// Returns its name, and what it belongs to.
  package func facts(in trace: Trace) -> (name: String, operation: OperationID?, queue: QueueID?) {
    switch self {
    case .mark(let index): (trace.marks[index].name, trace.marks[index].operation, nil)
    case .queue(let index, let change):
      (trace.queues[index].changes[change].kind.words, nil, trace.queues[index].id)
    }
  }
}

/// The instants in the order of time: those of the trace, and the doctor's findings.
struct InstantStream {
  enum Instant {
    case start
    case trace(TraceInstant)
    case finding(Int)
  }

  private var instants: [(time: Nanoseconds, instant: Instant)] = []
  private var position = 0

  init(_ trace: Trace, _ findings: [Finding], _ selection: TimelineSelection) {
    instants = TraceInstant.all(of: trace, selection).map { ($0.time, .trace($0.instant)) }
    // A finding is placed at its latest evidence.
    for (index, finding) in findings.enumerated() {
      instants.append((finding.evidence.compactMap(\.time).max() ?? trace.end, .finding(index)))
    }
    instants.removeAll { !selection.contains($0.time) }
    instants.append((0, .start))
    instants.sort { $0.time < $1.time }
  }

  var next: Nanoseconds { position < instants.count ? instants[position].time : .max }

  mutating func take() -> Instant {
    defer { position += 1 }
    return instants[position].instant
  }
}

/// The texts of an instant.
extension TimelineContent {
  /// Returns the texts. `group` is the group that the instant belongs to.
  func describe(_ instant: InstantStream.Instant) -> (category: TimelineCategory, group: Int, name: String) {
    switch instant {
    case .start: return (.mark, 0, "trace starts")
    case .finding(let index): return (.finding, 0, "\(findings[index].severity.rawValue): \(findings[index].title)")
    case .trace(let instant):
      let facts = instant.facts(in: trace)
      return (.mark, facts.queue.map { timeline.group(of: .queue($0)) } ?? 0, facts.name)
    }
  }

  func arguments(of instant: InstantStream.Instant, _ sink: inout some ArgumentSink) {
    guard options.includesArguments else { return }
    switch instant {
    case .start: startArguments(&sink)
    case .trace(let instant): work(instant.facts(in: trace).operation, &sink)
    case .finding(let index):
      let finding = findings[index]
      sink.text(.code, finding.code.rawValue)
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
