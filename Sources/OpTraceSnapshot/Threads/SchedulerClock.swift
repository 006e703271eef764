import COpTrace

/// The scheduler's clock, which says when threads have last run. Each processor has its own, and they are not the same: that of one that
/// serves many interrupts is behind. So it is asked on the processor on which a thread has run.
package struct SchedulerClock: Hashable, Sendable {
  private var times: [UInt32: UInt64] = [:]

  /// Nil: the system does not say when one of these threads ran, or does not let this one onto a processor.
  init?(for threads: [ThreadState]) {
    let processors = Set(threads.compactMap(\.processor))
    var all = optrace_processors()
    guard optrace_processors_get(&all) else { return nil }
    // Only this thread is moved; the others', and those of the process, stay where they are.
    defer { _ = optrace_processors_set(&all) }
    for number in processors {
      var one = optrace_processors_one(number)
      guard optrace_processors_set(&one), optrace_processors_own() == Int32(clamping: number),
        let time = LiveThread.ownTime
      else { return nil }
      times[number] = time
    }
    guard threads.allSatisfy({ since($0) != nil }) else { return nil }
  }

  /// How many nanoseconds ago a thread has last run. Nil: not known.
  package func since(_ thread: ThreadState) -> UInt64? {
    guard let last = thread.lastRan, last > 0, let now = thread.processor.flatMap({ times[$0] }),
      last <= now
    else {
      return nil
    }
    return now - last
  }
}

/// Since when no thread has run, as far as several looks show it.
struct Quiet {
  private var runs: [UInt32: ThreadState.Runs?] = [:]
  private(set) var since: ContinuousClock.Instant

  init(since: ContinuousClock.Instant) { self.since = since }

  /// - Parameters:
  ///   - threads: those of a look; without libdispatch's manager, if that moves nothing.
  ///   - began: when the look began.
  mutating func saw(_ threads: [SeenThread], from began: ContinuousClock.Instant) {
    let now = Dictionary(
      // One that could run moves, also where it gets no processor for a while.
      threads.map { ($0.state.id, $0.isStill && $0.state.letter != UInt8(ascii: "R") ? $0.state.runs : nil) },
      uniquingKeysWith: { first, _ in first })
    if now != runs || now.values.contains(nil) { since = began }
    runs = now
  }
}
