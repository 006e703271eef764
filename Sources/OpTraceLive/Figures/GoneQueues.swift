import OpTraceAnalysis
import OpTraceModel

/// Queues that are gone: what they did in the last seconds is told together for those of one name, so that a program shows what it
/// does which makes a queue for each piece of its work. Bounded: so many names.
struct GoneQueues: Sendable {
  private static let mostNames = 100

  private struct Entry {
    /// The first of them, so that its place stays.
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

  /// What those of a name did, which no row is told of from here on.
  mutating func take(named name: String) -> LiveWindow? { entries.removeValue(forKey: name)?.window }

  /// What is over before a window that ends at `now`.
  mutating func forget(_ now: Nanoseconds) { entries = entries.filter { $0.value.window.reaches(now) } }

  /// Those with something in the window.
  func rows(now: Nanoseconds, since: Nanoseconds?) -> [LiveStatus.Queue] {
    entries.values.compactMap { entry in
      var row = entry.row
      row.take(entry.window.figures(now: now, since: since))
      return row.isBusy ? row : nil
    }
  }
}
