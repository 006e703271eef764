internal import COpTrace
public import Foundation
internal import OpTraceFormat

/// The program's own events.
extension TraceRecorder {
  /// Notes a moment. Without `operation` it belongs to the one that executes on this thread, if any.
  public func mark(_ name: String, in operation: Operation? = nil) {
    guard isRecording else { return }
    let subject = subject(operation)
    UTF8Text.with(name) { optrace_emit_text(core, EventKind.mark.rawValue, subject, 0, false, 0, $0, $1) }
  }

  /// Runs `body` and notes when it began and ended. Returns what it returns, throws what it throws.
  public func measure<Result, Failure: Error>(
    _ name: String, in operation: Operation? = nil, _ body: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    let span = beginSpan(name, operation)
    defer { endSpan(span) }
    return try body()
  }

  /// As the other, for work that may go on on another thread.
  public func measure<Result, Failure: Error>(
    _ name: String, in operation: Operation? = nil, isolation: isolated (any Actor)? = #isolation,
    _ body: () async throws(Failure) -> Result
  ) async throws(Failure) -> Result {
    let span = beginSpan(name, operation)
    defer { endSpan(span) }
    return try await body()
  }

  private func beginSpan(_ name: String, _ operation: Operation?) -> UInt32 {
    guard isRecording else { return 0 }
    let id = optrace_recorder_next_span(core)
    let subject = subject(operation)
    UTF8Text.with(name) { optrace_emit_text(core, EventKind.spanBegan.rawValue, subject, id, false, 0, $0, $1) }
    return id
  }

  private func endSpan(_ id: UInt32) {
    if id != 0 { optrace_emit1(core, EventKind.spanEnded.rawValue, id) }
  }

  private func subject(_ operation: Operation?) -> UInt32 {
    if let operation { return introduce(operation) }
    guard let current = optrace_frame_current(), optrace_operation_recorder(current) == core else { return 0 }
    return optrace_operation_serial(current)
  }
}
