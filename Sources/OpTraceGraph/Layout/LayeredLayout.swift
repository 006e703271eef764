import OpTraceKernel
import OpTraceModel

/// A layout that makes any graph fit a page. It assigns columns by the longest path, puts lanes one below another,
/// folds long chains like lines of text, wraps columns that are too high into several, and puts unconnected parts side
/// by side. Lines keep to the gaps between boxes.
///
/// It finds the width and the height by trial: see `PageShape`.
public enum LayeredLayout {
  /// Lays out the picture. O(tries * (n * columns + e) + n log n), for a number of tries that falls with n.
  public static func layout(_ picture: GraphPicture) -> GraphLayout {
    let metrics = GraphMetrics(of: picture)
    guard !picture.nodes.isEmpty else {
      return GraphLayout(nodes: [], edges: [], lanes: [], titles: [], metrics: metrics)
    }
    let page = page(picture, metrics)
    if metrics.hasLanes, !page.size.framed.isInLimits(picture.nodes.count) {
      // Lanes take up room in every column, even where they are empty.
      let plain = GraphMetrics(of: picture, withLanes: false)
      return self.page(picture, plain).layout(picture)
    }
    return page.layout(picture)
  }

  private static func page(_ picture: GraphPicture, _ metrics: GraphMetrics) -> LayeredPage {
    let parts = LayeredParts(picture, hasLanes: metrics.hasLanes)
    let measures = PageMeasures(picture, metrics)
    return LayeredPage(parts, measures, parts.bestShape(measures))
  }
}

/// The dimensions of a page, in points.
struct PageSize {
  var width: Double
  var height: Double

  var longer: Double { max(width, height) }
  /// The ratio of the longer side to the shorter one.
  var ratio: Double { longer / max(1, min(width, height)) }
  func area(for count: Int) -> Double { width * height / Double(max(1, count)) }

  /// The size including head, margins and legend.
  var framed: PageSize { PageSize(width: max(width + 56, 616), height: height + 180) }

  /// Whether the page is still acceptable for a reader. Small pictures may have any shape.
  func isInLimits(_ count: Int) -> Bool {
    longer <= 3900 || (ratio <= 3.8 && area(for: count) <= 90_000)
  }

  /// Whether the page is good enough not to need another layout.
  func isComfortable(_ count: Int) -> Bool {
    longer <= 2200 || (ratio <= 2.8 && area(for: count) <= 70_000)
  }
}

extension GraphLayout {
  /// Whether the picture is comfortable to read. If not, another layout is worth a try.
  package var isComfortable: Bool {
    let bounds = bounds
    return PageSize(width: bounds.width, height: bounds.height).framed.isComfortable(nodes.count)
  }
}

/// Distances on a page, in points.
struct PageMeasures {
  let metrics: GraphMetrics
  let columnGap: Double
  let rowGap: Double
  let laneCount: Int
  static let laneGap = 16.0

  init(_ picture: GraphPicture, _ metrics: GraphMetrics) {
    self.metrics = metrics
    columnGap = picture.columnGap
    rowGap = picture.rowGap
    laneCount = metrics.hasLanes ? picture.lanes.count : 1
  }

  var columnPitch: Double { metrics.nodeWidth + columnGap }
  var rowPitch: Double { metrics.nodeHeight + rowGap }
  /// The space above the first row of a lane and below its last, for lines.
  var lanePadding: Double { max(12, rowGap * 0.75) }
  /// The left edge of the first column of boxes. To the left of it there is room for lines that run back.
  var firstColumn: Double { (metrics.hasLanes ? metrics.titleWidth + 14 : 0) + columnGap }

  func height(ofLane rows: Int) -> Double {
    let least = metrics.hasLanes ? metrics.titleHeight + 12 : 0
    return max(least, Double(max(1, rows)) * rowPitch - rowGap + 2 * lanePadding)
  }

  func size(columns: Int, rows: [Int]) -> PageSize {
    let heights = rows.reduce(0) { $0 + height(ofLane: $1) }
    return PageSize(
      width: firstColumn + Double(columns) * columnPitch,
      height: heights + Double(max(0, rows.count - 1)) * Self.laneGap)
  }
}

extension GraphPicture {
  /// The gap between two rows, in points. It leaves room for lines, their labels, and the cards of a folded box.
  var rowGap: Double { edges.contains { $0.label != nil } ? 28 : isFolded ? 24 : 17 }
}
