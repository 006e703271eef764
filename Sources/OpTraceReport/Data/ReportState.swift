import OpTraceTimeline
import OpTraceGraph
import OpTraceAnalysis
import OpTraceModel

/// What an operation is shown as, by its place in the page's list of states: ``ShownState``, or unknown.
struct ReportState {
  static let words = ShownState.allCases.map(\.rawValue) + ["unknown"]
  let rawValue: Int

  init(of operation: borrowing OperationRecord, at row: Int, _ stuck: borrowing StuckPart) {
    let state: ShownState =
      stuck.cycles[row] != nil
      ? .deadlocked
      : stuck.stalled.contains(row) || stuck.culprits.contains(row) ? .stalled : ShownState(operation.state)
    let isStuck = state == .deadlocked || state == .stalled
    rawValue = isStuck || operation.isOutcomeKnown ? state.ordinal : Self.words.count - 1
  }
}

/// Yes-or-no facts of an operation, as `model.mjs` names them.
struct ReportFlags: OptionSet {
  let rawValue: Int
  static let asynchronous = Self(rawValue: 1)
  static let barrier = Self(rawValue: 2)
  static let leavesThread = Self(rawValue: 4)
  static let external = Self(rawValue: 8)
  static let partial = Self(rawValue: 16)
  static let unknown = Self(rawValue: 64)
  /// What the three times count as a wait for dependencies, or for a slot, was one for a barrier.
  static let barrierForDependencies = Self(rawValue: 128)
  static let barrierForSlot = Self(rawValue: 256)
  /// A task that its parent waits for.
  static let child = Self(rawValue: 512)

  init(rawValue: Int) { self.rawValue = rawValue }

  init(of operation: borrowing OperationRecord, _ barriers: BarrierWaits.Parts) {
    self = []
    if barriers.contains(.dependencies) { insert(.barrierForDependencies) }
    if barriers.contains(.slot) { insert(.barrierForSlot) }
    if operation.isAsynchronous { insert(.asynchronous) }
    if operation.isBarrier { insert(.barrier) }
    if operation.leavesThread { insert(.leavesThread) }
    if operation.coverage == .external { insert(.external) }
    if operation.coverage == .partial { insert(.partial) }
    if !operation.isOutcomeKnown { insert(.unknown) }
  }
}
