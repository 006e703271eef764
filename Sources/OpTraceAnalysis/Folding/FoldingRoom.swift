/// Uses the room that a coarse folding has left: the most important nodes leave their boxes.
///
/// Boxes that share nothing but a depth or a queue say little. Parting them evenly would say no more, and make many lines;
/// a single operation costs only its own few lines.
struct FoldingRoom {
  private let graph: LayeredGraph
  /// What is alike in all, or a chain, stays together.
  private let atom: [Int32]
  private let members: NodeLists
  /// Where nodes were before anything left.
  private let first: [Int32]
  private(set) var boxes: [Int32]
  private(set) var boxCount: Int
  /// How many edges there are between two boxes.
  private var links: [UInt64: Int] = [:]
  /// How many atoms are left in each.
  private var atoms: [Int]

  /// - Parameters:
  ///   - boxes: of each node.
  ///   - atoms: of each node: what has equal numbers, and is in one box, never parts.
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

  /// Takes these nodes out of their boxes, in this order, as long as there are fewer boxes than `most` and no more lines
  /// between boxes than `mostLines`. Half of the lines are for whatever comes first; the others are kept for those that
  /// bring so few that `most` can be reached.
  ///
  /// - Parameter maySplit: cycles of boxes are no matter, as there are some.
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

  /// Whether there is something before it and something behind it that was in its box from the beginning: taken out, it would make a
  /// cycle. Where there is not, it makes none: of what was in one box, nothing that has left it leads back into it.
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
