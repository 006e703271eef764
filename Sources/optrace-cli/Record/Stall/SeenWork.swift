#if os(Linux)
  import OpTraceModel

  /// What threads do that snapshots show on a processor, or waiting for one, while nothing moves. On a busy machine a thread
  /// that only wakes now and then is often seen so, and a thread that computes gets little processor time, but more than
  /// the other. So what a thread has used since it was first seen so tells them apart.
  struct SeenWork {
    enum Answer { case none, some, unknown }

    /// A thread that computes gets this much while nothing moves, in nanoseconds, also at a load of 100; a thread that wakes once
    /// a second uses a hundredth. Snapshots tell it in milliseconds.
    static let least: Nanoseconds = 10_000_000
    /// How many snapshots may show threads on a processor.
    static let mostLooks = 3

    private var used: [UInt32: Nanoseconds] = [:]
    private var looks = 0

    /// - Parameters:
    ///   - threads: those on a processor in the last snapshot, by the system's id, and what each had used by then.
    ///   - usedNow: what a thread has used by now; nil: it has ended, or the system does not tell.
    /// - Returns: unknown: another snapshot may show that they sleep.
    mutating func ask(about threads: [UInt32: Nanoseconds], usedNow: (UInt32) -> Nanoseconds?) -> Answer {
      used.merge(threads, uniquingKeysWith: min)
      for (thread, before) in used {
        guard let now = usedNow(thread) else {
          if threads[thread] != nil { return .some }
          continue
        }
        if now - before >= Self.least { return .some }
      }
      looks += 1
      return threads.isEmpty || looks > Self.mostLooks ? .none : .unknown
    }
  }
#endif
