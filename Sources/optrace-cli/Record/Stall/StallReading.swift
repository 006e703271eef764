import OpTraceDoctor

#if os(Linux)
  import OpTraceRunning
  import OpTraceModel
  import OpTraceText

  /// A reading of a living process's trace, with a snapshot of its threads.
  struct StallReading {
    let input: InputTrace
    /// The time of the reading, on the trace's clock.
    let now: Nanoseconds

    /// For how long a snapshot is as good as a new one.
    private static let fresh: Nanoseconds = 1_000_000_000

    /// Reads the trace. The recorder takes a snapshot by itself when nothing has moved for a second; if it has not yet,
    /// it is asked for one.
    init(at source: TraceInput) throws {
      let read = try source.read(warns: false)
      let isSeen = read.trace.snapshot.map { $0.time > read.trace.lastMove ?? .min } ?? false
      input = try isSeen ? read.withLiveNames() : source.readAfterSnapshot(read.trace, warns: false)
      now = LiveProcess.now(of: input.trace)
    }

    /// Reads the trace with a new snapshot, if nothing has moved since the first reading.
    init(at source: TraceInput, after first: StallReading) throws {
      let trace = first.input.trace
      let isNew = trace.snapshot.map { LiveProcess.now(of: trace) - $0.time < Self.fresh } ?? false
      input = try isNew ? source.read(warns: false).withLiveNames() : source.readAfterSnapshot(trace, warns: false)
      now = LiveProcess.now(of: input.trace)
    }

    /// For a trace that was read already.
    init(_ input: InputTrace, now: Nanoseconds) { (self.input, self.now) = (input, now) }

    var reading: DoctorReport.Reading { .init(input.trace, now: now) }
    /// The same reading at a later time, if nothing has come since.
    func at(_ time: Nanoseconds) -> StallReading { StallReading(input, now: time) }
  }
#endif
