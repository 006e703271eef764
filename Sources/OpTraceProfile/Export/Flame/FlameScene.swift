import OpTraceKernel
import OpTraceModel
import OpTraceSamples
import OpTraceText

/// What a flame graph shows, and where.
struct FlameScene {
  /// A node that is wide enough.
  struct Box {
    var node: Int
    var x: Double
    var y: Int
    var width: Double
    /// Classes of ``FlameStyle``.
    var look: String
  }

  /// Colours, and what they mean.
  struct LegendEntry {
    var looks: [String]
    var isHatched = false
    var text: String
    var x = 0
    var y = 0
  }

  static let width = 1200
  static let margin = 20
  static let firstLine = 54
  static let lineHeight = 16
  static let rowHeight = 19
  static let boxHeight = 18
  static let padding = 4.0
  /// An em of the boxes' texts, in pixels.
  static let fontSize = 11.0
  /// Characters of a line below the title: they fit in the narrowest window for which the picture is made.
  private static let longestLine = 100
  private static let narrowest = 900

  let profile: Profile
  let tree: FlameTree
  let difference: FlameDifference?
  private(set) var boxes: [Box] = []
  /// How many nodes are too narrow.
  private(set) var undrawn = 0
  private(set) var lines: [String] = []
  private(set) var legend: [LegendEntry] = []
  private(set) var detailsLine = 0
  private(set) var height = 0

  init(
    _ profile: Profile, _ tree: FlameTree, _ options: FlameGraphExporter.Options, difference: FlameDifference?
  ) {
    self.profile = profile
    self.tree = tree
    self.difference = difference
    place(options.smallestShare)
    lines = Self.wrapped(([facts(options.lost)] + sentences(options)).joined(separator: " "))
    legend = entries
    let legendTop = Self.firstLine + lines.count * Self.lineHeight - 4
    let legendBottom = placeLegend(legendTop)
    detailsLine = legendBottom + 16
    let top = detailsLine + 10
    for index in boxes.indices { boxes[index].y += top }
    let levels = boxes.reduce(0) { max($0, tree.nodes[$1.node].depth) } + 1
    height = top + levels * Self.rowHeight + Self.margin
  }

  // MARK: Boxes

  private mutating func place(_ smallestShare: Double) {
    let whole = Double(max(1, tree.root.weight))
    let scale = Double(Self.width - 2 * Self.margin) / whole
    let least = whole * smallestShare
    var index = 0
    while index < tree.nodes.count {
      let node = tree.nodes[index]
      if index > 0, Double(node.weight) < least || node.weight <= 0 {
        undrawn += node.end - index
        index = node.end
        continue
      }
      let width = index == 0 ? Double(Self.width - 2 * Self.margin) : Double(node.weight) * scale
      boxes.append(
        Box(
          node: index, x: Double(Self.margin) + Double(node.start) * scale, y: node.depth * Self.rowHeight,
          width: width, look: look(index)))
      index += 1
    }
  }

  private func look(_ index: Int) -> String {
    if let difference { return FlameStyle.look(ofChange: difference.change(index)) }
    switch tree.nodes[index].part {
    case .all, .owner: return "g"
    case .kernel: return "k"
    case .callersUnknown, .unknown: return "u"
    case .function(let number):
      guard profile.functions.indices.contains(number) else { return "u" }
      return FlameStyle.look(of: profile.functions[number])
    }
  }

  /// The text in a box; nil: nothing of it fits.
  func label(_ box: Box) -> String? {
    let room = (box.width - 2 * Self.padding) / Self.fontSize
    var used = 0.0
    let name = Self.withFewMarks(name(tree.nodes[box.node].part))
    for character in name {
      used += Self.ems(character)
      // Less than two letters on either side of an ellipsis say nothing.
      if used > room, room < 3.6 { return nil }
      if used > room { return NameCut.inside(name, to: room, ellipsis: 1, width: Self.ems) }
    }
    return name
  }

  /// The width of a character in the widest of the fonts that the style names, or in what is used for scripts that these do not have.
  private static func ems(_ character: Character) -> Double {
    guard let scalar = character.unicodeScalars.first else { return 0 }
    switch scalar.value {
    case 0..<0x370: return 0.625
    case 0x370..<0x1100: return 0.9
    case 0x1f000...: return 1.4
    default: return 1.05
    }
  }

  /// At most two marks on a letter: more would stand in the boxes above and below.
  private static func withFewMarks(_ text: String) -> String {
    if text.utf8.allSatisfy({ $0 < 0x80 }) { return text }
    var marks = 0
    var result = String.UnicodeScalarView()
    for scalar in text.unicodeScalars {
      switch scalar.properties.generalCategory {
      case .nonspacingMark, .enclosingMark, .spacingMark: marks += 1
      default: marks = 0
      }
      if marks <= 2 { result.append(scalar) }
    }
    return String(result)
  }

  // MARK: Legend

  private var entries: [LegendEntry] {
    var entries: [LegendEntry] = []
    if difference != nil {
      entries.append(LegendEntry(looks: FlameStyle.grown, text: "grew by 0.05, 0.5, 2, 5 points and more"))
      entries.append(LegendEntry(looks: FlameStyle.shrunk, text: "shrank by as much"))
    } else {
      let shown = Set(boxes.map(\.look))
      let own = FlameStyle.own.filter(shown.contains)
      let libraries = FlameStyle.libraries.filter(shown.contains)
      if !own.isEmpty { entries.append(LegendEntry(looks: own, text: "own code, by module")) }
      if !libraries.isEmpty { entries.append(LegendEntry(looks: libraries, text: "libraries")) }
      if shown.contains("k") { entries.append(LegendEntry(looks: ["k"], text: "kernel")) }
      if shown.contains("u") { entries.append(LegendEntry(looks: ["u"], text: "not known")) }
    }
    if boxes.contains(where: { tree.nodes[$0.node].isJoined }) {
      let look = difference == nil ? "o0" : "d0"
      entries.append(
        LegendEntry(looks: [look], isHatched: true, text: "async callers, joined from suspensions: on no stack"))
    }
    return entries
  }

  /// From left to right, as long as the narrowest window has room. The result: where the last row ends.
  private mutating func placeLegend(_ top: Int) -> Int {
    guard !legend.isEmpty else { return top }
    var (x, y) = (Self.margin, top)
    for index in legend.indices {
      let width = legend[index].looks.count * 16 + 6 + legend[index].text.count * 6 + 22
      if x > Self.margin, x + width > Self.narrowest {
        (x, y) = (Self.margin, y + 24)
      }
      (legend[index].x, legend[index].y) = (x, y)
      x += width
    }
    return y + Self.boxHeight
  }

  private static func wrapped(_ text: String) -> [String] {
    var lines: [String] = []
    var line = ""
    for word in TextEscaping.oneLine(text, limit: 2000).split(separator: " ") {
      let word = NameCut.inside(String(word), longestLine)
      if !line.isEmpty, line.count + 1 + word.count > longestLine {
        lines.append(line)
        line = ""
      }
      line += line.isEmpty ? word : " " + word
    }
    return line.isEmpty ? lines : lines + [line]
  }
}
