import OpTraceModel

/// What a program says that it planted.
struct Plant {
  var seed: Int
  var code: String
  /// How many of the culprits, the main thread among them, wait for ever.
  var waits: Int
  var behind: Int
  var culprits: Set<String>

  init?(_ line: String) {
    let words = line.split(separator: " ").map(String.init)
    guard words.count == 5, let seed = Int(words[0]), let waits = Int(words[2]), let behind = Int(words[3]) else {
      return nil
    }
    self.seed = seed
    code = words[1]
    self.waits = waits
    self.behind = behind
    culprits = Set(words[4].split(separator: ",").map(String.init))
  }

  /// Whether the program has come to where it hangs: all that is to wait does, and all else is over.
  func isSettled(in trace: Trace) -> Bool {
    let isOver = trace.operations.allSatisfy { !$0.title.hasPrefix("operation ") || $0.finished != nil }
    return isOver && waiters(in: trace) >= waits
  }

  /// Culprits and the main thread wait for operations and queues. What they wait for on semaphores is each other, until all
  /// of them have begun. Who waits for a queue may wait for its operations on the way: one waiter all the same.
  private func waiters(in trace: Trace) -> Int {
    let waiters = trace.waits.compactMap { wait -> OperationID?? in
      if wait.ended != nil { return nil }
      if case .object = wait.target { return nil }
      guard let inside = wait.inside else { return .some(nil) }
      return culprits.contains(trace.operation(inside)?.title ?? "") ? .some(inside) : nil
    }
    return Set(waiters).count
  }
}
