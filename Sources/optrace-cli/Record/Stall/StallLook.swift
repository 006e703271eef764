#if os(Linux)
  import OpTraceLive
  import OpTraceModel
  import OpTraceText

  /// The trace of a living process, read with what its threads do.
  struct StallLook {
    let input: InputTrace
    /// On the trace's clock.
    let now: Nanoseconds

    /// A snapshot is as good as new for so long.
    private static let fresh: Nanoseconds = 1_000_000_000

    /// - Parameter before: an earlier look, since which nothing has moved.
    init(at source: TraceInput, after before: StallLook? = nil) throws {
      let first = try before?.input ?? source.read(warns: false)
      let isSeen =
        if before == nil {
          (first.trace.snapshot?.time).map { $0 > first.trace.lastSign ?? .min } ?? false
        } else {
          (first.trace.snapshot?.time).map { LiveProcess.now(of: first.trace) - $0 < Self.fresh } ?? false
        }
      input =
        switch (isSeen, before) {
        case (false, _): try source.readAfterLook(first.trace)
        case (true, nil): first.withLiveNames()
        case (true, _): try source.read(warns: false).withLiveNames()
        }
      now = LiveProcess.now(of: input.trace)
    }

    var reading: DoctorReport.Reading { .init(input.trace, now: now) }
  }
#endif
