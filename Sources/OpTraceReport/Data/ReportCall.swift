package import OpTraceModel
package import OpTraceTimeline
import OpTraceText

/// A call between a span of a page's trace and a span of another process, which has its own page.
package struct ReportCall: Sendable, Equatable {
  /// The operation, block or task in which this page's span began. Nil: none.
  package var work: WorkID?
  /// The name of that span.
  package var span: String
  /// Whether that span serves the other one. If not, it calls it.
  package var isServed: Bool
  /// The name of the other span, and the program that it belongs to.
  package var other: String
  package var program: String
  /// Where the other span is shown: its page, and what is selected there.
  package var address: String

  /// The most calls on a page. With more, the page would become large, and nobody would read to the end.
  package static let most = 10_000

  /// Returns the calls by trace, in the order of the serving spans; at most ``most`` for each page. O(calls).
  /// - Parameter files: the file names of the pages, by trace.
  package static func all(of joined: JoinedTimeline, files: [String]) -> [[ReportCall]] {
    var calls = [[ReportCall]](repeating: [], count: joined.traces.count)
    let programs = joined.programNames
    func add(_ own: SpanCall.End, _ other: SpanCall.End, isServed: Bool) {
      guard calls[own.trace].count < most else { return }
      let span = joined.traces[own.trace].spans[own.span]
      let trace = joined.traces[other.trace]
      calls[own.trace].append(
        ReportCall(
          work: span.work, span: span.name, isServed: isServed, other: trace.spans[other.span].name,
          program: programs[other.trace],
          address: encoded(files[other.trace]) + "#" + selection(of: trace.spans[other.span], in: trace)))
    }
    for call in joined.calls {
      add(call.from, call.to, isServed: false)
      add(call.to, call.from, isServed: true)
    }
    return calls
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

  /// Returns the call as JSON. `row` is the index of the work among all work of the trace.
  func json(_ trace: Trace) -> JSONValue {
    .members([
      "row": .optional(work.flatMap(trace.workIndex(of:))) { .integer($0) },
      "span": .string(span), "isServed": .bool(isServed), "other": .string(other), "program": .string(program),
      "address": .string(address),
    ])
  }
}
