import OpTraceKernel

/// Decides which nodes of a graph become one box, so that a graph that is too large to read can be drawn.
///
/// Only nodes of one kind fold. Folding goes no further than necessary: it ends after the first step that leaves few
/// enough boxes. If steps 3 to 5 leave fewer boxes than allowed, boxes are split again as long as there are not too
/// many lines to follow: evenly, if that uses the room, else by taking single nodes out of them (``FoldingRoom``).
///
/// 1. *Alike*: nodes that come after the same boxes and before the same boxes, however far away (a fan, the stages of a
///    pipeline).
/// 2. *Runs*: nodes one behind the other, with nothing else before or after (a chain).
/// 3. *Same history*: nodes that come after the same boxes, whatever comes after them.
/// 4. *Same depth*: nodes with the same number of boxes before them on the longest path (layers).
/// 5. *Bands*: all nodes of one kind between two depths that have single nodes, if nothing else helps.
///
/// Steps 1 to 4 try the finest kinds first, then coarser ones, and add no cycle to those of the graph; nodes on a cycle
/// are left alone. In step 5 boxes may be both before and behind each other. Kinds come in tiers: the distinctions of a
/// tier are given up only after step 5 was tried with them.
///
/// Why no other step adds a cycle: in steps 1 and 3, all members of a box have, before them, a member of each box
/// before it, so a cycle of boxes could be followed backwards through nodes until one repeats. In step 2, an edge that
/// is the only way out of one node and the only way into the next can be contracted. In step 4, depth grows along every
/// edge. Boxes of steps 3 and 4 have no edges inside, so splitting them adds no cycle either: it would have to stay
/// within one box.
///
/// O(steps · (n + e log e)) for n nodes and e edges, with about 100 bytes of memory for each.
package struct GraphFolding: Sendable {
  /// The box of each node. Boxes are numbered by their first nodes.
  package private(set) var boxes: [Int32]
  package private(set) var boxCount: Int
  /// Whether step 5 was needed: then there may be cycles of boxes that the graph does not have.
  package private(set) var hasBands = false

  /// - Parameters:
  ///   - edges: between nodes `0..<nodeCount`; others are left out.
  ///   - tiers: the kind of each node, for each tier from the finest distinction to the coarsest.
  ///   - isWhole: nodes that keep boxes of their own.
  ///   - most: how many boxes are few enough. There are more only if there are more single nodes, or kinds, than that.
  ///   - worthIt: nodes that should be single if steps 3 to 5 leave room, the best first.
  package init(
    nodeCount: Int, edges: [FoldingEdge], tiers: [[[Int32]]], isWhole: [Bool], most: Int, worthIt: [Int32] = []
  ) {
    boxes = (0..<Int32(nodeCount)).map(\.self)
    boxCount = nodeCount
    guard nodeCount > most else { return }
    let whole = LayeredGraph(count: nodeCount, edges: edges, isFixed: isWhole)
    var graph = whole
    var firsts = boxes
    var bands: [Int32] = []
    var distinct = 0
    /// The result of steps 1 and 2 for the finest kinds.
    var atoms: [Int32]?
    let finest = tiers.first?.first ?? []
    for tier in tiers {
      for kinds in tier {
        let count = Set(kinds).count
        // This distinction makes no difference, and was tried already.
        if count == distinct { continue }
        distinct = count
        for step in Self.steps where graph.count > most {
          if step.isLossy, atoms == nil { atoms = boxes }
          var classes = Classes(of: step.fold(graph, firsts.map { kinds[Int($0)] }))
          if classes.count == graph.count { continue }
          if classes.count < most, step.isLossy {
            let least = worthIt.isEmpty ? 0 : Self.goodUse(of: most)
            classes = graph.parted(classes, by: firsts.map { finest[Int($0)] }, least: least, most: most)
          }
          graph = graph.folded(classes)
          firsts = classes.firsts.map { firsts[Int($0)] }
          for node in boxes.indices { boxes[node] = classes.numbers[Int(boxes[node])] }
        }
      }
      boxCount = graph.count
      hasBands = false
      // A few boxes may still be a tangle of lines. Then fewer boxes, with the important nodes taken out, show more.
      var isNet = atoms != nil && !worthIt.isEmpty && !graph.isClear(mostLines: Self.mostLines(of: most))
      for kinds in tier where boxCount > most || isNet {
        var classes = whole.bands(kinds, isWhole: isWhole, most: most, mostLines: 2 * most)
        if !worthIt.isEmpty, classes.count < Self.goodUse(of: most) {
          // Keep lines in reserve for the nodes that will be taken out.
          classes = whole.bands(kinds, isWhole: isWhole, most: most, mostLines: most)
        }
        guard classes.count < boxCount else { continue }
        (bands, boxCount, hasBands) = (classes.numbers, classes.count, true)
        isNet = false
      }
      if boxCount <= most { break }
    }
    if hasBands { boxes = bands }
    guard let atoms, boxCount < Self.goodUse(of: most), !worthIt.isEmpty else { return }
    var room = FoldingRoom(whole, boxes: boxes, count: boxCount, atoms: atoms)
    room.takeOut(worthIt, most: Self.goodUse(of: most), mostLines: Self.mostLines(of: most), maySplit: hasBands)
    let classes = Classes(of: room.boxes)
    (boxes, boxCount) = (classes.numbers, classes.count)
  }

  /// The number of boxes that makes enough use of the room.
  package static func goodUse(of most: Int) -> Int { most * 3 / 5 }

  /// With more lines than this between that many boxes, the picture is a tangle.
  package static func mostLines(of most: Int) -> Int { 3 * most }

  private struct Step: Sendable {
    var fold: @Sendable (LayeredGraph, [Int32]) -> [Int32]
    /// Whether boxes show less than their nodes did.
    var isLossy = false

    static let alike = Step { $0.alike($1) }
    static let runs = Step { $0.runs($1) }
    static let history = Step(fold: { $0.numbers($1, by: .before) }, isLossy: true)
    static let depths = Step(fold: { $0.depths($1) }, isLossy: true)
  }

  private static let steps: [Step] = [
    .alike, .runs, .alike, .runs, .history, .runs, .alike, .depths, .runs, .alike,
  ]
}

/// An edge from what comes first to what comes after it.
package struct FoldingEdge: Hashable, Sendable {
  package var from: Int32
  package var to: Int32

  package init(from: Int32, to: Int32) {
    self.from = from
    self.to = to
  }
}

/// Renumbers arbitrary numbers as 0, 1, 2, … in the order in which they first appear.
struct Classes {
  private(set) var numbers: [Int32] = []
  /// The first index of each class.
  private(set) var firsts: [Int32] = []
  var count: Int { firsts.count }

  /// - Parameter marks: numbers from 0, possibly with gaps; the largest is not much above the number of marks.
  init(of marks: [Int32]) {
    var known = [Int32](repeating: -1, count: Int(marks.max() ?? -1) + 1)
    numbers.reserveCapacity(marks.count)
    for (index, mark) in marks.enumerated() {
      if known[Int(mark)] < 0 {
        known[Int(mark)] = Int32(firsts.count)
        firsts.append(Int32(index))
      }
      numbers.append(known[Int(mark)])
    }
  }
}
