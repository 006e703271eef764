extension Trace {
  /// The threads that serve descriptors and timers of the program: not libdispatch's own, and no thread of its pool, which looks like a loop
  /// where code on it waits in one for a while, as for the end of a child process. O(loops).
  package var eventLoops: [LoopRecord] {
    loops.filter { !$0.isManager && !(thread($0.thread)?.isOfDispatchPool ?? false) }
  }
}

extension ThreadRecord {
  /// On Linux libdispatch names the threads of its pool after their queue, `com.apple.root.default-qos.overcommit`, of which the system keeps
  /// the last 15 bytes.
  fileprivate var isOfDispatchPool: Bool {
    ["-qos", "-qos.overcommit", "-qos.cooperative"].contains { name.hasSuffix($0) }
  }
}
