package import OpTraceDoctor
import OpTraceKernel
package import OpTraceModel

/// A trace that tables are made of. What takes an analysis is found when a table first needs it, and kept. Not for several
/// threads at once.
package final class TableSource {
  /// The trace.
  package let trace: Trace
  /// Names the trace in every table: `TraceHeader.hash`.
  package let hash: String

  private let rules: RuleSet

  /// O(1).
  /// - Parameter rules: what findings are made by.
  package init(_ trace: Trace, by rules: RuleSet) {
    self.trace = trace
    self.rules = rules
    hash = trace.header.hash
  }

  private(set) lazy var holders = SlotHolders(trace)
  private(set) lazy var threadWaits = ThreadWaits(trace)
  private(set) lazy var pathRows = CriticalPath(of: trace, threadWaits).steps.enumerated().map {
    PathRow(number: $0 + 1, step: $1)
  }
  private(set) lazy var findingRows = Diagnosis(of: trace, by: rules).findings.enumerated().map {
    FindingRow(number: $0 + 1, finding: $1)
  }
  private(set) lazy var busyThreads = BusyThreads.changes(trace)
  private(set) lazy var queueDepths = QueueDepth.changes(trace)
  private(set) lazy var dependencies = DependencyRow.all(trace)
  private(set) lazy var queueChanges = trace.queues.flatMap { queue in
    queue.changes.map { (queue: queue.id, change: $0) }
  }
  private(set) lazy var suspensions = TaskPart.all(trace, \.suspensions)
  private(set) lazy var actorWaits = TaskPart.all(trace, \.actorWaits)
  private(set) lazy var findingOperations = FindingOperation.all(findingRows)
  private(set) lazy var spanWork = trace.within.sorted { $0.key < $1.key }.map { (work: $0.key, span: $0.value) }
  private(set) lazy var spanAttributes = trace.spans.flatMap { span in
    span.attributes.map { (span: span.id, attribute: $0) }
  }
  private(set) lazy var spanLinks = trace.spans.flatMap { span in span.links.map { (span: span.id, link: $0) } }
  private(set) lazy var frames = StackRow.all(trace)
  private(set) lazy var samples = SampleRow.all(trace)
  private(set) lazy var requests = RequestRows(trace)

  /// What kind of work has this number: numbers are given to all kinds together. O(log n).
  func kind(of id: WorkID) -> String? {
    trace.workIndex(of: id).map { trace.kind(ofWorkAt: $0).word }
  }
}
