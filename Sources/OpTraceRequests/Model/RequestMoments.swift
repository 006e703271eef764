import OpTraceKernel
package import OpTraceModel

/// Finds what work was done for at some moment: the unit of work that it belongs to, and the span of the program's
/// tracer.
///
/// Work belongs to the unit whose work it is, else to that of the work that submitted it, when it was submitted.
package struct RequestMoments: Sendable {
  private struct Stretch: Sendable {
    var began: Nanoseconds
    var ended: Nanoseconds
    /// An index in `Requests.units`, or in `Trace.spans`.
    var row: Int
  }

  private let requests: Requests
  private let trace: Trace
  private var units: [WorkID: [Stretch]] = [:]
  private var spans: [WorkID: [Stretch]] = [:]

  /// More submitters than this have no meaning; a damaged trace may have a cycle.
  private static let furthest = 256
  /// Of the spans that began in a piece of work before a moment, so many are looked at.
  private static let mostNested = 64

  /// O(units + spans).
  package init(_ requests: Requests, _ trace: Trace) {
    (self.requests, self.trace) = (requests, trace)
    for (row, unit) in requests.units.enumerated() {
      units[unit.work, default: []].append(Stretch(began: unit.began, ended: unit.ended, row: row))
    }
    for (row, span) in trace.spans.enumerated() where span.context != nil {
      guard let work = span.work else { continue }
      spans[work, default: []].append(
        Stretch(began: span.began.time, ended: span.ended?.time ?? .max, row: row))
    }
  }

  /// The kind of the unit that work belonged to at a time; nil: none that has ended. O(submitters × log units).
  package func kind(of work: WorkID, at time: Nanoseconds) -> RequestKind? {
    unit(of: work, at: time).map { requests.kind(ofUnitAt: $0) }
  }

  /// The unit itself, as an index in ``Requests/units``. It may have ended before that time, if it did not wait for the work.
  package func unit(of work: WorkID, at time: Nanoseconds) -> Int? {
    row(work, time) { work, time in
      guard let all = units[work] else { return nil }
      let next = all.firstSorted { $0.ended >= time }
      // Rounds of a task follow each other, but an operation is a unit beside the spans in it, and ends after them.
      return all[next...].prefix(Self.mostNested).first { $0.began <= time }?.row
    }
  }

  /// The ids of the innermost span around work at a time; nil: there was none, or it began long ago. O(submitters × log
  /// spans).
  package func context(of work: WorkID, at time: Nanoseconds) -> SpanRecord.Context? {
    row(work, time) { work, time in
      guard let all = spans[work] else { return nil }
      let next = all.firstSorted { $0.began > time }
      return all[..<next].suffix(Self.mostNested).last { time <= $0.ended }?.row
    }
    .flatMap { trace.spans[$0].context }
  }

  private func row(_ work: WorkID, _ time: Nanoseconds, _ find: (WorkID, Nanoseconds) -> Int?) -> Int? {
    var (work, time) = (work, time)
    for _ in 0..<Self.furthest {
      if let found = find(work, time) { return found }
      guard let index = trace.workIndex(of: work), let submitter = trace.submitter(of: work) else { return nil }
      time = trace.submitted(workAt: index) ?? time
      work = submitter
    }
    return nil
  }
}
