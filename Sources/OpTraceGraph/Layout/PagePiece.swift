import OpTraceKernel

/// The piece of a part that goes into one line of a page: columns of boxes, each box with its row in its lane.
struct PagePiece {
  struct Box {
    var node: Int
    var row: Int
  }

  var columns: [[Box]] = []

  /// Splits one column of the graph into columns of the page. Rows are filled first, so that neighbours stay near each
  /// other.
  static func slices(of column: [Int], lane: [Int], rows: Int) -> [[Box]] {
    var slices: [[Box]] = []
    var from = 0
    while from < column.count {
      var to = from
      while to < column.count, lane[column[to]] == lane[column[from]] { to += 1 }
      let width = (to - from + rows - 1) / rows
      while slices.count < width { slices.append([]) }
      for (number, node) in column[from..<to].enumerated() {
        slices[number % width].append(Box(node: node, row: number / width))
      }
      from = to
    }
    return slices
  }

  /// Returns the columns in which each lane has boxes, and the number of rows that it needs.
  func usedColumns(_ lane: [Int]) -> [(lane: Int, block: (columns: [Int], rows: Int))] {
    var used: [Int: (columns: [Int], rows: Int)] = [:]
    for (number, column) in columns.enumerated() {
      for box in column {
        let lane = lane[box.node]
        var block = used[lane] ?? ([], 0)
        if block.columns.last != number { block.columns.append(number) }
        block.rows = max(block.rows, box.row + 1)
        used[lane] = block
      }
    }
    return used.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
  }

  /// Moves boxes to the rows of their neighbours, so that lines are straight: one pass forwards, one back, one
  /// forwards. The order of boxes and the rows of a lane stay the same.
  mutating func align(_ parts: LayeredParts) {
    let most = Dictionary(uniqueKeysWithValues: usedColumns(parts.lane).map { ($0.lane, $0.block.rows) })
    guard most.values.contains(where: { $0 > 1 }) else { return }
    var rows: [Int: Double] = [:]
    for column in columns {
      for lane in Set(column.lazy.map { parts.lane[$0.node] }) {
        let boxes = column.filter { parts.lane[$0.node] == lane }
        let spare = Double((most[lane] ?? 1) - boxes.count) / 2
        for (number, box) in boxes.enumerated() { rows[box.node] = Double(number) + spare }
      }
    }
    for isForward in [true, false, true] {
      for number in isForward ? Array(columns.indices) : columns.indices.reversed() {
        for lane in Set(columns[number].lazy.map { parts.lane[$0.node] }).sorted() {
          let indexes = columns[number].indices.filter { parts.lane[columns[number][$0].node] == lane }
          let wanted = indexes.map { index -> Double in
            let node = columns[number][index].node
            let neighbours =
              isForward ? Array(parts.graph.dependencies(of: node)) : Array(parts.graph.dependents(of: node))
            let near = neighbours.filter { parts.lane[$0] == lane }.compactMap { rows[$0] }
            return near.isEmpty ? rows[node] ?? 0 : near.reduce(0, +) / Double(near.count)
          }
          for (index, row) in zip(indexes, Self.spread(wanted, over: most[lane] ?? indexes.count)) {
            columns[number][index].row = row
            rows[columns[number][index].node] = Double(row)
          }
        }
      }
    }
  }

  /// Returns the ascending integer rows below `count` that are closest to the wanted ones (pool adjacent violators).
  static func spread(_ wanted: [Double], over count: Int) -> [Int] {
    var pools: [(sum: Double, size: Int)] = []
    for (number, value) in wanted.enumerated() {
      pools.append((value - Double(number), 1))
      while pools.count > 1, let last = pools.last,
        pools[pools.count - 2].sum / Double(pools[pools.count - 2].size) >= last.sum / Double(last.size)
      {
        pools.removeLast()
        pools[pools.count - 1].sum += last.sum
        pools[pools.count - 1].size += last.size
      }
    }
    let room = max(0, count - wanted.count)
    var rows: [Int] = []
    for pool in pools {
      let shift = min(max(0, Int((pool.sum / Double(pool.size)).rounded())), room)
      for _ in 0..<pool.size { rows.append(rows.count + shift) }
    }
    return rows
  }
}
