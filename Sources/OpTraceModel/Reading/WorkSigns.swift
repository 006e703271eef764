import OpTraceFormat

/// What a record says about how long work takes: much less than the record, and for few kinds only.
package struct WorkSign: Sendable, Equatable {
  package enum Kind: UInt8, Sendable {
    case taskCreated = 1
    /// Something lets the task go on: it is resumed or waits for its turn.
    case taskReady
    case taskRan
    /// `frame` says where.
    case taskSuspended
    /// The stack of the task's last suspension, if that was reported before.
    case taskStack
    case taskCompleted
    case blockSubmitted
    case blockBegan
    case blockEnded
    /// `frame` is the number of the operation's class.
    case operationCreated
    case operationEnqueued
    case operationBegan
    case operationEnded
    case operationFinished
    case operationReleased
    case spanBegan
    case spanContext
    case spanEnded
    /// Something that is always a mistake: an operation that was finished twice.
    case misuse
  }

  /// In nanoseconds since the trace's start.
  package var time: Nanoseconds
  package var thread: UInt32
  package var kind: Kind
  /// The number of the operation, block, task or span.
  package var subject: UInt32
  /// The submitter; of a span the parent. 0: none.
  package var other: UInt32 = 0
  /// What it runs, or where it waits. 0: not known. Of a span, a hash of its name.
  package var frame: UInt32 = 0
  /// How a block was submitted.
  package var way: UInt8 = 0
}

/// Follows the records of a growing trace that tell how long work takes, at little cost: a look reads 64 bytes for each
/// chunk and what is new, and decodes only ``WorkSign``s. It keeps no record.
///
/// Signs are in the order of time. A look hands out what happened before the last one, because threads that wrote while
/// it read would else be seen in part.
package struct WorkSignReader {
  package struct Look {
    package var signs: [WorkSign] = []
    /// How many chunks of a ring were reused before they were read.
    package var missedChunks = 0
    /// How many bytes of records were new.
    package var bytes = 0
    /// The moment up to which all signs are handed out, in nanoseconds since the trace's start.
    package var knownUntil: Nanoseconds = 0
    /// Whether this is still the trace that it was; false: another program has replaced the file.
    package var isSame = true
  }

  package private(set) var header: TraceHeader
  private let source: any ByteSource
  private let first: FileHeader
  private var chunks: LiveChunks
  private var held: [WorkSign] = []
  /// The time of the latest record that the last look has read.
  private var latest: Nanoseconds = 0
  /// For each chunk whose last record was a suspension: the task, because its stack comes behind it.
  private var suspended: [Int: UInt32] = [:]
  private var words: [UInt64] = []

  /// Throws if there is no trace that can grow.
  package init(path: String) throws(TraceError) {
    source = try FileSource.open(path: path)
    first = try FileHeader.read(source, file: path)
    header = first.header
    chunks = LiveChunks(first)
  }

  /// Reads what is new. O(chunks + new records).
  package mutating func look() -> Look {
    var look = Look()
    guard let now = try? FileHeader.read(source, file: ""), now.startTicks == first.startTicks,
      now.header.processID == first.header.processID
    else {
      look.isSame = false
      return look
    }
    header = now.header
    let rate = TickRate(now)
    let before = latest
    chunks.survey(source, upTo: source.size())
    for index in chunks.unread() { look.bytes += read(index, rate, isOpen: !now.isClosed) }
    chunks.countUnseen()
    look.missedChunks = chunks.missed
    held.sort { $0.time < $1.time }
    let count = held.firstIndex { $0.time > before } ?? held.count
    look.signs = Array(held[..<count])
    look.knownUntil = before
    held.removeSubrange(..<count)
    return look
  }

  private mutating func read(_ index: Int, _ rate: TickRate, isOpen: Bool) -> Int {
    words.removeAll(keepingCapacity: true)
    guard chunks.load(index, from: source, into: &words, isOpen: isOpen) else {
      suspended[index] = nil
      return 0
    }
    let chunk = chunks.list[index]
    guard chunk.kind == .events else {
      chunks.advance(index, to: (chunk.ticks, chunk.thread))
      return words.count * 8
    }
    var walk = SignWalk(chunk, rate, suspended: chunk.read > 0 ? suspended[index] : nil)
    let isSound = walk.run(words, &held)
    suspended[index] = walk.suspended
    latest = max(latest, rate.time(walk.ticks))
    chunks.advance(index, to: (walk.ticks, walk.thread))
    if !isSound { chunks.giveUp(index) }
    return words.count * 8
  }
}

/// Converts ticks into nanoseconds since the trace's start by the last heartbeat: exact enough for seconds.
private struct TickRate {
  private var ticks: UInt64
  private var time: Double
  private var nanosecondsPerTick: Double

  init(_ header: FileHeader) {
    (ticks, time) = (header.startTicks, 0)
    nanosecondsPerTick = header.ticksPerSecond == 0 ? 1 : 1e9 / Double(header.ticksPerSecond)
    guard header.clock == .counter else {
      nanosecondsPerTick = 1
      return
    }
    guard let beat = header.heartbeat, beat.monotonic > header.header.startMonotonic, beat.ticks > ticks else { return }
    let passed = Double(beat.monotonic - header.header.startMonotonic)
    nanosecondsPerTick = passed / Double(beat.ticks - ticks)
    (ticks, time) = (beat.ticks, passed)
  }

  func time(_ other: UInt64) -> Nanoseconds {
    let exact = time + Double(Int64(bitPattern: other &- ticks)) * nanosecondsPerTick
    return Nanoseconds(max(-0x1p62, min(0x1p62, exact)))
  }
}

/// Finds signs among the records of a chunk.
private struct SignWalk {
  private(set) var ticks: UInt64
  private(set) var thread: UInt32
  /// The task of the last record, if that was a suspension.
  private(set) var suspended: UInt32?
  private let rate: TickRate

  init(_ chunk: LiveChunk, _ rate: TickRate, suspended: UInt32?) {
    (ticks, thread) = (chunk.ticks, chunk.thread)
    self.rate = rate
    self.suspended = suspended
  }

  /// False: the rest makes no sense.
  mutating func run(_ words: [UInt64], _ signs: inout [WorkSign]) -> Bool {
    words.withUnsafeBufferPointer { words in
      KindTables.sizes.withUnsafeBufferPointer { sizes in
        Self.kinds.withUnsafeBufferPointer { kinds in
          var index = 0
          while index < words.count {
            let head = RecordHead(UInt64(littleEndian: words[index]))
            let kind = Int(head.kind)
            var size = Int(sizes[kind])
            if size == 0 {
              size = index + 1 < words.count ? RecordLengths(UInt64(littleEndian: words[index + 1])).words : 0
            }
            guard kind != 0, size > 0, size <= words.count - index, size >= 2 || kind < 0x40 else { return false }
            ticks &+= head.delta
            if kinds[kind] != 0 {
              take(head, UnsafeBufferPointer(rebasing: words[index..<index + size]), &signs)
            } else {
              suspended = nil
            }
            index += size
          }
          return true
        }
      }
    }
  }

  private mutating func take(
    _ head: RecordHead, _ record: UnsafeBufferPointer<UInt64>, _ signs: inout [WorkSign]
  ) {
    guard let kind = EventKind(rawValue: head.kind) else { return }
    let word1 = record.count > 1 ? UInt64(littleEndian: record[1]) : 0
    let word2 = record.count > 2 ? UInt64(littleEndian: record[2]) : 0
    let last = suspended
    suspended = nil
    func add(_ kind: WorkSign.Kind, other: UInt32 = 0, frame: UInt32 = 0, way: UInt8 = 0, of subject: UInt32? = nil) {
      signs.append(
        WorkSign(
          time: rate.time(ticks), thread: thread, kind: kind, subject: subject ?? head.subject, other: other,
          frame: frame, way: way))
    }
    switch kind {
    case .time: ticks = EventFields.Time(word1).ticks
    case .threadSwitched: thread = head.subject
    case .stoodAt:
      guard let last else { return }
      if signs.last?.kind == .taskSuspended, signs.last?.subject == last, signs.last?.thread == thread {
        signs[signs.count - 1].frame = head.subject
      } else {
        add(.taskStack, frame: head.subject, of: last)
      }
    case .taskCreated:
      let fields = EventFields.TaskCreated(word1, word2)
      add(.taskCreated, other: fields.by, frame: fields.code)
    case .taskEnqueued, .taskQueued, .taskResumed: add(.taskReady)
    case .taskRun: add(.taskRan)
    case .taskSuspended:
      add(.taskSuspended)
      suspended = head.subject
    case .taskCompleted: add(.taskCompleted)
    case .blockSubmitted:
      let fields = EventFields.BlockSubmitted(word1, word2)
      add(.blockSubmitted, other: fields.by, frame: fields.code, way: fields.how)
    case .runBegan: add(.blockBegan)
    case .runEnded, .blockDropped: add(.blockEnded)
    case .operationCreated: add(.operationCreated, frame: EventFields.OperationCreated(word1).class)
    case .added, .addedBehindLast:
      add(.operationCreated, frame: EventFields.Added(word1, word2).class)
      add(.operationEnqueued)
    case .enqueued, .enqueuedReady: add(.operationEnqueued)
    case .executionBegan, .startedBegan: add(.operationBegan)
    case .executionEnded: add(.operationEnded)
    case .finished, .finishSeen, .finishedWithError: add(.operationFinished)
    case .endedFinished:
      add(.operationEnded)
      add(.operationFinished)
    case .released: add(.operationReleased)
    case .finishedAgain: add(.misuse)
    case .spanBegan:
      add(.spanBegan, frame: Self.hash(record[2...]), of: EventFields.SpanBegan(word1, word2).id)
    case .spanContext: add(.spanContext, other: EventFields.SpanContext(word1, word2).parent)
    case .spanEnded: add(.spanEnded)
    default: break
    }
  }

  /// Tells names apart; equal ones have the same.
  private static func hash(_ words: Slice<UnsafeBufferPointer<UInt64>>) -> UInt32 {
    var checksum = Checksum()
    for word in words { checksum.add(word) }
    return UInt32(truncatingIfNeeded: checksum.value)
  }

  /// 1 for kinds that matter.
  private static let kinds: [UInt8] = (0...255).map { raw in
    switch EventKind(rawValue: UInt8(raw)) {
    case .time, .threadSwitched, .stoodAt, .taskCreated, .taskEnqueued, .taskQueued, .taskResumed, .taskRun,
      .taskSuspended, .taskCompleted, .blockSubmitted, .runBegan, .runEnded, .blockDropped, .operationCreated, .added,
      .addedBehindLast, .enqueued, .enqueuedReady, .executionBegan, .startedBegan, .executionEnded, .finished,
      .finishSeen, .finishedWithError, .endedFinished, .released, .finishedAgain, .spanBegan, .spanContext, .spanEnded:
      1
    default: 0
    }
  }
}
