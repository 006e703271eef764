/// How a shape or a text looks, in light and in dark mode. It holds what the SVG's style sheet tells a browser, for
/// canvases that have no classes. A test compares the two.
struct GraphInk: Hashable, Sendable {
  /// The colour of a shape's inside or of a text. Nil: no fill, or, for a word, the fill of the rest of its line.
  var fill: ColorPair?
  var stroke: ColorPair?
  var width = 0.0
  /// The lengths of dash and gap. Empty: a solid line.
  var dashes: [Double] = []
  /// Whether the line's ends and corners are round.
  var isRound = false
  var isBold = false
  var isStruck = false

  static func text(_ color: ColorPair, bold: Bool = false) -> GraphInk { GraphInk(fill: color, isBold: bold) }

  static func line(_ color: ColorPair, _ width: Double, _ dashes: [Double] = [], isRound: Bool = false) -> GraphInk {
    GraphInk(stroke: color, width: width, dashes: dashes, isRound: isRound)
  }
}

extension GraphPicture {
  /// Returns the ink of a role in the innermost part that it belongs to; an empty ink if the role does not occur in
  /// that part.
  func ink(of role: DrawnRole, in part: DrawnPart, hasLanes: Bool) -> GraphInk {
    switch part {
    case .lane(let number): lanes[number].ink(of: role)
    case .edge(let number): edges[number].ink(of: role)
    case .mark(.line(let line)): line.sample.ink(of: role)
    case .label(let number, let lane):
      role == .ground
        ? GraphInk(fill: lane.map { lanes[$0].style.fill } ?? Palette.page) : edges[number].ink(of: role)
    case .node(let number): look(of: nodes[number], hasLanes: hasLanes).ink(of: role)
    case .mark(let mark): mark.look.ink(of: role)
    case .picture, .head, .graph, .body, .legend, .entry: Self.ink(of: role)
    }
  }

  private static func ink(of role: DrawnRole) -> GraphInk {
    switch role {
    case .title: .text(Palette.text, bold: true)
    case .subtitle, .count: .text(Palette.muted)
    case .verdict(let kind): .text(kind.color)
    case .lead: GraphInk(isBold: true)
    case .entry: .text(Palette.text)
    default: GraphInk()
    }
  }

  private func look(of node: Node, hasLanes: Bool) -> NodeLook {
    NodeLook(
      state: node.state, difference: node.difference, isCritical: node.isCritical, isCulprit: node.isCulprit,
      isDotted: node.isUnknown || node.isExternal, fill: fill(of: node, hasLanes: hasLanes))
  }

  /// Returns the colour of the state. If queues have no lanes, plain states get a tint of their queue instead.
  func fill(of node: Node, hasLanes: Bool) -> ColorPair {
    let lane = lanes[node.lane]
    if let difference = node.difference { return difference.style.fill }
    if !hasLanes, lane.isBoxed, [.finished, .pending].contains(node.state) { return lane.style.fill }
    return node.state.style.fill
  }
}

/// What the look of an operation depends on.
private struct NodeLook {
  var state: ShownState
  var difference: BoxDifference?
  var isCritical = false
  var isCulprit = false
  var isDotted = false
  /// The fill. Nil: that of the state.
  var fill: ColorPair?

  func ink(of role: DrawnRole) -> GraphInk {
    switch role {
    case .box: return GraphInk(fill: fill ?? style.fill, stroke: border, width: width, dashes: dashes)
    case .card: return GraphInk(fill: style.fill, stroke: isCritical ? Palette.critical : style.border, width: 1.2)
    case .sign:
      return GraphInk(fill: hasFullSign ? style.accent : nil, stroke: style.accent, width: 1.7, isRound: true)
    case .gate: return .line(style.accent, 1.6, isRound: true)
    case .name: return GraphInk(fill: style.text, isBold: true, isStruck: difference == .went || state == .cancelled)
    case .leanName: return .text(style.text, bold: true)
    case .caption: return .text(state == .deadlocked ? style.text : Palette.muted)
    case .count: return .text(Palette.muted)
    case .track: return GraphInk(fill: Palette.track)
    case .bar(.blocked): return GraphInk(fill: Palette.waitsForDependencies)
    case .bar(.queued): return GraphInk(fill: Palette.waitsForSlot)
    case .bar(.ran): return GraphInk(fill: style.accent)
    default: return GraphInk()
    }
  }

  private var style: StateStyle { difference?.style ?? state.style }

  private var hasFullSign: Bool { difference == nil && state == .executing }

  private var border: ColorPair {
    isCulprit ? Palette.cycle : isCritical && state != .deadlocked ? Palette.critical : style.border
  }

  private var width: Double {
    isCritical || isCulprit ? 2.8 : [.executing, .deadlocked].contains(state) ? 1.8 : 1.2
  }

  private var dashes: [Double] {
    if isCulprit { return [] }
    if isDotted { return [1.5, 3] }
    if difference == .went { return [4, 3] }
    return [.pending, .stalled].contains(state) ? [4, 3] : []
  }
}

extension LegendItem.Mark {
  fileprivate var look: NodeLook {
    var look = NodeLook(state: shownState)
    if case .difference(let difference) = self { look.difference = difference }
    if case .unknown = self { look.isDotted = true }
    if case .culprit = self { look.isCulprit = true }
    return look
  }
}

extension GraphPicture.Lane {
  fileprivate func ink(of role: DrawnRole) -> GraphInk {
    let words = isBoxed ? style.text : Palette.muted
    switch role {
    case .laneBox:
      return GraphInk(fill: style.fill, stroke: isCulprit ? Palette.cycle : style.border, width: isCulprit ? 2.4 : 1)
    case .laneTitle: return .text(words, bold: true)
    case .laneCaption: return .text(isCulprit ? Palette.cycle : words, bold: isCulprit)
    default: return GraphInk()
    }
  }
}

extension GraphPicture.Edge {
  fileprivate func ink(of role: DrawnRole) -> GraphInk {
    switch role {
    case .line: .line(color, width, dashes, isRound: hasRoundEnds)
    case .tip: GraphInk(fill: color)
    case .label: .text(labelColor, bold: true)
    default: GraphInk()
    }
  }
}
