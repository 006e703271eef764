#if os(Linux)
  import OpTraceLive
  import OpTraceModel
  import OpTraceText

  /// The trace of a living process, read with what its threads do.
  struct StallReading {
    let input: InputTrace
    /// On the trace's clock.
    let now: Nanoseconds

    /// A snapshot is as good as new for so long.
    private static let fresh: Nanoseconds = 1_000_000_000

    /// What is there; the recorder takes a snapshot by itself when nothing has moved for a second, and is asked if it has not yet.
    init(at source: TraceInput) throws {
      let read = try source.read(warns: false)
      let isSeen = read.trace.snapshot.map { $0.time > read.trace.lastMove ?? .min } ?? false
      input = try isSeen ? read.withLiveNames() : source.readAfterSnapshot(read.trace, warns: false)
      now = LiveProcess.now(of: input.trace)
    }

    /// With a new snapshot, since which nothing has moved.
    init(at source: TraceInput, after first: StallReading) throws {
      let trace = first.input.trace
      let isNew = trace.snapshot.map { LiveProcess.now(of: trace) - $0.time < Self.fresh } ?? false
      input = try isNew ? source.read(warns: false).withLiveNames() : source.readAfterSnapshot(trace, warns: false)
      now = LiveProcess.now(of: input.trace)
    }

    /// For a trace that was read before.
    init(_ input: InputTrace, now: Nanoseconds) { (self.input, self.now) = (input, now) }

    var reading: DoctorReport.Reading { .init(input.trace, now: now) }
    /// The same at a later time by which nothing has come.
    func at(_ time: Nanoseconds) -> StallReading { StallReading(input, now: time) }
  }
#endif
