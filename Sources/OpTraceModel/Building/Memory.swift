import OpTraceFormat

/// Assembles sampled allocations. Records of one thread of the recorder, so they come in order: a block's end after its begin.
struct Memory {
  /// How allocations are sampled from a time on.
  struct Setting {
    var time: Nanoseconds
    var fields: EventFields.Memory
    var interval: UInt64 { max(1, fields.interval) }
  }

  private var allocations: [AllocationRecord] = []
  /// Where in the list the block with a number is, while it lives.
  private var rows: [UInt32: Int] = [:]
  private var readings: [MemoryReading] = []

  mutating func add(_ fields: EventFields.Allocated, at frame: UInt32, _ time: Nanoseconds) {
    let allocation = AllocationRecord(
      number: fields.number == 0 ? nil : fields.number, time: Self.time(time, fields.age),
      thread: ThreadID(fields.thread), at: FrameID(orNone: frame), size: fields.size,
      interval: 1, call: .init(rawValue: fields.call) ?? .malloc, isObject: fields.object)
    if let number = allocation.number { rows[number] = allocations.count }
    allocations.append(allocation)
  }

  /// A block whose allocation a ring has forgotten: it is not counted as allocated, but lives.
  mutating func lives(_ fields: EventFields.AllocationLives, at frame: UInt32, type: String?, _ time: Nanoseconds) {
    guard fields.number != 0, rows[fields.number] == nil else { return }
    var allocation = AllocationRecord(
      number: fields.number, time: TimeBounds.clamp(time &- Nanoseconds(fields.lived) &* Self.livedUnit),
      thread: ThreadID(UInt32(fields.thread)), at: FrameID(orNone: frame), size: 0, interval: 1, isObject: type != nil)
    allocation.changes = [.init(time: allocation.time, size: fields.size)]
    allocation.type = type
    rows[fields.number] = allocations.count
    allocations.append(allocation)
  }

  private static let livedUnit: Nanoseconds = 10_000_000

  mutating func freed(_ number: UInt32, _ fields: EventFields.Freed, type: String?, _ time: Nanoseconds) {
    guard let row = rows.removeValue(forKey: number) else { return }
    allocations[row].freed = max(allocations[row].time, Self.time(time, fields.age))
    if let type { allocations[row].type = type }
  }

  mutating func resized(_ number: UInt32, _ fields: EventFields.Resized, _ time: Nanoseconds) {
    guard let row = rows[number] else { return }
    let time = max(allocations[row].changes.last?.time ?? allocations[row].time, Self.time(time, fields.age))
    allocations[row].changes.append(.init(time: time, size: fields.size))
  }

  mutating func typed(_ number: UInt32, _ type: String?) {
    if let row = rows[number] { allocations[row].type = type }
  }

  mutating func add(_ fields: EventFields.MemoryUse, _ time: Nanoseconds) {
    readings.append(
      .init(
        time: time, resident: UInt64(fields.resident) << 10, anonymous: UInt64(fields.anonymous) << 10,
        peak: UInt64(fields.peak) << 10, lost: fields.lost))
  }

  /// Forgets what was over before a time; `.max`: also what lives. O(allocations).
  mutating func forget(before time: Nanoseconds) {
    readings.removeAll { $0.time < time }
    let isEnd = time == .max
    allocations.removeAll { isEnd || ($0.freed ?? ($0.number == nil ? $0.time : .max)) < time }
    rows = [:]
    for (row, allocation) in allocations.enumerated() where allocation.freed == nil {
      if let number = allocation.number { rows[number] = row }
    }
  }

  /// The frames that allocations refer to.
  var frames: some Sequence<FrameID> { allocations.lazy.compactMap(\.at) }

  /// Nil: no memory was sampled. O(n log n).
  func finish(_ settings: [Setting]) -> MemoryRecord? {
    guard !settings.isEmpty || !allocations.isEmpty || !readings.isEmpty else { return nil }
    var result = Self.record(settings)
    result.allocations = allocations.sorted { ($0.time, $0.thread) < ($1.time, $1.thread) }
    var next = 0
    for index in result.allocations.indices {
      while next + 1 < settings.count, settings[next + 1].time <= result.allocations[index].time { next += 1 }
      result.allocations[index].interval = settings.isEmpty ? 1 : settings[next].interval
    }
    result.readings = readings.sorted { $0.time < $1.time }
    return result
  }

  private static func record(_ settings: [Setting]) -> MemoryRecord {
    guard let first = settings.first, let last = settings.last else { return MemoryRecord(interval: 1) }
    var record = MemoryRecord(interval: first.interval, began: first.time)
    record.lastInterval = last.interval
    record.isByEntries = first.fields.how == 1
    record.allocator = .init(rawValue: first.fields.allocator) ?? .other
    record.refusal = .init(rawValue: first.fields.refused)
    record.room = first.fields.room
    return record
  }

  private static func time(_ time: Nanoseconds, _ age: UInt64) -> Nanoseconds {
    TimeBounds.clamp(time &- Nanoseconds(clamping: age) &* Nanoseconds(Layout.ageUnit))
  }
}
