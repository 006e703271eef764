import OpTraceKernel
package import OpTraceModel

/// What outputs say of a trace that nobody recorded.
extension TraceOrigin {
  /// What such a trace cannot show, in one line.
  /// - Parameter end: of the trace.
  package func sentence(until end: Nanoseconds) -> String {
    if isCore {
      return
        "Read from a core file, which has one moment and no history: who made or resumed what, and since when it is so, is not known."
    }
    let text = "Seen from outside, not recorded: who made or resumed what is not known."
    if hasMoved {
      return text + " Threads ran meanwhile, so it has only what all looks of \(DurationText.text(watched)) showed."
    }
    return text
      + (isTimed
        ? " No thread has run for \(DurationText.text(max(0, end - since)))." : " Nor is since when no thread has run.")
  }

  /// The member `origin` of JSON.
  package var member: JSONValue.Member {
    .init(
      "origin",
      .members([
        "core": .bool(isCore), "moved": .bool(hasMoved), "timed": .bool(isTimed), "watchedSeconds": .seconds(watched),
        "leftOut": .array(leftOut.map { .string($0) }),
      ]))
  }
}
