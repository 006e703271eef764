import OpTraceKernel

/// Uses the room that a coarse folding leaves, by taking the most important nodes out of their boxes.
///
/// The nodes of a coarse box share little but a depth or a queue. Splitting such boxes evenly would say no more and add
/// many lines; taking out a single operation adds only that operation's few lines.
struct FoldingRoom {
  private let graph: LayeredGraph
  /// For each node its atom: nodes that are alike in everything, or form a chain, stay together.
  private let atom: [Int32]
  private let members: NodeLists
  /// The box of each node before anything was taken out.
  private let first: [Int32]
  private(set) var boxes: [Int32]
  private(set) var boxCount: Int
  /// The number of edges between two boxes.
  private var links: [UInt64: Int] = [:]
  /// The number of atoms that are left in each box.
  private var atoms: [Int]

  /// - Parameters:
  ///   - boxes: the box of each node.
  ///   - atoms: a number for each node; nodes with equal numbers in the same box are never separated.
  init(_ graph: LayeredGraph, boxes: [Int32], count: Int, atoms alike: [Int32]) {
    self.graph = graph
    self.boxes = boxes
    first = boxes
    boxCount = count
    var known: [[Int32]: Int32] = [:]
    let atom = zip(alike, boxes).map { pair in
      let number = known[[pair.0, pair.1], default: Int32(known.count)]
      known[[pair.0, pair.1]] = number
      return number
    }
    self.atom = atom
    let atomCount = known.count
    members = NodeLists(atomCount, atom.enumerated().map { ($1, Int32($0)) })
    atoms = [Int](repeating: 0, count: count)
    for number in 0..<atomCount { if let node = members[number].first { atoms[Int(boxes[Int(node)])] += 1 } }
    for node in 0..<graph.count {
      for other in graph.after[node] where boxes[node] != boxes[Int(other)] { add(1, from: node, to: Int(other)) }
    }
  }

  /// Takes these nodes out of their boxes, in this order, while there are fewer boxes than `most` and fewer lines
  /// between boxes than `mostLines`. The first nodes may use up half of the free lines. The other half is kept for
  /// nodes that add so few lines that `most` can still be reached.
  ///
  /// - Parameter maySplit: the folding has cycles of boxes already, so more of them do not matter.
  mutating func takeOut(_ nodes: [Int32], most: Int, mostLines: Int, maySplit: Bool) {
    let freely = (links.count + mostLines) / 2
    for node in nodes where boxCount < most && links.count < mostLines {
      let number = Int(atom[Int(node)])
      let box = Int(first[Int(node)])
      guard boxes[Int(node)] == Int32(box), atoms[box] > 1, maySplit || !isInside(number, of: box) else { continue }
      let before = links.count
      move(number, to: Int32(boxCount))
      guard links.count <= max(freely, before + (mostLines - before) / (most - boxCount)) else {
        move(number, to: Int32(box))
        continue
      }
      atoms[box] -= 1
      boxCount += 1
    }
  }

  /// Whether its original box had nodes both before and behind it: taken out, it would make a cycle of boxes. Otherwise
  /// it makes none, because no node that has left a box leads back into that box.
  private func isInside(_ number: Int, of box: Int) -> Bool {
    func isBeside(_ lists: NodeLists) -> Bool {
      members[number].contains { node in
        lists[Int(node)].contains { first[Int($0)] == Int32(box) && atom[Int($0)] != Int32(number) }
      }
    }
    return isBeside(graph.before) && isBeside(graph.after)
  }

  private mutating func move(_ number: Int, to box: Int32) {
    for node in members[number] {
      count(Int(node), -1)
      boxes[Int(node)] = box
      count(Int(node), 1)
    }
  }

  private mutating func count(_ node: Int, _ change: Int) {
    for other in graph.after[node] where boxes[Int(other)] != boxes[node] { add(change, from: node, to: Int(other)) }
    for other in graph.before[node] where boxes[Int(other)] != boxes[node] { add(change, from: Int(other), to: node) }
  }

  private mutating func add(_ change: Int, from: Int, to: Int) {
    let link = UInt64(UInt32(bitPattern: boxes[from])) << 32 | UInt64(UInt32(bitPattern: boxes[to]))
    let count = links[link, default: 0] + change
    links[link] = count > 0 ? count : nil
  }
}
