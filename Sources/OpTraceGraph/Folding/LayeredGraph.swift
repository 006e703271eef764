import OpTraceKernel

/// A graph with the depth of each node, and the ways in which ``GraphFolding`` puts its nodes into classes.
///
/// Classes are given as one number for each node; equal numbers mean the same class. Each fixed node is alone in its
/// class.
struct LayeredGraph: Sendable {
  enum Side { case before, after }

  let count: Int
  /// Nodes to leave alone: those that the caller named, and all on cycles.
  var isFixed: [Bool]
  let before: NodeLists
  let after: NodeLists
  /// The number of nodes before each one on the longest path; a cycle counts as one.
  private(set) var depth: [Int32] = []
  /// The nodes sorted by depth.
  private var order: [Int32] = []

  init(count: Int, edges: [FoldingEdge], isFixed: [Bool]) {
    self.count = count
    self.isFixed = isFixed
    let nodes = 0..<Int32(count)
    var links: [FoldingEdge] = []
    links.reserveCapacity(edges.count)
    for edge in edges where nodes.contains(edge.from) && nodes.contains(edge.to) {
      if edge.from == edge.to { self.isFixed[Int(edge.from)] = true } else { links.append(edge) }
    }
    after = NodeLists(count, links.map { ($0.from, $0.to) })
    before = NodeLists(count, links.map { ($0.to, $0.from) })
    if !setDepths() { setDepthsAroundCycles() }
    let byDepth = NodeLists(Int(depth.max() ?? 0) + 1, depth.enumerated().map { ($1, Int32($0)) })
    order = byDepth.all
  }

  /// Computes depths; false if there are cycles.
  private mutating func setDepths() -> Bool {
    depth = [Int32](repeating: 0, count: count)
    var open = (0..<count).map { before[$0].count }
    var ready = (0..<count).filter { open[$0] == 0 }
    var seen = 0
    while let node = ready.popLast() {
      seen += 1
      for next in after[node] {
        let next = Int(next)
        depth[next] = max(depth[next], depth[node] + 1)
        open[next] -= 1
        if open[next] == 0 { ready.append(next) }
      }
    }
    return seen == count
  }

  private mutating func setDepthsAroundCycles() {
    let edges = (0..<count).flatMap { node in
      before[node].map { DependencyGraph.Edge(waiter: node, dependency: Int($0)) }
    }
    depth = [Int32](repeating: 0, count: count)
    var component = [Int](repeating: -1, count: count)
    let graph = DependencyGraph(nodeCount: count, edges: edges)
    for (number, members) in graph.stronglyConnectedComponents().enumerated() {
      for node in members { component[node] = number }
      var first: Int32 = 0
      for node in members {
        for other in before[node] where component[Int(other)] != number { first = max(first, depth[Int(other)] + 1) }
      }
      for node in members {
        depth[node] = first
        if members.count > 1 { isFixed[node] = true }
      }
    }
  }

  /// The graph of the classes, without edges inside a class.
  func folded(_ classes: Classes) -> LayeredGraph {
    var edges: [FoldingEdge] = []
    for node in 0..<count {
      let from = classes.numbers[node]
      for other in after[node] where classes.numbers[Int(other)] != from {
        edges.append(FoldingEdge(from: from, to: classes.numbers[Int(other)]))
      }
    }
    return LayeredGraph(count: classes.count, edges: edges, isFixed: classes.firsts.map { isFixed[Int($0)] })
  }
}

extension LayeredGraph {
  /// Classes of nodes of one kind that have the same classes on one side of them.
  func numbers(_ kinds: [Int32], by side: Side) -> [Int32] {
    struct Signature: Hashable {
      var kind: Int32
      var first: Int32
      /// Nearly always empty, and then it needs no memory.
      var rest: [Int32]
    }
    var numbers = fixedNumbers()
    var numbering = Numbering<Signature>(from: Int32(count))
    var beside: [Int32] = []
    func number(_ node: Int) {
      guard !isFixed[node] else { return }
      beside.removeAll(keepingCapacity: true)
      for other in side == .before ? before[node] : after[node] where beside.last != numbers[Int(other)] {
        beside.append(numbers[Int(other)])
      }
      if beside.count > 1 {
        beside.sort()
        beside.removeRepetitions()
      }
      numbers[node] = numbering.number(
        of: Signature(kind: kinds[node], first: beside.first ?? -1, rest: Array(beside.dropFirst())))
    }
    switch side {
    case .before: for node in order { number(Int(node)) }
    case .after: for node in order.reversed() { number(Int(node)) }
    }
    return numbers
  }

  /// Classes of nodes of one kind that have the same classes on both sides of them.
  func alike(_ kinds: [Int32]) -> [Int32] {
    // The pairs of two sound partitions are a finer one that is sound, too.
    pairs(numbers(kinds, by: .before), numbers(kinds, by: .after))
  }

  /// Classes of nodes of one kind that form a chain.
  func runs(_ kinds: [Int32]) -> [Int32] {
    var numbers = (0..<Int32(count)).map(\.self)
    for node in order.lazy.map({ Int($0) }) where !isFixed[node] && before[node].count == 1 {
      guard let previous = before[node].first.map({ Int($0) }), !isFixed[previous], after[previous].count == 1,
        kinds[previous] == kinds[node]
      else { continue }
      numbers[node] = numbers[previous]
    }
    return numbers
  }

  /// Classes of nodes of one kind at one depth.
  func depths(_ kinds: [Int32]) -> [Int32] { pairs(kinds, depth) }

  func pairs(_ one: [Int32], _ other: [Int32]) -> [Int32] {
    var numbers = fixedNumbers()
    var numbering = Numbering<UInt64>(from: Int32(count))
    for node in 0..<count where !isFixed[node] {
      numbers[node] = numbering.number(
        of: UInt64(UInt32(bitPattern: one[node])) << 32 | UInt64(UInt32(bitPattern: other[node])))
    }
    return numbers
  }

  /// Numbers for all nodes: fixed ones have those below `count`, the others those from there on.
  private func fixedNumbers() -> [Int32] { (0..<Int32(count)).map(\.self) }
}

/// Numbers keys in the order in which they first appear.
private struct Numbering<Key: Hashable> {
  private var next: Int32
  private var known: [Key: Int32] = [:]

  init(from first: Int32) { next = first }

  mutating func number(of key: Key) -> Int32 {
    if let old = known[key] { return old }
    known[key] = next
    defer { next += 1 }
    return next
  }
}

/// For each node a list of other nodes without repetition, all stored in one array.
struct NodeLists: Sendable {
  private var starts: [Int32]
  private(set) var all: [Int32]

  /// O(n + pairs).
  init(_ count: Int, _ pairs: [(at: Int32, value: Int32)]) {
    starts = [Int32](repeating: 0, count: count + 1)
    for pair in pairs { starts[Int(pair.at) + 1] += 1 }
    for node in 0..<count { starts[node + 1] += starts[node] }
    var next = starts
    all = [Int32](repeating: 0, count: pairs.count)
    for pair in pairs {
      all[Int(next[Int(pair.at)])] = pair.value
      next[Int(pair.at)] += 1
    }
    removeRepetitions(count)
  }

  private mutating func removeRepetitions(_ count: Int) {
    var used = 0
    var begin = 0
    for node in 0..<count {
      let end = Int(starts[node + 1])
      if end - begin > 1 { all[begin..<end].sort() }
      starts[node] = Int32(used)
      let first = used
      for index in begin..<end where used == first || all[used - 1] != all[index] {
        all[used] = all[index]
        used += 1
      }
      begin = end
    }
    starts[count] = Int32(used)
    all.removeSubrange(used...)
  }

  subscript(node: Int) -> ArraySlice<Int32> { all[Int(starts[node])..<Int(starts[node + 1])] }
}
