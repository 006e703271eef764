import OpTraceKernel
package import OpTraceModel

extension Requests {
  /// Work of one kind of which ever more is begun than ended.
  package struct Growth: Sendable {
    /// The queue, or the function of the tasks.
    package var name: String
    package var kind: WorkKind
    /// How much was open at the end, and how much had ended.
    package var open: Int
    package var ended: Int
    /// How much more is open after a second.
    package var perSecond: Double
    /// When the first of it was submitted.
    package var since: Nanoseconds
  }
}

/// Counts what is open over time.
struct OpenWork {
  private var changes: [Key: [(time: Nanoseconds, by: Int)]] = [:]
  private let end: Nanoseconds

  private struct Key: Hashable {
    var kind: WorkKind
    var name: String
  }

  /// O(n) for n pieces of work.
  init(_ trace: Trace) {
    end = trace.end
    var titles: [SchedulerID: String] = [:]
    for queue in trace.queues { titles[.queue(queue.id)] = queue.title }
    for queue in trace.dispatchQueues { titles[.dispatchQueue(queue.id)] = queue.title }
    for index in 0..<trace.workCount {
      switch trace.row(ofWorkAt: index) {
      case .operation(let row): add(trace.operations[row], .operation, titles)
      case .block(let row): add(trace.blocks[row], .block, titles)
      case .task(let row):
        let task = trace.tasks[row]
        guard let submitted = task.submitted?.time ?? task.enqueued?.time else { continue }
        add(Key(kind: .task, name: task.kind), submitted, task.over)
      }
    }
  }

  private mutating func add(_ work: some Work, _ kind: WorkKind, _ titles: [SchedulerID: String]) {
    guard let submitted = work.submitted?.time, let queue = work.scheduler, let title = titles[queue] else { return }
    add(Key(kind: kind, name: title), submitted, work.over)
  }

  private mutating func add(_ key: Key, _ submitted: Nanoseconds, _ over: Nanoseconds?) {
    changes[key, default: []].append((submitted, 1))
    if let over { changes[key]?.append((over, -1)) }
  }

  /// The stretch in which something grows must be so long, and have so many at its end.
  private static let leastTime: Nanoseconds = 2_000_000_000
  private static let leastOpen = 50
  private static let parts = 8
  /// What is open grows in so many of the parts.
  private static let leastGrowing = 7

  /// What grows until the end, the most first. O(n log n).
  func growing() -> [Requests.Growth] {
    changes.compactMap { key, changes -> Requests.Growth? in
      let open = changes.reduce(0) { $0 + $1.by }
      let ended = changes.count { $0.by < 0 }
      guard open >= Self.leastOpen, ended > 0 else { return nil }
      let sorted = changes.sorted { ($0.time, $0.by) < ($1.time, $1.by) }
      guard let first = sorted.first?.time, let last = sorted.last(where: { $0.by > 0 })?.time,
        last - first >= Self.leastTime
      else { return nil }
      // How much more is open at the end of each part than at its beginning.
      var counts = [Int](repeating: 0, count: Self.parts)
      for change in sorted {
        let part = min(Self.parts - 1, Int((change.time - first) * Nanoseconds(Self.parts) / max(1, last - first)))
        counts[part] += change.by
      }
      let growing = counts.count { $0 * Self.parts * 4 >= open }
      guard growing >= Self.leastGrowing else { return nil }
      return Requests.Growth(
        name: key.name, kind: key.kind, open: open, ended: ended,
        perSecond: Double(open) * 1e9 / Double(last - first), since: first)
    }
    .sorted { ($1.perSecond, $0.name) < ($0.perSecond, $1.name) }
  }
}
