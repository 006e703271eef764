extension ShownState {
  /// Its sign, 11 points square. Drawn and not set: fonts lack some of the characters.
  var path: DrawnPath {
    switch self {
    case .finished: Self.check
    case .executing, .ready: Self.triangle
    case .pending: Self.ring
    case .cancelled: Self.cross
    case .failed: Self.exclamation
    case .deadlocked: Self.turn
    case .stalled: Self.noEntry
    }
  }

  private static let check = DrawnPath([(1.5, 6), (4.5, 9), (9.5, 2.5)])
  private static let triangle = DrawnPath([(2.5, 1.5), (9.5, 5.5), (2.5, 9.5)], isClosed: true)
  private static let ring = DrawnPath(arc: (5.5, 5.5), radius: 4, from: 0, to: 360)
  private static let cross = DrawnPath([(2, 2), (9, 9)]).with([(9, 2), (2, 9)])
  private static let exclamation = DrawnPath([(5.5, 1), (5.5, 6.5)]).with([(5.5, 9), (5.5, 9.6)])
  /// Round against the clock, with an arrow at its beginning.
  private static let turn = DrawnPath(arc: (5.7, 5.7), radius: 4.4, from: -35, to: -348).with([
    (9.8, 0.6), (9.8, 3.6), (6.8, 3.6),
  ])
  private static let noEntry = ring.with([(2.7, 8.3), (8.3, 2.7)])
}
