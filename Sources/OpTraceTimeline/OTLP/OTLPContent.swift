import OpTraceAnalysis
import OpTraceModel

/// What of a trace becomes spans, which of them belong together, and by which numbers they are known.
struct OTLPContent {
  /// Of a span, by kinds that have numbers of their own.
  enum Kind: UInt64 {
    case operation = 0
    case span = 1
    case mark = 2
  }

  let trace: Trace
  let parents: Adders
  let holders: SlotHolders
  private let spanRows: [SpanID: Int]
  /// By index of the operation, and after those by index of the span: the first of those that are connected.
  private var component: [Int32]
  /// By index of the operation: the span in which it was added; -1: none. Empty where the program named none.
  private var surroundings: [Int32] = []
  /// By index of the span: the one that it is inside of; -1: none.
  private var around: [Int32] = []
  /// By index of the operation, and after those by index of the span: the ids of the distributed trace that it is in; nil: in none.
  private var known: [TraceID?] = []
  private let seed: UInt64

  /// In two halves.
  typealias TraceID = (UInt64, UInt64)

  /// O(n log n).
  init(_ trace: Trace) {
    self.trace = trace
    parents = Adders(trace)
    holders = SlotHolders(trace)
    seed = UInt64(trace.header.hash, radix: 16) ?? 0
    spanRows = Dictionary(trace.spans.indices.map { (trace.spans[$0].id, $0) }) { first, _ in first }
    component = (0..<trace.operations.count + trace.spans.count).map { Int32(clamping: $0) }
    if !trace.spans.isEmpty { findSurroundings() }
    for index in trace.operations.indices where begin(of: index) != nil {
      if let parent = parent(of: index) { join(index, parent) }
      if let span = parentSpan(of: index) { join(index, trace.operations.count + span) }
      for edge in trace.operations[index].dependencies {
        if let other = dependency(edge) { join(index, other) }
      }
    }
    for span in trace.spans.indices {
      if let outer = parentSpan(ofSpan: span) { join(trace.operations.count + span, trace.operations.count + outer) }
      if let index = operation(ofSpan: span) { join(trace.operations.count + span, index) }
    }
    // The root of each is the first of its operations already; now every one knows it at once.
    for index in component.indices { component[index] = Int32(clamping: root(index)) }
    if trace.spans.contains(where: { $0.context != nil }) { findKnown() }
  }

  /// When an operation's span begins: it was enqueued, or by hand started. Nil: it was neither, and has no span.
  func begin(of index: Int) -> Nanoseconds? {
    trace.operations[index].enqueued?.time ?? trace.operations[index].began?.time
  }

  /// The operation whose code added this one.
  func parent(of index: Int) -> Int? {
    let parent = Int(parents.ofOperations[index])
    return parent >= 0 && begin(of: parent) != nil ? parent : nil
  }

  /// The span that was active when this operation was added: of the code that added it, or, where that is no operation's, the one that
  /// the recorder knows.
  func parentSpan(of index: Int) -> Int? {
    guard surroundings.indices.contains(index), surroundings[index] >= 0 else { return nil }
    return Int(surroundings[index])
  }

  /// The span that this one is inside of: as its tracer knows it, else by its time.
  func parentSpan(ofSpan span: Int) -> Int? {
    if trace.spans[span].context != nil {
      let outer = trace.spans[span].parent.flatMap { spanRows[$0] }
      return outer == span ? nil : outer
    }
    guard around.indices.contains(span), around[span] >= 0 else { return nil }
    return Int(around[span])
  }

  /// The operation in which a span began, where it has a span of its own.
  func operation(ofSpan span: Int) -> Int? {
    trace.spans[span].operation.flatMap { trace.index(of: $0) }.flatMap { begin(of: $0) == nil ? nil : $0 }
  }

  private mutating func findSurroundings() {
    let active = OTLPActiveSpans(trace)
    around = active.around
    surroundings = [Int32](repeating: -1, count: trace.operations.count)
    for index in trace.operations.indices {
      guard let enqueued = trace.operations[index].enqueued else { continue }
      let adder = parent(of: index).map { trace.operations[$0].id }
      if let span = active.innermost(at: enqueued), trace.spans[span].operation == adder {
        surroundings[index] = Int32(clamping: span)
      } else if adder == nil, let span = trace.within[trace.operations[index].id].flatMap({ spanRows[$0] }),
        // Only against damaged traces.
        trace.spans[span].began.time <= enqueued.time
      {
        surroundings[index] = Int32(clamping: span)
      }
    }
  }

  /// The operation at the other end, where it has a span. An edge that was taken away says nothing of what happened.
  func dependency(_ edge: Dependency) -> Int? {
    guard edge.removed == nil, let index = trace.index(of: edge.on), begin(of: index) != nil else { return nil }
    return index
  }

  /// The operation that held the slot which this one waited for.
  func holder(of index: Int) -> Int? {
    let holder = Int(holders.ofOperations[index])
    return holder >= 0 && begin(of: holder) != nil ? holder : nil
  }

  // MARK: Distributed traces

  /// What is inside of a tracer's span is of the same trace.
  private mutating func findKnown() {
    let operations = trace.operations.count
    known = [TraceID?](repeating: nil, count: component.count)
    var isFound = [Bool](repeating: false, count: component.count)
    for start in component.indices where !isFound[start] {
      var path: [Int] = []
      var at: Int? = start
      var ids: TraceID?
      while let here = at {
        // Marked at once, so that a circle in a damaged trace ends.
        guard !isFound[here] else {
          ids = known[here]
          break
        }
        isFound[here] = true
        path.append(here)
        if here >= operations, let context = trace.spans[here - operations].context {
          ids = Self.traceID(context.traceID)
          break
        }
        at = parentNode(of: here)
      }
      for here in path { known[here] = ids }
    }
  }

  private func parentNode(of node: Int) -> Int? {
    let operations = trace.operations.count
    if node < operations {
      guard begin(of: node) != nil else { return nil }
      return parentSpan(of: node).map { operations + $0 } ?? parent(of: node)
    }
    return parentSpan(ofSpan: node - operations).map { operations + $0 } ?? operation(ofSpan: node - operations)
  }

  private func known(_ node: Int) -> TraceID? { known.indices.contains(node) ? known[node] : nil }

  private static func traceID(_ text: String) -> TraceID? {
    guard let high = UInt64(text.prefix(16), radix: 16), let low = UInt64(text.suffix(16), radix: 16) else {
      return nil
    }
    return (high, low)
  }

  // MARK: Numbers

  /// The 16 bytes of a trace of OpenTelemetry's, in two halves: our trace, and the operations that hang together in it.
  func traceID(ofOperation index: Int) -> (UInt64, UInt64) {
    // The first of those that hang together: operations come before spans.
    known(index) ?? (seed, spanID(.operation, UInt64(trace.operations[Int(component[index])].id.rawValue)))
  }

  /// Of what belongs to no operation.
  func traceID(_ kind: Kind, _ number: Int) -> (UInt64, UInt64) { (seed, spanID(kind, UInt64(number))) }

  func traceID(ofSpan span: Int) -> (UInt64, UInt64) {
    if let ids = known(trace.operations.count + span) { return ids }
    let first = Int(component[trace.operations.count + span])
    return first < trace.operations.count
      ? (seed, spanID(ofOperation: first)) : traceID(.span, first - trace.operations.count)
  }

  /// A tracer's span has its own.
  func spanID(ofSpan span: Int) -> UInt64 {
    trace.spans[span].context.flatMap { UInt64($0.spanID, radix: 16) } ?? spanID(.span, UInt64(span))
  }

  /// The id of the span that a span is inside of; nil: none.
  func parentID(ofSpan span: Int) -> UInt64? {
    let context = trace.spans[span].context
    if let outer = parentSpan(ofSpan: span), context == nil || trace.spans[outer].context?.traceID == context?.traceID {
      return spanID(ofSpan: outer)
    }
    if let context { return context.remoteParent.flatMap { UInt64($0, radix: 16) } }
    return operation(ofSpan: span).map { spanID(ofOperation: $0) }
  }

  /// Different for all spans of a trace: each step of the mixing can be undone (Steele, Lea, Flood: SplitMix).
  func spanID(_ kind: Kind, _ number: UInt64) -> UInt64 {
    var value = seed &+ (kind.rawValue << 40 | number) &* 0x9e37_79b9_7f4a_7c15
    value = (value ^ value >> 30) &* 0xbf58_476d_1ce4_e5b9
    value = (value ^ value >> 27) &* 0x94d0_49bb_1331_11eb
    value ^= value >> 31
    // Zero means none.
    return value == 0 ? 1 : value
  }

  func spanID(ofOperation index: Int) -> UInt64 { spanID(.operation, UInt64(trace.operations[index].id.rawValue)) }

  // MARK: What hangs together

  private func root(_ index: Int) -> Int {
    var at = index
    while Int(component[at]) != at { at = Int(component[at]) }
    return at
  }

  /// The later one's root comes under the earlier one's; what is on the way is led nearer to it.
  private mutating func join(_ one: Int, _ other: Int) {
    let roots = (root(one), root(other))
    let first = Int32(clamping: min(roots.0, roots.1))
    component[max(roots.0, roots.1)] = first
    for start in [one, other] {
      var at = start
      while component[at] != first, Int(component[at]) != at {
        let next = Int(component[at])
        component[at] = first
        at = next
      }
    }
  }
}

/// Which of the spans that the program named was open where something happened: the innermost one of that thread.
///
/// A span that ends on another thread than it began on, as around an `await`, is nobody's surroundings: what else runs on that
/// thread meanwhile is not a part of it.
struct OTLPActiveSpans {
  /// By their indexes in the trace.
  private let open: NestedRuns<Int>
  /// By index of the span: the one that it is inside of, in the same operation; -1: none.
  let around: [Int32]

  /// O(n log n).
  init(_ trace: Trace) {
    open = NestedRuns { add in
      for (index, span) in trace.spans.enumerated() where span.ended?.thread ?? span.began.thread == span.began.thread {
        add(index, span.began.thread, span.began.time, span.ended?.time ?? trace.end)
      }
    }
    var around = [Int32](repeating: -1, count: trace.spans.count)
    open.forEachEnclosed { inner, outer in
      // One around an operation that runs in it is not a part of that operation.
      if trace.spans[outer].operation == trace.spans[inner].operation { around[inner] = Int32(clamping: outer) }
    }
    self.around = around
  }

  /// The index of the innermost span at a moment of a thread; nil: there is none. O(log n), and one for each that encloses it.
  func innermost(at stamp: Stamp) -> Int? { open.innermost(at: stamp) }
}
