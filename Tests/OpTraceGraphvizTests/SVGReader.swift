import Foundation
import OpTraceGraph

#if canImport(FoundationXML)
  import FoundationXML
#endif

/// Reads an SVG with a real XML parser.
final class SVGReader: NSObject, XMLParserDelegate {
  struct Element {
    var name: String
    var attributes: [String: String]
    var text = ""
    /// The ancestors in ``elements``, outermost first.
    var parents: [Int] = []

    var classes: Set<String> { Set((attributes["class"] ?? "").split(separator: " ").map(String.init)) }
  }

  private(set) var elements: [Element] = []
  private(set) var error: String?
  private var open: [Int] = []

  init(_ text: String) {
    super.init()
    let parser = XMLParser(data: Data(text.utf8))
    parser.delegate = self
    if !parser.parse() { error = parser.parserError.map { "\($0), line \(parser.lineNumber)" } ?? "unknown" }
  }

  var ids: [String] { elements.compactMap { $0.attributes["id"] } }

  /// An element after its ancestors, outermost first.
  func path(to number: Int) -> [Element] { (elements[number].parents + [number]).map { elements[$0] } }

  func having(_ cssClass: String) -> [Element] {
    elements.filter { ($0.attributes["class"] ?? "").split(separator: " ").contains { $0 == cssClass } }
  }

  func parser(
    _ parser: XMLParser, didStartElement name: String, namespaceURI: String?, qualifiedName: String?,
    attributes: [String: String]
  ) {
    let open = open
    self.open.append(elements.count)
    elements.append(Element(name: name, attributes: attributes, parents: open))
  }

  func parser(_ parser: XMLParser, foundCharacters text: String) {
    if let last = open.last { elements[last].text += text }
  }

  func parser(_ parser: XMLParser, didEndElement name: String, namespaceURI: String?, qualifiedName: String?) {
    _ = open.popLast()
  }
}

extension GraphLayout.Curve {
  /// Points along the curve, dense enough to detect a crossing of a box.
  var samples: [GraphLayout.Point] {
    var result: [GraphLayout.Point] = []
    var start = 0
    while start + 3 < points.count {
      let (a, b, c, d) = (points[start], points[start + 1], points[start + 2], points[start + 3])
      for number in 0...100 {
        let t = Double(number) / 100
        let u = 1 - t
        let (p, q, r, s) = (u * u * u, 3 * u * u * t, 3 * u * t * t, t * t * t)
        result.append(
          GraphLayout.Point(p * a.x + q * b.x + r * c.x + s * d.x, p * a.y + q * b.y + r * c.y + s * d.y))
      }
      start += 3
    }
    return result + [tip]
  }

  func crosses(_ box: GraphLayout.Box) -> Bool { samples.contains(where: box.contains) }
}
