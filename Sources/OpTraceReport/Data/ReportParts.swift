import OpTraceAnalysis
package import OpTraceGraph
public import OpTraceModel
import OpTraceText
import OpTraceTimeline

/// What a report is made of besides its drawing, which needs some of it.
package struct ReportParts: Sendable {
  let timeline: ReportTimeline
  let analysis: ReportAnalysis
  /// Nil: not made yet.
  private(set) var tables: ReportTables?

  /// What has to be found out. O(n log n), on several threads.
  package init(of trace: Trace) {
    (timeline, analysis) = SideBySide.both({ ReportTimeline(of: trace) }, { ReportAnalysis(of: trace) })
  }

  /// With the columns of a page that does not grow.
  package func withTables(of trace: Trace) -> ReportParts {
    var parts = self
    parts.tables = ReportTables(trace, timeline, analysis.summary.criticalPath, analysis.stuck)
    return parts
  }
}

/// What a report shows of a timeline. Executions and waits, the most of one, are gone: the page makes its own of the moments.
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

/// What is concluded from a trace for its report. Most of a report's time goes into it, so the page of a trace that grows gets it less
/// often than what has happened.
public struct ReportAnalysis: Sendable {
  let summary: Summary
  let diagnosis: Diagnosis
  let doctor: DoctorReport
  let stuck: StuckPart
  let requests: Requests

  /// O(n log n), on two threads.
  public init(of trace: Trace) {
    let (found, summary) = SideBySide.both(
      {
        let requests = Requests(of: trace, trees: ReportRequests.trees)
        return (Diagnosis(of: trace, knowing: requests), requests)
      }, { Summary(of: trace) })
    (diagnosis, requests) = found
    self.summary = summary
    doctor = DoctorReport(of: trace, diagnosis)
    stuck = StuckPart(of: trace, diagnosis)
  }

  /// Whether it knows all queues of the trace.
  func fits(_ names: ReportNames) -> Bool {
    summary.queues.count + summary.dispatchQueues.count >= names.queueRows.count
  }
}

extension GraphPicture {
  /// The picture of a trace whose report is being made. As ``init(of:options:path:diagnosis:)``.
  package init(of trace: Trace, options: GraphOptions, knowing parts: ReportParts) {
    self.init(
      of: trace, options: options, path: parts.analysis.summary.criticalPath, diagnosis: parts.analysis.diagnosis)
  }
}
