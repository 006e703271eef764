import OpTraceLive
import Foundation
import OpTraceModel
import OpTraceText

/// Reads a trace for the doctor: once, or twice while its process runs.
struct DoctorExamination {
  let report: DoctorReport
  /// The last that was read.
  let input: InputTrace

  /// - Parameter stallAfter: seconds; nil: as the doctor has it.
  init(of source: TraceInput, stallAfter: Double?, own: OwnModules? = nil) throws {
    let stallAfter = stallAfter.map { Nanoseconds($0 * 1e9) } ?? DoctorReport.defaultStallAfter
    var firstLook: DoctorReport.Reading?
    let looks = try LiveReadings(at: source, asksForThreads: true) { trace in
      var trace = trace
      own?.mark(&trace, warns: false)
      firstLook = DoctorReport.Reading(trace, now: LiveProcess.now(of: trace))
      return true
    }
    var input = looks.last
    own?.mark(&input.trace)
    self.input = input
    let trace = input.trace
    guard let firstLook, looks.second != nil, LiveProcess.writes(trace) else {
      // Where it has ended meanwhile, what it left is all there is.
      report = Self.examine(source) { DoctorReport(of: .init(trace), stallAfter: stallAfter) }
      return
    }
    let secondLook = DoctorReport.Reading(trace, now: LiveProcess.now(of: trace))
    report = Self.examine(source) { DoctorReport(of: firstLook, then: secondLook, stallAfter: stallAfter) }
  }

  private static func examine(_ source: TraceInput, _ body: () -> DoctorReport) -> DoctorReport {
    withProgress("examining \(source.name)", body)
  }
}
