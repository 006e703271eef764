/// From an id to a place in an array. Ids that a recorder gives out are dense, so an array serves; a stray one (from a
/// damaged record) goes into a dictionary and can't make the array huge.
struct PlaceTable {
  private var dense: [Int32] = []
  private var sparse: [UInt32: Int] = [:]
  /// May grow: what is in the dictionary by then is found there.
  var denseLimit: Int

  init(denseLimit: Int) { self.denseLimit = denseLimit }

  subscript(id: UInt32) -> Int? {
    get {
      let index = Int(id)
      if index < dense.count {
        let place = dense[index]
        return place >= 0 ? Int(place) : sparse.isEmpty ? nil : sparse[id]
      }
      return sparse.isEmpty ? nil : sparse[id]
    }
    set {
      let index = Int(id)
      guard index < denseLimit, sparse.isEmpty || sparse[id] == nil, let place = Int32(exactly: newValue ?? -1) else {
        sparse[id] = newValue
        return
      }
      if index >= dense.count {
        dense.append(
          contentsOf: repeatElement(-1, count: min(denseLimit, max(index + 1, dense.count * 2)) - dense.count))
      }
      dense[index] = place
    }
  }
}

/// The edges of the dependency graph that hold, so that none is taken twice. Few are looked up in the operation's own
/// list; an operation that has many gets a set.
struct EdgeSet {
  private var sets: [Int: Set<UInt32>] = [:]
  private static let few = 16

  /// False when the operation at `place` depends on `other` already.
  mutating func insert(_ place: Int, _ other: UInt32, among known: [Dependency]) -> Bool {
    if known.count < Self.few { return !known.contains { $0.on.rawValue == other && $0.removed == nil } }
    if sets[place] == nil { sets[place] = Set(known.lazy.filter { $0.removed == nil }.map(\.on.rawValue)) }
    return sets[place]?.insert(other).inserted ?? true
  }

  mutating func remove(_ place: Int, _ other: UInt32) { sets[place]?.remove(other) }

  /// The operations have other places now, or none.
  mutating func move(_ places: [Int?]) {
    var moved: [Int: Set<UInt32>] = [:]
    for (place, set) in sets { if let now = places[place] { moved[now] = set } }
    sets = moved
  }
}

/// Numbers as ranges: few, where the numbers are dense.
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
    var place = 0
    for number in numbers.sorted() {
      while place < ranges.count, ranges[place].lowerBound <= number {
        add(ranges[place])
        place += 1
      }
      add(number...number)
    }
    while place < ranges.count {
      add(ranges[place])
      place += 1
    }
    ranges = result
  }
}

/// What each thread did last, and which operations' code is on its stack.
struct ThreadTable {
  /// What put work on a thread's stack.
  enum Frame { case start, code, block }

  /// Its place in the list of its kind.
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
  private var places = Self.noPlaces
  private static var noPlaces: PlaceTable { PlaceTable(denseLimit: 1 << 16) }
  private var ids: [ThreadID] = []

  private mutating func place(_ thread: ThreadID) -> Int {
    if let place = places[thread.rawValue] { return place }
    places[thread.rawValue] = states.count
    states.append(State())
    ids.append(thread)
    return states.count - 1
  }

  /// Takes note of an event; the result is the time of the thread's event before it.
  mutating func note(_ at: Stamp, _ kind: UInt8, _ subject: UInt32) -> Nanoseconds? {
    let place = place(at.thread)
    defer {
      states[place].last = at.time
      states[place].lastRecord = (kind, subject)
    }
    return states[place].last
  }

  /// What a thread told of last: its kind, raw, and its subject.
  func lastRecord(of thread: ThreadID) -> (kind: UInt8, subject: UInt32) {
    places[thread.rawValue].map { states[$0].lastRecord } ?? (0, 0)
  }

  mutating func noteSign(_ at: Stamp) {
    let place = place(at.thread)
    states[place].lastSign = max(at.time, states[place].lastSign ?? .min)
  }

  mutating func name(_ record: ThreadRecord) {
    states[place(record.id)].record = record
  }

  mutating func enter(_ work: Running, _ frame: Frame, _ thread: ThreadID) {
    states[place(thread)].stack.append((work, frame))
  }

  /// Takes the frame away with all above it, whose ends were not seen. The end of an operation's own code ends its
  /// `start()` too: what follows inside is ours, not the program's.
  mutating func leave(_ work: Running, _ frame: Frame, _ thread: ThreadID) {
    let place = place(thread)
    guard let index = states[place].stack.lastIndex(where: { $0.work == work && $0.frame == frame }) else {
      return
    }
    states[place].stack.removeSubrange(index...)
    if frame == .code, let top = states[place].stack.last, top.work == work, top.frame == .start {
      states[place].stack.removeLast()
    }
  }

  /// Works have other places now, or none: their code is over.
  mutating func move(_ place: (Running) -> Running?) {
    for index in states.indices where !states[index].stack.isEmpty {
      states[index].stack = states[index].stack.compactMap { entry in
        place(entry.work).map { (work: $0, frame: entry.frame) }
      }
    }
  }

  /// Forgets threads that have told nothing since `time`, except those that are in the midst of something.
  mutating func forget(silentSince time: Nanoseconds, except isNeeded: (ThreadID) -> Bool) {
    var (keptStates, keptIDs) = ([State](), [ThreadID]())
    places = Self.noPlaces
    for (id, state) in zip(ids, states)
    where !state.stack.isEmpty || state.last ?? .min >= time || state.record?.isMain == true || isNeeded(id) {
      places[id.rawValue] = keptIDs.count
      keptIDs.append(id)
      keptStates.append(state)
    }
    (states, ids) = (keptStates, keptIDs)
  }

  var count: Int { ids.count }

  /// The work whose code runs on the thread.
  func executing(on thread: ThreadID) -> Running? {
    places[thread.rawValue].flatMap { states[$0].stack.last?.work }
  }

  /// Sorted by id; a thread that never told its name has none.
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
