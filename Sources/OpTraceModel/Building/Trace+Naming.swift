extension Trace {
  /// Tells what its code is called, in memory alone: for a trace that nothing may be added to yet. What it says already is
  /// replaced. O(operations + queues).
  package mutating func name(_ names: [(frame: FrameID, symbols: [SymbolRecord])]) {
    for name in names { stacks.define(name.symbols, of: name.frame) }
    let stacks = stacks
    // The classes as they were stay until the end: another object could get the place of one in memory.
    var named: [ObjectIdentifier: (old: SharedClass, new: SharedClass?)] = [:]
    for place in operations.indices {
      operations[place].resolveClass { old in
        if let known = named[ObjectIdentifier(old)] { return known.new }
        let new = old.named(by: stacks)
        named[ObjectIdentifier(old)] = (old, new)
        return new
      }
    }
    nameBlocks()
    nameTasks()
    placeQueues()
  }

  /// Gives blocks the functions that they run.
  mutating func nameBlocks() {
    for place in blocks.indices {
      guard let code = blocks[place].code else {
        // What Swift's overlay wraps is called by the place that it is given at.
        let function = blocks[place].way == .sync ? stacks.codeLocation(blocks[place].submittedAt)?.function : nil
        blocks[place].syncText = function.map { "sync in \($0)" }
        continue
      }
      blocks[place].function = stacks.function(of: code)
      blocks[place].codeText = blocks[place].function == nil ? stacks.text(of: code) : nil
    }
  }

  /// Gives tasks the functions that they run.
  mutating func nameTasks() {
    for place in tasks.indices {
      guard let code = tasks[place].code else { continue }
      // A thunk, and what it passes on to, are recorded as a stack.
      let telling = stacks.stack(code).first { id in
        stacks.function(of: id).map { $0.shortName != StackTable.namelessGlue } ?? false
      }
      tasks[place].code = telling ?? code
      tasks[place].function = stacks.function(of: telling ?? code)
      // What Swift's library gives the program to compile is not where the program creates it.
      let maker = stacks.stack(tasks[place].submittedAt).first { id in
        stacks.isOwn(id) && stacks.function(of: id)?.module != "Swift"
      }
      if let maker { tasks[place].submittedAt = maker }
      tasks[place].codeText = nil
      guard telling == nil else { continue }
      // As the program's own `main` is begun.
      tasks[place].codeText =
        stacks.function(of: maker).map { "task of \($0.shortName)" } ?? stacks.text(of: code).map { "task at \($0)" }
    }
  }

  /// Tells where queues were made. Without a name for the code, a queue's own number says as much.
  mutating func placeQueues() {
    for place in queues.indices {
      let made = queues[place].madeAt
      guard stacks.ownFrame(made).map({ !stacks.symbols(of: $0).isEmpty }) == true else { continue }
      queues[place].codeLocation = stacks.codeLocation(made)
    }
  }
}

extension SharedClass {
  /// The same with the function that it runs; nil: it runs none but its own.
  func named(by stacks: StackTable) -> SharedClass? {
    code.map {
      SharedClass(
        name, module: module, code: $0, function: stacks.function(of: $0), codeText: stacks.text(of: $0))
    }
  }
}
