/// The positions of everything in a ``GraphPicture``, in points, y downwards.
public struct GraphLayout: Sendable {
  /// A position: x to the right, y downwards, in points.
  public struct Point: Sendable, Hashable {
    /// The distance to the right of the origin.
    public var x: Double
    /// The distance below the origin.
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

    /// Makes the box between these sides.
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

    /// The distance between its left and its right side.
    public var width: Double { maxX - minX }
    /// The distance between its upper and its lower side.
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

  /// A chain of cubic Bézier curves that share their end points (3k + 1 points), and the tip of the arrow.
  public struct Curve: Sendable, Hashable {
    /// End, control, control, end, control, control, end, …
    public var points: [Point]
    /// The tip of the arrow, beyond the last point.
    public var tip: Point

    /// Makes a line through these points, with the arrow's tip here.
    public init(points: [Point], tip: Point) {
      self.points = points
      self.tip = tip
    }
  }

  /// The centres of the nodes, in the order of `GraphPicture.nodes`.
  public var nodes: [Point]
  /// The lines of the edges, in the order of `GraphPicture.edges`. Nil: no line was found.
  public var edges: [Curve?]
  /// The boxes of the lanes, in the order of `GraphPicture.lanes`. Empty if lanes are not drawn as boxes.
  public var lanes: [Box]
  /// The areas kept free for the lanes' titles.
  public var titles: [Box]
  /// The sizes that the layout was computed for.
  public var metrics: GraphMetrics

  /// Takes a layout that was made elsewhere. It must have as many nodes, edges and lanes as the picture.
  public init(nodes: [Point], edges: [Curve?], lanes: [Box], titles: [Box], metrics: GraphMetrics) {
    self.nodes = nodes
    self.edges = edges
    self.lanes = lanes
    self.titles = titles
    self.metrics = metrics
  }

  /// The smallest box that contains everything.
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

/// The sizes that the texts of a picture need, in points. All nodes have the same size, so that columns line up.
public struct GraphMetrics: Sendable, Hashable {
  package static let nameSize = 12.0
  static let captionSize = 10.0
  static let laneTitleSize = 13.0
  /// The space to the left and to the right of a node's texts.
  package static let padding = 10.0
  /// The space between a node's left padding and its name.
  package static let signWidth = 16.0
  /// The most lanes that are drawn as boxes. With more, a tint and an extra line show the queue of an operation's box:
  /// Graphviz fails on many interleaved clusters, and a page has no room for many lanes with little in them.
  public static let mostLanes = 20

  /// The width of every node.
  public var nodeWidth: Double
  /// The height of the tallest node. Every node is centred in a row of that height.
  public var nodeHeight: Double
  /// The width of the area for a lane's title and caption.
  public var titleWidth: Double
  /// The height of that area.
  public var titleHeight = 36.0
  /// Whether lanes are drawn as boxes. If not, each operation's box shows its queue by a tint and, if there are several
  /// queues, by name.
  public var hasLanes: Bool
  /// Whether boxes have a line for the name of their queue.
  public var namesLanes: Bool

  static let boxHeight = 46.0
  /// The height of a box with a line for the three times.
  static let foldHeight = 60.0
  /// The height of one line of a box.
  static let lineHeight = 13.0

  /// Computes the sizes that this picture's texts need. O(length of all texts).
  /// - Parameter withLanes: if false, no lanes are drawn, however few there are.
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

  /// Returns the height of this node's own box.
  package func height(of node: GraphPicture.Node) -> Double {
    (node.fold == nil ? Self.boxHeight : Self.foldHeight) + (namesLanes ? Self.lineHeight : 0)
  }
}
