import OpTraceKernel
import OpTraceModel

/// An entry of the legend. The legend has only entries for what the picture shows.
struct LegendItem: Sendable {
  enum Line: Hashable, Sendable {
    case critical, slot, cycle, open, mixed, heldSlot, wait, submission, awaited
    case difference(BoxDifference)

    /// An edge of this kind, to draw as a sample.
    var sample: GraphPicture.Edge {
      var edge = GraphPicture.Edge(from: 0, to: 0)
      switch self {
      case .critical: edge.isCritical = true
      case .slot: (edge.kind, edge.isCritical) = (.slot, true)
      case .cycle: edge.isCycle = true
      case .open: edge.isOpen = true
      case .mixed: edge.isMixed = true
      case .heldSlot: (edge.kind, edge.isCycle) = (.heldSlot, true)
      case .wait: (edge.kind, edge.isCycle) = (.wait, true)
      case .submission: edge.kind = .submission
      case .awaited: (edge.kind, edge.isOpen) = (.awaited, true)
      case .difference(let difference): edge.difference = difference
      }
      return edge
    }
  }
  enum Mark: Hashable, Sendable {
    case state(ShownState)
    case difference(BoxDifference)
    /// An operation that was seen only in part.
    case unknown
    case culprit
    case line(Line)
    case barrier
    case fold
    /// The number of edges that a line stands for.
    case many
    case bar
  }
  var mark: Mark
  var text: String
  var count: Int?
}

extension LegendItem.Mark {
  /// The state whose colours and sign the mark has.
  var shownState: ShownState {
    switch self {
    case .state(let state): state
    case .culprit: .stalled
    case .unknown, .line: .pending
    case .fold, .many, .barrier, .bar, .difference: .finished
    }
  }

  var difference: BoxDifference? {
    if case .difference(let difference) = self { difference } else { nil }
  }

  /// The style of a sample box.
  var style: StateStyle { difference?.style ?? shownState.style }
  var sign: String { difference?.sign ?? shownState.sign }
}

extension GraphPicture {
  var legend: [LegendItem] {
    if isComparison { return comparisonLegend }
    var items: [LegendItem] = []
    for state in ShownState.allCases {
      let number = count(of: state)
      let text = isOfAnotherRun && state == .deadlocked ? "would hang" : state.rawValue
      if number > 0 { items.append(LegendItem(mark: .state(state), text: text, count: number)) }
    }
    let unknown = nodes.reduce(0) { $0 + ($1.fold?.unknown ?? ($1.isUnknown ? 1 : 0)) }
    if unknown > 0 { items.append(LegendItem(mark: .unknown, text: "recorded in part", count: unknown)) }
    if nodes.contains(where: \.isCritical) {
      let isPart = nodes.contains { $0.isCritical && ($0.fold.map { $0.critical < $0.count } ?? false) }
      let text = isPart ? "critical path; a box: some of it" : "critical path"
      items.append(LegendItem(mark: .line(.critical), text: text))
    }
    if edges.contains(where: { $0.kind == .slot }) {
      items.append(LegendItem(mark: .line(.slot), text: "waited for its slot"))
    }
    if nodes.contains(where: \.isCulprit) || lanes.contains(where: \.isCulprit) {
      items.append(
        LegendItem(mark: .culprit, text: isStuckProven ? "holds the others up" : "perhaps holds the others up"))
    }
    if edges.contains(where: { $0.isCycle && $0.kind == .dependency }) {
      items.append(LegendItem(mark: .line(.cycle), text: "dependency cycle"))
    }
    if edges.contains(where: { $0.kind == .heldSlot }) {
      items.append(LegendItem(mark: .line(.heldSlot), text: "needs its slot"))
    }
    if edges.contains(where: { [.wait, .barrier, .mainThread].contains($0.kind) }) {
      items.append(LegendItem(mark: .line(.wait), text: "blocks until it is over"))
    }
    if edges.contains(where: { $0.kind == .dependency && $0.isOpen && !$0.isCycle && !$0.isCritical }) {
      items.append(LegendItem(mark: .line(.open), text: "not begun"))
    }
    let submissions = edges.contains { $0.kind == .submission }
    if submissions { items.append(LegendItem(mark: .line(.submission), text: "submitted")) }
    if edges.contains(where: { $0.kind == .awaited }) {
      items.append(LegendItem(mark: .line(.awaited), text: "waits for it"))
    }
    let folds = nodes.count { $0.fold != nil }
    if folds > 0 {
      items.append(
        LegendItem(
          mark: .fold, text: hasOtherWork ? "several in one box" : "several operations in one box", count: folds))
      let most = edges.lazy.map(\.count).max() ?? 1
      let lines = submissions ? "lines" : "dependencies"
      if most > 1 { items.append(LegendItem(mark: .many, text: "so many \(lines) between two boxes")) }
    }
    if edges.contains(where: \.isMixed) {
      items.append(LegendItem(mark: .line(.mixed), text: "goes both ways between boxes: not a deadlock"))
    }
    if nodes.contains(where: \.isBarrier) { items.append(LegendItem(mark: .barrier, text: "barrier")) }
    if nodes.contains(where: { !$0.bar.isEmpty }) {
      let length = DurationText.text(period.upperBound - period.lowerBound)
      let box = folds > 0 ? "; of a box of several: from its first to its last" : ""
      items.append(
        LegendItem(
          mark: .bar,
          text: (hasTasks
            ? "waiting for dependencies, or suspended · for a slot or a turn" : "waiting for dependencies · for a slot")
            + " · running, over 0 – \(length)\(box)"))
    }
    return items
  }
}

extension GraphPicture.Edge {
  /// The line's dash pattern. Colour and words say the same.
  enum Stroke { case solid, dashed, longDashed, dotted }

  var stroke: Stroke {
    switch kind {
    case .slot, .heldSlot: .dotted
    case .wait, .mainThread, .awaited: .longDashed
    case .barrier, .submission: .dashed
    case .dependency: isMixed ? .dotted : difference == .went || isOpen && !isCycle ? .dashed : .solid
    }
  }

  /// Whether it is something other than a dependency that is waited for and does not come.
  var isStuck: Bool { kind != .dependency && kind != .slot && kind != .submission && kind != .awaited }
  var color: ColorPair {
    difference?.style.accent
      ?? (isCycle || isStuck ? Palette.cycle : isCritical ? Palette.critical : Palette.edge)
  }
  /// The colour of the label. The label of a plain edge, such as a count, is muted, because it is no fault.
  var labelColor: ColorPair {
    difference?.style.accent
      ?? (isCycle || isStuck ? Palette.cycle : isCritical ? Palette.critical : Palette.muted)
  }
  var width: Double {
    if difference != nil { return 2.2 }
    if isCycle { return kind == .heldSlot ? 3 : 2.2 }
    return isStuck ? 1.6 : isCritical ? 2.8 : isMixed ? 1.6 : 1.2
  }

  /// The lengths of dash and gap. A dot is a short dash with round ends.
  var dashes: [Double] {
    switch stroke {
    case .solid: []
    case .dashed: kind == .barrier ? [3, 3] : kind == .submission ? [2, 2.5] : [5, 3.5]
    case .longDashed: [8, 4]
    case .dotted: [0.1, isMixed ? 4.5 : 5.2]
    }
  }
  var hasRoundEnds: Bool { stroke == .dotted }
}

extension GraphPicture.Verdict.Kind {
  var color: ColorPair {
    switch self {
    case .good: Palette.good
    case .note: Palette.muted
    case .warning: Palette.warning
    case .deadlock: Palette.cycle
    }
  }
}
