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

  /// The id of the class's name; 0 when there is no room for it.
  var name: UInt32
  var readiness: Readiness

  /// Both in one number, as they are kept: ids have 16 bits.
  fileprivate var bits: UInt32 { name | readiness.rawValue << 16 }

  fileprivate init?(bits: UInt32) {
    guard let readiness = Readiness(rawValue: bits >> 16) else { return nil }
    self.init(name: bits & 0xFFFF, readiness: readiness)
  }

  fileprivate init(name: UInt32, readiness: Readiness) {
    self.name = name
    self.readiness = readiness
  }
}

extension TraceRecorder {
  /// Locks when a class is new, and at no other time.
  func facts(of operation: Operation) -> ClassFacts {
    let type: AnyClass = type(of: operation)
    let key = UInt64(UInt(bitPattern: ObjectIdentifier(type)))
    // Source lines have another second key.
    if let known = ClassFacts(bits: optrace_cache_find(core, key, 0)) { return known }
    let facts = ClassFacts(
      name: interner.id(of: String(describing: type)), readiness: readiness(of: type, isOurs: operation.probed != nil))
    // Else there may be room for the name the next time.
    if facts.name != 0 { optrace_cache_add(core, key, 0, facts.bits) }
    return facts
  }

  private func readiness(of type: AnyClass, isOurs: Bool) -> ClassFacts.Readiness {
    guard HookUse.overridesReady(type) else { return .inherited }
    // Asked again where the hooks were put in place for it: now they are in this class too.
    let isHooked = isOurs && HookUse.isInUse(by: self) && HookUse.overridesReady(type)
    return isHooked ? .hooked : .own
  }
}
