/// Which nodes of a graph become one box, so that a graph too large to be read can be drawn.
///
/// Only nodes of one kind fold. The folding goes no further than it has to: after each of these steps it ends when there
/// are few enough boxes. Where steps 3 to 5 would leave fewer than there may be, boxes are parted again, as far as lines do
/// not become too many to be followed: evenly, where that uses the room, else single nodes leave them (``FoldingRoom``).
///
/// 1. *Alike*: those that come after the same boxes and before the same boxes, however far away (a fan, the stages of a
///    pipeline).
/// 2. *Runs*: one behind the other, with nothing else before or after (a chain).
/// 3. *Same history*: those that come after the same boxes, whatever comes after them.
/// 4. *Same depth*: those with the same number of boxes before them on the longest way (layers).
/// 5. *Bands*: all of one kind between two depths with single nodes; where nothing else helps.
///
/// Steps 1 to 4 are tried with the finest kinds first, then with coarser ones, and make no cycle that the graph does
/// not have; nodes of a cycle are left alone. In step 5 boxes may come to lie before and behind each other. Kinds come in
/// tiers: what a tier distinguishes is only given up after its step 5.
///
/// Why no step makes a cycle: all members of a box of 1 and 3 have a member of each box before it before them, so a
/// cycle of boxes could be followed backwards through nodes until one comes again. The end of a link that is the only
/// way on and the only way there can be drawn to its beginning. Depth grows along every edge. Boxes of 3 and 4 have no edges
/// inside, so parting them makes none either: it would have to stay within one.
///
/// O(steps * (n + e log e)) for n nodes and e edges, in memory about 100 bytes for each.
package struct GraphFolding: Sendable {
  /// The box of each node. Boxes are numbered by their first nodes.
  package private(set) var boxes: [Int32]
  package private(set) var boxCount: Int
  /// The last step was taken: between boxes there may be cycles that the graph does not have.
  package private(set) var hasBands = false

  /// - Parameters:
  ///   - edges: between nodes `0..<nodeCount`; others are left out.
  ///   - tiers: what each node is, by tiers, and in each from the finest distinction to the coarsest.
  ///   - isWhole: these keep boxes of their own.
  ///   - most: how many boxes are few enough. More are left only where there are more single nodes, or kinds, than that.
  ///   - worthIt: nodes that should be single where steps 3 to 5 leave room, the best first.
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
    /// What steps 1 and 2 made of the finest kinds.
    var atoms: [Int32]?
    let finest = tiers.first?.first ?? []
    for tier in tiers {
      for kinds in tier {
        let count = Set(kinds).count
        // A distinction that is none at all has been tried.
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
      // Few boxes may still be a net of lines. Fewer boxes with the important nodes taken out show more.
      var isNet = atoms != nil && !worthIt.isEmpty && !graph.isClear(mostLines: Self.mostLines(of: most))
      for kinds in tier where boxCount > most || isNet {
        var classes = whole.bands(kinds, isWhole: isWhole, most: most, mostLines: 2 * most)
        if !worthIt.isEmpty, classes.count < Self.goodUse(of: most) {
          // Lines are kept for what leaves them.
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

  /// From so many boxes on there is no need for more.
  package static func goodUse(of most: Int) -> Int { most * 3 / 5 }

  /// More lines between so many boxes are a net.
  package static func mostLines(of most: Int) -> Int { 3 * most }

  private struct Step: Sendable {
    var fold: @Sendable (LayeredGraph, [Int32]) -> [Int32]
    /// Boxes show less than their nodes did.
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

/// From what comes first to what comes after it.
package struct FoldingEdge: Hashable, Sendable {
  package var from: Int32
  package var to: Int32

  package init(from: Int32, to: Int32) {
    self.from = from
    self.to = to
  }
}

/// Numbers of any sort, made into 0, 1, 2, … in the order in which they come first.
struct Classes {
  private(set) var numbers: [Int32] = []
  /// The first index of each.
  private(set) var firsts: [Int32] = []
  var count: Int { firsts.count }

  /// - Parameter marks: from 0 on, but with gaps; not above the number of marks by much.
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
