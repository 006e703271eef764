package import OpTraceModel

/// A call from a span of one trace to the span of another trace that served it.
package struct SpanCall: Hashable, Sendable {
  /// Identifies a span of several traces by its trace and its index in `Trace.spans`.
  package struct End: Hashable, Sendable {
    /// The number of the trace.
    package var trace: Int
    /// The index of the span in that trace.
    package var span: Int

    package init(trace: Int, span: Int) { (self.trace, self.span) = (trace, span) }
  }

  /// The span that made the call: usually a client or a producer.
  package var from: End
  /// The span that served the call: usually a server or a consumer.
  package var to: End
  /// Whether the caller waits until the call is served, so that one span lies within the other. If not, one merely
  /// begins before the other.
  package var isAwaited: Bool

  package init(from: End, to: End, isAwaited: Bool) { (self.from, self.to, self.isAwaited) = (from, to, isAwaited) }

  /// Returns all calls between these traces, in the order of the serving spans. A span serves the span of another
  /// process that it names as its parent. A consumer also serves the spans that its links name, because it may handle
  /// many messages at once. O(spans + links).
  package static func all(in traces: [Trace]) -> [SpanCall] {
    let known = KnownSpans(traces)
    var calls: [SpanCall] = []
    for (number, trace) in traces.enumerated() {
      for (index, span) in trace.spans.enumerated() {
        let to = End(trace: number, span: index)
        let first = calls.count
        func add(_ traceID: String, _ spanID: String) {
          guard let from = known.span(traceID, spanID, elsewhereThan: number) else { return }
          let isAwaited = traces[from.trace].spans[from.span].awaits(span)
          guard !calls[first...].contains(where: { $0.from == from }) else { return }
          calls.append(SpanCall(from: from, to: to, isAwaited: isAwaited))
        }
        if let context = span.context, let parent = context.remoteParent { add(context.traceID, parent) }
        guard span.kind == .consumer else { continue }
        for case let context? in span.links.map(\.context) { add(context.traceID, context.spanID) }
      }
    }
    return calls
  }
}

/// Finds spans by the ids by which other processes know them.
private struct KnownSpans {
  private struct Key: Hashable {
    var trace: String
    var span: String
  }

  private var first: [Key: SpanCall.End] = [:]
  /// If several traces have a span with this key: the first one in a trace other than that of the entry in `first`.
  private var second: [Key: SpanCall.End] = [:]

  init(_ traces: [Trace]) {
    for (number, trace) in traces.enumerated() {
      for (index, span) in trace.spans.enumerated() {
        guard let context = span.context else { continue }
        let key = Key(trace: context.traceID, span: context.spanID)
        let end = SpanCall.End(trace: number, span: index)
        guard let known = first[key] else {
          first[key] = end
          continue
        }
        if known.trace != number, second[key] == nil { second[key] = end }
      }
    }
  }

  /// Returns the span with these ids in a trace other than this one. O(1).
  func span(_ trace: String, _ span: String, elsewhereThan number: Int) -> SpanCall.End? {
    let key = Key(trace: trace, span: span)
    guard let found = first[key] else { return nil }
    return found.trace == number ? second[key] : found
  }
}

extension SpanRecord {
  /// Whether it lasts until `served` has ended. Programs need not state the kinds of their spans: one of the two is
  /// enough.
  fileprivate func awaits(_ served: SpanRecord) -> Bool {
    guard kind != .producer, served.kind != .consumer else { return false }
    return kind == .client || served.kind == .server
  }
}
