internal import COpTrace

/// What an operation or a queue carries for those who observe it; see `COpTrace.h`. It keeps itself until the object is gone.
/// Sendable: it has nothing of its own; subclasses say what guards theirs.
package class LiveCompanion: @unchecked Sendable {
  static func at(_ pointer: UnsafeMutableRawPointer) -> LiveCompanion {
    Unmanaged<LiveCompanion>.fromOpaque(pointer).takeUnretainedValue()
  }

  /// Of an operation or a queue that is alive.
  static func of(_ pointer: OpaquePointer?) -> LiveCompanion? { optrace_operation_companion(pointer).map(at) }

  /// False: it has one. `hears`: its turns, and not the last alone.
  func accompany(_ pointer: OpaquePointer?, hears: Bool) -> Bool {
    let own = Unmanaged.passRetained(self)
    if optrace_operation_accompany(pointer, own.toOpaque(), hears) { return true }
    own.release()
    return false
  }

  /// The object goes, and nothing comes any more.
  func leave() { Unmanaged.passUnretained(self).release() }

  func turned(_ kind: UInt8, _ text: UnsafeBufferPointer<UInt8>) {}
  func run(_ body: () -> Void) { body() }
}
