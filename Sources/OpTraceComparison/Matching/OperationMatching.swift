import OpTraceKernel
import OpTraceModel

/// Which operation of one run is which of another. In this order, and no operation twice:
///
/// 1. *Name*: those whose name, class, queue and function only one operation of each run has.
/// 2. *Neighbours*: what the only one of its pattern is among those that a matched operation waits for, or that wait for it.
/// 3. *Neighbourhood*: those whose surroundings look alike, up to three steps away, by the patterns in them, by names
///    that both runs have, and by what is matched already (colour refinement: Weisfeiler, Leman 1968). As often in both runs: in order.
/// 4. *Order*: what is left of a pattern, in the order of first sight.
///
/// O((n + e) log n) for n operations and e dependencies.
struct OperationMatching {
  /// For each operation of the first run, its index in the second; -1: it has none there.
  private(set) var partners: [Int32]
  private var backs: [Int32]
  private let first: RunShape
  private let second: RunShape
  /// Matched, and their neighbours not compared yet.
  private var fresh: [Int32] = []
  private var left: Int

  init(_ first: RunShape, _ second: RunShape) {
    (self.first, self.second) = (first, second)
    partners = Array(repeating: -1, count: first.count)
    backs = Array(repeating: -1, count: second.count)
    left = min(first.count, second.count)
    let shared = matchNames()
    spread()
    for depth in [3, 1, 0] where left > 0 {
      matchColours(depth, shared, hasRest: false)
      spread()
    }
    if left > 0 { matchColours(0, .none(first.count, second.count), hasRest: true) }
  }

  private mutating func match(_ one: Int32, _ other: Int32) {
    partners[Int(one)] = other
    backs[Int(other)] = one
    fresh.append(one)
    left -= 1
  }

  // MARK: - Names

  private struct Exact: Hashable {
    var name: String
    var pattern: Int32
  }

  private struct Holders {
    var counts: (Int32, Int32) = (0, 0)
    var indexes: (Int32, Int32) = (-1, -1)
  }

  /// For operations of both runs a number of their name, where both runs have it; else 0.
  private struct SharedNames {
    var first: [Int32]
    var second: [Int32]

    static func none(_ first: Int, _ second: Int) -> SharedNames {
      SharedNames(first: Array(repeating: 0, count: first), second: Array(repeating: 0, count: second))
    }
  }

  private mutating func matchNames() -> SharedNames {
    var holders: [Holders] = []
    var numbers: [Exact: Int32] = [:]
    numbers.reserveCapacity(max(first.count, second.count))
    func number(_ shape: RunShape, _ index: Int) -> Int32 {
      guard let name = shape.names[index] else { return -1 }
      let next = Int32(clamping: holders.count)
      let key = Exact(name: name, pattern: shape.patterns[index])
      let known = numbers[key, default: next]
      if known == next {
        numbers[key] = next
        holders.append(Holders())
      }
      return known
    }
    let firsts = (0..<first.count).map { index -> Int32 in
      let number = number(first, index)
      if number >= 0 {
        holders[Int(number)].counts.0 += 1
        holders[Int(number)].indexes.0 = Int32(clamping: index)
      }
      return number
    }
    let seconds = (0..<second.count).map { index -> Int32 in
      let number = number(second, index)
      if number >= 0 {
        holders[Int(number)].counts.1 += 1
        holders[Int(number)].indexes.1 = Int32(clamping: index)
      }
      return number
    }
    for holder in holders where holder.counts == (1, 1) { match(holder.indexes.0, holder.indexes.1) }
    func shared(_ number: Int32) -> Int32 {
      number >= 0 && holders[Int(number)].counts.0 > 0 && holders[Int(number)].counts.1 > 0 ? number + 1 : 0
    }
    return SharedNames(first: firsts.map(shared), second: seconds.map(shared))
  }

  // MARK: - Neighbours

  /// Each matched pair is visited once, so all of it takes O(e).
  private mutating func spread() {
    while let one = fresh.popLast() {
      let other = Int(partners[Int(one)])
      pair(first.graph.dependencies(of: Int(one)), second.graph.dependencies(of: other))
      pair(first.graph.dependents(of: Int(one)), second.graph.dependents(of: other))
    }
  }

  private mutating func pair(_ ones: some Sequence<Int>, _ others: some Sequence<Int>) {
    var holders: [Int32: Holders] = [:]
    for index in ones where partners[index] < 0 {
      holders[first.patterns[index], default: Holders()].counts.0 += 1
      holders[first.patterns[index]]?.indexes.0 = Int32(clamping: index)
    }
    if holders.isEmpty { return }
    for index in others where backs[index] < 0 {
      holders[second.patterns[index]]?.counts.1 += 1
      holders[second.patterns[index]]?.indexes.1 = Int32(clamping: index)
    }
    for holder in holders.values where holder.counts == (1, 1) {
      match(holder.indexes.0, holder.indexes.1)
    }
  }

  // MARK: - Neighbourhoods

  /// Of what is open, those with one colour: where both runs have as many of them, else (for the last time) as far as they go.
  private mutating func matchColours(_ depth: Int, _ names: SharedNames, hasRest: Bool) {
    let ones = open(first, partners, names: names.first, depth) { Int32(clamping: $0) }
    let others = open(second, backs, names: names.second, depth) { backs[$0] }
    var (here, there) = (0, 0)
    while here < ones.count, there < others.count {
      let colour = ones[here].colour
      if others[there].colour < colour {
        there += 1
        continue
      }
      let end = ones[here...].firstIndex { $0.colour != colour } ?? ones.count
      let otherEnd = others[there...].firstIndex { $0.colour != colour } ?? others.count
      if hasRest || end - here == otherEnd - there {
        for (one, other) in zip(ones[here..<end], others[there..<otherEnd]) { match(one.index, other.index) }
      }
      (here, there) = (end, otherEnd)
    }
  }

  /// What is not matched, with its colour, in the order of colours and of first sight.
  private func open(
    _ shape: RunShape, _ partners: [Int32], names: [Int32], _ depth: Int, pair: (Int) -> Int32
  ) -> [(colour: UInt64, index: Int32)] {
    var colours = (0..<shape.count).map { index in
      // What is matched has the colour of its pair, everything else that of its pattern and name.
      partners[index] >= 0
        ? Self.mixed(UInt64(UInt32(bitPattern: pair(index))) | 1 << 63)
        : Self.mixed(UInt64(UInt32(bitPattern: shape.patterns[index])) << 31 | UInt64(UInt32(bitPattern: names[index])))
    }
    for _ in 0..<depth {
      var next = colours.map { Self.mixed($0 &+ 1) }
      for edge in shape.graph.edges {
        next[edge.waiter] &+= Self.mixed(colours[edge.dependency] ^ 0x5555)
        next[edge.dependency] &+= Self.mixed(colours[edge.waiter] ^ 0xAAAA)
      }
      colours = next
    }
    var result: [(colour: UInt64, index: Int32)] = []
    for index in 0..<shape.count where partners[index] < 0 { result.append((colours[index], Int32(clamping: index))) }
    result.sort { ($0.colour, $0.index) < ($1.colour, $1.index) }
    return result
  }

  /// Bits that depend on all bits (the last step of SplitMix64: Steele, Lea, Flood 2014).
  private static func mixed(_ value: UInt64) -> UInt64 {
    var word = value &+ 0x9E37_79B9_7F4A_7C15
    word = (word ^ word >> 30) &* 0xBF58_476D_1CE4_E5B9
    word = (word ^ word >> 27) &* 0x94D0_49BB_1331_11EB
    return word ^ word >> 31
  }
}

/// A run as matching needs it: what each operation is called, what it is, and who waits for whom.
struct RunShape: Sendable {
  /// By index in the trace; nil: without a name.
  var names: [String?]
  /// The number of each operation's pattern.
  var patterns: [Int32]
  var graph: DependencyGraph
  /// Some operation's function is known: the trace has symbols.
  var hasFunctions: Bool
  var count: Int { patterns.count }

  init(of trace: Trace, graph: DependencyGraph, patterns: inout PatternTable) {
    self.patterns = patterns.numbers(of: trace)
    names = trace.operations.indices.map { trace.operations[$0].name }
    self.graph = graph
    hasFunctions = trace.operations.indices.contains { trace.operations[$0].function != nil }
  }

  /// The same with other numbers for its patterns.
  func mapped(by numbers: [Int32]) -> RunShape {
    var result = self
    result.patterns = patterns.map { numbers[Int($0)] }
    return result
  }
}
