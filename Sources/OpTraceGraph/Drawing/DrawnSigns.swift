extension BoxDifference {
  /// The ``sign`` as a path, 11 points square.
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

extension GraphPicture.Node {
  var signPath: DrawnPath { difference?.path ?? state.path }
}

extension LegendItem.Mark {
  var path: DrawnPath { difference?.path ?? shownState.path }
}
