import OpTraceDoctor
import OpTraceHangs
import OpTraceKernel
package import OpTraceGraph
public import OpTraceModel
import OpTraceRequests
import OpTraceSummary
import OpTraceText
import OpTraceTimeline

/// The parts of a report other than its drawing, which needs some of them.
package struct ReportParts: Sendable {
  let timeline: ReportTimeline
  let analysis: ReportAnalysis
  /// The tables. Nil: not made yet.
  private(set) var tables: ReportTables?

  /// Computes the timeline and the analysis. O(n log n), on several threads.
  package init(of trace: Trace) {
    (timeline, analysis) = SideBySide.both({ ReportTimeline(of: trace) }, { ReportAnalysis(of: trace) })
  }

  /// Returns these parts with the columns for a page that does not grow.
  package func withTables(of trace: Trace) -> ReportParts {
    var parts = self
    parts.tables = ReportTables(trace, timeline, analysis.summary.criticalPath, analysis.stuck)
    return parts
  }
}

/// What a report shows of a timeline. It leaves out executions and waits, which are the largest part: the page computes
/// its own from the moments.
package struct ReportTimeline: Sendable {
  let timeline: Timeline
  let counters: CounterValues
  let workTracks: ReportTables.WorkTracks

  init(of trace: Trace) {
    var timeline = Timeline(trace, options: ReportContent.timelineOptions)
    counters = CounterValues(timeline, trace)
    workTracks = ReportTables.WorkTracks(trace, timeline)
    (timeline.executions, timeline.waits) = ([], [])
    self.timeline = timeline
  }
}

/// The conclusions from a trace for its report. Most of a report's time goes into them, so the page of a growing trace
/// gets them less often than the events.
public struct ReportAnalysis: Sendable {
  let summary: Summary
  let diagnosis: Diagnosis
  let doctor: DoctorReport
  let stuck: StuckPart
  let requests: Requests

  /// Draws the conclusions. O(n log n), on two threads.
  public init(of trace: Trace) {
    let (found, summary) = SideBySide.both(
      {
        let requests = Requests(of: trace, trees: ReportRequests.trees)
        return (Diagnosis(of: trace, by: .report, knowing: trace.tasks.isEmpty ? [] : [requests]), requests)
      }, { Summary(of: trace) })
    (diagnosis, requests) = found
    self.summary = summary
    doctor = DoctorReport(of: trace, diagnosis)
    stuck = StuckPart(of: trace, diagnosis)
  }

  /// Whether the analysis knows all queues of the trace.
  func fits(_ names: ReportNames) -> Bool {
    summary.queues.count + summary.dispatchQueues.count >= names.queueRows.count
  }
}

extension GraphPicture {
  /// Makes the picture of a trace whose report is being made. Otherwise the same as
  /// ``init(of:options:path:diagnosis:)``.
  package init(of trace: Trace, options: GraphOptions, knowing parts: ReportParts) {
    self.init(
      of: trace, options: options, path: parts.analysis.summary.criticalPath, diagnosis: parts.analysis.diagnosis)
  }
}

extension RuleSet {
  /// The rules whose findings the page shows.
  static let report = hangs + summary + requests
}
