import OpTraceDoctor
import OpTraceFormat
import OpTraceKernel
import OpTraceModel

extension Trouble {
  static let lockOrderInversion = Trouble("lock-order-inversion", .misuse)
}

extension DoctorRule {
  /// Evidence: in this run strands of different works or threads took the same things in orders that make a cycle, and nothing that the trace
  /// has keeps these from meeting: no third thing that both hold, and no submission, dependency or wait between them. What orders raw
  /// threads by other means is not in a trace, so it is possible, not proven.
  static let lockOrderInversion = DoctorRule(
    .lockOrderInversion, .warning,
    Guide(
      """
      Locks, serial dispatch queues or the only slots of operation queues were taken in orders that contradict each other: \
      one strand held the first and wanted the second, another one held the second and wanted the first. This run ended well \
      because they did not meet. When they do, each waits for the other for ever. Recorded with 'optrace record --orders'.
      """,
      wrong: """
        func transfer(from a: Account, to b: Account) {
          a.lock.lock()
          b.lock.lock()                 // another thread transfers from b to a, but not yet at the same time
          defer { b.lock.unlock(); a.lock.unlock() }
          b.balance += a.take()
        }
        """,
      right: """
        func transfer(from a: Account, to b: Account) {
          let (first, second) = a.id < b.id ? (a, b) : (b, a)
          first.lock.lock()             // everybody in the same order
          second.lock.lock()
          defer { second.lock.unlock(); first.lock.unlock() }
          b.balance += a.take()
        }
        """)
  ) { context in
    // Of those that have met there is an error, which says more.
    context.orderCycles().filter { !context.hasMet($0.cycle) || $0.cycle.hasReaderLocks }
      .map { context.lockOrderInversion($0.cycle, more: $0.more) }
  }
}

extension OrderCycles.Cycle {
  /// Nobody knows who reads under a lock of the C library, so no error tells of these.
  fileprivate var hasReaderLocks: Bool {
    edges.contains { edge in
      if case .lock(let lock) = edge.held.thing { lock.kind == .rwlock } else { false }
    }
  }
}

extension DoctorContext {
  /// Whether all sides are, at the end of a run that hung, where they wanted what the others have.
  fileprivate func hasMet(_ cycle: OrderCycles.Cycle) -> Bool {
    guard trace.header.stalled != nil || options.now != nil else { return false }
    return cycle.sightings.allSatisfy { sighting in
      guard let seen = seenThreads[sighting.thread], let there = location(at: seen.at) else { return false }
      return there == location(at: sighting.at)
    }
  }

  func lockOrderInversion(_ cycle: OrderCycles.Cycle, more: Int) -> Finding {
    let things = Things(cycle, self)
    let who = cycle.sightings.map { sighting in sighting.work.map(name) ?? name(sighting.thread) }
    let hasMet = hasMet(cycle)
    var finding = Finding(
      .lockOrderInversion, .warning, ending: .itWorks, title: things.title(who, cycle),
      explanation: (hasMet
        ? "They have met: each is at the second line of its half, and nobody can go on."
        : "In this run they did not meet. If \(Self.list(who)) are each at the second line of their half at the "
          + "same time, nobody can go on.")
        + (more > 0 ? " The same places took \(more) more such pairs of objects." : ""),
      fix: things.fix)
    finding.isLatent = !hasMet
    finding.key = key(of: cycle)
    for (edge, sighting) in zip(cycle.edges, cycle.sightings) {
      let by = sighting.work.map(name) ?? name(sighting.thread)
      let at = Stamp(sighting.time, sighting.thread)
      finding.evidence.append(
        .init(at: at, "\(by) had \(things.name(edge.held.thing))\(place(edge.from, edge.held.thing, sighting))"))
      finding.evidence.append(
        .init(
          at: at, "and wanted \(things.name(edge.wanted.thing))\(phrase(at: sighting.at))"))
    }
    finding.operations = cycle.sightings.compactMap { sighting in
      sighting.work.flatMap { trace.operation($0) == nil ? nil : $0 }
    }
    finding.chain = things.chain(cycle)
    finding.location = location(at: cycle.sightings.first?.at)
    return finding
  }

  /// The cycles of a trace, one of those with the same key, and how many more there are of each. O(n) for n cycles that were found.
  func orderCycles() -> [(cycle: OrderCycles.Cycle, more: Int)] {
    let found = OrderCycles(of: trace)
    var all: [(cycle: OrderCycles.Cycle, more: Int)] = []
    var known: [String: Int] = [:]
    for (cycle, more) in zip(found.all, found.more) {
      let key = key(of: cycle)
      if let index = known[key] {
        all[index].more += more + 1
      } else {
        known[key] = all.count
        all.append((cycle, more))
      }
    }
    return all
  }

  /// Who called a function of the program's that takes things for others, in another file than that; nil: nobody, or not known.
  func caller(at frame: FrameID?) -> CodeLocation? {
    guard let first = location(at: frame)?.file else { return nil }
    let own = trace.stacks.stack(frame).lazy.filter(trace.stacks.isOwn).map { trace.stacks.codeLocation($0) }
    return own.compactMap(\.self).first { $0.file != nil && $0.file != first && $0.line ?? 0 > 0 }
  }

  /// `, in synchronized() at Lock.swift:5, called in load() at Cache.swift:12`.
  fileprivate func phrase(at frame: FrameID?) -> String {
    let caller = caller(at: frame).map { ", called" + Self.phrase($0).dropFirst() } ?? ""
    return Self.phrase(location(at: frame)) + caller
  }

  /// Where the program did it: `withLock` and the like, which its compiler made in it, have no line.
  func location(at frame: FrameID?) -> CodeLocation? {
    let own = trace.stacks.stack(frame).lazy.filter(trace.stacks.isOwn).map { trace.stacks.codeLocation($0) }
    return own.first { $0?.line ?? 0 > 0 } ?? trace.stacks.codeLocation(frame)
  }

  /// Where something was taken that is held: for a queue or a slot, where the work was submitted.
  private func place(_ order: OrderRecord, _ thing: OrderSide.Thing, _ sighting: OrderRecord.Sighting) -> String {
    if let at = order.sightings.first?.at { return ", taken" + phrase(at: at) }
    guard let work = sighting.work.flatMap({ trace.work($0) }), let at = work.submittedAt else { return "" }
    return ", where it was submitted" + Self.phrase(location(at: at))
  }
}

/// What takes part, with names: locks have none of their own.
private struct Things {
  private let context: DoctorContext
  private var numbers: [OrderSide.Thing: Int] = [:]

  init(_ cycle: OrderCycles.Cycle, _ context: DoctorContext) {
    self.context = context
    for edge in cycle.edges {
      if case .lock = edge.held.thing { numbers[edge.held.thing] = numbers.count + 1 }
    }
  }

  func name(_ thing: OrderSide.Thing) -> String {
    switch thing {
    case .lock(let lock):
      let word = lock.kind == .rwlock ? "reader-writer lock" : "lock"
      return "\(word) \(numbers[thing] ?? 0)"
    case .queue(let id): return context.trace.dispatchQueue(id).map(context.name) ?? "dispatch queue \(id.rawValue)"
    case .slot(let id): return "the only slot of \(context.name(id))"
    }
  }

  func title(_ who: [String], _ cycle: OrderCycles.Cycle) -> String {
    let things = cycle.edges.map { edge in
      if case .lock = edge.held.thing { "a lock" } else { name(edge.held.thing) }
    }
    let locks = things.count { $0 == "a lock" }
    let rest = things.filter { $0 != "a lock" }
    let what = DoctorContext.list((locks > 1 ? ["\(locks) locks"] : locks == 1 ? ["a lock"] : []) + rest)
    return "\(DoctorContext.list(who)) take \(what) in contradicting orders, which is a deadlock when they meet"
  }

  var fix: String {
    "Take them in the same order everywhere; or give back the first before you take the second, or before you wait: use async instead of "
      + "sync, a dependency instead of waitUntilFinished()."
  }

  func chain(_ cycle: OrderCycles.Cycle) -> [ChainMember] {
    zip(cycle.edges, cycle.sightings).flatMap { edge, sighting -> [ChainMember] in
      let location = context.location(at: sighting.at)
      return [member(sighting, location), member(edge.wanted.thing)]
    }
  }

  private func member(_ sighting: OrderRecord.Sighting, _ location: CodeLocation?) -> ChainMember {
    guard let work = sighting.work else {
      return ChainMember(
        .thread, id: UInt64(sighting.thread.rawValue), name: context.name(sighting.thread), at: location)
    }
    let kind: ChainMember.Kind =
      context.trace.operation(work) != nil ? .operation : context.trace.task(work) != nil ? .task : .block
    return ChainMember(kind, id: UInt64(work.rawValue), name: context.trace.work(work)?.title, at: location)
  }

  private func member(_ thing: OrderSide.Thing) -> ChainMember {
    switch thing {
    case .lock(let lock): ChainMember(.lock, id: lock.address, name: name(thing))
    case .queue(let id): ChainMember(.queue, id: UInt64(id.rawValue), name: name(thing))
    case .slot(let id): ChainMember(.queue, id: UInt64(id.rawValue), name: name(thing))
    }
  }
}
