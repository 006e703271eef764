import OpTraceSymbols

/// What threads do: told by functions of Foundation's and of the concurrency runtime's on their stacks.
package struct Roles: Hashable, Sendable {
  /// Something that a thread executes.
  package struct Work: Hashable, Sendable {
    /// An operation or a task.
    package var object: UInt64
    /// The function's frame in which it was found: its index on the stack. What is inside of it is the work's own.
    package var frame: Int
  }

  /// The functions have names. Otherwise nobody's role is known, and no answer may depend on one.
  package private(set) var areKnown = false
  /// What each thread executes, innermost first, by the threads' ids.
  package private(set) var executed: [UInt32: [Work]] = [:]
  /// Threads that wait until a queue is empty.
  package private(set) var emptying: Set<UInt32> = []
  /// The concurrent queues in which threads run what they handed to `sync`, by the threads' ids.
  private var reading: [UInt32: Set<UInt64>] = [:]
  /// Threads that wait until another one has run the initialiser of a global or a static property.
  package private(set) var initialising: Set<UInt32> = []
  /// Tasks whose continuation is one of `Task.sleep`: a timer resumes it.
  package private(set) var sleeping: Set<UInt64> = []
  /// Threads in whose frames several objects are found, or none.
  package private(set) var unclear: Set<UInt32> = []

  private static let operationFunctions: Set = [
    "$s10Foundation9OperationC5startyyF", "$s10Foundation14OperationQueueC9_scheduleyyAA0B0CF",
  ]
  private static let emptied = "$s10Foundation14OperationQueueC33waitUntilAllOperationsAreFinishedyyF"
  /// The frames of `sync` that run a block in a concurrent queue, and have the queue at hand to leave it.
  private static let readFunctions: Set = ["_dispatch_sync_invoke_and_complete"]
  /// Where threads sleep until an initialiser has run. On the word that they sleep on, it looks like the lock of a `Mutex`.
  private static let once = "_ZN5swift14threading_impl9once_slowERNS0_6once_tEPFvPvES3_"
  /// Most are not given to others, and have no name in a library that is stripped. The first is.
  private static let jobFunctions: Set = [
    "swift_job_run", "_ZN5swift34runJobInEstablishedExecutorContextEPNS_3JobE",
  ]

  init(
    _ threads: [SeenThread], _ objects: FoundObjects, _ finder: ObjectFinder, _ view: MemoryView,
    _ known: RoleNames
  ) {
    var areNamed: [Bool] = []
    if let foundation = finder.foundation, let found = objects.operations {
      let names = known.find(Self.operationFunctions.union([Self.emptied]), in: foundation, threads)
      let started = found.operations.values.filter { $0.state >= .starting }.map(\.address)
      areNamed.append(names.areKnown)
      find(Set(started), Self.operationFunctions, names, threads, view)
      for thread in threads where !Self.frames(of: thread, [Self.emptied], names).isEmpty {
        emptying.insert(thread.state.id)
      }
    }
    if let runtime = try? finder.tasks.get().module, let found = objects.tasks {
      let names = known.find(Self.jobFunctions, in: runtime, threads)
      let running = found.tasks.values.filter(\.isRunning).map(\.address)
      areNamed.append(names.areKnown)
      find(Set(running), Self.jobFunctions, names, threads, view)
      findSleepers(found.tasks.values.filter { $0.wait == .continuation && !$0.isRunning }, runtime, known)
    }
    if let library = finder.dispatch.module, let found = objects.dispatch {
      let concurrent = found.queues.values.filter { $0.kind == .concurrentQueue && $0.width != 1 }.map(\.address)
      if !concurrent.isEmpty {
        findReaders(Set(concurrent), known.find(Self.readFunctions, in: library, threads), threads, view)
      }
    }
    if let core = finder.modules.first(where: { $0.name.hasPrefix("libswiftCore.so") }) ?? finder.modules.program {
      let names = known.find([Self.once], in: core, threads)
      for thread in threads where Self.frames(of: thread, [Self.once], names).contains(where: { $0 < 3 }) {
        initialising.insert(thread.state.id)
      }
    }
    areKnown = !areNamed.isEmpty && areNamed.allSatisfy(\.self)
    leaveOutShared()
    for thread in executed.keys { executed[thread]?.sort { $0.frame < $1.frame } }
  }

  /// The threads that run something in this concurrent queue for a caller of `sync`, by their ids.
  func readers(of queue: UInt64) -> [UInt32] {
    reading.filter { $0.value.contains(queue) }.keys.sorted()
  }

  /// `Task.sleep`, and `sleep` of a clock, as the compiler names them and their parts.
  private static let sleeps = ["ScTss5NeverORszABRs_rlE5sleep", "15ContinuousClockV5sleep", "15SuspendingClockV5sleep"]

  /// What goes on first is the runtime's own, and is named after the function that sleeps.
  private mutating func findSleepers(_ tasks: [FoundTask], _ runtime: Module, _ known: RoleNames) {
    let first = tasks.map { task in task.functions.prefix { runtime.contains($0) }.map { $0 &+ 1 } }
    let names = known.names(of: Array(first.joined()), in: runtime)
    for (task, functions) in zip(tasks, first) {
      if functions.contains(where: { at in names[at].map { name in Self.sleeps.contains(where: name.contains) } == true
      }) {
        sleeping.insert(task.address)
      }
    }
  }

  private mutating func findReaders(
    _ queues: Set<UInt64>, _ names: RoleFunctions, _ threads: [SeenThread], _ view: MemoryView
  ) {
    for held in Self.held(queues, Self.readFunctions, names, threads, view) {
      // Of several, one is left over.
      if let queue = held.object { reading[held.thread, default: []].insert(queue) }
    }
  }

  /// Which of these objects each frame of these functions has; nil: none, or several.
  private static func held(
    _ objects: Set<UInt64>, _ functions: Set<String>, _ names: RoleFunctions, _ threads: [SeenThread],
    _ view: MemoryView
  ) -> [(thread: UInt32, frame: Int, object: UInt64?)] {
    threads.flatMap { thread in
      frames(of: thread, functions, names).map { frame in
        let found = Self.objects(in: range(of: frame, on: thread), objects, view)
        return (thread.state.id, frame, found.count == 1 ? found.first : nil)
      }
    }
  }

  /// Where a function keeps what it works on. A function that another one calls keeps the caller's registers in its own frame.
  private static func range(of frame: Int, on thread: SeenThread) -> Range<UInt64> {
    let low = thread.pointers[max(0, frame - 1)]
    let next = frame + 1 < thread.pointers.count ? thread.pointers[frame + 1] : thread.pointers[frame] &+ 256
    return low..<max(low, min(next, low &+ 4096))
  }

  /// Where these functions are on a stack. Behind a frame that was guessed there is nothing to rely on.
  private static func frames(
    of thread: SeenThread, _ functions: Set<String>, _ names: RoleFunctions
  ) -> [Int] {
    thread.addresses.indices.prefix(thread.guessedFrom).filter {
      names[thread.addresses[$0]].map(functions.contains) == true
    }
  }

  /// One thread executes an object. Of one that was found on two, nobody knows which has a word of it left over.
  private mutating func leaveOutShared() {
    var threads: [UInt64: Set<UInt32>] = [:]
    for (thread, works) in executed {
      for work in works { threads[work.object, default: []].insert(thread) }
    }
    for (object, all) in threads where all.count > 1 {
      for thread in all {
        executed[thread]?.removeAll { $0.object == object }
        unclear.insert(thread)
      }
    }
    executed = executed.filter { !$0.value.isEmpty }
  }

  /// Finds which of these objects the frames of these functions hold.
  private mutating func find(
    _ objects: Set<UInt64>, _ functions: Set<String>, _ names: RoleFunctions,
    _ threads: [SeenThread], _ view: MemoryView
  ) {
    for held in Self.held(objects, functions, names, threads, view) {
      guard let object = held.object else {
        unclear.insert(held.thread)
        continue
      }
      let known = executed[held.thread] ?? []
      if !known.contains(where: { $0.object == object }) {
        executed[held.thread] = known + [Work(object: object, frame: held.frame)]
      }
    }
  }

  private static func objects(in range: Range<UInt64>, _ wanted: Set<UInt64>, _ view: MemoryView) -> Set<UInt64> {
    var found: Set<UInt64> = []
    var address = (range.lowerBound &+ 7) & ~7
    while address >= range.lowerBound, address < range.upperBound {
      if let word = view.word(at: address), wanted.contains(word) { found.insert(word) }
      address = address &+ 8
    }
    return found
  }
}
