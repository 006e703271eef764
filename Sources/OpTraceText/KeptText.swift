import OpTraceKernel
package import OpTraceModel

/// What outputs begin with, if a trace was kept while its program ran on.
extension TraceHeader {
  /// When and why, in one line; nil: it is no such copy.
  package var keptSentence: String? {
    guard let kept else { return nil }
    var text = "Kept"
    if startWall > 0 {
      let moment = utcText(startWall &+ UInt64(max(0, kept.time)))
      text += " \(moment.prefix(10)) \(moment.dropFirst(11).prefix(8)) UTC,"
    }
    text += " \(DurationText.text(kept.time)) after the recording began, while the program ran on"
    return TerminalText.printable(kept.reason.isEmpty ? text + "." : text + ": " + kept.reason)
  }

}

extension TraceHeader.Kept {
  /// The member `kept` of JSON.
  package var member: JSONValue.Member {
    .init("kept", .members(["atSeconds": .seconds(time), "reason": .string(reason)]))
  }
}
