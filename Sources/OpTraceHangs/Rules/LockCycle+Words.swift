import OpTraceDoctor
import OpTraceKernel
import OpTraceModel

/// The words of `lock-cycle`, by the mistake that its rule found.
extension DoctorContext {
  func words(
    of cycle: LockCycle, _ deadlock: Blockage.Deadlock
  ) -> (title: String, explanation: String, fix: String) {
    let chain = chain(of: deadlock)
    let names = cycle.seen.compactMap(initialised)
    let lock =
      cycle.isOfInitialisers
      ? cycle.seen.first.map(obstacle) ?? "a lock" : chain.first { $0.kind == .lock }?.name ?? "a lock"
    let first = cycle.first.map { name(ofNode: $0.from) } ?? "a thread"
    let location = cycle.first.flatMap { self.location(of: $0.reason) }
    let title: String
    let explanation: String
    let fix: String
    switch cycle.shape {
    case .ownInitialiser:
      title = "\(first) waits for \(lock), which it runs itself"
      explanation =
        "Swift runs the initialiser of a global or a static property once, when it is first used. This one uses its own "
        + "property, and so waits for itself to be over."
      fix =
        "Do not use \(names.first ?? "the property")\(Self.phrase(location)) before it has its value: pass on what is being "
        + "made instead."
    case .initialisers:
      title =
        "\(members(chain)) wait for each other's initialisers"
        + (names.isEmpty ? "" : ": those of \(Self.list(names))")
      explanation =
        "Swift runs the initialiser of a global or a static property once, when it is first used; who uses it meanwhile "
        + "waits. Each of these runs one, and waits for the one that the next runs."
      fix =
        "Do not use one of these properties in the initialiser of the other: pass the value on, or make both in one place "
        + "before the work begins."
    case .suspendedHolder(let holder):
      title =
        "\(first) waits for \(lock) that its thread holds: \(name(holder.id)) was suspended there before"
      explanation =
        "A lock belongs to a thread. A task that is suspended while it has one leaves the thread, and the next task there waits for "
        + "what its own thread holds."
      fix =
        "Do not hold a lock across an await\(Self.phrase(self.location(of: holder))): take what is needed, unlock it, and "
        + "await then. An actor keeps its state without a lock."
    case .handler:
      title = "a signal handler on \(first) waits for \(lock) that the same thread held when the signal came"
      explanation =
        "A signal handler runs on a thread that does something else. What that has locked it unlocks only after the handler, which "
        + "never ends."
      fix =
        "Take no lock in a signal handler\(Self.phrase(location)): it may only set a flag or write to a pipe. Or get the signal on a "
        + "queue (DispatchSource.makeSignalSource)."
    case .own:
      title = "\(first) waits for \(lock) that it holds itself"
      explanation =
        "A thread that locks a non-recursive lock twice waits for itself to unlock it, which never happens."
      fix =
        "Do not lock it twice\(Self.phrase(location)): call a function that expects it to be locked, or use an "
        + "NSRecursiveLock."
    case .locks:
      title = "\(members(chain)) wait for each other's locks"
      explanation =
        "Each holds a lock and waits for the lock of the next, and the last for the lock of the first. None of them can "
        + "continue."
      fix = "Take these locks in the same order everywhere, or hold only one of them at a time."
    case .mixed(let waiting):
      title = "\(members(chain)) block each other in a cycle through \(lock)"
      explanation =
        "The holder of the lock waits for work that needs the lock. It unlocks only after the wait, and the wait ends "
        + "only after the unlock."
      fix =
        "Do not wait while holding a lock: unlock it before \(waiting.map { name(ofNode: $0.from) } ?? first) waits"
        + "\(Self.phrase(waiting.flatMap { self.location(of: $0) }))."
    }
    return (title, explanation, fix)
  }

  private func location(of step: Blockage.Step) -> CodeLocation? {
    guard step.reason == .sync, case .block(let index) = blockage.graph.nodes[step.to] else {
      return location(of: step.reason)
    }
    return location(ofSubmitting: trace.blocks[index])
  }
}
