import Foundation
import OpTrace
import OpTraceModel
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

/// A trace from lines `MILLISECONDS tTHREAD EVENT …`. Thread N has the system's number 100 + N.
func typedTrace(_ lines: String) throws -> Trace {
  var typed = TypedTrace()
  typed.process = "server"
  typed.processID = 101
  typed.isClosed = false
  typed.heartbeat = 1_000_000_000
  return try TraceReader.read(bytes: Array(typed.text(lines, in: .milliseconds).utf8))
}

/// Lines for an operation that the thread creates and enqueues.
func enqueued(_ id: Int, _ queue: Int, at time: Int, on thread: Int) -> String {
  """
  \(time) t\(thread) created #\(id) class="Work"
  \(time) t\(thread) enqueued #\(id) queue=q\(queue) priority=0

  """
}
