/// Where everything of a ``GraphPicture`` lies, in points, y downwards.
public struct GraphLayout: Sendable {
  /// A position: x to the right, y downwards, in points.
  public struct Point: Sendable, Hashable {
    /// To the right.
    public var x: Double
    /// Downwards.
    public var y: Double

    /// The point at these distances from the origin.
    public init(_ x: Double, _ y: Double) {
      self.x = x
      self.y = y
    }
  }

  /// An upright rectangle, in points.
  public struct Box: Sendable, Hashable {
    /// Its left side.
    public var minX: Double
    /// Its upper side.
    public var minY: Double
    /// Its right side.
    public var maxX: Double
    /// Its lower side.
    public var maxY: Double

    /// Between these sides.
    public init(minX: Double, minY: Double, maxX: Double, maxY: Double) {
      self.minX = minX
      self.minY = minY
      self.maxX = maxX
      self.maxY = maxY
    }

    package init(centre: Point, width: Double, height: Double) {
      self.init(
        minX: centre.x - width / 2, minY: centre.y - height / 2, maxX: centre.x + width / 2,
        maxY: centre.y + height / 2)
    }

    /// From left to right.
    public var width: Double { maxX - minX }
    /// From top to bottom.
    public var height: Double { maxY - minY }

    package mutating func include(_ point: Point) {
      minX = min(minX, point.x)
      minY = min(minY, point.y)
      maxX = max(maxX, point.x)
      maxY = max(maxY, point.y)
    }

    package mutating func include(_ other: Box) {
      include(Point(other.minX, other.minY))
      include(Point(other.maxX, other.maxY))
    }

    package func contains(_ point: Point) -> Bool {
      point.x > minX && point.x < maxX && point.y > minY && point.y < maxY
    }
  }

  /// A chain of cubic Bézier curves that share their ends (3k + 1 points), and the arrow's tip.
  public struct Curve: Sendable, Hashable {
    /// End, control, control, end, control, control, end, …
    public var points: [Point]
    /// Where the arrow's tip is, behind the last point.
    public var tip: Point

    /// A line through these points to this tip.
    public init(points: [Point], tip: Point) {
      self.points = points
      self.tip = tip
    }
  }

  /// Centres, as `GraphPicture.nodes`.
  public var nodes: [Point]
  /// As `GraphPicture.edges`; nil: no line was found.
  public var edges: [Curve?]
  /// As `GraphPicture.lanes`; empty where lanes are not drawn as boxes.
  public var lanes: [Box]
  /// The areas kept free for the lanes' titles.
  public var titles: [Box]
  /// The sizes that the layout was computed for.
  public var metrics: GraphMetrics

  /// A layout that others made: as many nodes, edges and lanes as the picture has.
  public init(nodes: [Point], edges: [Curve?], lanes: [Box], titles: [Box], metrics: GraphMetrics) {
    self.nodes = nodes
    self.edges = edges
    self.lanes = lanes
    self.titles = titles
    self.metrics = metrics
  }

  /// What holds everything.
  public var bounds: Box {
    var box: Box?
    func include(_ other: Box) {
      if box == nil { box = other } else { box?.include(other) }
    }
    for node in nodes { include(Box(centre: node, width: metrics.nodeWidth, height: metrics.nodeHeight)) }
    for lane in lanes { include(lane) }
    for title in titles { include(title) }
    for edge in edges {
      for point in edge?.points ?? [] { box?.include(point) }
    }
    return box ?? Box(minX: 0, minY: 0, maxX: 0, maxY: 0)
  }
}

/// Sizes that the texts of a picture ask for, in points. All nodes are of one size, so that columns line up.
public struct GraphMetrics: Sendable, Hashable {
  package static let nameSize = 12.0
  static let captionSize = 10.0
  static let laneTitleSize = 13.0
  /// Left and right of a node's texts.
  package static let padding = 10.0
  /// Between a node's left padding and its name.
  package static let signWidth = 16.0
  /// Above this many lanes, a tint and a line of its own show a box's queue instead: Graphviz fails on many interleaved
  /// clusters, and a page of lanes with little in them has no room for it.
  public static let mostLanes = 20

  /// All nodes are so wide.
  public var nodeWidth: Double
  /// The height of the tallest: each is in the middle of a row of that height.
  public var nodeHeight: Double
  /// The area for a lane's title and caption: so wide, …
  public var titleWidth: Double
  /// … and so high.
  public var titleHeight = 36.0
  /// Lanes are drawn as boxes; else each box of an operation shows its queue, by a tint and, where there are several, by name.
  public var hasLanes: Bool
  /// Boxes have a line for their queue's name.
  public var namesLanes: Bool

  static let boxHeight = 46.0
  /// With a line for the three times.
  static let foldHeight = 60.0
  /// Of a line of a box.
  static let lineHeight = 13.0

  /// The sizes that this picture's texts ask for. O(length of all texts).
  /// - Parameter withLanes: false: no lanes, however few there are.
  public init(of picture: GraphPicture, withLanes: Bool = true) {
    hasLanes = withLanes && (1...Self.mostLanes).contains(picture.lanes.count)
    namesLanes = !hasLanes && picture.lanes.count > 1
    var widest = 0.0
    let isFolded = picture.isFolded
    let isLean = picture.isLean
    for node in picture.nodes {
      let lane = picture.lanes[node.lane].title
      let shown = isLean ? node.leanName(namesLanes ? lane : nil) : node.name
      if namesLanes { widest = max(widest, TextMetrics.width(of: lane.prefix(40), size: Self.captionSize)) }
      let name = TextMetrics.width(of: shown.prefix(40), size: Self.nameSize, bold: true) + Self.signWidth
      widest = max(widest, name, TextMetrics.width(of: node.caption, size: Self.captionSize))
      if let fold = node.fold { widest = max(widest, TextMetrics.width(of: fold.timesText, size: Self.captionSize)) }
    }
    nodeWidth = (min(max(widest + 2 * Self.padding, 124), isFolded ? 340 : 216)).rounded(.up)
    nodeHeight = (isFolded ? Self.foldHeight : Self.boxHeight) + (namesLanes && !isLean ? Self.lineHeight : 0)
    var title = 0.0
    for lane in picture.lanes {
      title = max(
        title, TextMetrics.width(of: lane.title, size: Self.laneTitleSize, bold: true),
        TextMetrics.width(of: lane.caption, size: Self.captionSize))
    }
    titleWidth = (min(max(title, 60), 240) + 8).rounded(.up)
  }

  /// Of the node's own box.
  package func height(of node: GraphPicture.Node) -> Double {
    (node.fold == nil ? Self.boxHeight : Self.foldHeight) + (namesLanes ? Self.lineHeight : 0)
  }
}
