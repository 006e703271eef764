import OpTraceFormat

/// Assembles samples of processor time.
struct Samples {
  private var records: [SampleRecord] = []
  private var readings: [ProfileRecord.Reading] = []

  mutating func add(_ kind: EventKind, _ frame: UInt32, _ word: UInt64, _ time: Nanoseconds) {
    let fields = EventFields.Sampled(word)
    records.append(
      SampleRecord(
        time: TimeBounds.clamp(time &- Nanoseconds(fields.age) &* Nanoseconds(Layout.ageUnit)),
        thread: ThreadID(fields.thread), at: FrameID(orNone: frame), isInKernel: kind == .sampledInKernel))
  }

  mutating func add(_ fields: EventFields.Sampling, _ time: Nanoseconds) {
    readings.append(
      .init(
        time: time, used: TimeBounds.clamp(Nanoseconds(clamping: fields.used)), lost: fields.lost,
        missing: fields.missing))
  }

  /// Forgets samples from before `time`. O(samples).
  mutating func forget(before time: Nanoseconds) {
    records.removeAll { $0.time < time }
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
