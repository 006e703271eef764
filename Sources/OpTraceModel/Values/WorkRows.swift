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

/// One piece of work of a trace: which of the trace's lists has it, and at which row of that list.
package enum WorkRow: Hashable, Sendable {
  case operation(Int)
  case block(Int)
  case task(Int)

  package var kind: WorkKind {
    switch self {
    case .operation: .operation
    case .block: .block
    case .task: .task
    }
  }

  /// The row in the list of its kind.
  package var row: Int {
    switch self {
    case .operation(let row), .block(let row), .task(let row): row
    }
  }

  /// Its index in the trace's list of all work.
  package func index(in trace: Trace) -> Int { kind.first(in: trace) + row }
}

/// All work of a trace in one list: its operations, then the blocks of dispatch queues, then Swift tasks. Code that
/// keeps work in arrays refers to it by its index in this list, whatever its kind. Only this file knows where each kind
/// begins; `row(ofWorkAt:)` tells what an index stands for.
extension Trace {
  /// The number of pieces of work of all kinds. O(1).
  package var workCount: Int { operations.count + blocks.count + tasks.count }

  /// What an index stands for. O(1).
  package func row(ofWorkAt index: Int) -> WorkRow {
    let other = index - operations.count
    guard other >= 0 else { return .operation(index) }
    return other < blocks.count ? .block(other) : .task(other - blocks.count)
  }

  /// The kind of the work with this index. O(1).
  package func kind(ofWorkAt index: Int) -> WorkKind { row(ofWorkAt: index).kind }

  /// The row of the task with this index in the list of work; nil: it is no task of this trace. O(1).
  package func taskRow(ofWorkAt index: Int) -> Int? {
    guard case .task(let row) = row(ofWorkAt: index), tasks.indices.contains(row) else { return nil }
    return row
  }

  /// The work with this index. O(1); to visit all work of one kind, use its list.
  package func work(at index: Int) -> any Work {
    switch row(ofWorkAt: index) {
    case .operation(let row): operations[row]
    case .block(let row): blocks[row]
    case .task(let row): tasks[row]
    }
  }

  /// Dispatch queues to which blocks were submitted. O(blocks).
  package var usedDispatchQueues: [DispatchQueueRecord] {
    let used = Set(blocks.lazy.compactMap(\.queue))
    return dispatchQueues.filter { used.contains($0.id) }
  }

  /// The id of the work with this index. O(1), without a copy of the record.
  package func workID(at index: Int) -> WorkID {
    switch row(ofWorkAt: index) {
    case .operation(let row): operations.withUnsafeBufferPointer { $0[row].id }
    case .block(let row): blocks[row].id
    case .task(let row): tasks.withUnsafeBufferPointer { $0[row].id }
    }
  }

  /// The row of the work with this number; nil: there is none. O(log n).
  package func workRow(of id: WorkID) -> WorkRow? {
    if let row = index(of: id) { return .operation(row) }
    if let row = blockRow(id) { return .block(row) }
    return taskRow(id).map { .task($0) }
  }

  /// The index of the work with this number; nil: there is none. O(log n).
  package func workIndex(of id: WorkID) -> Int? { workRow(of: id)?.index(in: self) }

  /// The id of the submitter of the work with this index; nil: none. O(1), without a copy of the record.
  package func submitter(ofWorkAt index: Int) -> WorkID? {
    switch row(ofWorkAt: index) {
    case .operation: nil
    case .block(let row): blocks.withUnsafeBufferPointer { $0[row].submitter }
    case .task(let row): tasks.withUnsafeBufferPointer { $0[row].submitter }
    }
  }

  /// When the work with this index was submitted. O(1), without a copy of the record.
  package func submitted(workAt index: Int) -> Nanoseconds? {
    switch row(ofWorkAt: index) {
    case .operation(let row): operations.withUnsafeBufferPointer { $0[row].submitted?.time }
    case .block(let row): blocks.withUnsafeBufferPointer { $0[row].submitted?.time }
    case .task(let row): tasks.withUnsafeBufferPointer { $0[row].submitted?.time }
    }
  }

  /// Whether the work with this index is over. O(1), without a copy of the record.
  package func isOver(workAt index: Int) -> Bool {
    switch row(ofWorkAt: index) {
    case .operation(let row): operations.withUnsafeBufferPointer { $0[row].over != nil }
    case .block(let row): blocks.withUnsafeBufferPointer { $0[row].over != nil }
    case .task(let row): tasks.withUnsafeBufferPointer { $0[row].over != nil }
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

  /// The indexes of all work of this kind, in the order of its list.
  package func indexes(in trace: Trace) -> Range<Int> {
    let first = first(in: trace)
    return switch self {
    case .operation: first..<first + trace.operations.count
    case .block: first..<first + trace.blocks.count
    case .task: first..<first + trace.tasks.count
    }
  }

  /// The indexes of blocks and tasks.
  package static func others(in trace: Trace) -> Range<Int> { block.first(in: trace)..<trace.workCount }
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
