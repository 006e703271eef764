import OpTraceKernel
import OpTraceDoctor
import OpTraceRunning
import Foundation
import OpTraceModel
import OpTraceText

/// Reads a trace for the doctor: once, or twice while its process runs.
struct DoctorExamination {
  let report: DoctorReport
  /// The last reading.
  let input: InputTrace

  /// - Parameter stallAfter: seconds; nil: the doctor's default.
  init(of source: TraceInput, stallAfter: Double?, own: OwnModules? = nil) throws {
    let stallAfter = stallAfter.map { Nanoseconds($0 * 1e9) } ?? DoctorReport.defaultStallAfter
    var firstReading: DoctorReport.Reading?
    let readings = try LiveReadings(at: source, asksForThreads: true) { trace in
      var trace = trace
      own?.mark(&trace, warns: false)
      firstReading = DoctorReport.Reading(trace, now: LiveProcess.now(of: trace))
      return true
    }
    var input = readings.last
    own?.mark(&input.trace)
    self.input = input
    let trace = input.trace
    guard let firstReading, readings.second != nil, LiveProcess.writes(trace) else {
      // If it has ended meanwhile, its trace has all there is.
      report = Self.examine(source) { DoctorReport(of: .init(trace), stallAfter: stallAfter, by: .command) }
      return
    }
    let secondReading = DoctorReport.Reading(trace, now: LiveProcess.now(of: trace))
    report = Self.examine(source) {
      DoctorReport(of: firstReading, then: secondReading, stallAfter: stallAfter, by: .command)
    }
  }

  private static func examine(_ source: TraceInput, _ body: () -> DoctorReport) -> DoctorReport {
    withProgress("examining \(source.name)", body)
  }
}
