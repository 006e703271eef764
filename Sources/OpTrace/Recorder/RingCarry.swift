internal import COpTrace
internal import OpTraceFormat

/// Decides what a flight recorder must keep when it recycles a chunk: all records of unfinished operations, of open
/// waits and spans, and of existing queues. Without them the operations that hang would be missing from the trace of a
/// hang.
///
/// Called by `COpTrace` under the recorder's lock, mostly on the flusher's thread. `scan` sees each chunk once, when
/// its thread is done with it, and updates the sets; `carry` sees a chunk before it is recycled.
/// Sendable: everything here is touched under that lock only; `core` is set before a chunk can be recycled.
final class RingCarry: @unchecked Sendable {
  var core: OpaquePointer?

  /// Bytes after which a run is closed: short runs fill the smallest chunks well, long ones repeat less.
  private let longestRun = 500

  private var unfinished = Set<UInt32>()
  /// The ticks at which unfinished tasks were last suspended.
  private var suspended: [UInt32: UInt64] = [:]
  private var queues = Set<UInt32>()
  private var openWaits = Set<UInt64>()
  private var openSpans = Set<UInt32>()
  private var blocking = BlockingCarry()
  /// Ends whose beginnings are in chunks that are still being written.
  private var finishedEarly = Set<UInt32>()
  private var endedSpansEarly = Set<UInt32>()

  /// From the event table, by raw kind.
  private static let carries = EventSpec.column { $0?.carry ?? .never }
  private static let bounds = EventSpec.column { $0?.bound ?? .none }

  // MARK: Scanning

  func scan(_ chunk: UnsafeRawBufferPointer) {
    var walk = ChunkRecords(chunk)
    while let record = walk.next() {
      switch Self.bounds[Int(record.kind)] {
      case .none: break
      case .begins(let what): begins(what, record)
      case .ends(let what): ends(what, record)
      case .follows(let what): follows(what, record)
      }
      if Self.carries[Int(record.kind)] == .whileNewest { blocking.named(record) }
      if record.kind == EventKind.taskSuspended.rawValue {
        suspended[record.subject] = max(record.ticks, suspended[record.subject] ?? 0)
      }
    }
    blocking.scanned()
    // An end without a beginning is from before the ring; such ends must not pile up.
    if finishedEarly.count > 1 << 20 { finishedEarly.removeAll() }
    if endedSpansEarly.count > 1 << 20 { endedSpansEarly.removeAll() }
  }

  private func begins(_ what: EventSpec.Lasting, _ record: ChunkRecords.Record) {
    switch what {
    case .operation:
      // Records that combine several events have the same second word.
      let isFull = EventFields.OperationCreated(record.word1).coverage == TraceRecorder.Coverage.full.rawValue
      if isFull, finishedEarly.remove(record.subject) == nil { unfinished.insert(record.subject) }
    case .block, .task: if finishedEarly.remove(record.subject) == nil { unfinished.insert(record.subject) }
    case .queue: queues.insert(record.subject)
    case .wait, .queueWait: openWaits.insert(waitKey(record, what))
    case .blockedWait: blocking.blocked(record)
    case .span: if endedSpansEarly.remove(record.begunSpan) == nil { openSpans.insert(record.begunSpan) }
    }
  }

  private func ends(_ what: EventSpec.Lasting, _ record: ChunkRecords.Record) {
    switch what {
    case .operation, .block, .task:
      suspended[record.subject] = nil
      if unfinished.remove(record.subject) == nil { finishedEarly.insert(record.subject) }
    case .queue: queues.remove(record.subject)
    case .wait, .queueWait: openWaits.remove(waitKey(record, what))
    case .blockedWait: blocking.unblocked(record)
    case .span: if openSpans.remove(record.subject) == nil { endedSpansEarly.insert(record.subject) }
    }
  }

  /// If it ended before, there is nothing to note: a beginning that comes later is another's.
  private func follows(_ what: EventSpec.Lasting, _ record: ChunkRecords.Record) {
    switch what {
    case .operation: unfinished.remove(record.subject)
    case .block, .task, .queue, .wait, .queueWait, .blockedWait, .span: ends(what, record)
    }
  }

  /// A wait as in `wait-lasts`: the thread, and the operation or the queue.
  private func waitKey(_ record: ChunkRecords.Record, _ what: EventSpec.Lasting) -> UInt64 {
    EventFields.WaitLasts(thread: record.thread, isQueue: what == .queueWait, on: record.subject, at: 0).word1
  }

  /// Sees the records of a chunk in order, each once.
  private func isNeeded(_ record: ChunkRecords.Record, behind last: ChunkRecords.Record?) -> Bool {
    switch Self.carries[Int(record.kind)] {
    case .never: false
    case .whileUnfinished: unfinished.contains(record.subject)
    case .sinceSuspended:
      unfinished.contains(record.subject) && record.ticks >= suspended[record.subject] ?? 0
    case .whileQueueExists: queues.contains(record.subject)
    case .untilEnded: isOpen(record)
    case .besidesBeginning: blocking.keepsEnd(record)
    case .withWaitBefore:
      last.map {
        Self.bounds[Int($0.kind)] == .begins(.blockedWait) && $0.blocking.object == record.blocking.object
      } ?? false
    case .withRecordBefore: last != nil
    case .whileWaited: openWaits.contains(record.word1)
    case .whileNewest: blocking.keepsName(record)
    }
  }

  /// Whether what the record begins has not ended.
  private func isOpen(_ record: ChunkRecords.Record) -> Bool {
    guard case .begins(let what) = Self.bounds[Int(record.kind)] else { return false }
    return switch what {
    case .operation, .block, .task: unfinished.contains(record.subject)
    case .queue: queues.contains(record.subject)
    case .wait, .queueWait: openWaits.contains(waitKey(record, what))
    case .blockedWait: blocking.keepsBeginning(record)
    case .span: openSpans.contains(record.begunSpan)
    }
  }

  // MARK: Carrying

  /// Copies what is needed to the ring's newest end: runs of records of one thread, each run with its thread and time.
  func carry(_ chunk: UnsafeRawBufferPointer) {
    var walk = ChunkRecords(chunk)
    var run: [UInt8] = []
    var runThread: UInt32 = 0
    var runSystemThread: UInt32 = 0
    var lastTicks: UInt64 = 0
    var baseTicks: UInt64 = 0
    var count: UInt64 = 0

    func flush() {
      guard !run.isEmpty, let core else { return }
      let done = run.withUnsafeBufferPointer {
        optrace_carry(core, runThread, runSystemThread, baseTicks, $0.baseAddress, UInt32($0.count))
      }
      if !done { optrace_recorder_count_lost(core, LossReason.carry.rawValue, count) }
      run.removeAll(keepingCapacity: true)
      count = 0
    }

    var last: ChunkRecords.Record?
    while let record = walk.next() {
      let isNeeded = isNeeded(record, behind: last)
      // An object's name, and the wait's stack, may be between a wait and its signal.
      switch Self.carries[Int(record.kind)] {
      case .whileNewest, .withRecordBefore: break
      default: last = isNeeded ? record : nil
      }
      guard isNeeded else { continue }
      if run.isEmpty || record.thread != runThread || record.ticks < lastTicks
        || record.ticks - lastTicks > Layout.largestDelta || run.count > longestRun
      {
        flush()
        runThread = record.thread
        runSystemThread = record.systemThread
        baseTicks = record.ticks
        lastTicks = record.ticks
      }
      let head = RecordHead(kind: record.kind, delta: record.ticks - lastTicks, subject: record.subject)
      withUnsafeBytes(of: head.word.littleEndian) { run.append(contentsOf: $0) }
      run.append(contentsOf: chunk[record.offset + 8..<record.offset + record.byteCount])
      lastTicks = record.ticks
      count += 1
    }
    flush()
  }
}

/// The records of one chunk in memory, one after the other. The recorder wrote them itself; their lengths are checked
/// nevertheless.
struct ChunkRecords {
  struct Record {
    var kind: UInt8
    var subject: UInt32
    var ticks: UInt64
    var thread: UInt32
    var systemThread: UInt32
    var word1: UInt64
    var word2: UInt64
    var offset: Int
    var byteCount: Int

    /// The id of the span that the record begins.
    var begunSpan: UInt32 { EventFields.SpanBegan(word1).id }
  }

  private let bytes: UnsafeRawBufferPointer
  private var offset = Layout.Chunk.size
  private var ticks: UInt64
  private var thread: UInt32
  private var systemThread: UInt32 = 0

  init(_ bytes: UnsafeRawBufferPointer) {
    self.bytes = bytes
    guard bytes.count >= Layout.Chunk.size else {
      offset = bytes.count
      ticks = 0
      thread = 0
      return
    }
    ticks = bytes.loadUnaligned(fromByteOffset: Layout.Chunk.baseTicks, as: UInt64.self)
    thread = bytes.loadUnaligned(fromByteOffset: Layout.Chunk.thread, as: UInt32.self)
  }

  /// 0 behind the end.
  private func word(at offset: Int) -> UInt64 {
    offset + 8 <= bytes.count ? bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self) : 0
  }

  mutating func next() -> Record? {
    while offset + 8 <= bytes.count {
      let head = RecordHead(bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
      let kind = head.kind
      let word1 = word(at: offset + 8)
      let words = RecordSize.fixedWords(kind: kind) ?? RecordLengths(word1).words
      let count = words * 8
      guard kind != 0, count >= 8, offset + count <= bytes.count else { return nil }
      let at = offset
      offset += count
      ticks += head.delta
      let subject = head.subject
      switch EventKind(rawValue: kind) {
      case .time:
        ticks = EventFields.Time(word1).ticks
        continue
      case .threadSwitched:
        thread = subject
        systemThread = EventFields.ThreadSwitched(word1).tid
        continue
      case .threadNamed: systemThread = EventFields.ThreadNamed(word1).tid
      default: break
      }
      return Record(
        kind: kind, subject: subject, ticks: ticks, thread: thread, systemThread: systemThread, word1: word1,
        word2: words > 2 ? word(at: at + 16) : 0, offset: at, byteCount: count)
    }
    return nil
  }
}
