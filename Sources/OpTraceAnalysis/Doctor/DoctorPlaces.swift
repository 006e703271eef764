import OpTraceModel

/// Where threads stand, in the source.
extension DoctorContext {
  /// Where a thread stands that has not gone on since it was looked at; nil: not known.
  func place(of thread: ThreadID) -> CodeLocation? { trace.stacks.codeLocation(standings[thread]?.at) }

  /// Where the wait of a step stands; nil: it is none, or that is not known.
  func place(of reason: WaitForGraph.Reason) -> CodeLocation? {
    switch reason {
    case .wait(let index): place(of: trace.waits[index])
    case .lock(let thread), .join(let thread): place(of: thread)
    case .dependency, .slot, .barrier, .member, .mainThread, .root, .holder, .turn, .sync, .submission, .task: nil
    }
  }

  /// Where a block stands: its thread, where it runs alone there; else where it was submitted.
  func place(of block: BlockRecord) -> CodeLocation? {
    let running = block.over == nil ? block.began.flatMap { place(of: $0.thread) } : nil
    return running ?? trace.stacks.codeLocation(block.submittedAt)
  }

  /// Where a task stands: its thread, or what goes on after what it waits for; else where it was created.
  func place(of task: TaskRecord) -> CodeLocation? {
    let run = task.runs.last.flatMap { $0.ended == nil ? place(of: $0.thread) : nil }
    return run ?? trace.stacks.codeLocation(task.suspension?.at) ?? trace.stacks.codeLocation(task.submittedAt)
  }

  /// Where a thread stands in its wait.
  func place(of wait: WaitRecord) -> CodeLocation? {
    trace.stacks.codeLocation(wait.at) ?? (wait.ended == nil ? place(of: wait.thread) : nil)
  }

  /// `, in transfer(_:_:) at main.swift:7`; empty where it is not known.
  static func phrase(_ place: CodeLocation?) -> String {
    guard let place else { return "" }
    let file = place.file?.split(separator: "/").last.map { file in
      place.line.map { "\(file):\($0)" } ?? String(file)
    }
    switch (place.function, file) {
    case (let function?, let file?): return ", in \(shown(function)) at \(shown(file))"
    case (let function?, nil): return ", in \(shown(function))"
    case (nil, let file?): return ", at \(shown(file))"
    case (nil, nil): return ""
    }
  }

  /// Where the code of an operation stands that executes on one thread.
  func placePhrase(ofExecuting operation: OperationRecord) -> String {
    standing(of: operation).map { Self.phrase(trace.stacks.codeLocation($0.at)) } ?? ""
  }

  /// What was seen of the thread that an operation executes on; nil: of none, or of several.
  func standing(of operation: OperationRecord) -> SeenThread? {
    guard operation.finished == nil, operation.startReturned == nil, !operation.isAsynchronous else { return nil }
    let blocks = operation.blocks.filter { $0.ended == nil }
    if blocks.count > 1 { return nil }
    return (blocks.first?.thread ?? operation.executionBegan?.thread ?? operation.started?.thread)
      .flatMap { standings[$0] }
  }
}
