public import OpTraceModel

extension Trace {
  /// Takes operations that have not begun as seen in part, unless an earlier look at the same process showed them like
  /// this too. A flight recorder goes on while it is read: that such a one has begun may have been dropped meanwhile, and
  /// a queue would seem to hold more than it ever had. O(operations · log operations of the earlier look).
  public mutating func doubtWhatOpened(since earlier: Trace) {
    for place in operations.indices where operations[place].hasNotBegun && operations[place].coverage == .full {
      let before = earlier.operation(operations[place].id)
      if before?.hasNotBegun != true { operations[place].coverage = .partial }
    }
  }
}

extension OperationRecord {
  fileprivate var hasNotBegun: Bool { started == nil && executionBegan == nil && finished == nil }
}
