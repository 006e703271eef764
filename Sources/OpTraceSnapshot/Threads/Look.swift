/// All objects and all threads of a process, once.
struct Look: Sendable {
  let processID: UInt32
  let modules: [Module]
  var objects: FoundObjects
  let threads: [SeenThread]
  let roles: Roles
  let clock: SchedulerClock?

  /// - Parameter names: what earlier looks have asked for.
  init(
    _ memory: any ProcessMemory, isLive: Bool, _ finder: ObjectFinder, _ names: RoleNames
  ) throws(MemoryTrouble) {
    processID = memory.processID
    modules = finder.modules
    let before = try memory.threads()
    objects = try finder.look(MemoryView(memory))
    let ids = Set(before.map(\.id))
    let walked = try StackWalker.with(memory, isLive: isLive, finder.modules, threads: ids) {
      walker in
      walker.walked(before)
    }
    let after = isLive ? try memory.threads() : before
    // Threads that began or ended meanwhile have run, and what was mapped meanwhile was not looked at.
    let isSame = Set(after.map(\.id)) == ids
    let isMapped = isLive ? try memory.again().mappings == memory.mappings : true
    let states = Dictionary(after.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
    let seen = (walked ?? before.map { SeenThread(state: $0, isStill: false) }).map { thread in
      let isStill =
        !isLive || states[thread.state.id].map { thread.state.isStill(until: $0) } ?? false
      return thread.settled(isStill: isStill && isSame && isMapped)
    }
    let threads =
      isLive && isSame && isMapped ? try Self.settled(seen, objects, memory, finder) : seen
    self.threads = threads
    clock = isLive ? SchedulerClock(for: threads.filter(\.isStill).map(\.state)) : nil
    // Stacks of threads that are still do not change.
    roles = Roles(threads, objects, finder, MemoryView(memory), names)
  }

  /// libdispatch's manager wakes about once a second. Where nobody else has run, and the objects are still the same, nothing has moved: it alone
  /// is looked at again until it sleeps.
  private static func settled(
    _ seen: [SeenThread], _ objects: FoundObjects, _ memory: any ProcessMemory, _ finder: ObjectFinder
  ) throws(MemoryTrouble) -> [SeenThread] {
    var threads = seen
    guard let manager = objects.dispatch?.manager,
      let index = threads.firstIndex(where: { $0.state.id == manager }), !threads[index].isStill,
      threads.count(where: { !$0.isStill }) == 1
    else { return seen }
    let ids = Set(threads.map(\.state.id))
    for _ in 0..<mostTurns {
      guard let before = try memory.threads().first(where: { $0.id == manager }) else { return seen }
      let walked = try StackWalker.with(memory, isLive: true, finder.modules, threads: ids) { $0.walked([before]) }
      // With a source it may have given work to a queue that nobody runs.
      let again = objects.dispatch?.idleManager == nil ? try finder.look(MemoryView(memory)) : objects
      guard again == objects else { return seen }
      let after = Dictionary(try memory.threads().map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
      let others = threads.filter { $0.state.id != manager }
      guard Set(after.keys) == ids, others.allSatisfy({ after[$0.state.id].map($0.state.isStill) ?? false }) else {
        return seen
      }
      guard let walked = walked?.first, let now = after[manager], before.isStill(until: now) else { continue }
      threads[index] = walked.settled(isStill: true)
      return threads
    }
    return seen
  }

  private static let mostTurns = 8

  private init(_ objects: FoundObjects, _ look: Look) {
    (processID, modules, self.objects) = (look.processID, look.modules, objects)
    (threads, roles, clock) = (look.threads, look.roles, look.clock)
  }

  var isStill: Bool { threads.allSatisfy(\.isStill) }

  func agreeing(with other: Look) -> Look { Look(objects.agreeing(with: other.objects), self) }
}

extension ThreadState {
  /// Whether it has not run meanwhile. Unknown counts as no.
  func isStill(until later: ThreadState) -> Bool {
    runs != nil && runs == later.runs && registers != nil && registers == later.registers
      && call == later.call
  }
}

extension SeenThread {
  /// What was read of a thread that moved meanwhile is of no moment.
  fileprivate func settled(isStill: Bool) -> SeenThread {
    guard isStill else { return SeenThread(state: state, isStill: false) }
    var thread = self
    thread.isStill = true
    return thread
  }
}
