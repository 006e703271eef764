import OpTraceAnalysis
import OpTraceModel

/// An entry of the legend: only what the picture shows.
struct LegendItem: Sendable {
  enum Line: String, Sendable {
    case critical, slot, cycle, open, mixed
    case heldSlot = "held-slot"
    case wait

    var color: ColorPair {
      switch self {
      case .critical, .slot: Palette.critical
      case .cycle, .heldSlot, .wait: Palette.cycle
      case .open, .mixed: Palette.edge
      }
    }

    var stroke: GraphPicture.Edge.Stroke {
      switch self {
      case .critical, .cycle: .solid
      case .slot, .heldSlot: .dotted
      case .open: .dashed
      case .mixed: .dotted
      case .wait: .longDashed
      }
    }

    var width: Double {
      switch self {
      case .open: 1.2
      case .mixed: 1.6
      case .critical, .slot: 2.8
      case .cycle, .heldSlot, .wait: 2.2
      }
    }
  }
  enum Mark: Sendable {
    case state(ShownState)
    /// Seen in part.
    case unknown
    case culprit
    case line(Line)
    case barrier
    case fold
    case bar
  }
  var mark: Mark
  var text: String
  var count: Int?
}

extension LegendItem {
  /// The state whose colours and sign its mark has.
  var shownState: ShownState {
    switch mark {
    case .state(let state): state
    case .culprit: .stalled
    case .fold: .finished
    case .unknown, .line, .barrier, .bar: .pending
    }
  }
}

extension GraphPicture {
  var legend: [LegendItem] {
    var items: [LegendItem] = []
    for state in ShownState.allCases {
      let number = count(of: state)
      if number > 0 { items.append(LegendItem(mark: .state(state), text: state.rawValue, count: number)) }
    }
    let unknown = nodes.reduce(0) { $0 + ($1.fold?.unknown ?? ($1.isUnknown ? 1 : 0)) }
    if unknown > 0 { items.append(LegendItem(mark: .unknown, text: "recorded in part", count: unknown)) }
    if nodes.contains(where: \.isCritical) { items.append(LegendItem(mark: .line(.critical), text: "critical path")) }
    if edges.contains(where: { $0.kind == .slot }) {
      items.append(LegendItem(mark: .line(.slot), text: "waited for its slot"))
    }
    if nodes.contains(where: \.isCulprit) || lanes.contains(where: \.isCulprit) {
      items.append(LegendItem(mark: .culprit, text: "holds the others up"))
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
    let folds = nodes.count { $0.fold != nil }
    if folds > 0 { items.append(LegendItem(mark: .fold, text: "box of many", count: folds)) }
    if edges.contains(where: \.isMixed) {
      items.append(LegendItem(mark: .line(.mixed), text: "round between boxes of many, no circle of operations"))
    }
    if nodes.contains(where: \.isBarrier) { items.append(LegendItem(mark: .barrier, text: "barrier")) }
    if nodes.contains(where: { !$0.bar.isEmpty }) {
      let length = DurationText.text(period.upperBound - period.lowerBound)
      items.append(LegendItem(mark: .bar, text: "blocked · queued · ran, over 0 – \(length)"))
    }
    return items
  }
}

extension GraphPicture.Edge {
  /// How the line is broken; told by colour and words too.
  enum Stroke { case solid, dashed, longDashed, dotted }

  var stroke: Stroke {
    switch kind {
    case .slot, .heldSlot: .dotted
    case .wait, .mainThread: .longDashed
    case .barrier: .dashed
    case .dependency: isMixed ? .dotted : isOpen && !isCycle ? .dashed : .solid
    }
  }

  /// Something else than a dependency that is waited for, and does not come.
  var isStuck: Bool { kind != .dependency && kind != .slot }
  var color: ColorPair { isCycle || isStuck ? Palette.cycle : isCritical ? Palette.critical : Palette.edge }
  /// How often it stands is no fault.
  var labelColor: ColorPair { isCycle || isStuck ? Palette.cycle : isCritical ? Palette.critical : Palette.muted }
  var width: Double { isCycle ? (kind == .heldSlot ? 3 : 2.2) : isCritical ? 2.8 : isStuck || isMixed ? 1.6 : 1.2 }
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
