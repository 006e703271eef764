import OpTraceAnalysis
import OpTraceModel

/// An entry of the legend: only what the picture shows.
struct LegendItem: Sendable {
  enum Line: String, Sendable {
    case critical, slot, cycle, open

    var color: ColorPair {
      switch self {
      case .critical, .slot: Palette.critical
      case .cycle: Palette.cycle
      case .open: Palette.edge
      }
    }
  }
  enum Mark: Sendable {
    case state(ShownState)
    /// Seen in part.
    case unknown
    case line(Line)
    case barrier
    case bar
  }
  var mark: Mark
  var text: String
  var count: Int?
}

extension GraphPicture {
  var legend: [LegendItem] {
    var items: [LegendItem] = []
    for state in ShownState.allCases {
      let number = count(of: state)
      if number > 0 { items.append(LegendItem(mark: .state(state), text: state.rawValue, count: number)) }
    }
    let unknown = nodes.count(where: \.isUnknown)
    if unknown > 0 { items.append(LegendItem(mark: .unknown, text: "recorded in part", count: unknown)) }
    if nodes.contains(where: \.isCritical) { items.append(LegendItem(mark: .line(.critical), text: "critical path")) }
    if edges.contains(where: { $0.kind == .slot }) {
      items.append(LegendItem(mark: .line(.slot), text: "waited for its slot"))
    }
    if edges.contains(where: \.isCycle) { items.append(LegendItem(mark: .line(.cycle), text: "dependency cycle")) }
    if edges.contains(where: { $0.isOpen && !$0.isCycle && !$0.isCritical }) {
      items.append(LegendItem(mark: .line(.open), text: "not begun"))
    }
    if nodes.contains(where: \.isBarrier) { items.append(LegendItem(mark: .barrier, text: "barrier")) }
    if nodes.contains(where: { !$0.bar.isEmpty }) {
      let length = DurationText.text(period.upperBound - period.lowerBound)
      items.append(LegendItem(mark: .bar, text: "blocked · queued · ran, over 0 – \(length)"))
    }
    return items
  }
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
