import OpTraceKernel

/// The positions of boxes on a page of a given shape, in columns, lanes and rows.
///
/// Parts are placed one after another, each at the columns where it ends up highest. A part that is longer than the
/// page is wide continues in the next free rows, as text does.
struct LayeredPage {
  struct Cell {
    var column: Int
    var row: Int
  }

  let parts: LayeredParts
  let measures: PageMeasures
  /// The size without what surrounds the graph.
  let size: PageSize
  /// The cell of each node. Rows count from the upper end of its lane.
  let cells: [Cell]
  /// The number of rows of each lane.
  let rows: [Int]

  init(_ parts: LayeredParts, _ measures: PageMeasures, _ shape: PageShape) {
    self.parts = parts
    self.measures = measures
    var packing = PagePacking(parts, measures, shape)
    packing.isAligned = true
    packing.run()
    cells = packing.cells
    rows = packing.rows
    size = measures.size(columns: packing.columns, rows: rows)
  }

  /// Computes the size of a page of this shape, and the share of its lines that would run backwards.
  static func trial(
    _ parts: LayeredParts, _ measures: PageMeasures, _ shape: PageShape
  ) -> (size: PageSize, back: Double) {
    var packing = PagePacking(parts, measures, shape)
    packing.run()
    let edges = parts.graph.edges
    let back = edges.count { packing.cells[$0.waiter].column <= packing.cells[$0.dependency].column }
    return (
      measures.size(columns: packing.columns, rows: packing.rows).framed, Double(back) / Double(max(1, edges.count))
    )
  }

  func layout(_ picture: GraphPicture) -> GraphLayout {
    let metrics = measures.metrics
    var tops: [Double] = []
    var y = 0.0
    for rows in rows {
      tops.append(y)
      y += measures.height(ofLane: rows) + PageMeasures.laneGap
    }
    let positions = PagePositions(page: self, tops: tops)
    let centres = picture.nodes.indices.map(positions.centre)
    var routes = PageRoutes(positions, picture)
    let curves = picture.edges.map { routes.curve(from: $0.from, to: $0.to) as GraphLayout.Curve? }
    var lanes: [GraphLayout.Box] = []
    var titles: [GraphLayout.Box] = []
    if metrics.hasLanes {
      for (number, top) in tops.enumerated() {
        let bottom = top + measures.height(ofLane: rows[number])
        lanes.append(GraphLayout.Box(minX: 0, minY: top, maxX: size.width, maxY: bottom))
        titles.append(
          GraphLayout.Box(minX: 14, minY: top, maxX: 14 + metrics.titleWidth, maxY: top + metrics.titleHeight))
      }
    }
    var layout = GraphLayout(nodes: centres, edges: curves, lanes: lanes, titles: titles, metrics: metrics)
    layout.alignLanes()
    return layout
  }
}

/// Places the boxes on a page.
struct PagePacking {
  private let parts: LayeredParts
  private let shape: PageShape
  /// Whether boxes move to the rows of their neighbours if those are free. This takes time, but no room.
  var isAligned = false

  private(set) var cells: [LayeredPage.Cell]
  private(set) var columns = 0
  private(set) var rows: [Int]
  /// The first free row, by lane, then by column.
  private var free: [[Int]]

  init(_ parts: LayeredParts, _ measures: PageMeasures, _ shape: PageShape) {
    self.parts = parts
    self.shape = shape
    cells = Array(repeating: LayeredPage.Cell(column: 0, row: 0), count: parts.lane.count)
    rows = Array(repeating: 0, count: measures.laneCount)
    free = Array(repeating: Array(repeating: 0, count: shape.columns), count: measures.laneCount)
  }

  mutating func run() {
    for part in parts.parts {
      if part.columns.count == 1, part.columns[0].count == 1 {
        placeAlone(part.columns[0][0])
        continue
      }
      var piece = PagePiece()
      for column in part.columns {
        var slices = PagePiece.slices(of: column, lane: parts.lane, rows: shape.rows)[...]
        while !slices.isEmpty {
          if piece.columns.count == shape.columns {
            place(&piece)
            piece = PagePiece()
          }
          let count = min(slices.count, shape.columns - piece.columns.count)
          piece.columns += slices.prefix(count)
          slices = slices.dropFirst(count)
        }
      }
      place(&piece)
    }
  }

  private mutating func placeAlone(_ node: Int) {
    let lane = parts.lane[node]
    guard let column = free[lane].indices.min(by: { free[lane][$0] < free[lane][$1] }) else { return }
    cells[node] = LayeredPage.Cell(column: column, row: free[lane][column])
    free[lane][column] += 1
    rows[lane] = max(rows[lane], free[lane][column])
    columns = max(columns, column + 1)
  }

  private mutating func place(_ piece: inout PagePiece) {
    let used = piece.usedColumns(parts.lane)
    var best = (cost: Int.max, column: 0)
    for first in 0...max(0, shape.columns - piece.columns.count) {
      var cost = 0
      for (lane, block) in used {
        let row = start(of: block.columns, in: lane, from: first)
        // Rows that make a lane higher count most, because they make the page higher.
        cost += max(0, row + block.rows - rows[lane]) * 1000 + row
        if cost >= best.cost { break }
      }
      if cost < best.cost { best = (cost, first) }
      if cost == 0 { break }
    }
    var starts: [Int: Int] = [:]
    for (lane, block) in used { starts[lane] = start(of: block.columns, in: lane, from: best.column) }
    if isAligned { piece.align(parts) }
    for (lane, block) in used {
      let start = starts[lane] ?? 0
      for column in block.columns { free[lane][best.column + column] = start + block.rows }
      rows[lane] = max(rows[lane], start + block.rows)
    }
    for (number, column) in piece.columns.enumerated() {
      for box in column {
        cells[box.node] = LayeredPage.Cell(
          column: best.column + number, row: (starts[parts.lane[box.node]] ?? 0) + box.row)
      }
    }
    columns = max(columns, best.column + piece.columns.count)
  }

  /// Returns the first row that is free in all of these columns.
  private func start(of columns: [Int], in lane: Int, from first: Int) -> Int {
    var row = 0
    for column in columns { row = max(row, free[lane][first + column]) }
    return row
  }
}
