import OpTraceKernel

/// Converts cells to points.
struct PagePositions {
  let page: LayeredPage
  /// The upper end of each lane.
  let tops: [Double]

  private var measures: PageMeasures { page.measures }

  func centre(of node: Int) -> GraphLayout.Point {
    let cell = page.cells[node]
    return GraphLayout.Point(
      measures.firstColumn + Double(cell.column) * measures.columnPitch + measures.metrics.nodeWidth / 2,
      top(of: cell.row, in: page.parts.lane[node]) + measures.metrics.nodeHeight / 2)
  }

  /// Returns the middle of the gap above a row. A lane also has a gap below its last row.
  func gap(above row: Int, in lane: Int) -> Double { top(of: row, in: lane) - measures.rowGap / 2 }

  private func top(of row: Int, in lane: Int) -> Double {
    let rows = page.rows[lane]
    let height = measures.height(ofLane: rows)
    let inner = Double(max(1, rows)) * measures.rowPitch - measures.rowGap
    return tops[lane] + (height - inner) / 2 + Double(row) * measures.rowPitch
  }
}

/// Routes lines between boxes. A line between neighbouring columns is an S-curve. Others run up or down beside one
/// column, along a row, and up or down beside the other column. No box is in the way of any of these.
struct PageRoutes {
  private let positions: PagePositions
  private let half: Double
  private let gap: Double
  /// The number of lines that arrive at and leave each box. Counted once, because a box may have as many lines as there
  /// are boxes.
  private let lines: [(coming: Int, leaving: Int)]
  private let lane: [Int]
  private let cells: [LayeredPage.Cell]
  private let freedom: Double
  /// The trees whose lines run in a gap, in order of arrival, by the number of the gap.
  private var channels: [Int: [Int]] = [:]
  /// The numbers of the cells that contain boxes.
  private var taken: Set<Int> = []
  /// The strides of rows and lanes in the number of a cell.
  private let numbers: (row: Int, lane: Int)

  init(_ positions: PagePositions, _ picture: GraphPicture) {
    self.positions = positions
    let measures = positions.page.measures
    half = measures.metrics.nodeWidth / 2
    gap = measures.columnGap
    let graph = positions.page.parts.graph
    lines = (0..<graph.nodeCount).map { (graph.dependencies(of: $0).count, graph.dependents(of: $0).count) }
    lane = positions.page.parts.lane
    cells = positions.page.cells
    // Labels need the whole height of a gap.
    freedom = picture.edges.contains { $0.label != nil } ? 2 : 2.4
    let columns = (cells.map(\.column).max() ?? 0) + 1
    numbers = (columns, columns * ((positions.page.rows.max() ?? 0) + 2))
    for (node, cell) in cells.enumerated() { taken.insert(number(lane[node], cell.row, cell.column)) }
  }

  private func number(_ lane: Int, _ row: Int, _ column: Int) -> Int {
    lane * numbers.lane + row * numbers.row + column
  }

  mutating func curve(from: Int, to: Int) -> GraphLayout.Curve {
    let (one, other) = (positions.centre(of: from), positions.centre(of: to))
    let start = GraphLayout.Point(one.x + half, one.y)
    let tip = GraphLayout.Point(other.x - half, other.y)
    let isForward = cells[from].column < cells[to].column
    if isForward, cells[to].column == cells[from].column + 1 { return GraphLayout.curve(from: start, to: tip) }
    if isForward, isFree(between: from, and: to, inRowOf: from) || isFree(between: from, and: to, inRowOf: to) {
      return alongRow(from, to, start, tip)
    }
    let y = channel(from, to, one.y, other.y)
    let end = GraphLayout.Point(tip.x - 8, tip.y)
    func point(_ x: Double, _ y: Double) -> GraphLayout.Point { GraphLayout.Point(x, y) }
    let points: [GraphLayout.Point]
    if isForward {
      let (left, right) = (start.x + gap, tip.x - gap)
      let third = (right - left) / 3
      points = [
        start, point(start.x + gap * 0.55, start.y), point(left - gap * 0.55, y), point(left, y),
        point(left + third, y), point(right - third, y), point(right, y),
        point(right + gap * 0.55, y), point(end.x - gap * 0.5, end.y), end,
      ]
    } else {
      let reach = gap * 0.85
      let third = (start.x - tip.x) / 3
      points = [
        start, point(start.x + reach, start.y), point(start.x + reach, y), point(start.x, y),
        point(start.x - third, y), point(tip.x + third, y), point(tip.x, y),
        point(tip.x - reach, y), point(tip.x - reach, end.y), end,
      ]
    }
    return GraphLayout.Curve(points: points, tip: tip)
  }

  private func isFree(between from: Int, and to: Int, inRowOf node: Int) -> Bool {
    (cells[from].column + 1..<cells[to].column).allSatisfy {
      !taken.contains(number(lane[node], cells[node].row, $0))
    }
  }

  /// Returns a line that runs level with one of its ends, in a row where nothing is between them.
  private func alongRow(
    _ from: Int, _ to: Int, _ start: GraphLayout.Point, _ tip: GraphLayout.Point
  ) -> GraphLayout.Curve {
    if isFree(between: from, and: to, inRowOf: to) {
      let left = GraphLayout.Point(start.x + gap, tip.y)
      let end = GraphLayout.Point(tip.x - 8, tip.y)
      let third = (end.x - left.x) / 3
      return GraphLayout.Curve(
        points: [
          start, GraphLayout.Point(start.x + gap * 0.55, start.y), GraphLayout.Point(left.x - gap * 0.55, left.y), left,
          GraphLayout.Point(left.x + third, left.y), GraphLayout.Point(end.x - third, end.y), end,
        ], tip: tip)
    }
    let right = GraphLayout.Point(tip.x - gap, start.y)
    let third = (right.x - start.x) / 3
    var curve = GraphLayout.curve(from: right, to: tip)
    curve.points.insert(
      contentsOf: [start, GraphLayout.Point(start.x + third, start.y), GraphLayout.Point(right.x - third, start.y)],
      at: 0)
    return curve
  }

  /// Returns the height of a gap next to the end with fewer lines. The lines of the other end then share their way,
  /// like the branches of a tree.
  private mutating func channel(_ from: Int, _ to: Int, _ fromY: Double, _ toY: Double) -> Double {
    let isTree = lines[from].leaving >= lines[to].coming
    let near = isTree ? to : from
    let isAbove = isTree ? fromY < toY : toY < fromY
    let shared = isTree ? from : to
    let row = cells[near].row + (isAbove ? 0 : 1)
    return positions.gap(above: row, in: lane[near]) + track(of: shared, in: number(lane[near], row, 0)) * freedom
  }

  /// Returns the offset of a tree in a gap. Lines of different trees lie side by side, the first one in the middle: 0,
  /// 1, -1, 2, -2.
  private mutating func track(of tree: Int, in channel: Int) -> Double {
    var trees = channels[channel] ?? []
    let number = trees.firstIndex(of: tree) ?? trees.count
    if number == trees.count, number < 5 {
      trees.append(tree)
      channels[channel] = trees
    }
    let slot = number < 5 ? number : tree % 5
    return Double(slot.isMultiple(of: 2) ? -slot / 2 : (slot + 1) / 2)
  }
}
