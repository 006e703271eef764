import OpTraceModel
import OpTraceTimeline
import OpTraceText

/// Notes about several traces in one timeline, for standard error: one sentence each.
struct JoinedNotes {
  private(set) var sentences: [String] = []

  /// - Parameter names: the names of the traces.
  init(_ joined: JoinedTimeline, _ names: [String]) {
    if joined.calls.isEmpty {
      sentences.append(Self.strangers("there are no arrows between them"))
    }
    for move in joined.clock.moves {
      let isOne = move.traces.count == 1
      var text =
        "the \(isOne ? "clock" : "clocks") of \(listed(move.traces.map { names[$0] })) \(isOne ? "was" : "were") moved "
        + "\(move.by > 0 ? "forward" : "back") by \(duration(abs(move.by))), so that what was served lies inside of its callers"
      if move.misfits > 0 {
        let verb = move.misfits == 1 ? "does" : "do"
        text += "; \(grouped(move.misfits)) of \(counted(move.calls, "call")) \(verb) not all the same"
      }
      sentences.append(text)
    }
    if !joined.clock.unknown.isEmpty {
      let unknown = joined.clock.unknown.map { names[$0] }
      sentences.append(
        "nothing tells when \(listed(unknown)) began: \(unknown.count == 1 ? "it is" : "they are") drawn as if together "
          + "with the first")
    }
  }

  /// The note if no call leads from one trace to another.
  static func strangers(_ consequence: String) -> String {
    "no span of one trace names a span of another, so \(consequence): let the services write their spans with "
      + "RecordingTracer and hand on 'traceparent' (Documentation/requests.md)"
  }

  func tell() { for sentence in sentences { Console.note(sentence) } }
}
