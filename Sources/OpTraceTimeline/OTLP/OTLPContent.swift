import OpTraceKernel
import OpTraceModel

/// Decides which parts of a trace become spans, which spans belong together, and which ids they have.
struct OTLPContent {
  /// The kinds of spans that are numbered separately.
  enum Kind: UInt64 {
    case operation = 0
    case span = 1
    case mark = 2
  }

  let trace: Trace
  let numbers: OTLPNumbers
  let parents: Adders
  let holders: SlotHolders
  private let spanRows: [SpanID: Int]
  /// The first of those that are connected, by index of the operation and, after all operations, by index of the span.
  private var component: [Int32]
  /// The span in which each operation was added, by index of the operation. -1: none. Empty if the program named no
  /// spans.
  private var surroundings: [Int32] = []
  /// The span that encloses each span, by index of the span. -1: none.
  private var around: [Int32] = []
  /// The id of the distributed trace that each one is in, by index of the operation and, after all operations, by index
  /// of the span. Nil: none.
  private var known: [TraceID?] = []
  private let seed: UInt64

  /// A trace id in two halves.
  typealias TraceID = (UInt64, UInt64)

  /// Finds what belongs together. O(n log n).
  init(_ trace: Trace) {
    self.trace = trace
    numbers = OTLPNumbers(trace)
    parents = Adders(trace)
    holders = SlotHolders(trace)
    seed = UInt64(trace.header.hash, radix: 16) ?? 0
    spanRows = Dictionary(trace.spans.indices.map { (trace.spans[$0].id, $0) }) { first, _ in first }
    component = (0..<numbers.count).map { Int32(clamping: $0) }
    if !trace.spans.isEmpty { findSurroundings() }
    for index in trace.operations.indices where begin(of: index) != nil {
      if let parent = parent(of: index) { join(index, parent) }
      if let span = parentSpan(of: index) { join(index, numbers.number(ofSpan: span)) }
      for edge in trace.operations[index].dependencies {
        if let other = dependency(edge) { join(index, other) }
      }
    }
    for span in trace.spans.indices {
      if let outer = parentSpan(ofSpan: span) { join(numbers.number(ofSpan: span), numbers.number(ofSpan: outer)) }
      if let index = operation(ofSpan: span) { join(numbers.number(ofSpan: span), index) }
    }
    // The root of each component is already its first operation; from here on, every member has it at hand.
    for index in component.indices { component[index] = Int32(clamping: root(index)) }
    if trace.spans.contains(where: { $0.context != nil }) { findKnown() }
  }

  /// Returns when an operation's span begins: when the operation was enqueued, or started by hand. Nil: it was neither,
  /// and has no span.
  func begin(of index: Int) -> Nanoseconds? {
    trace.operations[index].enqueued?.time ?? trace.operations[index].began?.time
  }

  /// Returns the operation whose code added this one.
  func parent(of index: Int) -> Int? {
    let parent = Int(parents.ofOperations[index])
    return parent >= 0 && begin(of: parent) != nil ? parent : nil
  }

  /// Returns the span that was active when this operation was added: the span of the code that added it, or, if no
  /// operation added it, the span that the recorder knows.
  func parentSpan(of index: Int) -> Int? {
    guard surroundings.indices.contains(index), surroundings[index] >= 0 else { return nil }
    return Int(surroundings[index])
  }

  /// Returns the span that encloses this one: the one that its tracer names, otherwise the one that encloses it in
  /// time.
  func parentSpan(ofSpan span: Int) -> Int? {
    if trace.spans[span].context != nil {
      let outer = trace.spans[span].parent.flatMap { spanRows[$0] }
      return outer == span ? nil : outer
    }
    guard around.indices.contains(span), around[span] >= 0 else { return nil }
    return Int(around[span])
  }

  /// Returns the operation in which a span began, if that operation has a span of its own.
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
        // This can only fail in damaged traces.
        trace.spans[span].began.time <= enqueued.time
      {
        surroundings[index] = Int32(clamping: span)
      }
    }
  }

  /// Returns the operation that the edge leads to, if it has a span. An edge that was removed says nothing about what
  /// happened.
  func dependency(_ edge: Dependency) -> Int? {
    guard edge.removed == nil, let index = trace.index(of: edge.on), begin(of: index) != nil else { return nil }
    return index
  }

  /// Returns the operation that held the slot that this one waited for.
  func holder(of index: Int) -> Int? {
    let holder = Int(holders.ofOperations[index])
    return holder >= 0 && begin(of: holder) != nil ? holder : nil
  }

  // MARK: Distributed traces

  /// Finds the distributed traces: whatever is inside a tracer's span belongs to the same trace.
  private mutating func findKnown() {
    known = [TraceID?](repeating: nil, count: component.count)
    var isFound = [Bool](repeating: false, count: component.count)
    for start in component.indices where !isFound[start] {
      var path: [Int] = []
      var at: Int? = start
      var ids: TraceID?
      while let here = at {
        // Nodes are marked at once, so that a cycle in a damaged trace ends.
        guard !isFound[here] else {
          ids = known[here]
          break
        }
        isFound[here] = true
        path.append(here)
        if case .span(let span) = numbers.node(here), let context = trace.spans[span].context {
          ids = Self.traceID(context.traceID)
          break
        }
        at = parentNode(of: here)
      }
      for here in path { known[here] = ids }
    }
  }

  private func parentNode(of node: Int) -> Int? {
    switch numbers.node(node) {
    case .operation(let index):
      guard begin(of: index) != nil else { return nil }
      return parentSpan(of: index).map(numbers.number(ofSpan:)) ?? parent(of: index)
    case .span(let span): return parentSpan(ofSpan: span).map(numbers.number(ofSpan:)) ?? operation(ofSpan: span)
    case .mark: return nil
    }
  }

  private func known(_ node: Int) -> TraceID? { known.indices.contains(node) ? known[node] : nil }

  private static func traceID(_ text: String) -> TraceID? {
    guard let high = UInt64(text.prefix(16), radix: 16), let low = UInt64(text.suffix(16), radix: 16) else {
      return nil
    }
    return (high, low)
  }

  // MARK: Numbers

  /// Returns the 16 bytes of an OpenTelemetry trace id, in two halves: one for our trace, one for the operations that
  /// are connected in it.
  func traceID(ofOperation index: Int) -> (UInt64, UInt64) {
    // This is the first of those that are connected, because operations come before spans.
    known(index) ?? (seed, spanID(.operation, UInt64(trace.operations[Int(component[index])].id.rawValue)))
  }

  /// Returns the trace id of something that belongs to no operation.
  func traceID(_ kind: Kind, _ number: Int) -> (UInt64, UInt64) { (seed, spanID(kind, UInt64(number))) }

  func traceID(ofSpan span: Int) -> (UInt64, UInt64) {
    let number = numbers.number(ofSpan: span)
    if let ids = known(number) { return ids }
    return switch numbers.node(Int(component[number])) {
    case .operation(let first): (seed, spanID(ofOperation: first))
    case .span(let first), .mark(let first): traceID(.span, first)
    }
  }

  /// Returns the id of a span. A tracer's span has an id of its own.
  func spanID(ofSpan span: Int) -> UInt64 {
    trace.spans[span].context.flatMap { UInt64($0.spanID, radix: 16) } ?? spanID(.span, UInt64(span))
  }

  /// Returns the id of the span that encloses a span. Nil: none.
  func parentID(ofSpan span: Int) -> UInt64? {
    let context = trace.spans[span].context
    if let outer = parentSpan(ofSpan: span), context == nil || trace.spans[outer].context?.traceID == context?.traceID {
      return spanID(ofSpan: outer)
    }
    if let context { return context.remoteParent.flatMap { UInt64($0, radix: 16) } }
    return operation(ofSpan: span).map { spanID(ofOperation: $0) }
  }

  /// Returns an id that differs for all spans of a trace: each step of the mixing is invertible (Steele, Lea, Flood:
  /// SplitMix).
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

  /// Joins two components: the root of the later one goes below the root of the earlier one, and the nodes on the way
  /// move closer to it.
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

/// Finds which of the program's own spans was open where something happened: the innermost one on that thread.
///
/// A span that ends on another thread than it began on, for example around an `await`, encloses nothing: whatever else
/// runs on that thread in the meantime is not part of it.
struct OTLPActiveSpans {
  /// The spans as nested runs, each identified by its index in the trace.
  private let open: NestedRuns<Int>
  /// The span that encloses each span within the same operation, by index of the span. -1: none.
  let around: [Int32]

  /// Finds the nesting of spans. O(n log n).
  init(_ trace: Trace) {
    open = NestedRuns { add in
      for (index, span) in trace.spans.enumerated() where span.ended?.thread ?? span.began.thread == span.began.thread {
        add(index, span.began.thread, span.began.time, span.ended?.time ?? trace.end)
      }
    }
    var around = [Int32](repeating: -1, count: trace.spans.count)
    open.forEachEnclosed { inner, outer in
      // A span around an operation that runs in it is not part of that operation.
      if trace.spans[outer].operation == trace.spans[inner].operation { around[inner] = Int32(clamping: outer) }
    }
    self.around = around
  }

  /// Returns the index of the innermost span on a thread at a given moment. Nil: there is none. O(log n), plus one step
  /// for each enclosing span.
  func innermost(at stamp: Stamp) -> Int? { open.innermost(at: stamp) }
}
