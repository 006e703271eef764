#if os(Linux)
  import Foundation
  import OpTraceAnalysis
  import OpTraceLive
  import OpTraceModel

  /// A process of a run, watched for whether it moves: by the processor time that it and its children use, and by what it records.
  /// All times are those of the system's monotonic clock.
  final class WatchedProcess {
    let number: pid_t
    let path: String
    /// When it began, as ``ProcessTable`` has it.
    let began: UInt64
    /// When it was last known to move.
    private(set) var lastMove: Nanoseconds
    /// Work is open, and what was recorded of it is known up to the present.
    private(set) var isOpen = false
    /// A reading of what may become a stall, how long it took, and the answer of a second one; nil where something has moved since.
    var first: (reading: StallReading, cost: Nanoseconds)?
    var answer: StalledProcess?

    private var reader: LiveReader?
    private var state: LiveState
    /// Processor time at some moment, in ticks, and how much more came since.
    private var mark: (ticks: UInt64, user: UInt64, time: Nanoseconds)
    /// It uses the processor, but hardly in its own code. So do threads that wait for an initialiser in a deadlock, which Swift's
    /// runtime lets spin in the kernel; but also programs that copy files. It does not count as moving until the doctor has judged.
    private(set) var isInSystem = false
    /// When it last used the processor.
    private var lastUse: Nanoseconds
    private var nextReading: Nanoseconds = .min

    /// The recorder's own thread beats once a second and takes a snapshot of all threads every ten seconds. Measured: 0.06 % of a
    /// processor for a program of 8 threads, 0.16 % for one of 204. A main loop that wakes up ten times a second takes as much.
    private static let quietShare = 0.02
    /// How much of its time a thread that spins in the kernel is in its own code, at most. Measured: 0.1.
    private static let spinnersShare = 0.25
    /// A snapshot that is asked for is taken in one go.
    private static let quietTicks = 3.0
    /// All of a large trace is searched for what moved last: that may take a twentieth of a processor, and no longer than this
    /// passes until the next time.
    private static let (pauses, longestPause): (Nanoseconds, Nanoseconds) = (20, 5_000_000_000)
    /// How long to read at a time.
    private static let patience = Duration.milliseconds(200)
    private static let ticksPerSecond = Double(max(1, sysconf(Int32(_SC_CLK_TCK))))

    /// Nil: there is no trace that can be followed, or its process is another one.
    init?(
      _ number: pid_t, path: String, entry: ProcessTable.Entry, ticks: (all: UInt64, user: UInt64), now: Nanoseconds
    ) {
      guard let reader = try? LiveReader(path: path), reader.header.processID == UInt32(number) else { return nil }
      (self.number, self.path, self.began) = (number, path, entry.began)
      self.reader = reader
      state = LiveState(reader.header)
      mark = (ticks.all, ticks.user, now)
      (lastMove, lastUse) = (now, now)
    }

    /// It runs a package's tests.
    var isOfTests: Bool { reader?.header.processName.hasSuffix(".xctest") == true }

    /// Something moves, or time went by in which nobody checked.
    func moved(at time: Nanoseconds) {
      (lastMove, lastUse) = (max(lastMove, time), max(lastUse, time))
      (first, answer) = (nil, nil)
    }

    /// - Parameter ticks: processor time of the process and its children until now.
    func note(ticks: (all: UInt64, user: UInt64), isStopped: Bool, now: Nanoseconds) {
      // A child has ended, and nobody asked for its status: its time is gone.
      if ticks.all < mark.ticks || ticks.user < mark.user { (mark.ticks, mark.user) = ticks }
      let elapsed = Double(now - mark.time) / 1e9
      let used = Double(ticks.all - mark.ticks)
      let isBusy = used > Self.quietTicks + Self.quietShare * elapsed * Self.ticksPerSecond
      isInSystem = isBusy && Double(ticks.user - mark.user) < Self.spinnersShare * used
      guard isBusy && !isInSystem || isStopped else { return }
      mark = (ticks.all, ticks.user, now)
      moved(at: now)
    }

    /// Reads what it has recorded since, if it has left the processor alone for so long.
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
        // There is nothing to follow any more.
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
      // A test in which nothing is recorded is open, too.
      isOpen = trace.hasOpenWork || isOfTests && trace.spans.contains { $0.ended == nil }
    }

    /// A time of a trace on the system's clock.
    static func time(_ time: Nanoseconds, _ header: TraceHeader) -> Nanoseconds {
      Nanoseconds(clamping: header.startMonotonic) &+ time
    }
  }
#endif
