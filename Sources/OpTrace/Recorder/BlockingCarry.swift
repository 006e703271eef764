internal import OpTraceFormat

/// What a flight recorder must know of waits on semaphores, groups, dispatch queues and conditions, so that those which are
/// not over outlive the chunk they stand in, and no others seem to.
///
/// Only waits of which another thread told (the keeper) can be open: a thread that tells of its own adds the end at once.
/// Beginning and end then stand in chunks of different threads. The keeper's is recycled late, so the end of such a wait is
/// carried as long as its beginning may be there.
struct BlockingCarry {
  private struct Wait: Hashable {
    var thread: UInt32
    /// Address and kind.
    var object: UInt64
  }

  /// How many beginnings of this wait are known to be in the ring.
  private var begun: [Wait: Int] = [:]
  /// The ticks of its latest end.
  private var ended: [Wait: UInt64] = [:]
  /// What each thread told of last by itself, until the end of it comes.
  private var own: [UInt32: UInt64] = [:]
  /// The ticks of the latest beginning that was scanned. One in a chunk that is still written is later.
  private var lastTold: UInt64 = 0
  /// The ticks of the latest name of each address.
  private var names: [UInt64: UInt64] = [:]
  private static let mostNames = 4096

  // MARK: Scanning

  mutating func blocked(_ record: ChunkRecords.Record) {
    guard let wait = told(record) else {
      own[record.thread] = record.blocking.object
      return
    }
    begun[wait, default: 0] += 1
    lastTold = max(lastTold, record.ticks)
  }

  mutating func unblocked(_ record: ChunkRecords.Record) {
    let object = record.blocking.object
    guard own.removeValue(forKey: record.thread) != object else { return }
    ended[Wait(thread: record.thread, object: object)] = record.ticks
  }

  mutating func named(_ record: ChunkRecords.Record) {
    names[EventFields.ObjectNamed(record.word1, record.word2).object] = record.ticks
    guard names.count > Self.mostNames else { return }
    // Addresses of long ago: a program that makes queues without end must not fill the ring with their names.
    let middle = names.values.sorted()[names.count / 2]
    names = names.filter { $0.value > middle }
  }

  /// Forgets ends whose beginnings are all gone.
  mutating func scanned() {
    ended = ended.filter { begun[$0.key] != nil || $0.value > lastTold }
  }

  // MARK: Carrying

  /// Whether this beginning has no end. One that has is forgotten.
  mutating func keepsBeginning(_ record: ChunkRecords.Record) -> Bool {
    guard let wait = told(record) else { return false }
    let began = record.ticks - min(record.ticks, record.blocking.age * Layout.ageUnit)
    guard let end = ended[wait], end >= began else { return true }
    let others = (begun[wait] ?? 1) - 1
    begun[wait] = others > 0 ? others : nil
    if others <= 0, end <= lastTold { ended[wait] = nil }
    return false
  }

  func keepsEnd(_ record: ChunkRecords.Record) -> Bool {
    ended[Wait(thread: record.thread, object: record.blocking.object)] == record.ticks
  }

  func keepsName(_ record: ChunkRecords.Record) -> Bool {
    names[EventFields.ObjectNamed(record.word1, record.word2).object] == record.ticks
  }

  // MARK: Fields

  /// The wait that a `blocked` record tells of in another thread's name; nil: in its own.
  private func told(_ record: ChunkRecords.Record) -> Wait? {
    let thread = record.blocking.thread
    return thread == 0 ? nil : Wait(thread: thread, object: record.blocking.object)
  }
}

extension ChunkRecords.Record {
  var blocking: BlockingFields { BlockingFields(word1, word2) }
}
