package import OpTraceModel
package import OpTraceText

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

  package init(work: WorkID?, span: String, isServed: Bool, other: String, program: String, address: String) {
    (self.work, self.span, self.isServed) = (work, span, isServed)
    (self.other, self.program, self.address) = (other, program, address)
  }

  /// Returns the call as JSON. `row` is the index of the work among all work of the trace.
  package func json(_ trace: Trace) -> JSONValue {
    .members([
      "row": .optional(work.flatMap(trace.workIndex(of:))) { .integer($0) },
      "span": .string(span), "isServed": .bool(isServed), "other": .string(other), "program": .string(program),
      "address": .string(address),
    ])
  }
}
