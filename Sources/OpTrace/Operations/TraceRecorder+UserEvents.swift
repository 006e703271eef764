internal import COpTrace
public import Foundation
internal import OpTraceFormat

/// The program's own events.
extension TraceRecorder {
  /// Records a moment. Without `operation` it belongs to the one that executes on this thread, if any.
  public func mark(_ name: String, in operation: Operation? = nil) {
    guard isRecording else { return }
    emit(.mark, name, 0, operation)
  }

  /// Runs `body` and records when it began and ended. Returns what it returns, throws what it throws.
  public func measure<Result, Failure: Error>(
    _ name: String, in operation: Operation? = nil, _ body: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    let span = beginSpan(name, operation)
    defer { endSpan(span) }
    return try body()
  }

  /// The same for work that may continue on another thread.
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
    emit(.spanBegan, name, EventFields.SpanBegan(id: id).high, operation)
    return id
  }

  private func endSpan(_ id: UInt32) {
    if id != 0 { optrace_emit1(core, EventKind.spanEnded.rawValue, id) }
  }

  @inline(__always)
  private func emit(_ kind: EventKind, _ name: String, _ high: UInt32, _ operation: Operation?) {
    guard let operation else {
      return UTF8Text.with(name) { optrace_emit_here(core, kind.rawValue, high, $0, $1) }
    }
    let subject = introduce(operation)
    UTF8Text.with(name) { optrace_emit_text(core, kind.rawValue, subject, high, false, 0, $0, $1) }
  }
}
