import OpTraceKernel
import OpTraceModel

/// What happened in one queue in the last seconds: how many operations finished, and how long those that began had
/// waited for a slot. Memory is bounded: twentieths of a second, each with a histogram.
///
/// A wait is counted within 1/32 of its length, so a percentile is within 2 % of the nearest rank.
struct LiveWindow: Sendable {
  /// The length of the window.
  static let length: Nanoseconds = 10_000_000_000
  private static let slotLength: Nanoseconds = 50_000_000

  private struct Slot {
    /// Its index on the trace's clock.
    var number: Int64
    var finished = 0
    /// The number of waits, by the bucket of their length.
    var waits: [Int: Int] = [:]
  }

  /// Sorted by time.
  private var slots: [Slot] = []

  mutating func finished(at time: Nanoseconds) {
    if let index = index(of: time) { slots[index].finished += 1 }
  }

  mutating func began(at time: Nanoseconds, after wait: Nanoseconds) {
    if let index = index(of: time) { slots[index].waits[Self.bucket(max(0, wait)), default: 0] += 1 }
  }

  /// Adds the figures of another queue.
  mutating func add(_ other: LiveWindow) {
    for slot in other.slots {
      guard let index = index(of: slot.number * Self.slotLength) else { continue }
      slots[index].finished += slot.finished
      slots[index].waits.merge(slot.waits) { $0 + $1 }
    }
  }

  /// Whether a part of it is still inside a window that ends at `now`.
  func reaches(_ now: Nanoseconds) -> Bool { (slots.last?.number ?? .min) >= Self.number(of: now) - Self.count }

  /// The index of the slot for a time; nil: it is before the window.
  private mutating func index(of time: Nanoseconds) -> Int? {
    let number = Self.number(of: time)
    guard let last = slots.last else {
      slots.append(Slot(number: number))
      return 0
    }
    if number > last.number {
      slots.append(Slot(number: number))
      slots.removeAll { $0.number < number - Self.count }
      return slots.count - 1
    }
    guard number >= last.number - Self.count else { return nil }
    var index = slots.count - 1
    while index > 0, slots[index].number > number { index -= 1 }
    if slots[index].number == number { return index }
    if slots[index].number < number { index += 1 }
    slots.insert(Slot(number: number), at: index)
    return index
  }

  private static let count = length / slotLength
  private static func number(of time: Nanoseconds) -> Int64 {
    time >= 0 ? time / slotLength : (time - slotLength + 1) / slotLength
  }

  // MARK: - Figures

  struct Figures: Sendable, Equatable {
    var finishedPerSecond = 0.0
    /// The median; nil: none began.
    var slotWaitP50: Nanoseconds?
    var slotWaitP99: Nanoseconds?
  }

  /// - Parameters:
  ///   - now: the window's end; everything up to it has been noted.
  ///   - since: records before this time are incomplete, and are not counted; nil: all are complete.
  func figures(now: Nanoseconds, since: Nanoseconds?) -> Figures {
    // Nothing is before the trace's begin.
    let begin = max(now - Self.length, since ?? 0, 0)
    // If a slot only ends in the window, it is not known which part of it was noted.
    var first = Self.number(of: begin + Self.slotLength - 1)
    var from = first * Self.slotLength
    if from + Self.slotLength > now { (first, from) = (Self.number(of: begin), begin) }
    var figures = Figures()
    var (finished, waits) = (0, [Int: Int]())
    for slot in slots where slot.number >= first {
      finished += slot.finished
      waits.merge(slot.waits) { $0 + $1 }
    }
    let seconds = Double(now - from) / 1e9
    if finished > 0 { figures.finishedPerSecond = Double(finished) / max(seconds, 0.05) }
    let total = waits.values.reduce(0, +)
    guard total > 0 else { return figures }
    var seen = 0
    for (bucket, count) in waits.sorted(by: { $0.key < $1.key }) {
      seen += count
      if figures.slotWaitP50 == nil, seen * 100 >= total * 50 { figures.slotWaitP50 = Self.middle(of: bucket) }
      if figures.slotWaitP99 == nil, seen * 100 >= total * 99 { figures.slotWaitP99 = Self.middle(of: bucket) }
    }
    return figures
  }

  // MARK: - Buckets

  /// Each power of two has 32 buckets; lengths below 32 ns have one each.
  static func bucket(_ length: Nanoseconds) -> Int {
    guard length >= 32 else { return Int(length) }
    let power = Int64.bitWidth - 1 - length.leadingZeroBitCount
    return (power - 4) * 32 + Int(length >> (power - 5)) - 32
  }

  static func middle(of bucket: Int) -> Nanoseconds {
    guard bucket >= 32 else { return Nanoseconds(bucket) }
    let shift = bucket / 32 - 1
    let lowest = Nanoseconds(bucket % 32 + 32) << shift
    return lowest + (Nanoseconds(1) << shift) / 2
  }
}

/// Queues that are gone: what they did in the last seconds is shown together for queues of the same name. So a program
/// that makes a queue for each piece of work still shows what it does. The number of names is bounded.
struct GoneQueues: Sendable {
  private static let mostNames = 100

  private struct Entry {
    /// The row of the first of them, so that its index does not change.
    var row: LiveStatus.Queue
    var window: LiveWindow
  }

  private var entries: [String: Entry] = [:]

  mutating func add(_ queue: QueueRecord, _ window: LiveWindow) {
    var key = queue.name.allSatisfy(\.isWhitespace) ? "queues without a name" : queue.name
    if entries[key] == nil, entries.count >= Self.mostNames { key = "other queues" }
    let row = LiveStatus.Queue(id: queue.id, title: key, limit: queue.limit < 0 ? nil : queue.limit, isSuspended: false)
    entries[key, default: Entry(row: row, window: LiveWindow())].row.limit = row.limit
    entries[key]?.window.add(window)
  }

  /// Removes and returns what queues of this name did that no longer have a row.
  mutating func take(named name: String) -> LiveWindow? { entries.removeValue(forKey: name)?.window }

  /// Forgets what is before a window that ends at `now`.
  mutating func forget(_ now: Nanoseconds) { entries = entries.filter { $0.value.window.reaches(now) } }

  /// The rows that have something in the window.
  func rows(now: Nanoseconds, since: Nanoseconds?) -> [LiveStatus.Queue] {
    entries.values.compactMap { entry in
      var row = entry.row
      row.take(entry.window.figures(now: now, since: since))
      return row.isBusy ? row : nil
    }
  }
}
