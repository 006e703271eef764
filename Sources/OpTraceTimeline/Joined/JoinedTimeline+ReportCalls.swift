import OpTraceModel
package import OpTracePageParts

/// The calls between the spans of traces that have pages beside each other.
extension JoinedTimeline {
  /// Returns the calls by trace, in the order of the serving spans; at most ``ReportCall/most`` for each page. O(calls).
  /// - Parameter files: the file names of the pages, by trace.
  package func reportCalls(files: [String]) -> [[ReportCall]] {
    var result = [[ReportCall]](repeating: [], count: traces.count)
    let programs = programNames
    func add(_ own: SpanCall.End, _ other: SpanCall.End, isServed: Bool) {
      guard result[own.trace].count < ReportCall.most else { return }
      let span = traces[own.trace].spans[own.span]
      let trace = traces[other.trace]
      result[own.trace].append(
        ReportCall(
          work: span.work, span: span.name, isServed: isServed, other: trace.spans[other.span].name,
          program: programs[other.trace],
          address: Self.encoded(files[other.trace]) + "#" + Self.selection(of: trace.spans[other.span], in: trace)))
    }
    for call in calls {
      add(call.from, call.to, isServed: false)
      add(call.to, call.from, isServed: true)
    }
    return result
  }

  /// Returns the selection as `selection.mjs` reads it: the work, if it is known, and the time of the span with a
  /// margin of a tenth of it.
  private static func selection(of span: SpanRecord, in trace: Trace) -> String {
    let begin = span.began.time
    let end = max(begin, span.ended?.time ?? trace.end)
    let margin = (end - begin) / 10 + 1
    let time = "from=\(begin - margin)&to=\(end + margin)"
    guard let work = span.work, trace.workIndex(of: work) != nil else { return time }
    return "op=\(work.rawValue)&\(time)"
  }

  /// Encodes a file name for use in an address.
  private static func encoded(_ name: String) -> String {
    name.utf8.reduce(into: "") { text, byte in
      let character = Character(UnicodeScalar(byte))
      if byte < 0x80, character.isLetter || character.isNumber || "-._~".contains(character) {
        text.append(character)
      } else {
        text += "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
      }
    }
  }
}
