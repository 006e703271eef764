package import OpTraceDoctor
package import OpTraceKernel
public import OpTraceModel
import OpTracePageParts
import OpTraceText

/// What a report shows other than its drawing, which needs some of it.
package struct PreparedReport: Sendable {
  let lanes: PageLanes
  let analysis: ReportAnalysis
  /// The tables. Nil: not made yet.
  private(set) var tables: ReportTables?

  /// What pictures of the trace need not compute again. The path is nil if no part has found it.
  package var diagnosis: Diagnosis { analysis.diagnosis }
  package var path: CriticalPath? { analysis.path }

  /// Arranges the lanes and draws the conclusions. O(n log n), on several threads.
  package init(of trace: Trace, for page: ReportPage) {
    (lanes, analysis) = SideBySide.both({ page.lanes(of: trace) }, { ReportAnalysis(of: trace, for: page) })
  }

  /// Returns the same with the columns for a page that does not grow.
  package func withTables(of trace: Trace) -> PreparedReport {
    var prepared = self
    prepared.tables = ReportTables(trace, lanes, analysis.stuck)
    return prepared
  }
}

/// The conclusions from a trace for its report. Most of a report's time goes into them, so the page of a growing trace
/// gets them less often than the events.
public struct ReportAnalysis: Sendable {
  let diagnosis: Diagnosis
  let doctor: DoctorReport
  let stuck: StuckPart
  /// The conclusions of the page's parts, in their order.
  let parts: [(name: String, conclusions: ReportPart.Conclusions)]

  /// Draws the conclusions that this page shows. O(n log n), on several threads.
  public init(of trace: Trace, for page: ReportPage) {
    let names = page.parts.map(\.name)
    let conclusions = SideBySide.map(page.parts.count) { page.parts[$0].conclude(trace) }
    parts = zip(names, conclusions).map { (name: $0, conclusions: $1) }
    diagnosis = Diagnosis(of: trace, by: page.rules, knowing: conclusions.flatMap(\.facts))
    doctor = DoctorReport(of: trace, diagnosis)
    stuck = StuckPart(of: trace, diagnosis)
  }

  /// The critical path, if a part has found it.
  fileprivate var path: CriticalPath? {
    parts.lazy.flatMap(\.conclusions.facts).compactMap { $0 as? CriticalPath }.first
  }
}
