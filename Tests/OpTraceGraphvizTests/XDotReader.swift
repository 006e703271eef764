@testable import OpTraceGraph

/// Reads the `xdot` format by its grammar: https://graphviz.org/docs/outputs/canon/#xdot
struct XDotReader {
  struct Text {
    var words: String
    var at: GraphLayout.Point
    var color: String
    var size: Double
    var isCentred: Bool
  }

  /// The bounding box of a filled shape.
  struct Area {
    var box: GraphLayout.Box
    var color: String
  }

  /// Shapes without a fill.
  struct Line {
    var points: [GraphLayout.Point]
    var color: String
  }

  private(set) var texts: [Text] = []
  private(set) var areas: [Area] = []
  private(set) var lines: [Line] = []
  /// What could not be read.
  private(set) var rest: Substring

  private let height: Double

  /// Flips y, so that it points down again.
  init(_ text: String, height: Double) {
    rest = text[...]
    self.height = height
    var (fill, pen, size) = ("", "", 0.0)
    while let word = next() {
      switch word {
      case "C": fill = counted()
      case "c": pen = counted()
      case "S": _ = counted()
      case "F":
        size = number()
        _ = counted()
      case "t": _ = number()
      case "b", "P":
        let points = list()
        areas.append(Area(box: Self.box(around: points), color: fill))
      case "B", "L": lines.append(Line(points: list(), color: pen))
      case "E":
        let centre = point()
        let (width, height) = (2 * number(), 2 * number())
        areas.append(Area(box: GraphLayout.Box(centre: centre, width: width, height: height), color: fill))
      case "T":
        let at = point()
        let isCentred = number() == 0
        _ = number()
        texts.append(Text(words: counted(), at: at, color: pen, size: size, isCentred: isCentred))
      default: return
      }
    }
  }

  private static func box(around points: [GraphLayout.Point]) -> GraphLayout.Box {
    let (x, y) = (points.map(\.x), points.map(\.y))
    return GraphLayout.Box(minX: x.min() ?? 0, minY: y.min() ?? 0, maxX: x.max() ?? 0, maxY: y.max() ?? 0)
  }

  private mutating func next() -> Substring? {
    rest = rest.drop { $0 == " " }
    guard !rest.isEmpty else { return nil }
    let word = rest.prefix { $0 != " " }
    rest = rest.dropFirst(word.count)
    return word
  }

  private mutating func number() -> Double { next().flatMap { Double($0) } ?? .nan }

  private mutating func point() -> GraphLayout.Point { GraphLayout.Point(number(), height - number()) }

  private mutating func list() -> [GraphLayout.Point] { (0..<Int(number())).map { _ in point() } }

  /// A counted string: `5 -bytes`.
  private mutating func counted() -> String {
    let count = Int(number())
    rest = rest.drop { $0 == " " }.dropFirst()
    let text = rest.utf8.prefix(count)
    rest = rest[text.endIndex...]
    return String(Substring(text))
  }
}
