import OpTraceAnalysis
import OpTraceModel

/// A layout that makes any graph fit a page: columns by the longest way, lanes one below the other, long chains folded
/// like lines of text, columns that are too high wrapped into several, what is not connected side by side. Lines keep to
/// the gaps between boxes.
///
/// How wide and how high, it finds by trying: `PageShape`.
public enum LayeredLayout {
  /// O(tries * (n * columns + e) + n log n), for a number of tries that falls with n.
  public static func layout(_ picture: GraphPicture) -> GraphLayout {
    let metrics = GraphMetrics(of: picture)
    guard !picture.nodes.isEmpty else {
      return GraphLayout(nodes: [], edges: [], lanes: [], titles: [], metrics: metrics)
    }
    let page = page(picture, metrics)
    if metrics.hasLanes, !page.size.framed.isInLimits(picture.nodes.count) {
      // Lanes take room in every column, whether or not something is in them.
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

/// What a page measures, in points.
struct PageSize {
  var width: Double
  var height: Double

  var longer: Double { max(width, height) }
  /// Of the longer to the shorter side.
  var ratio: Double { longer / max(1, min(width, height)) }
  func area(for count: Int) -> Double { width * height / Double(max(1, count)) }

  /// With head, margins and legend.
  var framed: PageSize { PageSize(width: max(width + 56, 616), height: height + 180) }

  /// What a reader must not be asked to go beyond: small pictures may have any shape.
  func isInLimits(_ count: Int) -> Bool {
    longer <= 3900 || (ratio <= 3.8 && area(for: count) <= 90_000)
  }

  /// What needs no other layout.
  func isComfortable(_ count: Int) -> Bool {
    longer <= 2200 || (ratio <= 2.8 && area(for: count) <= 70_000)
  }
}

extension GraphLayout {
  /// Whether its picture is one that fits, or another layout is worth a try.
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
  /// Above the first row of a lane, and below its last: room for lines.
  var lanePadding: Double { max(12, rowGap * 0.75) }
  /// Where the first column of boxes begins. Before it there is room for lines that come back.
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
  /// Between two rows, in points: room for the lines, the words on them, and the cards of a pile.
  var rowGap: Double { edges.contains { $0.label != nil } ? 28 : isFolded ? 24 : 17 }
}
