package import OpTraceModel

/// What happened to a box or a line between the two versions that are compared. It is shown instead of a state.
public enum BoxDifference: String, Sendable, CaseIterable {
  /// The base does not have it.
  case came
  /// The new version does not have it.
  case went
  /// There are more of it.
  case more
  /// There are fewer of it.
  case fewer
  /// There are as many, but they end in other states.
  case ends
  /// There are as many, but they are slower.
  case slower
  /// There are as many, but they are faster.
  case faster
  /// There is no difference worth a mark.
  case same

  /// The words in the legend.
  package var words: String {
    switch self {
    case .came: "came"
    case .went: "went"
    case .more: "more of them"
    case .fewer: "fewer of them"
    case .ends: "ends otherwise"
    case .slower: "slower"
    case .faster: "faster"
    case .same: "the same, or not clear"
    }
  }

  /// One character for the difference, for readers who cannot see colours.
  var sign: String {
    switch self {
    case .came: "+"
    case .went: "−"
    case .more: "↑"
    case .fewer: "↓"
    case .ends: "≠"
    case .slower: "«"
    case .faster: "»"
    case .same: "="
    }
  }

  var style: StateStyle {
    switch self {
    case .came:
      StateStyle(
        accent: ColorPair("#0B7A53", "#4ADE9F"), border: ColorPair("#0B7A53", "#2FA574"),
        fill: ColorPair("#E7F8EF", "#0D2E22"), text: ColorPair("#08402C", "#DDFBEC"))
    case .went: ShownState.deadlocked.style
    case .more, .fewer: ShownState.ready.style
    case .ends: ShownState.stalled.style
    case .slower: ShownState.failed.style
    case .faster: ShownState.executing.style
    case .same: ShownState.pending.style
    }
  }
}

extension GraphPicture {
  /// Whether two versions are compared.
  var isComparison: Bool { nodes.contains { $0.difference != nil } }

  /// The entries of the legend that only a comparison has.
  var comparisonLegend: [LegendItem] {
    var items = BoxDifference.allCases.compactMap { difference -> LegendItem? in
      let count = nodes.count { $0.difference == difference }
      return count > 0 ? LegendItem(mark: .difference(difference), text: difference.words, count: count) : nil
    }
    for difference in BoxDifference.allCases {
      let count = edges.count { $0.difference == difference }
      if count > 0 {
        items.append(
          LegendItem(mark: .line(.difference(difference)), text: "dependencies: \(difference.words)", count: count))
      }
    }
    return items
  }
}

extension GraphPicture.Node {
  /// The name of the look in the style sheet, which is also its class.
  var look: String { difference?.rawValue ?? state.rawValue }
  var style: StateStyle { difference?.style ?? state.style }
  var sign: String { difference?.sign ?? state.sign }
}

// Initialisers for pictures that other modules make: a struct's own memberwise initialiser is not visible outside its
// module.

extension GraphPicture {
  /// Makes an empty picture with a title.
  package init(titled title: String) {
    self.init()
    self.title = title
  }
}

extension GraphPicture.Verdict {
  package init(_ kind: Kind, lead: String, text: String) { self.init(kind: kind, lead: lead, text: text) }
}

extension GraphPicture.Lane {
  package init(
    id: String, nodeClass: String, title: String, caption: String, tooltip: String, style: LaneStyle,
    boxed isBoxed: Bool
  ) {
    self.init(
      id: id, nodeClass: nodeClass, title: title, caption: caption, tooltip: tooltip, style: style, isBoxed: isBoxed)
  }
}

extension GraphPicture.Node {
  /// Makes a box of a comparison.
  package init(
    fold: GraphPicture.Fold, difference: BoxDifference, operation: OperationID, lane: Int, name: String,
    caption: String,
    tooltip: String
  ) {
    self.init(
      operation: operation, lane: lane, state: .finished, name: name, caption: caption, bar: [], tooltip: tooltip,
      fold: fold, difference: difference)
  }
}

extension GraphPicture.Edge {
  package init(_ from: Int, _ to: Int) { self.init(from: from, to: to) }
}

extension GraphPicture.Fold {
  package init(_ number: Int, of members: [OperationID]) { self.init(number: number, members: members) }
}
