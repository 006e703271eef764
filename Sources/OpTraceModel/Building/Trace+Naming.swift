extension Trace {
  /// Adds names of code in memory only, for a trace file that must not be changed yet. Replaces names that the trace
  /// has already. O(operations + queues).
  package mutating func name(_ names: [(frame: FrameID, symbols: [SymbolRecord])]) {
    for name in names { stacks.define(name.symbols, of: name.frame) }
    let stacks = stacks
    // Keep the old classes until the end, so that no other object can get the address of one.
    var named: [ObjectIdentifier: (old: SharedClass, new: SharedClass?)] = [:]
    for index in operations.indices {
      operations[index].resolveClass { old in
        if let known = named[ObjectIdentifier(old)] { return known.new }
        let new = old.named(by: stacks)
        named[ObjectIdentifier(old)] = (old, new)
        return new
      }
    }
    nameBlocks()
    nameTasks()
    locateQueues()
  }

  /// Gives blocks the functions that they run.
  mutating func nameBlocks() {
    for index in blocks.indices {
      guard let code = blocks[index].code else {
        // A closure that Swift's overlay wraps has no name, so name it by the function that submits it.
        let function = blocks[index].way == .sync ? callerOfSync(blocks[index]) : nil
        blocks[index].syncText = function.map { "sync in \($0)" }
        continue
      }
      blocks[index].function = stacks.function(of: code)
      blocks[index].codeText = blocks[index].function == nil ? stacks.text(of: code) : nil
    }
  }

  /// The function that called `sync`. A closure whose last call is `sync` leaves no frame; then it is what its
  /// operation or block runs.
  private func callerOfSync(_ block: BlockRecord) -> String? {
    let location = stacks.codeLocation(block.submittedAt)
    guard let frame = block.submittedAt, location?.isGlue == true || stacks.ownFrame(frame) == nil,
      let submitter = block.submitter
    else { return location?.function }
    let runs = operation(submitter)?.function ?? self.block(submitter)?.code.flatMap { stacks.function(of: $0) }
    return runs?.shortName ?? location?.function
  }

  /// Gives tasks the functions that they run.
  mutating func nameTasks() {
    correctSleeps()
    // Many tasks run the same few functions.
    var codes: [FrameID: (named: FrameID?, function: SymbolRecord?)] = [:]
    var makers: [FrameID: FrameID?] = [:]
    for index in tasks.indices {
      guard let code = tasks[index].code else { continue }
      let (named, function) = codes[code] ?? stacks.named(code)
      codes[code] = (named, function)
      tasks[index].code = named ?? code
      tasks[index].function = function
      let submittedAt = tasks[index].submittedAt
      let maker = submittedAt.flatMap { makers[$0] ?? stacks.maker($0) }
      if let submittedAt { makers[submittedAt] = .some(maker) }
      if let maker { tasks[index].submittedAt = maker }
      tasks[index].codeText = nil
      guard named == nil else { continue }
      // This is how the program's own `main` begins, for example.
      tasks[index].codeText =
        stacks.function(of: maker).map { "task of \($0.shortName)" } ?? stacks.text(of: code).map { "task at \($0)" }
    }
  }

  /// A task whose sleep was cancelled before it suspended seems to sleep when it suspends next: the recorder knows only
  /// that it had asked for a timer. What it waits in tells more.
  private mutating func correctSleeps() {
    for index in tasks.indices {
      guard let suspension = tasks[index].suspension, suspension.reason == .sleep, let at = suspension.at,
        let name = stacks.function(of: at)?.function, !name.lowercased().contains("sleep")
      else { continue }
      let isContinuation = stacks.isOwn(at) || name.contains("Continuation")
      if isContinuation, let last = tasks[index].suspensions.indices.last {
        tasks[index].suspensions[last].reason = .continuation
      }
    }
  }

  /// Sets where queues were created. Without a name for the code, a queue's number says as much.
  mutating func locateQueues() {
    for index in queues.indices {
      let made = queues[index].madeAt
      guard stacks.ownFrame(made).map({ !stacks.symbols(of: $0).isEmpty }) == true else { continue }
      queues[index].codeLocation = stacks.codeLocation(made)
    }
  }
}

extension StackTable {
  /// The first frame that has a name of its own, and its function. A thunk and the code that it calls are recorded as a
  /// stack.
  fileprivate func named(_ code: FrameID) -> (FrameID?, SymbolRecord?) {
    let named = stack(code).first { id in function(of: id).map { $0.shortName != Self.namelessGlue } ?? false }
    return (named, function(of: named ?? code))
  }

  /// Where the program creates a task. Code that Swift's library inlines into the program does not count.
  fileprivate func maker(_ submittedAt: FrameID) -> FrameID? {
    stack(submittedAt).first { isOwn($0) && function(of: $0)?.module != "Swift" }
  }
}

extension SharedClass {
  /// The class with the function that its operations run; nil: they run only the class's own code.
  func named(by stacks: StackTable) -> SharedClass? {
    code.map {
      SharedClass(
        name, module: module, code: $0, function: stacks.function(of: $0), codeText: stacks.text(of: $0))
    }
  }
}
