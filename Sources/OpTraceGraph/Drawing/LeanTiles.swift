import OpTraceText

/// The square tiles of a lean picture, which replace an element for each operation and each edge. A tile has one path
/// for all boxes that look alike, one for all lines that look alike and one for their heads. It also lists its
/// operations as text; the script makes elements from that list when the reader zooms in.
///
/// An operation is in the tile of its origin, an edge in the tile of its first point.
struct LeanTiles {
  /// The side of a tile, in points. At a scale at which names are legible, a screen shows about a dozen tiles.
  static let side = 1500

  private struct Tile: Hashable, Comparable {
    var row: Int
    var column: Int

    init(_ x: Int, _ y: Int) {
      // Integer division that rounds down, below zero too.
      row = (y - (y < 0 ? LeanTiles.side - 1 : 0)) / LeanTiles.side
      column = (x - (x < 0 ? LeanTiles.side - 1 : 0)) / LeanTiles.side
    }

    var name: String { "\(column)/\(row)" }

    static func < (one: Tile, other: Tile) -> Bool { (one.row, one.column) < (other.row, other.column) }
  }

  private struct Key: Hashable, Comparable {
    /// The drawing order: a higher layer lies above a lower one.
    var layer: Int
    var tile: Tile
    var look: Int

    static func < (one: Key, other: Key) -> Bool {
      (one.layer, one.tile, one.look) < (other.layer, other.tile, other.look)
    }
  }

  /// The lines of one path. A browser skips a path that is out of sight, but draws every line of a path that is in
  /// sight. So the lines of an operation that has very many are split into several paths.
  private struct Lines {
    static let most = 200
    var count = 0
    var ids = ""
    var path = ""
    var heads = ""

    mutating func add(_ path: String, _ head: String, _ id: String) {
      if count > 0 { ids += " " }
      count += 1
      ids += id
      self.path += path
      heads += head
    }
  }

  /// Numbers texts in the order of their first use.
  private struct Table {
    private(set) var texts: [String] = []
    private var indexes: [String: Int] = [:]

    mutating func index(of text: String) -> Int {
      if let index = indexes[text] { return index }
      indexes[text] = texts.count
      texts.append(text)
      return texts.count - 1
    }
  }

  private var lines: [Key: [Lines]] = [:]
  private var boxes: [Key: String] = [:]
  private var lists: [Tile: String] = [:]
  private var lineLooks = Table()
  private var boxLooks = Table()
  private var operationLooks = Table()

  /// - Parameter layer: lines with a higher layer lie above.
  mutating func add(
    line path: String, head: String, id: String, look: String, layer: Int, from: (x: Int, y: Int)
  ) {
    let key = Key(layer: layer, tile: Tile(from.x, from.y), look: lineLooks.index(of: look))
    let last = (lines[key]?.count ?? 0) - 1
    if last >= 0, let count = lines[key]?[last].count, count < Lines.most {
      lines[key]?[last].add(path, head, id)
    } else {
      var one = Lines()
      one.add(path, head, id)
      lines[key, default: []].append(one)
    }
  }

  mutating func add(box path: String, look: String, at: (x: Int, y: Int)) {
    boxes[Key(layer: 0, tile: Tile(at.x, at.y), look: boxLooks.index(of: look)), default: ""] += path
  }

  /// - Parameters:
  ///   - look: the classes of the operation.
  ///   - lane: what the tooltip says about where it is.
  ///   - name: the whole name, if `shown` was cut.
  mutating func add(
    operation id: String, look: String, lane: String, shown: String, name: String?, at: (x: Int, y: Int)
  ) {
    let look = operationLooks.index(of: "\(look)\t\(TextEscaping.oneLine(lane, limit: 300))")
    // No line break or tab is left in a name, so they can serve as separators here.
    var line = "\(id) \(look) \(at.x) \(at.y) \(TextEscaping.oneLine(shown))"
    if let name { line += "\t\(TextEscaping.oneLine(name))" }
    lists[Tile(at.x, at.y), default: ""] += "\n" + TextEscaping.xml(line)
  }

  /// Writes the tiles in a fixed order. O(n log n).
  func write(to out: inout String) {
    out += "<metadata class=\"looks\">"
    out += operationLooks.texts.map(TextEscaping.xml).joined(separator: "\n") + "</metadata>\n<g class=\"lines\">\n"
    for (key, paths) in lines.sorted(by: { $0.key < $1.key }) {
      let look = lineLooks.texts[key.look]
      for one in paths {
        out += "<path class=\"\(look)\" data-tile=\"\(key.tile.name)\" data-ids=\"\(one.ids)\" d=\"\(one.path)\"/>\n"
        guard !one.heads.isEmpty else { continue }
        out += "<path class=\"heads\(look.dropFirst("dep".count))\" d=\"\(one.heads)\"/>\n"
      }
    }
    out += "</g>\n"
    for (key, path) in boxes.sorted(by: { $0.key < $1.key }) {
      out += "<path class=\"\(boxLooks.texts[key.look])\" data-tile=\"\(key.tile.name)\" d=\"\(path)\"/>\n"
    }
    for (tile, list) in lists.sorted(by: { $0.key < $1.key }) {
      out += "<metadata data-tile=\"\(tile.name)\">\(list.dropFirst())</metadata>\n"
    }
  }
}
