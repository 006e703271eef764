extension [OperationRecord] {
  /// Restores the order that moments must have had, if they contradict it by less than the clocks' error. `row` gives
  /// an operation's index in this array. O(operations + dependencies).
  mutating func settleOrder(row: (OperationID) -> Int?) {
    for index in indices { self[index].settleOrder() }
    // A cancelled operation does not wait for its dependencies.
    for index in indices where !self[index].dependencies.isEmpty && self[index].cancelRequested == nil {
      guard let ready = self[index].ready?.time else { continue }
      var latest = ready
      for dependency in self[index].dependencies where dependency.removed == nil {
        guard let finished = row(dependency.on).flatMap({ self[$0].finished?.time }) else { continue }
        if finished > latest, finished - ready < TraceBuilder.tolerance { latest = finished }
      }
      if latest > ready {
        self[index].ready?.time = latest
        self[index].settleOrder()
      }
    }
  }
}

extension OperationRecord {
  fileprivate mutating func settleOrder() {
    // A start comes after being enqueued and ready; each other moment comes after the one that contains it.
    Self.raise(&started, to: enqueued)
    Self.raise(&started, to: ready)
    Self.raise(&executionBegan, to: started)
    Self.raise(&executionEnded, to: executionBegan)
    Self.raise(&startReturned, to: started)
    Self.raise(&finished, to: started)
    Self.raise(&finished, to: executionBegan)
    // An asynchronous operation may be over before its `execute()` has returned.
    if !isAsynchronous { Self.raise(&finished, to: executionEnded) }
  }

  private static func raise(_ moment: inout Stamp?, to earlier: Stamp?) {
    guard let earlier, let later = moment else { return }
    if later.time < earlier.time, earlier.time - later.time < TraceBuilder.tolerance { moment?.time = earlier.time }
  }
}
