import OpTraceAnalysis
import OpTraceModel

/// Gives the nodes of trees lanes: each has one as long as it lives, its children are below it, and a lane is used again where
/// its node's time is over. No node of another tree, and none of a sibling's, comes between a node and its children.
///
/// Every tree is packed as one block, from its leaves up: children in the order of their begins, each as high as there is room.
struct TreeLanes {
  struct Node {
    var begin: Nanoseconds
    var end: Nanoseconds
    /// The index of its parent, which comes before it; -1: none.
    var parent: Int32 = -1
    /// Whether it is to have a lane at all.
    var isShown = true
    /// What is not over when the trace ends matters most: it has four times the room.
    var isOpen = false
  }

  /// By index; -1: there was none for it.
  private(set) var lane: [Int32]
  /// By index: how many nodes are above it in its tree.
  private(set) var depth: [Int32]
  private(set) var count = 0

  /// - Parameter limit: how many lanes there are, for one tree and for all. O(n · limit), less where few live at a time.
  init(_ nodes: [Node], limit: Int) {
    lane = [Int32](repeating: -1, count: nodes.count)
    depth = [Int32](repeating: 0, count: nodes.count)
    let (most, overflow) = limit.multipliedReportingOverflow(by: 4)
    let limits = (usual: max(0, limit), open: overflow ? Int.max : max(0, most))
    func parent(_ index: Int) -> Int {
      let parent = Int(nodes[index].parent)
      return parent >= 0 && parent < index && nodes[parent].isShown ? parent : -1
    }
    let children = IndexesByGroup(nodes.indices.lazy.map { parent($0) + 1 }, groups: nodes.count + 1)
    var height = [Int32](repeating: 1, count: nodes.count)
    // Of each with all below it: a child may be seen earlier than its parent, where only a part of the time is shown.
    var begin = nodes.map(\.begin)
    var end = nodes.map { max($0.end, $0.begin == .max ? $0.begin : $0.begin + 1) }
    /// The first lane of each block below that of its parent.
    var offset = [Int32](repeating: -1, count: nodes.count)
    var packing = Packing()
    for index in nodes.indices.reversed() where nodes[index].isShown {
      packing.pack(children[index + 1], nodes, begin, end, height, limits, &offset)
      height[index] = Int32(clamping: 1 + packing.height)
      begin[index] = min(begin[index], packing.begin)
      end[index] = max(end[index], packing.end)
    }
    packing.pack(children[0], nodes, begin, end, height, limits, &offset)
    for index in nodes.indices where nodes[index].isShown && offset[index] >= 0 {
      let parent = parent(index)
      if parent >= 0 {
        depth[index] = depth[parent] + 1
        // Below what found no lane there is none either.
        guard lane[parent] >= 0 else { continue }
      }
      let found = Int(offset[index]) + (parent >= 0 ? Int(lane[parent]) + 1 : 0)
      guard found < (nodes[index].isOpen ? limits.open : limits.usual) else { continue }
      lane[index] = Int32(clamping: found)
      count = max(count, found + 1)
    }
  }

  /// The children of one node, in blocks.
  private struct Packing {
    /// When each lane is free again.
    private var free: [Nanoseconds] = []
    private(set) var begin = Nanoseconds.max
    private(set) var end = Nanoseconds.min
    var height: Int { free.count }

    mutating func pack(
      _ children: some Sequence<Int>, _ nodes: [Node], _ begins: [Nanoseconds], _ ends: [Nanoseconds],
      _ heights: [Int32],
      _ limits: (usual: Int, open: Int), _ offset: inout [Int32]
    ) {
      free.removeAll(keepingCapacity: true)
      begin = .max
      end = .min
      for child in children.filter({ nodes[$0].isShown }).sorted(by: { (begins[$0], $0) < (begins[$1], $1) }) {
        let height = Int(heights[child])
        let limit = nodes[child].isOpen ? limits.open : limits.usual
        guard let first = lane(height, from: begins[child], limit) else { continue }
        offset[child] = Int32(clamping: first)
        begin = min(begin, begins[child])
        end = max(end, ends[child])
        // What lies below the last lane of all is not drawn, and takes no room.
        while free.count < min(first + height, limits.open) { free.append(.min) }
        for lane in first..<min(first + height, free.count) { free[lane] = ends[child] }
      }
    }

    /// The first of so many lanes that are free.
    private func lane(_ height: Int, from begin: Nanoseconds, _ limit: Int) -> Int? {
      var first = 0
      var lane = 0
      while lane < free.count, lane - first < height {
        if free[lane] > begin { first = lane + 1 }
        lane += 1
      }
      return first < limit ? first : nil
    }
  }
}
