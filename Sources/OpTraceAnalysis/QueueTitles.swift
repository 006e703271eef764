package import OpTraceModel

/// What queues are called where they stand side by side.
package struct QueueTitles: Sendable {
  /// Of several queues.
  private let shared: Set<String>
  private let sharedLabels: Set<String>

  /// O(queues).
  package init(_ trace: Trace) {
    var seen: Set<String> = []
    shared = Set(trace.queues.map(\.title).filter { !seen.insert($0).inserted })
    seen = []
    sharedLabels = Set(trace.dispatchQueues.map(\.title).filter { !seen.insert($0).inserted })
  }

  /// Several queues may have one name: then each has its number, too.
  package func title(of queue: QueueRecord) -> String {
    with(queue, queue.title)
  }

  /// The same inside of a sentence: `queue network (queue 7)`.
  package func phrase(of queue: QueueRecord) -> String { with(queue, queue.phrase) }

  /// The same of dispatch queues.
  package func title(of queue: DispatchQueueRecord) -> String {
    sharedLabels.contains(queue.title) ? "\(queue.title) (dispatch queue \(queue.id.rawValue))" : queue.title
  }

  /// `dispatch queue disk`, or what stands for one that has no label.
  package func phrase(of queue: DispatchQueueRecord) -> String {
    queue.label.allSatisfy(\.isWhitespace) ? queue.title : "dispatch queue " + title(of: queue)
  }

  private func with(_ queue: QueueRecord, _ text: String) -> String {
    shared.contains(queue.title) ? "\(text) (queue \(queue.id.rawValue))" : text
  }
}
