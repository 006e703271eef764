internal import COpTrace
internal import Foundation

/// Whose `isReady` answers for the operations of a class.
enum Readiness: UInt32 {
  /// Foundation's or ours.
  case inherited = 1
  /// The program's own.
  case own = 2
  /// The program's own in a traced type. What it asks ours by `super` is a part of its answer only, so a hook in its place
  /// takes note of the whole.
  case hooked = 3
}

extension TraceRecorder {
  /// Locks when a class is new, and at no other time.
  func readiness(of operation: Operation) -> Readiness {
    let type: AnyClass = type(of: operation)
    let key = UInt64(UInt(bitPattern: ObjectIdentifier(type)))
    // Class names have the second key 0.
    if let known = Readiness(rawValue: optrace_cache_find(core, key, 1)) { return known }
    var readiness = Readiness.inherited
    if ProcessHooks.overridesReady(type) {
      // Asked again where the hooks were put in place for it: now they are in this class too.
      let isHooked = operation.probed != nil && ProcessHooks.isInUse(by: self) && ProcessHooks.overridesReady(type)
      readiness = isHooked ? .hooked : .own
    }
    optrace_cache_add(core, key, 1, readiness.rawValue)
    return readiness
  }
}
