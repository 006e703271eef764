package import OpTraceModel

/// A span of one trace that a span of another trace served.
package struct SpanCall: Hashable, Sendable {
  /// A span of several traces, by its trace and its index in `Trace.spans`.
  package struct End: Hashable, Sendable {
    /// The trace's number.
    package var trace: Int
    /// Its index there.
    package var span: Int

    package init(trace: Int, span: Int) { (self.trace, self.span) = (trace, span) }
  }

  /// What called: mostly a client or a producer.
  package var from: End
  /// What served: mostly a server or a consumer.
  package var to: End
  /// Who called waits until it is served, so that the one span lies inside of the other; else it only begins before.
  package var isAwaited: Bool

  package init(from: End, to: End, isAwaited: Bool) { (self.from, self.to, self.isAwaited) = (from, to, isAwaited) }

  /// All between these traces, in the order of what served: a span serves the one that it names as its parent in another process. A
  /// consumer also serves those that its links name, since it may handle many messages at once. O(spans + links).
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

/// Spans by the ids by which other processes know them.
private struct KnownSpans {
  private struct Key: Hashable {
    var trace: String
    var span: String
  }

  private var first: [Key: SpanCall.End] = [:]
  /// Of those that several traces have, the first one of another trace than the very first.
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

  /// O(1).
  func span(_ trace: String, _ span: String, elsewhereThan number: Int) -> SpanCall.End? {
    let key = Key(trace: trace, span: span)
    guard let found = first[key] else { return nil }
    return found.trace == number ? second[key] : found
  }
}

extension SpanRecord {
  /// Whether it goes on until `served` has ended. Programs need not say what their spans are: one of the two is enough.
  fileprivate func awaits(_ served: SpanRecord) -> Bool {
    guard kind != .producer, served.kind != .consumer else { return false }
    return kind == .client || served.kind == .server
  }
}
