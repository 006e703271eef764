import Foundation

#if canImport(FoundationXML)
  import FoundationXML
#endif

/// The content of a lean SVG, read by an XML parser in the way the picture's script reads it.
final class LeanReader: NSObject, XMLParserDelegate {
  struct Operation {
    var id: String
    var classes: String
    var lane: String
    var tile: String
    var x: Double
    var y: Double
    var shown: String
    var name: String
  }

  struct Path {
    var tile: String
    var ids: [String]
    var shapes: Int
  }

  private(set) var error: String?
  private(set) var operations: [Operation] = []
  private(set) var lines: [Path] = []
  private(set) var boxes: [Path] = []
  /// The number of arrowheads.
  private(set) var heads = 0
  /// The number of elements in the whole file.
  private(set) var elements = 0
  private(set) var elementIDs: [String] = []
  private var looks: [(classes: String, lane: String)] = []
  private var attributes: [String: String] = [:]
  private var text = ""

  init(_ svg: String) {
    super.init()
    let parser = XMLParser(data: Data(svg.utf8))
    parser.delegate = self
    if !parser.parse() { error = parser.parserError.map { "\($0)" } ?? "no XML" }
  }

  func parser(
    _: XMLParser, didStartElement name: String, namespaceURI _: String?, qualifiedName _: String?,
    attributes: [String: String]
  ) {
    elements += 1
    if let id = attributes["id"] { elementIDs.append(id) }
    (self.attributes, text) = (attributes, "")
    guard name == "path" else { return }
    let path = Path(
      tile: attributes["data-tile"] ?? "", ids: attributes["data-ids"]?.split(separator: " ").map(String.init) ?? [],
      shapes: attributes["d"]?.count { $0 == "M" } ?? 0)
    switch attributes["class"]?.split(separator: " ").first {
    case "dep": lines.append(path)
    case "boxes": boxes.append(path)
    case "heads": heads += path.shapes
    default: break
    }
  }

  func parser(_: XMLParser, foundCharacters string: String) { text += string }

  func parser(_: XMLParser, didEndElement name: String, namespaceURI _: String?, qualifiedName _: String?) {
    guard name == "metadata" else { return }
    let rows = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    guard let tile = attributes["data-tile"] else {
      looks = rows.map { row in
        let parts = row.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
        return (parts[0], parts.count > 1 ? parts[1] : "")
      }
      return
    }
    for row in rows {
      let parts = row.split(separator: " ", maxSplits: 4, omittingEmptySubsequences: false).map(String.init)
      guard parts.count == 5, let look = Int(parts[1]), looks.indices.contains(look), let x = Double(parts[2]),
        let y = Double(parts[3])
      else {
        error = "no operation: \(row)"
        return
      }
      let names = parts[4].split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
      operations.append(
        Operation(
          id: parts[0], classes: looks[look].classes, lane: looks[look].lane, tile: tile, x: x, y: y, shown: names[0],
          name: names.last ?? ""))
    }
  }
}
