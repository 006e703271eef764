import Foundation

#if canImport(FoundationXML)
  import FoundationXML
#endif

/// A flame graph, read from its file.
struct SVGPicture {
  struct Box: Equatable {
    var look = ""
    var title = ""
    var label = ""
    var x = 0.0
    var width = 0.0
    var isHatched = false
    var name: String { String(title.prefix { $0 != "\n" }) }
  }

  struct Malformed: Error { var line: Int }

  private(set) var boxes: [Box] = []
  /// Texts outside of boxes.
  private(set) var texts: [String] = []
  private(set) var scripts = 0
  /// Addresses that a viewer would load.
  private(set) var addresses: [String] = []

  init(_ svg: String) throws {
    let parser = XMLParser(data: Data(svg.utf8))
    let reader = Reader()
    parser.delegate = reader
    guard parser.parse() else { throw Malformed(line: parser.lineNumber) }
    self = reader.picture
  }

  private init() {}

  private final class Reader: NSObject, XMLParserDelegate {
    var picture = SVGPicture()
    private var box: Box?
    private var text = ""

    func parser(
      _ parser: XMLParser, didStartElement name: String, namespaceURI: String?, qualifiedName: String?,
      attributes: [String: String]
    ) {
      text = ""
      let classes = (attributes["class"] ?? "").split(separator: " ").map(String.init)
      if name == "g", classes.first == "f" { box = Box(look: classes.count > 1 ? classes[1] : "") }
      if name == "rect", classes.contains("hatch") { box?.isHatched = true }
      if name == "rect", !classes.contains("hatch") {
        box?.x = attributes["x"].flatMap(Double.init) ?? -1
        box?.width = attributes["width"].flatMap(Double.init) ?? -1
      }
      if name == "script" { picture.scripts += 1 }
      for (key, value) in attributes where key.hasSuffix("href") || key == "src" { picture.addresses.append(value) }
    }

    func parser(_ parser: XMLParser, foundCharacters string: String) { text += string }

    func parser(_ parser: XMLParser, didEndElement name: String, namespaceURI: String?, qualifiedName: String?) {
      switch name {
      case "title": box?.title = text
      case "text":
        if box == nil { picture.texts.append(text) } else { box?.label = text }
      case "g":
        if let box { picture.boxes.append(box) }
        box = nil
      default: break
      }
      text = ""
    }
  }
}
