internal import COpTrace
internal import Foundation

/// What is the same for all operations of a class.
struct ClassFacts {
  /// Whose `isReady` answers.
  enum Readiness: UInt32 {
    /// Foundation's or ours.
    case inherited = 1
    /// The program's own.
    case own = 2
    /// The program's own in a traced type. What it asks ours by `super` is a part of its answer only, so a hook in its
    /// place takes note of the whole.
    case hooked = 3
  }

  /// Who tells how its operations run.
  enum Running: UInt32 {
    /// They themselves, or the hooks of all other classes.
    case usual = 0
    /// A traced type with a `start()` and an `isFinished` of the program's own, which may never call ours: the hooks tell.
    case hooked = 1
    /// The same where there are no hooks: nobody.
    case untold = 2
  }

  /// The id of the class's name; 0 when there is no room for it.
  var name: UInt32
  var readiness: Readiness
  var running: Running
  /// Each of its operations may run another function.
  var isCodeChosen: Bool
  /// Its own `isExecuting` is asked between a start and its code.
  var overridesExecuting: Bool

  /// All in one number, as they are kept: ids have 16 bits.
  fileprivate var bits: UInt32 {
    name | readiness.rawValue << 16 | running.rawValue << 18 | (isCodeChosen ? 1 << 20 : 0)
      | (overridesExecuting ? 1 << 21 : 0)
  }

  fileprivate init?(bits: UInt32) {
    guard let readiness = Readiness(rawValue: bits >> 16 & 3), let running = Running(rawValue: bits >> 18 & 3) else {
      return nil
    }
    self.init(
      name: bits & 0xFFFF, readiness: readiness, running: running, isCodeChosen: bits >> 20 & 1 != 0,
      overridesExecuting: bits >> 21 & 1 != 0)
  }

  fileprivate init(
    name: UInt32, readiness: Readiness, running: Running, isCodeChosen: Bool, overridesExecuting: Bool
  ) {
    self.name = name
    self.readiness = readiness
    self.running = running
    self.isCodeChosen = isCodeChosen
    self.overridesExecuting = overridesExecuting
  }

  /// What the operation's own answers do not say: a class that keeps its states itself goes on when `start()` has returned.
  var isAsynchronous: Bool { running != .usual }
  /// How fully it is seen from the beginning.
  var coverage: TraceRecorder.Coverage { running == .untold ? .partial : .full }

  /// Notes with the operation what others do for it.
  func mark(_ probe: OperationProbe) {
    if readiness == .hooked { _ = probe.claim(OperationProbe.Bits.ownReady) }
    if running == .hooked { _ = probe.claim(OperationProbe.Bits.ownStart) }
    if overridesExecuting { _ = probe.claim(OperationProbe.Bits.ownExecuting) }
  }
}

extension TraceRecorder {
  /// Locks when a class is new, or the code that its operation runs, and at no other time.
  func facts(of operation: Operation) -> ClassFacts {
    let type: AnyClass = type(of: operation)
    let key = UInt64(UInt(bitPattern: ObjectIdentifier(type)))
    // Source lines have other keys.
    let known = ClassFacts(bits: optrace_cache_find(core, key, 0))
    if let known, !known.isCodeChosen { return known }
    let facts = known ?? makeFacts(of: operation, type, key)
    guard facts.isCodeChosen else { return facts }
    let code = RunCode.address(of: operation)
    guard code != 0 else { return facts }
    if let known = ClassFacts(bits: optrace_cache_find(core, key, UInt64(code))) { return known }
    let frame = self.code.id(of: code)
    guard frame != 0 else { return facts }
    var chosen = facts
    chosen.name = interner.id(of: type, code: frame)
    if chosen.name != 0 { optrace_cache_add(core, key, UInt64(code), chosen.bits) }
    return chosen
  }

  private func makeFacts(of operation: Operation, _ type: AnyClass, _ key: UInt64) -> ClassFacts {
    let isOurs = operation.probed != nil
    let facts = ClassFacts(
      name: interner.id(of: type), readiness: readiness(of: type, isOurs: isOurs),
      running: running(of: type, isOurs: isOurs), isCodeChosen: RunCode.isChosen(for: operation),
      overridesExecuting: HookUse.overridesExecuting(type))
    // Else there may be room for the name the next time.
    if facts.name != 0 { optrace_cache_add(core, key, 0, facts.bits) }
    return facts
  }

  private func running(of type: AnyClass, isOurs: Bool) -> ClassFacts.Running {
    guard isOurs, HookUse.runsAlone(type) else { return .usual }
    return HookUse.isInUse(by: self) && HookUse.runsAlone(type) ? .hooked : .untold
  }

  private func readiness(of type: AnyClass, isOurs: Bool) -> ClassFacts.Readiness {
    guard HookUse.overridesReady(type) else { return .inherited }
    // Asked again where the hooks were put in place for it: now they are in this class too.
    let isHooked = isOurs && HookUse.isInUse(by: self) && HookUse.overridesReady(type)
    return isHooked ? .hooked : .own
  }
}
