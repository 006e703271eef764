internal import COpTrace
internal import Foundation

/// What is the same for all operations of a class. A second time beside `describe/facts.c`, which knows no classes of
/// ours, and none where there are no hooks.
struct ClassFacts {
  /// Whose `isReady` answers.
  enum Readiness: UInt32 {
    /// Foundation's or ours.
    case inherited = 1
    /// The program's own.
    case own = 2
    /// The program's own in a traced type. What ours answers to its `super` is only a part of its answer, so a hook
    /// records the whole.
    case hooked = 3
  }

  /// Who records how its operations run.
  enum Running: UInt32 {
    /// The operations themselves, or the hooks of all other classes.
    case usual = 0
    /// A traced type with the program's own `start()` and `isFinished`, which may never call ours: the hooks record it.
    case hooked = 1
    /// The same where there are no hooks: nobody.
    case unrecorded = 2
  }

  /// All in one number, as it is cached: ids have 16 bits.
  fileprivate var bits: UInt32

  fileprivate init(bits: UInt32) { self.bits = bits }

  fileprivate init(name: UInt32, readiness: Readiness, running: Running) {
    bits = name | readiness.rawValue << 16 | running.rawValue << 18
  }

  fileprivate struct Bits {
    static let name: UInt32 = 0xFFFF
    static let isCodeChosen: UInt32 = 1 << 20
    static let overridesExecuting: UInt32 = 1 << 21
    static let runsItself: UInt32 = 1 << 22
    static let isOurs: UInt32 = 1 << 23
    static let isBlock: UInt32 = 1 << 24
    static let answersItself: UInt32 = 1 << 25
  }

  fileprivate mutating func note(_ bit: UInt32, where isSo: Bool) {
    if isSo { bits |= bit }
  }

  /// The id of the class's name; 0: there is no room for it.
  fileprivate(set) var name: UInt32 {
    get { bits & Bits.name }
    set { bits = bits & ~Bits.name | newValue & Bits.name }
  }
  @inline(__always) var readiness: Readiness { Readiness(rawValue: bits >> 16 & 3) ?? .own }
  @inline(__always) var running: Running { Running(rawValue: bits >> 18 & 3) ?? .usual }
  /// Each of its operations may run another function.
  var isCodeChosen: Bool { bits & Bits.isCodeChosen != 0 }
  /// Its own `isExecuting` is called between a start and the code.
  var overridesExecuting: Bool { bits & Bits.overridesExecuting != 0 }
  /// None of ours, with its own `start()` and states. Many asynchronous classes do not say that they are, because no
  /// queue asks.
  var runsItself: Bool { bits & Bits.runsItself != 0 }
  /// One of ours.
  var isOurs: Bool { bits & Bits.isOurs != 0 }
  /// A `TracedBlockOperation`; else, of ours, a `TracedOperation`.
  var isBlock: Bool { bits & Bits.isBlock != 0 }
  /// None of ours, and it overrides a getter that its description asks.
  var answersItself: Bool { bits & Bits.answersItself != 0 }

  /// What the operation's own answers do not say: a class that keeps its states itself goes on after `start()` has
  /// returned.
  @inline(__always) var isAsynchronous: Bool { running != .usual }
  /// How fully it is seen from the beginning.
  @inline(__always) var coverage: TraceRecorder.Coverage { running == .unrecorded ? .partial : .full }

  /// The bits that are set in each operation, for the hooks.
  @inline(__always) var marks: UInt32 {
    (readiness == .hooked ? OperationProbe.Bits.ownReady : 0) | (running == .hooked ? OperationProbe.Bits.ownStart : 0)
      | (overridesExecuting ? OperationProbe.Bits.ownExecuting : 0)
  }
}

extension TraceRecorder {
  /// Locks only if the class is new, or the code that its operation runs.
  func facts(of operation: Operation) -> ClassFacts {
    let type: AnyClass = type(of: operation)
    let key = UInt64(UInt(bitPattern: ObjectIdentifier(type)))
    // Source locations have other keys.
    let known = optrace_cache_find(core, key, 0)
    let facts = known == 0 ? makeFacts(of: operation, type, key) : ClassFacts(bits: known)
    return facts.isCodeChosen ? self.facts(facts, of: operation, key) : facts
  }

  /// With the function that this operation runs.
  private func facts(_ facts: ClassFacts, of operation: Operation, _ key: UInt64) -> ClassFacts {
    let code = facts.isOurs ? RunCode.address(of: operation) : RunCode.address(ofForeign: operation)
    guard code != 0 else { return facts }
    let known = optrace_cache_find(core, key, UInt64(code))
    if known != 0 { return ClassFacts(bits: known) }
    let frame = optrace_code_id(core, UInt64(code))
    guard frame != 0 else { return facts }
    var chosen = facts
    chosen.name = id(of: type(of: operation), code: frame)
    if chosen.name != 0 { optrace_cache_add(core, key, UInt64(code), chosen.bits) }
    return chosen
  }

  private func makeFacts(of operation: Operation, _ type: AnyClass, _ key: UInt64) -> ClassFacts {
    let isBlock = operation is TracedBlockOperation
    let isOurs = isBlock || operation is TracedOperation
    var facts = ClassFacts(
      name: id(of: type), readiness: readiness(of: type, isOurs: isOurs),
      running: running(of: type, isOurs: isOurs))
    facts.note(ClassFacts.Bits.isOurs, where: isOurs)
    facts.note(ClassFacts.Bits.isBlock, where: isBlock)
    facts.note(ClassFacts.Bits.isCodeChosen, where: RunCode.isChosen(for: operation))
    facts.note(ClassFacts.Bits.overridesExecuting, where: HookUse.overridesExecuting(type))
    // It is cached now.
    let object = Unmanaged.passUnretained(operation).toOpaque()
    facts.note(ClassFacts.Bits.runsItself, where: !isOurs && optrace_object_runs_itself(object))
    facts.note(ClassFacts.Bits.answersItself, where: !isOurs && optrace_object_answers_itself(object))
    // If not, there may be room for the name the next time.
    if facts.name != 0 { optrace_cache_add(core, key, 0, facts.bits) }
    return facts
  }

  private func running(of type: AnyClass, isOurs: Bool) -> ClassFacts.Running {
    guard isOurs, HookUse.runsAlone(type) else { return .usual }
    return HookUse.isInUse(by: self) && HookUse.runsAlone(type) ? .hooked : .unrecorded
  }

  private func readiness(of type: AnyClass, isOurs: Bool) -> ClassFacts.Readiness {
    guard HookUse.overridesReady(type) else { return .inherited }
    // Evaluated again if the hooks were installed for it: now this class has them, too.
    let isHooked = isOurs && HookUse.isInUse(by: self) && HookUse.overridesReady(type)
    return isHooked ? .hooked : .own
  }
}
