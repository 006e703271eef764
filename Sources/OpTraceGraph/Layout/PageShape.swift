import Foundation

/// The limits beyond which a page folds.
struct PageShape: Hashable {
  /// The most boxes from left to right.
  var columns: Int
  /// The most rows that one column of the graph may take up in a lane before it is wrapped into several columns.
  var rows: Int
}

extension LayeredParts {
  /// Returns the shape whose page comes closest to what a screen shows, with the least folding and wrapping.
  func bestShape(_ measures: PageMeasures) -> PageShape {
    let natural = PageShape(columns: max(1, parts.map(\.columns.count).max() ?? 1), rows: highestColumn)
    let count = lane.count
    // A few extra columns cost nothing if parts can be side by side.
    var best = natural
    var least = Double.infinity
    for shape in shapes(natural) {
      let (size, back) = LayeredPage.trial(self, measures, shape)
      let folding = log(Double(max(natural.columns, shape.columns)) / Double(shape.columns))
      let wrapping = log(Double(natural.rows) / Double(shape.rows))
      var cost = abs(log(size.width / size.height / 1.6))
      cost += 0.7 * log(size.area(for: count) / 10_000) + 0.12 * folding + 0.2 * wrapping + 1.5 * back
      if !size.isInLimits(count) { cost += 10 }
      if cost < least { (best, least) = (shape, cost) }
    }
    return best
  }

  private var highestColumn: Int {
    var most = 1
    for part in parts {
      for column in part.columns {
        var counts: [Int: Int] = [:]
        for node in column { counts[lane[node], default: 0] += 1 }
        most = max(most, counts.values.max() ?? 1)
      }
    }
    return most
  }

  /// Returns the natural shape, which folds nothing, and smaller ones. The larger the graph, the fewer shapes.
  private func shapes(_ natural: PageShape) -> [PageShape] {
    let step = lane.count > 20_000 ? 3.0 : lane.count > 3000 ? 1.6 : 1.25
    func series(_ most: Int, least: Int) -> [Int] {
      var values = [most]
      var value = Double(most)
      while value > Double(least) {
        value = max(Double(least), (value / step).rounded(.down))
        values.append(Int(value))
      }
      return values
    }
    // More than twice the side of a square of all boxes is too wide, and less than a fifth too narrow. The same goes
    // for rows.
    let side = Double(lane.count).squareRoot().rounded(.up)
    let columns = series(Int(side * 2) + 2, least: max(1, Int(side / 5)))
    let rows = [natural.rows] + series(min(natural.rows, Int(side * 2) + 2), least: 1)
    let folded = columns.flatMap { columns in Set(rows).sorted(by: >).map { PageShape(columns: columns, rows: $0) } }
    return [natural] + folded
  }
}
