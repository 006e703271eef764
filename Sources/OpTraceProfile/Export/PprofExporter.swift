import OpTraceKernel
import OpTraceModel
package import OpTraceSamples
package import OpTraceText

/// Writes a profile for `go tool pprof` and for all that reads its format, as Pyroscope and speedscope do. The bytes are the message; files
/// of it are gzipped.
///
/// Each sample has a count and nanoseconds, and labels: `thread`, `thread_id`, and of whose time it is the kind and the name as
/// `operation: Resize`, `queue` and the number in the trace, `work`. Samples that have all of this in common are one. Source of the format:
/// <https://github.com/google/pprof/blob/main/proto/profile.proto>.
package struct PprofExporter {
  private enum Field {
    static let sampleType: UInt64 = 1
    static let sample: UInt64 = 2
    static let timeNanoseconds: UInt64 = 9
    static let duration: UInt64 = 10
    static let periodType: UInt64 = 11
    static let period: UInt64 = 12
    static let defaultSampleType: UInt64 = 14
  }

  private struct Key: Hashable {
    var thread: ThreadID
    var owner: Int?
    var work: WorkID?
    var stack: Int
    var isInKernel: Bool
  }

  private struct Place: Hashable {
    var stack: Int
    var isInKernel: Bool
  }

  private struct Sum {
    var key: Key
    var samples = 0
    var weight: Nanoseconds = 0
    var memory = Profile.AllocationWeight(count: 0, bytes: 0, liveCount: 0, liveBytes: 0)

    mutating func add(_ more: Profile.AllocationWeight) {
      memory.count = memory.count.adding(more.count)
      memory.bytes = memory.bytes.adding(more.bytes)
      memory.liveCount = memory.liveCount.adding(more.liveCount)
      memory.liveBytes = memory.liveBytes.adding(more.liveBytes)
    }
  }

  private let profile: Profile
  private let writer: ByteWriter
  private var tables: PprofTables
  private var message = ProtobufMessage()
  /// What many samples have, as it is written.
  private var stackFields: [Place: [UInt8]] = [:]
  private var threadLabels: [ThreadID: [UInt8]] = [:]
  private var ownerLabels: [Int: [UInt8]] = [:]

  /// O(samples + stacks × depth).
  package static func write(_ profile: Profile, to writer: ByteWriter) {
    var exporter = Self(profile, writer)
    exporter.write()
  }

  private init(_ profile: Profile, _ writer: ByteWriter) {
    self.profile = profile
    self.writer = writer
    tables = PprofTables(profile)
  }

  /// A window of time: samples with the same stack and labels are added up already. Its labels are those that a receiver
  /// may keep a series for, and `span_id`. O(sums + stacks × depth).
  /// - Parameter startWall: the wall clock at the trace's time 0, in nanoseconds since 1970.
  static func write(_ window: WindowProfile, startWall: UInt64, to writer: ByteWriter) {
    var profile = window.tables
    profile.startWall = startWall
    var exporter = Self(profile, writer)
    exporter.write(from: window.began, to: window.ended) { exporter in
      for sum in window.sums { exporter.write(sum, of: window) }
    }
  }

  private mutating func write() {
    // A part of a trace begins where its first sample does.
    let first = profile.samples.first?.time ?? 0
    let last = profile.samples.reduce(first) { max($0, $1.time) }
    write(from: first, to: last) { exporter in
      for sum in exporter.sums { exporter.write(sum) }
    }
  }

  private mutating func write(
    from first: Nanoseconds, to last: Nanoseconds, samples: (inout PprofExporter) -> Void
  ) {
    let isSampled = profile.period > 0
    let isOfMemory = profile.unit != .time
    // Of memory those of Go's heap profiles, by which tools know it.
    let types: [(type: String, unit: String)] =
      isOfMemory
      ? [("alloc_objects", "count"), ("alloc_space", "bytes"), ("inuse_objects", "count"), ("inuse_space", "bytes")]
      : isSampled
        ? [("samples", "count"), ("cpu", "nanoseconds")] : [("waits", "count"), ("waiting", "nanoseconds")]
    for type in types { valueType(Field.sampleType, type) }
    samples(&self)
    tables.write(&message) { [writer] in Self.handOn(&$0, to: writer) }
    message.signed(Field.timeNanoseconds, Int64(clamping: profile.startWall).addingClamped(first))
    message.signed(Field.duration, max(0, last.subtractingReportingOverflow(first).partialValue))
    if isOfMemory {
      valueType(Field.periodType, ("space", "bytes"))
      message.signed(Field.period, profile.interval)
    } else if isSampled {
      valueType(Field.periodType, types[1])
      message.signed(Field.period, profile.period)
    }
    message.number(Field.defaultSampleType, tables.string(types[isOfMemory ? 3 : 1].type))
    tables.writeStrings(&message) { [writer] in Self.handOn(&$0, to: writer) }
    Self.handOn(&message, to: writer)
  }

  private static func handOn(_ message: inout ProtobufMessage, to writer: ByteWriter) {
    writer.bytes(message.bytes)
    message.removeAll()
  }

  private mutating func valueType(_ field: UInt64, _ type: (type: String, unit: String)) {
    let (name, unit) = (tables.string(type.type), tables.string(type.unit))
    message.message(field) {
      $0.number(1, name)
      $0.number(2, unit)
    }
  }

  /// In the order of their first samples.
  private var sums: [Sum] {
    var numbers: [Key: Int] = [:]
    var sums: [Sum] = []
    for (index, sample) in profile.samples.enumerated() {
      let key = Key(
        thread: sample.thread, owner: profile.owner(ofSample: index), work: sample.work, stack: sample.stack,
        isInKernel: sample.isInKernel)
      let number = numbers.entry(key)
      if number == sums.count { sums.append(Sum(key: key)) }
      sums[number].samples += 1
      sums[number].weight = sums[number].weight.adding(sample.weight)
      if profile.allocationWeights.indices.contains(index) { sums[number].add(profile.allocationWeights[index]) }
    }
    return sums
  }

  private mutating func write(_ sum: Sum) {
    let place = Place(stack: sum.key.stack, isInKernel: sum.key.isInKernel)
    let locations = stackFields[place] ?? field(of: place)
    let thread = threadLabels[sum.key.thread] ?? labels(of: sum.key.thread)
    let owner = sum.key.owner.map { ownerLabels[$0] ?? labels(ofOwner: $0) }
    let offset = message.open(Field.sample)
    message.bytes.append(contentsOf: locations)
    message.packed(2, values(of: sum))
    message.bytes.append(contentsOf: thread)
    if let owner { message.bytes.append(contentsOf: owner) }
    if let work = sum.key.work { Self.label(&message, tables.string("work"), UInt64(work.rawValue)) }
    message.close(offset)
    Self.handOn(&message, to: writer)
  }

  private mutating func write(_ sum: WindowProfile.Sum, of window: WindowProfile) {
    let place = Place(stack: sum.key.stack, isInKernel: sum.key.isInKernel)
    let locations = stackFields[place] ?? field(of: place)
    let offset = message.open(Field.sample)
    message.bytes.append(contentsOf: locations)
    message.packed(2, [UInt64(sum.samples), UInt64(sum.weight)])
    var labels = ProtobufMessage()
    for (key, value) in window.labels(of: sum.key) where key != .thread { label(&labels, key.label, value) }
    if window.spans.indices.contains(sum.key.span) { label(&labels, "span_id", window.spans[sum.key.span].spanID) }
    message.bytes.append(contentsOf: labels.bytes)
    message.close(offset)
    Self.handOn(&message, to: writer)
  }

  /// In the order of the types.
  private func values(of sum: Sum) -> [UInt64] {
    guard profile.unit != .time else { return [UInt64(sum.samples), UInt64(sum.weight)] }
    let memory = sum.memory
    return [memory.count, memory.bytes, memory.liveCount, memory.liveBytes].map { UInt64(max(0, $0)) }
  }

  private mutating func field(of place: Place) -> [UInt8] {
    var field = ProtobufMessage()
    field.packed(1, tables.locations(ofStack: place.stack, isInKernel: place.isInKernel))
    stackFields[place] = field.bytes
    return field.bytes
  }

  private mutating func labels(of id: ThreadID) -> [UInt8] {
    var labels = ProtobufMessage()
    let thread = profile.threads[id]
    label(&labels, "thread", ProfileWords.thread(thread, id.rawValue))
    if let thread { Self.label(&labels, tables.string("thread_id"), UInt64(thread.systemID)) }
    threadLabels[id] = labels.bytes
    return labels.bytes
  }

  private mutating func labels(ofOwner index: Int) -> [UInt8] {
    var labels = ProtobufMessage()
    let owner = profile.owners[index]
    // A thread has its own label.
    if owner.kind != "thread" { label(&labels, ProfileWords.name(owner.kind), ProfileWords.name(owner.name)) }
    if let queue = owner.queue { label(&labels, "queue", ProfileWords.name(queue)) }
    ownerLabels[index] = labels.bytes
    return labels.bytes
  }

  private mutating func label(_ message: inout ProtobufMessage, _ key: String, _ value: String) {
    let (key, value) = (tables.string(key), tables.string(value))
    message.message(3) {
      $0.number(1, key)
      $0.number(2, value)
    }
  }

  private static func label(_ message: inout ProtobufMessage, _ key: UInt64, _ value: UInt64) {
    message.message(3) {
      $0.number(1, key)
      $0.number(3, value)
    }
  }
}

extension Int64 {
  /// The nearest number that there is.
  fileprivate func addingClamped(_ other: Int64) -> Int64 {
    let (sum, overflows) = addingReportingOverflow(other)
    return overflows ? (other < 0 ? .min : .max) : sum
  }
}
