import OpTraceModel

/// An operation queue while the machine runs: who is ready, who runs, which barrier is in the way.
///
/// Barriers cut the operations of a queue into eras: one begins with each barrier and one behind it. Only operations of the
/// current era may start.
struct SimulatedQueue {
  var limit: Int
  var isSuspended: Bool
  var running = 0
  var unfinished = 0
  /// Threads that wait until it is empty.
  var waiters: [Int32] = []

  /// Ready to start: by priority, then in the order of enqueueing.
  private var ready = BinaryHeap<Entry>()
  private var era = 0
  private var lastEra = 0
  private var lastIsBarrier = false
  /// Unfinished operations of each era from the first on.
  private var unfinishedInEra: [Int] = [0]
  /// Ready, but of a later era.
  private var held: [Int: [Entry]] = [:]

  struct Entry: Comparable {
    var rank: Int32
    var order: Int32
    var job: Int32
    static func < (left: Self, right: Self) -> Bool {
      left.rank != right.rank ? left.rank < right.rank : left.order < right.order
    }
  }

  init(limit: Int?, isSuspended: Bool) {
    self.limit = limit ?? .max
    self.isSuspended = isSuspended
  }

  /// An operation comes in; the era it belongs to. O(1).
  mutating func enter(isBarrier: Bool) -> Int {
    if isBarrier || lastIsBarrier {
      if unfinishedInEra[lastEra] > 0 || lastIsBarrier {
        lastEra += 1
        unfinishedInEra.append(0)
      }
      lastIsBarrier = isBarrier
    }
    unfinished += 1
    unfinishedInEra[lastEra] += 1
    // Nobody is held yet in an era that nobody was in.
    while era < lastEra, unfinishedInEra[era] == 0 { era += 1 }
    return lastEra
  }

  /// O(log n).
  mutating func becomesReady(_ entry: Entry, era: Int) {
    if era <= self.era { ready.insert(entry) } else { held[era, default: []].append(entry) }
  }

  /// An operation has finished. Those that it held up, as a barrier or before one: Foundation makes them its dependents.
  /// O(1), and for each of these.
  mutating func leave(era: Int) -> [Entry] {
    unfinished -= 1
    unfinishedInEra[era] -= 1
    var released: [Entry] = []
    while self.era < lastEra, unfinishedInEra[self.era] == 0 {
      self.era += 1
      released += held.removeValue(forKey: self.era) ?? []
    }
    return released
  }

  /// The next one that may start now; it takes a slot. O(log n).
  mutating func takeNext() -> Int32? {
    guard running < limit, !isSuspended, let entry = ready.removeFirst() else { return nil }
    running += 1
    return entry.job
  }
}

/// Threads of one quality of service while the machine runs: first come, first served.
struct SimulatedPool {
  /// How many threads it may have by now.
  var capacity: Int
  private(set) var threadCount = 0
  private var idle: [Int32] = []
  private var waiting: [Int32] = []
  private var head = 0
  /// When it was first used: it grows once a second from then on.
  var firstUse: Nanoseconds?
  var isTickPending = false
  /// None of its threads has begun.
  var isNew = true

  init(capacity: Int) { self.capacity = capacity }

  var hasWaiting: Bool { head < waiting.count }

  func isWaiting(where matches: (Int32) -> Bool) -> Bool { waiting[head...].contains(where: matches) }

  /// A free thread, or a new one; nil: there is none to be had.
  mutating func takeThread(_ make: () -> Int32) -> Int32? {
    if let thread = idle.popLast() { return thread }
    guard threadCount < capacity else { return nil }
    threadCount += 1
    return make()
  }

  mutating func wait(_ strand: Int32) { waiting.append(strand) }

  mutating func nextWaiting() -> Int32? {
    guard head < waiting.count else { return nil }
    head += 1
    if head == waiting.count {
      defer {
        waiting.removeAll(keepingCapacity: true)
        head = 0
      }
      return waiting[head - 1]
    }
    return waiting[head - 1]
  }

  mutating func rest(_ thread: Int32) { idle.append(thread) }
}
