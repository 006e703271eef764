package import OpTraceModel

/// What became of a box or a line between two versions that are compared. It is shown instead of a state.
public enum BoxDifference: String, Sendable, CaseIterable {
  /// The base has none.
  case came
  /// The new one has none.
  case went
  /// There are more of it.
  case more
  /// There are fewer of it.
  case fewer
  /// As many, and other states at the end.
  case ends
  /// As many, and slower.
  case slower
  /// As many, and faster.
  case faster
  /// Nothing worth a mark.
  case same

  /// What the legend says.
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

  /// One character for it, for readers who see no colours.
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

  /// ``sign``, drawn: 11 points square.
  var path: DrawnPath {
    switch self {
    case .came: Self.minus.with([(5.5, 1.5), (5.5, 9.5)])
    case .went: Self.minus
    case .more: DrawnPath([(1.5, 5.5), (5.5, 1.5), (9.5, 5.5)]).with([(5.5, 1.5), (5.5, 9.5)])
    case .fewer: DrawnPath([(1.5, 5.5), (5.5, 9.5), (9.5, 5.5)]).with([(5.5, 1.5), (5.5, 9.5)])
    case .ends: Self.equal.with([(8.5, 1), (2.5, 10)])
    case .slower: DrawnPath([(5, 1.5), (1, 5.5), (5, 9.5)]).with([(10, 1.5), (6, 5.5), (10, 9.5)])
    case .faster: DrawnPath([(1, 1.5), (5, 5.5), (1, 9.5)]).with([(6, 1.5), (10, 5.5), (6, 9.5)])
    case .same: Self.equal
    }
  }

  private static let equal = DrawnPath([(1.5, 3.5), (9.5, 3.5)]).with([(1.5, 7.5), (9.5, 7.5)])

  private static let minus = DrawnPath([(1.5, 5.5), (9.5, 5.5)])
}

extension GraphPicture {
  /// Two versions are compared.
  var isComparison: Bool { nodes.contains { $0.difference != nil } }

  /// Only what a comparison shows.
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
  /// As its class in the style sheet says it.
  var look: String { difference?.rawValue ?? state.rawValue }
  var style: StateStyle { difference?.style ?? state.style }
  var sign: String { difference?.sign ?? state.sign }
  var signPath: DrawnPath { difference?.path ?? state.path }
}

// What pictures of other modules are made with: a struct's own memberwise initialiser ends at its module.

extension GraphPicture {
  /// Nothing is drawn yet.
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
  /// A box of a comparison.
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
