internal import COpTrace

/// What an operation or a queue carries for its observers; see `COpTrace.h`. It retains itself until the object is
/// gone.
/// Sendable: it has no state; subclasses say what guards theirs.
package class ObserverCompanion: @unchecked Sendable {
  static func at(_ pointer: UnsafeMutableRawPointer) -> ObserverCompanion {
    Unmanaged<ObserverCompanion>.fromOpaque(pointer).takeUnretainedValue()
  }

  /// For an operation or a queue that is alive.
  static func of(_ pointer: OpaquePointer?) -> ObserverCompanion? { optrace_operation_companion(pointer).map(at) }

  /// False: it has one already. `isNotified`: of all steps, not only of the last.
  func accompany(_ pointer: OpaquePointer?, isNotified: Bool) -> Bool {
    let own = Unmanaged.passRetained(self)
    if optrace_operation_accompany(pointer, own.toOpaque(), isNotified) { return true }
    own.release()
    return false
  }

  /// The object is released, and nothing comes any more.
  func leave() { Unmanaged.passUnretained(self).release() }

  func reached(_ kind: UInt8, _ text: UnsafeBufferPointer<UInt8>) {}
  func run(_ body: () -> Void) { body() }
}
