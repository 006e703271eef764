import OpTraceFormat
import OpTraceModel

extension SnapshotWriter {
  /// Who alone could end waits: for each of them a record, or one that nobody could.
  mutating func writeEnders() {
    for (awaited, enders) in snapshot.enders.enders.sorted(by: { $0.key < $1.key }) {
      // Of one that has no number nothing can be said.
      let named = enders.compactMap(record).sorted { ($0.by, $0.thread) < ($1.by, $1.thread) }
      guard named.count == enders.count else { continue }
      switch awaited {
      case .continuation(let task):
        guard let number = works[task] else { continue }
        append(named, task: number, waiter: 0)
      case .object(let object):
        for thread in snapshot.threads {
          guard let wait = thread.wait, !wait.hasLimit, snapshot.objects.waited(at: wait.lock)?.object == object,
            let waiter = threads[thread.state.id]
          else { continue }
          append(named, task: 0, waiter: waiter.rawValue)
        }
      }
    }
  }

  private typealias One = (by: UInt32, thread: UInt32, isPossible: Bool)

  private mutating func append(_ enders: [One], task: UInt32, waiter: UInt32) {
    for one in enders.isEmpty ? [(by: 0, thread: 0, isPossible: false)] : enders {
      events.append(
        EventFields.OnlyBy(by: one.by, for: task, thread: one.thread, waiter: waiter, possibly: one.isPossible), of: 0,
        at: moment + 3, by: writer)
    }
  }

  private func record(_ ender: FoundEnders.Ender) -> One? {
    switch ender {
    case .task(let address), .operation(let address), .item(let address): works[address].map { ($0, 0, false) }
    case .thread(let id): threads[id].map { (0, $0.rawValue, false) }
    case .possibly(let id): threads[id].map { (0, $0.rawValue, true) }
    }
  }
}
