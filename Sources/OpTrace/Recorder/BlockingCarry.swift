internal import OpTraceFormat

/// What a flight recorder keeps of waits on semaphores, groups, dispatch queues and conditions, so that open waits
/// outlive their chunk and closed ones do not come back.
///
/// Only waits that the flusher recorded can be open: a thread that records its own wait adds the end at once. So
/// beginning and end are in chunks of different threads. The flusher's chunk is recycled late, so the end of such a
/// wait is carried as long as its beginning may be in the ring.
struct BlockingCarry {
  private struct Wait: Hashable {
    var thread: UInt32
    /// Address and kind.
    var object: UInt64
  }

  /// How many beginnings of this wait are in the ring.
  private var begun: [Wait: Int] = [:]
  /// The ticks of its latest end.
  private var ended: [Wait: UInt64] = [:]
  /// The object that each thread last recorded a wait on itself, until its end comes.
  private var own: [UInt32: UInt64] = [:]
  /// The ticks of the latest beginning that was scanned. A beginning in a chunk that is still being written is later.
  private var lastReported: UInt64 = 0
  /// The ticks of the latest name of each address.
  private var names: [UInt64: UInt64] = [:]
  private static let mostNames = 4096

  // MARK: Scanning

  mutating func blocked(_ record: ChunkRecords.Record) {
    guard let wait = reported(record) else {
      own[record.thread] = record.blocking.object
      return
    }
    begun[wait, default: 0] += 1
    lastReported = max(lastReported, record.ticks)
  }

  mutating func unblocked(_ record: ChunkRecords.Record) {
    let object = record.blocking.object
    guard own.removeValue(forKey: record.thread) != object else { return }
    ended[Wait(thread: record.thread, object: object)] = record.ticks
  }

  mutating func named(_ record: ChunkRecords.Record) {
    names[EventFields.ObjectNamed(record.word1, record.word2).object] = record.ticks
    guard names.count > Self.mostNames else { return }
    // Forgets old addresses: a program that creates queues without end must not fill the ring with their names.
    let middle = names.values.sorted()[names.count / 2]
    names = names.filter { $0.value > middle }
  }

  /// Forgets ends whose beginnings are all gone.
  mutating func scanned() {
    ended = ended.filter { begun[$0.key] != nil || $0.value > lastReported }
  }

  // MARK: Carrying

  /// Whether this beginning has no end. One that has is forgotten.
  mutating func keepsBeginning(_ record: ChunkRecords.Record) -> Bool {
    guard let wait = reported(record) else { return false }
    let began = record.ticks - min(record.ticks, record.blocking.age * Layout.ageUnit)
    guard let end = ended[wait], end >= began else { return true }
    let others = (begun[wait] ?? 1) - 1
    begun[wait] = others > 0 ? others : nil
    if others <= 0, end <= lastReported { ended[wait] = nil }
    return false
  }

  func keepsEnd(_ record: ChunkRecords.Record) -> Bool {
    ended[Wait(thread: record.thread, object: record.blocking.object)] == record.ticks
  }

  func keepsName(_ record: ChunkRecords.Record) -> Bool {
    names[EventFields.ObjectNamed(record.word1, record.word2).object] == record.ticks
  }

  // MARK: Fields

  /// The wait of a `blocked` record that another thread wrote; nil: the thread wrote it itself.
  private func reported(_ record: ChunkRecords.Record) -> Wait? {
    let thread = record.blocking.thread
    return thread == 0 ? nil : Wait(thread: thread, object: record.blocking.object)
  }
}

extension ChunkRecords.Record {
  var blocking: BlockingFields { BlockingFields(word1, word2) }
}
