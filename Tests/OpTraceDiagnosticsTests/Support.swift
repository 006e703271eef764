import Foundation
import OpTrace
import TestSupport

extension Scratch {
  func recorder(_ configuration: TraceRecorder.Configuration = .streaming) throws -> TraceRecorder {
    try TraceRecorder(writingTo: file(), configuration: configuration)
  }
}

/// The program of these tests.
func program(_ arguments: [String]) throws -> RunningProgram {
  try RunningProgram(Built.program("DiagnosticsTestProgram"), arguments, input: .pipe, errors: .pipe)
}
