import OpTraceModel

/// Adds who alone could end waits, where who looked at the process has found all of them.
extension WaitForBuilder {
  /// O(waits with known ends · nodes).
  mutating func addEnders() {
    for enders in trace.origin?.enders ?? [] {
      let waiting = enders.task.flatMap { node(of: $0) }.map { [$0] } ?? enders.waiter.map { waiters(on: $0) } ?? []
      for waiter in waiting { connect(waiter, enders) }
    }
  }

  /// What a waiting thread executes, and the thread itself, if it stands for itself.
  private mutating func waiters(on thread: ThreadID) -> [Int] {
    let executing = nodes.indices.filter { threads(of: $0).contains(thread) }
    return executing.isEmpty || thread == mainThread ? executing + [node(.thread(thread))] : executing
  }

  private mutating func connect(_ waiter: Int, _ enders: TraceOrigin.Enders) {
    // An operation that no work ends is a suspect of its own.
    if case .operation = nodes[waiter], enders.works.isEmpty { return }
    let threads = enders.threads + enders.possible
    if enders.works.isEmpty, threads.isEmpty { return connect(waiter, node(.nobody(waiter)), .root) }
    // Of one that is not in the graph, nothing is known to keep it from going on.
    let known = enders.works.compactMap { node(of: $0) }
    guard known.count == enders.works.count else { return }
    let any = node(.enders(waiter))
    slotNeeds[any] = 1
    connect(waiter, any, .ender)
    for one in known where one != waiter { connect(any, one, .ender) }
    for one in threads.flatMap({ waiters(on: $0) }) where one != waiter { connect(any, one, .mayEnd) }
  }
}
