import OpTraceFormat

/// What the checks must know of a whole trace before its first event: what is defined anywhere in it, and when things
/// end.
struct ValidationFacts: FirstPassFacts {
  private(set) var queues: Set<UInt32> = []
  private(set) var threads: Set<UInt32> = []
  private(set) var frames: Set<UInt32> = []
  private(set) var images: Set<UInt32> = []
  private(set) var dispatchQueues: Set<UInt32> = []
  /// Spans that began.
  private(set) var spans: Set<UInt32> = []
  /// Dispatch queues that are serial and not bound to a thread.
  private(set) var serial: Set<UInt32> = []
  private(set) var hasLossRecord = false
  /// Ends of operations and blocks, in the order of reading; also when an operation first said that it has finished, if
  /// that was before it announced it.
  private var ends: [Moment] = []
  private var seenEnds: [Moment] = []

  private struct Moment: Sendable {
    var id: UInt32
    var time: Nanoseconds
  }

  init() {}

  /// The kinds of events that are relevant here.
  private static let isAsked: [Bool] = (0...255).map { raw in
    switch KindTables.bounds[raw] {
    case .begins(.queue), .ends(.operation), .ends(.block): return true
    default: break
    }
    switch EventKind(rawValue: UInt8(raw)) {
    case .lost, .threadNamed, .frame, .image, .dispatchQueue, .finishSeen, .spanBegan: return true
    default: return false
    }
  }

  mutating func see(_ entries: [TraceEvents.Entry], _ words: [UInt64]) {
    let isAsked = Self.isAsked
    for entry in entries {
      let head = RecordHead(words[Int(entry.wordIndex)])
      if isAsked[Int(head.kind)] { note(head, entry, words) }
    }
  }

  private mutating func note(_ head: RecordHead, _ entry: TraceEvents.Entry, _ words: [UInt64]) {
    let id = head.subject
    switch EventKind(rawValue: head.kind) {
    case .lost: hasLossRecord = true
    case .threadNamed: threads.insert(id)
    case .frame: frames.insert(id)
    case .image: images.insert(id)
    case .dispatchQueue:
      dispatchQueues.insert(id)
      // The main thread may run its queue from inside a block.
      let queue = EventFields.DispatchQueue(words[Int(entry.wordIndex) + 1], words[Int(entry.wordIndex) + 2])
      if queue.width == 1, !queue.main { serial.insert(id) }
    case .spanBegan: spans.insert(EventFields.SpanBegan(words[Int(entry.wordIndex) + 1]).id)
    case .finishSeen: seenEnds.append(Moment(id: id, time: entry.time))
    default: break
    }
    switch KindTables.bounds[Int(head.kind)] {
    // Two threads may meet a queue at the same time, so the record without a description may be the earlier one.
    case .begins(.queue): queues.insert(id)
    case .ends(.operation), .ends(.block): ends.append(Moment(id: id, time: entry.time))
    default: break
    }
  }

  mutating func append(_ later: Self) {
    queues.formUnion(later.queues)
    threads.formUnion(later.threads)
    frames.formUnion(later.frames)
    images.formUnion(later.images)
    dispatchQueues.formUnion(later.dispatchQueues)
    serial.formUnion(later.serial)
    spans.formUnion(later.spans)
    hasLossRecord = hasLossRecord || later.hasLossRecord
    ends += later.ends
    seenEnds += later.seenEnds
  }

  /// Converts what the first pass over a file has seen from ticks to times.
  mutating func resolve(_ time: (_ ticks: UInt64) -> Nanoseconds) {
    for index in ends.indices { ends[index].time = time(UInt64(bitPattern: ends[index].time)) }
    for index in seenEnds.indices { seenEnds[index].time = time(UInt64(bitPattern: seenEnds[index].time)) }
  }

  /// Threads that no record defines.
  mutating func add(threads others: some Sequence<UInt32>) { threads.formUnion(others) }

  func finishTimes(denseLimit: Int) -> FirstTimes { Self.firstTimes(ends, denseLimit) }
  func finishSeenTimes(denseLimit: Int) -> FirstTimes { Self.firstTimes(seenEnds, denseLimit) }

  private static func firstTimes(_ moments: [Moment], _ denseLimit: Int) -> FirstTimes {
    var times = FirstTimes(denseLimit: denseLimit)
    for moment in moments { times.note(moment.id, moment.time) }
    return times
  }
}
