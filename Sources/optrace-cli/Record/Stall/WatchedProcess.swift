#if os(Linux)
  import Foundation
  import OpTraceDoctor
  import OpTraceKernel
  import OpTraceLive
  import OpTraceModel

  /// A process of a run, watched for movement: the processor time that it and its children use, and what it records.
  /// All times are on the system's monotonic clock.
  final class WatchedProcess {
    let number: pid_t
    let path: String
    /// When it began, in the units of ``ProcessTable``.
    let began: UInt64
    /// When it was last known to move.
    private(set) var lastMove: Nanoseconds
    /// Whether work is open, and everything that was recorded about it up to the present has been read.
    private(set) var isOpen = false
    /// A reading of a possible stall, how long it took, and the answer of a second one; nil: something moved since.
    var first: (reading: StallReading, cost: Nanoseconds)?
    var answer: StalledProcess?

    /// What threads do that were seen on a processor since it last moved.
    var seenWork = SeenWork()

    private var reader: LiveReader?
    private var state: LiveState
    private var use: ProcessorUse
    /// See there. This does not count as movement until the doctor has judged it.
    var isInSystem: Bool { use.isInSystem }
    /// When it last used the processor.
    private var lastUse: Nanoseconds
    private var nextReading: Nanoseconds = .min

    /// A large trace is searched as a whole for what moved last. That may take a twentieth of a processor; the pause
    /// between two searches is at most the second value.
    private static let (pauses, longestPause): (Nanoseconds, Nanoseconds) = (20, 5_000_000_000)
    /// How long to read at a time.
    private static let patience = Duration.milliseconds(200)

    /// Nil: there is no trace that can be followed, or another process writes it.
    init?(
      _ number: pid_t, path: String, entry: ProcessTable.Entry, ticks: (all: UInt64, user: UInt64), now: Nanoseconds
    ) {
      guard let reader = try? LiveReader(path: path), reader.header.processID == UInt32(number) else { return nil }
      (self.number, self.path, self.began) = (number, path, entry.began)
      self.reader = reader
      state = LiveState(reader.header)
      use = ProcessorUse(ticks, at: now)
      (lastMove, lastUse) = (now, now)
    }

    /// Whether it runs a package's tests.
    var isOfTests: Bool { reader?.header.processName.hasSuffix(".xctest") == true }

    /// Notes that something moves, or that nobody checked for some time.
    func moved(at time: Nanoseconds) {
      (lastMove, lastUse) = (max(lastMove, time), max(lastUse, time))
      (first, answer) = (nil, nil)
      seenWork = SeenWork()
    }

    /// - Parameter ticks: processor time of the process and its children until now.
    func note(ticks: (all: UInt64, user: UInt64), isStopped: Bool, now: Nanoseconds) {
      if use.moves(ticks, isStopped: isStopped, now: now) { moved(at: now) }
    }

    /// Reads new records, if the process has hardly used the processor for that long.
    func readNews(now: Nanoseconds, rest: Nanoseconds) {
      guard now - lastUse >= rest, now >= nextReading else { return }
      let began = ContinuousClock.now
      defer {
        nextReading =
          now + min(Self.longestPause, Nanoseconds((ContinuousClock.now - began) / .nanoseconds(1)) * Self.pauses)
      }
      let deadline = ContinuousClock.now + Self.patience
      while var reader {
        let news = reader.poll()
        self.reader = reader
        switch news.state {
        case .open: break
        // There is nothing more to follow.
        case .closed, .gone: self.reader = nil
        case .cut, .replaced:
          self.reader = try? LiveReader(path: path)
          if let header = self.reader?.header { state = LiveState(header) }
          return moved(at: now)
        }
        state.take(news)
        if !news.hasMore {
          take(state.trace())
          break
        }
        isOpen = false
        if ContinuousClock.now >= deadline { break }
      }
      if reader == nil { isOpen = false }
    }

    private func take(_ trace: Trace) {
      if let move = trace.lastMove {
        let time = Self.time(move, trace.header)
        if time > lastMove { moved(at: time) }
      }
      // A test counts as open work, even if nothing in it is recorded.
      isOpen = trace.hasOpenWork || isOfTests && trace.spans.contains { $0.ended == nil }
    }

    /// Converts a time of a trace to the system's clock.
    static func time(_ time: Nanoseconds, _ header: TraceHeader) -> Nanoseconds {
      Nanoseconds(clamping: header.startMonotonic) &+ time
    }
  }
#endif
