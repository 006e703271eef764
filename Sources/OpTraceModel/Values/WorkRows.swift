/// The kinds of work that outputs draw, in the order of their rows.
package enum WorkKind: CaseIterable {
  case operation, block, task

  /// "operation", "block", "task": what one is called.
  package var word: String {
    switch self {
    case .operation: "operation"
    case .block: "block"
    case .task: "task"
    }
  }

  /// "operations", "blocks", "tasks": what counters count.
  package var unit: StaticString {
    switch self {
    case .operation: "operations"
    case .block: "blocks"
    case .task: "tasks"
    }
  }
}

/// All work of a trace in one row: its operations, then the blocks of dispatch queues, then Swift's tasks. What is drawn of
/// work names it by its place there, so that nothing has to be asked for its kind.
extension Trace {
  /// Of all kinds. O(1).
  package var workCount: Int { operations.count + blocks.count + tasks.count }

  /// What stands at this place. O(1); what goes through all of a kind takes its list.
  package func work(at place: Int) -> any Work {
    switch kind(ofWorkAt: place) {
    case .operation: operations[place]
    case .block: blocks[place - operations.count]
    case .task: tasks[place - operations.count - blocks.count]
    }
  }

  /// Dispatch queues that were given blocks. O(blocks).
  package var usedDispatchQueues: [DispatchQueueRecord] {
    let used = Set(blocks.lazy.compactMap(\.queue))
    return dispatchQueues.filter { used.contains($0.id) }
  }

  /// O(1), without a copy of the record.
  package func workID(at place: Int) -> WorkID {
    switch kind(ofWorkAt: place) {
    case .operation: operations.withUnsafeBufferPointer { $0[place].id }
    case .block: blocks[place - operations.count].id
    case .task: tasks.withUnsafeBufferPointer { $0[place - operations.count - blocks.count].id }
    }
  }

  package func kind(ofWorkAt place: Int) -> WorkKind {
    if place < operations.count { return .operation }
    return place < operations.count + blocks.count ? .block : .task
  }

  /// The place of the work with this number; nil: there is none. O(log n).
  package func workIndex(of id: WorkID) -> Int? {
    if let place = index(of: id) { return place }
    if let place = Self.place(of: id, in: blocks) { return operations.count + place }
    return Self.place(of: id, in: tasks).map { operations.count + blocks.count + $0 }
  }

  /// In a sorted list.
  private static func place(of id: WorkID, in works: [some Work]) -> Int? {
    works.withUnsafeBufferPointer { works in
      var (low, high) = (0, works.count)
      while low < high {
        let middle = (low + high) / 2
        if works[middle].id < id { low = middle + 1 } else { high = middle }
      }
      return low < works.count && works[low].id == id ? low : nil
    }
  }

  /// The number of what submitted the work at this place. O(1), without a copy of the record.
  package func submitter(ofWorkAt place: Int) -> WorkID? {
    switch kind(ofWorkAt: place) {
    case .operation: nil
    case .block: blocks.withUnsafeBufferPointer { $0[place - operations.count].submitter }
    case .task: tasks.withUnsafeBufferPointer { $0[place - operations.count - blocks.count].submitter }
    }
  }

  /// Whether nothing more is to come of the work at this place. O(1), without a copy of the record.
  package func isOver(workAt place: Int) -> Bool {
    switch kind(ofWorkAt: place) {
    case .operation: operations.withUnsafeBufferPointer { $0[place].over != nil }
    case .block: blocks.withUnsafeBufferPointer { $0[place - operations.count].over != nil }
    case .task: tasks.withUnsafeBufferPointer { $0[place - operations.count - blocks.count].over != nil }
    }
  }
}

extension WorkKind {
  /// The place of its first one among ``OpTraceModel/Trace``'s work.
  package func first(in trace: Trace) -> Int {
    switch self {
    case .operation: 0
    case .block: trace.operations.count
    case .task: trace.operations.count + trace.blocks.count
    }
  }

  /// The places of all of the kind.
  package func places(in trace: Trace) -> Range<Int> {
    switch self {
    case .operation: 0..<trace.operations.count
    case .block: first(in: trace)..<first(in: trace) + trace.blocks.count
    case .task: first(in: trace)..<first(in: trace) + trace.tasks.count
    }
  }
}

extension Work {
  /// Where it stands at the end of the trace, in the words that every output shares. A task that is suspended waits for others.
  package var standing: OperationState {
    if over != nil { return began == nil ? .cancelled : .finished }
    guard began != nil else { return runnable == nil ? .pending : .ready }
    guard let task = self as? TaskRecord, task.runs.last?.ended != nil else { return .executing }
    return task.suspension == nil ? .ready : .pending
  }
}
