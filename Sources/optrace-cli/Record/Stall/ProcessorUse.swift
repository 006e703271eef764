#if os(Linux)
  import Foundation
  import OpTraceModel

  /// How much processor time a process and its children use: enough to say that they move, or only what waking now and then takes.
  struct ProcessorUse {
    typealias Ticks = (all: UInt64, user: UInt64)

    /// Whether it uses the processor, but hardly in its own code. Threads that wait for an initialiser in a deadlock do
    /// that, because Swift's runtime lets them spin in the kernel; but so do programs that copy files.
    private(set) var isInSystem = false
    /// Processor time at some moment, in ticks, from which its use is measured.
    private var mark: (ticks: Ticks, time: Nanoseconds)

    /// The recorder's own thread beats once a second and takes a snapshot of all threads every ten seconds. Measured: 0.06 % of a
    /// processor for a program of 8 threads, 0.16 % for one of 204. A main loop that wakes up ten times a second takes as much.
    private static let quietShare = 0.02
    /// The largest share of its time that a thread that spins in the kernel spends in its own code. Measured: 0.1.
    private static let spinnersShare = 0.25
    /// A requested snapshot takes its processor time all at once.
    private static let quietTicks = 3.0
    private static let ticksPerSecond = Double(max(1, sysconf(Int32(_SC_CLK_TCK))))

    init(_ ticks: Ticks, at time: Nanoseconds) { mark = (ticks, time) }

    /// Whether it has moved since it last did.
    ///
    /// - Parameter ticks: processor time until now.
    mutating func moves(_ ticks: Ticks, isStopped: Bool, now: Nanoseconds) -> Bool {
      // A child has ended and nobody asked for its status, so its time is gone.
      if ticks.all < mark.ticks.all || ticks.user < mark.ticks.user { mark.ticks = ticks }
      let elapsed = Double(now - mark.time) / 1e9
      let used = Double(ticks.all - mark.ticks.all)
      let isBusy = used > Self.quietTicks + Self.quietShare * elapsed * Self.ticksPerSecond
      isInSystem = isBusy && Double(ticks.user - mark.ticks.user) < Self.spinnersShare * used
      guard isBusy && !isInSystem || isStopped else { return false }
      mark = (ticks, now)
      return true
    }
  }
#endif
