#if CLI
  import Foundation
  import OpTraceModel
  import OpTraceText

  /// Reads a trace for the doctor: once, or twice while its process runs.
  struct DoctorExamination {
    let report: DoctorReport
    /// The last that was read.
    let input: InputTrace

    /// Seconds between two looks.
    private static let pause = 1.0

    /// - Parameter stallAfter: seconds; nil: as the doctor has it.
    init(of source: TraceInput, stallAfter: Double?) throws {
      let stallAfter = stallAfter.map { Nanoseconds($0 * 1e9) } ?? DoctorReport.defaultStallAfter
      let first = try source.read()
      guard LiveProcess.writes(first.trace), source.canBeReadAgain else {
        report = Self.examine(source) { DoctorReport(of: .init(first.trace), stallAfter: stallAfter) }
        input = first
        return
      }
      let firstLook = DoctorReport.Look(first.trace, now: LiveProcess.now(of: first.trace))
      let number = first.trace.header.processID
      withProgress("process \(number) runs, waiting for a second look", patience: 0) {
        Thread.sleep(forTimeInterval: Self.pause)
      }
      input = try source.read(warns: false)
      guard LiveProcess.writes(input.trace) else {
        // It has ended meanwhile: what it left is all there is.
        report = DoctorReport(of: .init(input.trace), stallAfter: stallAfter)
        return
      }
      let secondLook = DoctorReport.Look(input.trace, now: LiveProcess.now(of: input.trace))
      report = Self.examine(source) { DoctorReport(of: firstLook, then: secondLook, stallAfter: stallAfter) }
    }

    private static func examine(_ source: TraceInput, _ body: () -> DoctorReport) -> DoctorReport {
      withProgress("examining \(source.name)", body)
    }
  }
#endif
