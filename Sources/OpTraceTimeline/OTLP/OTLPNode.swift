import OpTraceModel

/// Something that becomes an OpenTelemetry span, by its row in the list of its kind.
enum OTLPNode {
  case operation(Int)
  /// A span of the program's own tracer.
  case span(Int)
  /// A mark that belongs to no operation.
  case mark(Int)
}

/// Numbers all nodes of a trace in one list: its operations, then spans, then marks. Arrays are indexed by these
/// numbers. Only this type knows where each kind begins.
struct OTLPNumbers {
  private let operations: Int
  private let spans: Int

  init(_ trace: Trace) {
    operations = trace.operations.count
    spans = trace.spans.count
  }

  /// The number of operations and spans.
  var count: Int { operations + spans }

  /// Returns what a number stands for. O(1).
  func node(_ number: Int) -> OTLPNode {
    let other = number - operations
    guard other >= 0 else { return .operation(number) }
    return other < spans ? .span(other) : .mark(other - spans)
  }

  /// Returns the number of a span. The number of an operation is its index.
  func number(ofSpan row: Int) -> Int { operations + row }
}
