package import OpTraceModel
package import OpTraceTimeline
import OpTraceText

/// A call between a span of a page's trace and one of another process, which has a page of its own.
package struct ReportCall: Sendable, Equatable {
  /// The operation, block or task in which the span of this page's trace began; nil: none.
  package var work: WorkID?
  /// What that span is called.
  package var span: String
  /// It serves the other one; else it calls it.
  package var isServed: Bool
  /// What the other span is called, and whose it is.
  package var other: String
  package var program: String
  /// Where the other one is shown: its page, and what is selected there.
  package var address: String

  /// More make a page large that nobody reads to the end.
  package static let most = 10_000

  /// By trace, in the order of the spans that served; at most ``most`` for each page. O(calls).
  /// - Parameter files: the names of the pages, by trace.
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

  /// As `selection.mjs` reads it: the work, where it is known, and the time of the span with a tenth of it around.
  private static func selection(of span: SpanRecord, in trace: Trace) -> String {
    let begin = span.began.time
    let end = max(begin, span.ended?.time ?? trace.end)
    let margin = (end - begin) / 10 + 1
    let time = "from=\(begin - margin)&to=\(end + margin)"
    guard let work = span.work, trace.workIndex(of: work) != nil else { return time }
    return "op=\(work.rawValue)&\(time)"
  }

  /// A file's name as a part of an address.
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

  /// `row`: of the work among all work of the trace.
  func json(_ trace: Trace) -> JSONValue {
    .members([
      "row": .optional(work.flatMap(trace.workIndex(of:))) { .integer($0) },
      "span": .string(span), "isServed": .bool(isServed), "other": .string(other), "program": .string(program),
      "address": .string(address),
    ])
  }
}
