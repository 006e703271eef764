/// Maps an id to a row of an array. The ids of a recorder are dense, so an array serves; a stray id, from a damaged
/// record, goes into a dictionary, so that it cannot make the array huge.
struct IndexTable {
  private var dense: [Int32] = []
  private var sparse: [UInt32: Int] = [:]
  /// May grow: entries that are in the dictionary by then are still found there.
  var denseLimit: Int

  init(denseLimit: Int) { self.denseLimit = denseLimit }

  subscript(id: UInt32) -> Int? {
    get {
      let index = Int(id)
      if index < dense.count {
        let row = dense[index]
        return row >= 0 ? Int(row) : sparse.isEmpty ? nil : sparse[id]
      }
      return sparse.isEmpty ? nil : sparse[id]
    }
    set {
      let index = Int(id)
      guard index < denseLimit, sparse.isEmpty || sparse[id] == nil, let row = Int32(exactly: newValue ?? -1) else {
        sparse[id] = newValue
        return
      }
      if index >= dense.count {
        dense.append(
          contentsOf: repeatElement(-1, count: min(denseLimit, max(index + 1, dense.count * 2)) - dense.count))
      }
      dense[index] = row
    }
  }
}

/// The dependency edges in force, so that none is taken twice. A few edges are searched in the operation's own list; an
/// operation with many gets a set.
struct EdgeSet {
  private var sets: [Int: Set<UInt32>] = [:]
  private static let few = 16

  /// Inserts an edge; false if the operation at `row` depends on `other` already.
  mutating func insert(_ row: Int, _ other: UInt32, among known: [Dependency]) -> Bool {
    if known.count < Self.few { return !known.contains { $0.on.rawValue == other && $0.removed == nil } }
    if sets[row] == nil { sets[row] = Set(known.lazy.filter { $0.removed == nil }.map(\.on.rawValue)) }
    return sets[row]?.insert(other).inserted ?? true
  }

  mutating func remove(_ row: Int, _ other: UInt32) { sets[row]?.remove(other) }

  /// Applies new rows of the operations; nil: the operation is gone.
  mutating func move(_ rows: [Int?]) {
    var moved: [Int: Set<UInt32>] = [:]
    for (row, set) in sets { if let now = rows[row] { moved[now] = set } }
    sets = moved
  }
}

/// A set of numbers as ranges: few ranges, if the numbers are dense.
struct NumberRanges {
  private var ranges: [ClosedRange<UInt32>] = []

  var isEmpty: Bool { ranges.isEmpty }
  var rangeCount: Int { ranges.count }

  /// O(log ranges).
  func contains(_ number: UInt32) -> Bool {
    var (low, high) = (0, ranges.count)
    while low < high {
      let middle = (low + high) / 2
      if ranges[middle].upperBound < number { low = middle + 1 } else { high = middle }
    }
    return low < ranges.count && ranges[low].contains(number)
  }

  /// O(ranges + n log n) for n numbers.
  mutating func insert(_ numbers: [UInt32]) {
    guard !numbers.isEmpty else { return }
    var result: [ClosedRange<UInt32>] = []
    result.reserveCapacity(ranges.count)
    func add(_ next: ClosedRange<UInt32>) {
      guard let last = result.last, last.upperBound == .max || next.lowerBound <= last.upperBound + 1 else {
        return result.append(next)
      }
      result[result.count - 1] = last.lowerBound...max(last.upperBound, next.upperBound)
    }
    var row = 0
    for number in numbers.sorted() {
      while row < ranges.count, ranges[row].lowerBound <= number {
        add(ranges[row])
        row += 1
      }
      add(number...number)
    }
    while row < ranges.count {
      add(ranges[row])
      row += 1
    }
    ranges = result
  }
}

/// What each thread did last, and which operations' code is on its stack.
struct ThreadTable {
  /// Why work is on a thread's stack.
  enum Frame { case start, code, block }

  /// Running work: its row in the list of its kind.
  enum Running: Equatable {
    case operation(Int)
    case block(Int)
    case task(Int)
  }

  private struct State {
    var last: Nanoseconds?
    var lastRecord: (kind: UInt8, subject: UInt32) = (0, 0)
    var lastSign: Nanoseconds?
    var stack: [(work: Running, frame: Frame)] = []
    var record: ThreadRecord?
  }

  private var states: [State] = []
  private var rows = Self.noRows
  private static var noRows: IndexTable { IndexTable(denseLimit: 1 << 16) }
  private var ids: [ThreadID] = []

  private mutating func row(_ thread: ThreadID) -> Int {
    if let row = rows[thread.rawValue] { return row }
    rows[thread.rawValue] = states.count
    states.append(State())
    ids.append(thread)
    return states.count - 1
  }

  /// Notes an event; returns the time of the thread's event before it.
  mutating func note(_ at: Stamp, _ kind: UInt8, _ subject: UInt32) -> Nanoseconds? {
    let row = row(at.thread)
    defer {
      states[row].last = at.time
      states[row].lastRecord = (kind, subject)
    }
    return states[row].last
  }

  /// A thread's last record: its kind, raw, and its subject.
  func lastRecord(of thread: ThreadID) -> (kind: UInt8, subject: UInt32) {
    rows[thread.rawValue].map { states[$0].lastRecord } ?? (0, 0)
  }

  mutating func noteSign(_ at: Stamp) {
    let row = row(at.thread)
    states[row].lastSign = max(at.time, states[row].lastSign ?? .min)
  }

  mutating func name(_ record: ThreadRecord) {
    states[row(record.id)].record = record
  }

  mutating func enter(_ work: Running, _ frame: Frame, _ thread: ThreadID) {
    states[row(thread)].stack.append((work, frame))
  }

  /// Enters an operation's own code if its `start()` is on the thread's stack. Without one the operation only announced
  /// that it is executing, as a class does whose `start()` was not heard: its code may be anywhere.
  ///
  /// - Parameter isSeen: nothing of it was missed.
  mutating func enterCode(_ work: Running, _ thread: ThreadID, isSeen: Bool) {
    let row = row(thread)
    guard isSeen || states[row].stack.contains(where: { $0.work == work }) else { return }
    states[row].stack.append((work, .code))
  }

  /// Removes the frame and all above it, whose ends were not seen. The end of an operation's own code also ends its
  /// `start()`: what follows inside `start()` is the recorder's code, not the program's.
  mutating func leave(_ work: Running, _ frame: Frame, _ thread: ThreadID) {
    let row = row(thread)
    guard let index = states[row].stack.lastIndex(where: { $0.work == work && $0.frame == frame }) else {
      return
    }
    states[row].stack.removeSubrange(index...)
    if frame == .code, let top = states[row].stack.last, top.work == work, top.frame == .start {
      states[row].stack.removeLast()
    }
  }

  /// Applies new rows of work; nil: the work is gone, so its code is over.
  mutating func move(_ row: (Running) -> Running?) {
    for index in states.indices where !states[index].stack.isEmpty {
      states[index].stack = states[index].stack.compactMap { entry in
        row(entry.work).map { (work: $0, frame: entry.frame) }
      }
    }
  }

  /// Forgets threads that have recorded nothing since `time`, except those that execute something or are needed.
  mutating func forget(silentSince time: Nanoseconds, except isNeeded: (ThreadID) -> Bool) {
    var (keptStates, keptIDs) = ([State](), [ThreadID]())
    rows = Self.noRows
    for (id, state) in zip(ids, states)
    where !state.stack.isEmpty || state.last ?? .min >= time || state.record?.isMain == true || isNeeded(id) {
      rows[id.rawValue] = keptIDs.count
      keptIDs.append(id)
      keptStates.append(state)
    }
    (states, ids) = (keptStates, keptIDs)
  }

  var count: Int { ids.count }

  /// The work whose code runs on the thread.
  func executing(on thread: ThreadID) -> Running? {
    rows[thread.rawValue].flatMap { states[$0].stack.last?.work }
  }

  /// All threads, sorted by id; the name is empty if no record gives it.
  func records() -> [ThreadRecord] {
    zip(ids, states)
      .map { id, state in
        var record = state.record ?? ThreadRecord(id: id, systemID: 0, name: "", isMain: false)
        record.lastSign = state.lastSign
        return record
      }
      .sorted { $0.id < $1.id }
  }
}
