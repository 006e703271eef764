/// The kinds of work that outputs draw, in the order of their rows.
package enum WorkKind: CaseIterable {
  case operation, block, task

  /// The word for one of them: "operation", "block", "task".
  package var word: String {
    switch self {
    case .operation: "operation"
    case .block: "block"
    case .task: "task"
    }
  }

  /// The unit of counters: "operations", "blocks", "tasks".
  package var unit: StaticString {
    switch self {
    case .operation: "operations"
    case .block: "blocks"
    case .task: "tasks"
    }
  }
}

/// All work of a trace in one list: its operations, then the blocks of dispatch queues, then Swift tasks. Code that
/// draws work refers to it by its index in this list, whatever its kind.
extension Trace {
  /// The number of pieces of work of all kinds. O(1).
  package var workCount: Int { operations.count + blocks.count + tasks.count }

  /// The work with this index. O(1); to visit all work of one kind, use its list.
  package func work(at index: Int) -> any Work {
    switch kind(ofWorkAt: index) {
    case .operation: operations[index]
    case .block: blocks[index - operations.count]
    case .task: tasks[index - operations.count - blocks.count]
    }
  }

  /// Dispatch queues to which blocks were submitted. O(blocks).
  package var usedDispatchQueues: [DispatchQueueRecord] {
    let used = Set(blocks.lazy.compactMap(\.queue))
    return dispatchQueues.filter { used.contains($0.id) }
  }

  /// The id of the work with this index. O(1), without a copy of the record.
  package func workID(at index: Int) -> WorkID {
    switch kind(ofWorkAt: index) {
    case .operation: operations.withUnsafeBufferPointer { $0[index].id }
    case .block: blocks[index - operations.count].id
    case .task: tasks.withUnsafeBufferPointer { $0[index - operations.count - blocks.count].id }
    }
  }

  package func kind(ofWorkAt index: Int) -> WorkKind {
    if index < operations.count { return .operation }
    return index < operations.count + blocks.count ? .block : .task
  }

  /// The index of the work with this number; nil: there is none. O(log n).
  package func workIndex(of id: WorkID) -> Int? {
    if let index = index(of: id) { return index }
    if let index = blockRow(id) { return operations.count + index }
    return taskRow(id).map { operations.count + blocks.count + $0 }
  }

  /// The id of the submitter of the work with this index; nil: none. O(1), without a copy of the record.
  package func submitter(ofWorkAt index: Int) -> WorkID? {
    switch kind(ofWorkAt: index) {
    case .operation: nil
    case .block: blocks.withUnsafeBufferPointer { $0[index - operations.count].submitter }
    case .task: tasks.withUnsafeBufferPointer { $0[index - operations.count - blocks.count].submitter }
    }
  }

  /// When the work with this index was submitted. O(1), without a copy of the record.
  package func submitted(workAt index: Int) -> Nanoseconds? {
    switch kind(ofWorkAt: index) {
    case .operation: operations.withUnsafeBufferPointer { $0[index].submitted?.time }
    case .block: blocks.withUnsafeBufferPointer { $0[index - operations.count].submitted?.time }
    case .task: tasks.withUnsafeBufferPointer { $0[index - operations.count - blocks.count].submitted?.time }
    }
  }

  /// Whether the work with this index is over. O(1), without a copy of the record.
  package func isOver(workAt index: Int) -> Bool {
    switch kind(ofWorkAt: index) {
    case .operation: operations.withUnsafeBufferPointer { $0[index].over != nil }
    case .block: blocks.withUnsafeBufferPointer { $0[index - operations.count].over != nil }
    case .task: tasks.withUnsafeBufferPointer { $0[index - operations.count - blocks.count].over != nil }
    }
  }
}

extension WorkKind {
  /// The index of the first work of this kind in the trace's list of work.
  package func first(in trace: Trace) -> Int {
    switch self {
    case .operation: 0
    case .block: trace.operations.count
    case .task: trace.operations.count + trace.blocks.count
    }
  }

  /// The indexes of all work of this kind.
  package func indexes(in trace: Trace) -> Range<Int> {
    switch self {
    case .operation: 0..<trace.operations.count
    case .block: first(in: trace)..<first(in: trace) + trace.blocks.count
    case .task: first(in: trace)..<first(in: trace) + trace.tasks.count
    }
  }
}

extension Work {
  /// Its state at the end of the trace, in the words that every output shares. A suspended task counts as waiting for
  /// others.
  package var finalState: OperationState {
    if over != nil { return began == nil ? .cancelled : .finished }
    guard began != nil else { return runnable == nil ? .pending : .ready }
    guard let task = self as? TaskRecord, task.runs.last?.ended != nil else { return .executing }
    return task.suspension == nil ? .ready : .pending
  }
}
