import OpTraceKernel
import OpTraceModel

/// Assigns lanes to the nodes of trees. Each node has a lane for its whole life, its children are below it, and a lane
/// is used again once its node's time is over. No node of another tree or of a sibling's tree comes between a node and
/// its children.
///
/// Every tree is packed as one block, from its leaves up: children in the order of their begins, each as high as there
/// is room.
struct TreeLanes {
  struct Node {
    var begin: Nanoseconds
    var end: Nanoseconds
    /// The index of its parent, which precedes it. -1: none.
    var parent: Int32 = -1
    /// Whether it needs a lane at all.
    var isShown = true
    /// Whether it is not over when the trace ends. Such nodes matter most, so they have four times the room.
    var isOpen = false
  }

  /// The lane, by index of the node. -1: there was none for it.
  private(set) var lane: [Int32]
  /// The number of nodes above it in its tree, by index of the node.
  private(set) var depth: [Int32]
  private(set) var count = 0

  /// Assigns the lanes. O(n · limit), less if few nodes live at the same time.
  /// - Parameter limit: the number of lanes, for one tree and for all.
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
    // These are the times of each node including all nodes below it: if only a part of the time is shown, a child may
    // be seen earlier than its parent.
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
        // If the parent found no lane, there is none for its children either.
        guard lane[parent] >= 0 else { continue }
      }
      let found = Int(offset[index]) + (parent >= 0 ? Int(lane[parent]) + 1 : 0)
      guard found < (nodes[index].isOpen ? limits.open : limits.usual) else { continue }
      lane[index] = Int32(clamping: found)
      count = max(count, found + 1)
    }
  }

  /// Packs the blocks of the children of one node.
  private struct Packing {
    /// When each lane becomes free again.
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
        // What lies below the very last lane is not drawn, and takes no room.
        while free.count < min(first + height, limits.open) { free.append(.min) }
        for lane in first..<min(first + height, free.count) { free[lane] = ends[child] }
      }
    }

    /// Returns the first of `height` consecutive lanes that are free.
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
