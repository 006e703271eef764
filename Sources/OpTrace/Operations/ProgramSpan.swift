internal import COpTrace
internal import OpTraceFormat

/// A span of the program's own tracer, as the trace has it. Writing takes no lock and allocates nothing.
///
/// Sendable: the recorder's core lives as long as the process, and is used by all threads.
package struct ProgramSpan: @unchecked Sendable {
  /// What an attribute's text stands for.
  package enum ValueType: UInt8, Sendable {
    case text = 0
    case integer = 1
    case real = 2
    case flag = 3
  }

  package enum Outcome: UInt8, Sendable {
    case unset = 0
    case ok = 1
    case error = 2
  }

  /// Longer ones are cut at a character boundary: bytes of `key=value`.
  private static let longestAttribute = 256

  /// Attributes, links, and other changes of a span: so many of each sort at most.
  package static let mostChanges = Layout.mostSpanDetails

  private let core: OpaquePointer
  /// Its number in the trace.
  package let number: UInt32
  /// Of its own, in a trace of its own.
  package let ids: SpanIDs

  /// Begins it in the operation, block or task that runs on this thread. Nil: nobody records.
  package init?(_ name: String) {
    guard let recorder = TraceRecorder.fallback, recorder.isRecording else { return nil }
    core = recorder.core
    number = optrace_recorder_next_span(core)
    ids = recorder.spanSeed.ids(number)
    let high = EventFields.SpanBegan(id: number).high
    UTF8Text.with(name) { [core] in optrace_emit_here(core, EventKind.spanBegan.rawValue, high, $0, $1) }
  }

  /// Whether anybody records.
  package static var isWanted: Bool { TraceRecorder.fallback?.isRecording ?? false }

  /// Whether what it is told is recorded.
  package var isRecorded: Bool { optrace_recorder_is_recording(core) }

  /// Whether it is of the same trace.
  package func isBeside(_ other: ProgramSpan) -> Bool { core == other.core }

  /// - Parameters:
  ///   - parent: the number of the span around it; 0: none in this trace.
  ///   - remote: the span id of a parent in another process.
  ///   - kind: as in the record.
  package func belongs(_ ids: SpanIDs, parent: UInt32, remote: UInt64?, kind: UInt8) {
    let fields = EventFields.SpanContext(parent: parent, kind: kind)
    UTF8Text.with(ids, remote: remote) {
      optrace_emit_text(
        core, EventKind.spanContext.rawValue, number, fields.high, true, fields.word2, $0, $1)
    }
  }

  package func has(_ key: String, _ value: String, _ type: ValueType) {
    let high = EventFields.SpanAttribute(type: type.rawValue).high
    UTF8Text.with(key: key, value: value, longest: Self.longestAttribute) {
      optrace_emit_text(core, EventKind.spanAttribute.rawValue, number, high, false, 0, $0, $1)
    }
  }

  /// - Parameter leftOut: attributes and links that were not written.
  package func went(_ outcome: Outcome, _ message: String, leftOut: Int) {
    let high = EventFields.SpanStatus(
      code: outcome.rawValue, leftOut: UInt32(min(max(0, leftOut), Int(EventFields.SpanStatus.largestLeftOut)))
    ).high
    UTF8Text.with(message) {
      optrace_emit_text(core, EventKind.spanStatus.rawValue, number, high, false, 0, $0, $1)
    }
  }

  /// - Parameter other: its number; 0: it is not of this trace.
  package func links(to other: UInt32, _ ids: SpanIDs) {
    let high = EventFields.SpanLink(to: other).high
    UTF8Text.with(ids, remote: nil) {
      optrace_emit_text(core, EventKind.spanLink.rawValue, number, high, false, 0, $0, $1)
    }
  }

  package func isNamed(_ name: String) {
    UTF8Text.with(name) {
      optrace_emit_text(core, EventKind.spanNamed.rawValue, number, 0, false, 0, $0, $1)
    }
  }

  /// A moment, in what runs on this thread.
  package func mark(_ name: String) {
    UTF8Text.with(name) { optrace_emit_here(core, EventKind.mark.rawValue, 0, $0, $1) }
  }

  package func end() { optrace_emit1(core, EventKind.spanEnded.rawValue, number) }
}
