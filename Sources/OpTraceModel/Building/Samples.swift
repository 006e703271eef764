import OpTraceFormat

/// Assembles samples of processor time.
struct Samples {
  private var records: [SampleRecord] = []
  private var readings: [ProfileRecord.Reading] = []
  /// Samples are forgotten only when they are taken; nil: with everything else.
  private var kept: (since: Nanoseconds, recordedAfter: Nanoseconds)?
  /// When the last sample was recorded; nil: none was.
  private(set) var lastRecorded: Nanoseconds?

  mutating func add(_ kind: EventKind, _ frame: UInt32, _ word: UInt64, _ time: Nanoseconds) {
    let fields = EventFields.Sampled(word)
    let sample = SampleRecord(
      time: TimeBounds.clamp(time &- Nanoseconds(fields.age) &* Nanoseconds(Layout.ageUnit)),
      thread: ThreadID(fields.thread), at: FrameID(orNone: frame), isInKernel: kind == .sampledInKernel)
    lastRecorded = max(time, lastRecorded ?? time)
    if let kept, sample.time < kept.since || time <= kept.recordedAfter { return }
    records.append(sample)
  }

  mutating func add(_ fields: EventFields.Sampling, _ time: Nanoseconds) {
    readings.append(
      .init(
        time: time, used: TimeBounds.clamp(Nanoseconds(clamping: fields.used)), lost: fields.lost,
        missing: fields.missing))
  }

  /// Keeps samples until they are taken, but none from before `since`, and none that was recorded at or before
  /// `recordedAfter`.
  mutating func keep(since: Nanoseconds, recordedAfter: Nanoseconds) { kept = (since, recordedAfter) }

  /// Whether there are samples from before `time`. O(samples).
  func has(before time: Nanoseconds) -> Bool { records.contains { $0.time < time } }

  /// Takes out the samples from before `time`, whenever they were recorded. O(samples).
  mutating func take(before time: Nanoseconds) -> Samples {
    var taken = self
    taken.records.removeAll { $0.time >= time }
    records.removeAll { $0.time < time }
    return taken
  }

  /// Forgets samples from before `time`. O(samples).
  mutating func forget(before time: Nanoseconds) {
    if self.kept == nil { records.removeAll { $0.time < time } }
    let kept = readings.lastIndex { $0.time < time } ?? 0
    readings.removeFirst(kept)
  }

  /// The innermost frames of the samples that are kept.
  var frames: some Sequence<FrameID> { records.lazy.compactMap(\.at) }

  /// The samples in the order of time. O(n log n).
  func finish(_ profile: ProfileRecord?) -> (profile: ProfileRecord?, samples: [SampleRecord]) {
    var profile = profile
    profile?.readings = readings.sorted { $0.time < $1.time }
    return (profile, records.sorted { ($0.time, $0.thread) < ($1.time, $1.thread) })
  }
}
