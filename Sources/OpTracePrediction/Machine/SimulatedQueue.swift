/// An operation queue while the machine runs: who is ready, who runs, which barrier stands in the way.
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
