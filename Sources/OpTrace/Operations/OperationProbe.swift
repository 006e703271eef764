internal import COpTrace
internal import Foundation
internal import OpTraceFormat

/// What every traced operation carries: its identity for the recorder, and the calls that its overrides make.
///
/// Each of them costs two loads and a branch while the operation records nowhere.
/// Sendable: the pointer never changes, and what it points to is atomic inside.
struct OperationProbe: @unchecked Sendable {
  /// Bits of ``OperationProbe/claim(_:)``.
  struct Bits {
    static let hasDependencies = UInt32(optrace_bit_has_dependencies)
    static let watched = UInt32(optrace_bit_watched)
    static let finishRecorded = UInt32(optrace_bit_finish_recorded)
    static let finishWritten = UInt32(optrace_bit_finish_written)
    static let over = UInt32(optrace_bit_over)
    static let ready = UInt32(optrace_bit_ready)
    static let enqueued = UInt32(optrace_bit_enqueued)
    static let external = UInt32(optrace_bit_external)
    static let ownReady = UInt32(optrace_bit_own_ready)
    static let ownStart = UInt32(optrace_bit_own_start)
    static let partial = UInt32(optrace_bit_partial)
    static let ownExecuting = UInt32(optrace_bit_own_executing)
    static let began = UInt32(optrace_bit_began)
    static let used = UInt32(optrace_bit_used)
    static let quality = UInt32(optrace_bit_quality)
  }

  /// Room for a probe inside of an object, so that an operation costs no allocation of ours.
  typealias Storage = (UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64)
  static let emptyStorage: Storage = (0, 0, 0, 0, 0, 0, 0, 0)

  let pointer: OpaquePointer?

  init() { pointer = optrace_operation_create() }

  /// For an operation that does not exist yet: nothing is recorded.
  static let none = OperationProbe(pointer: nil)
  private init(pointer: OpaquePointer?) { self.pointer = pointer }

  /// Inside of an object of ours. `storage` is a stored property that is used for nothing else. Objects do not move, so
  /// neither does it while the object lives, although Swift promises that only for the time of a call.
  /// - Parameter here: the frame of the function that creates the object.
  init(in storage: inout Storage, here: optrace_start) {
    pointer = withUnsafeMutableBytes(of: &storage) { bytes in
      // The same number of words: a test compares them.
      bytes.baseAddress.map { optrace_operation_init_in($0.assumingMemoryBound(to: UInt64.self)) }
    }
    if optrace_wants_makers() { optrace_operation_made(pointer, here) }
  }

  /// For an operation that carries none: see `COpTraceHooks.h`.
  init(hooked pointer: OpaquePointer) { self.pointer = pointer }

  /// Must be called once, at the end of the life of the object that contains its probe.
  func end() {
    if !isSilent { record(.released) }
  }

  /// The same, if the probe is not inside of an object.
  func destroy() {
    guard let pointer else { return }
    end()
    optrace_operation_destroy(pointer)
  }

  /// Nothing that happens to the operation is recorded at the moment.
  @inline(__always) var isSilent: Bool { optrace_operation_is_silent(pointer) }

  /// It is finished for good, and that is recorded: Foundation, which takes a lock to say so, need not be asked.
  @inline(__always) var isOver: Bool { has(Bits.over) }

  /// The hooks in its class record how it runs; our overrides, which the class may call by `super`, record nothing.
  var isRecordedByHooks: Bool { has(OperationProbe.Bits.ownStart) }

  /// The recorder that events go to; nil before the operation has been described there.
  var core: OpaquePointer? { optrace_operation_recorder(pointer) }
  /// The recorder that it belongs to, even while it is being described.
  var owner: OpaquePointer? { optrace_operation_owner(pointer) }
  var serial: UInt32 { optrace_operation_serial(pointer) }

  func record(_ kind: EventKind) {
    if let pointer { optrace_operation_event(pointer, kind.rawValue) }
  }

  func record<Fields: EventWords>(_ fields: Fields) {
    if let pointer { optrace_operation_event2(pointer, Fields.kind.rawValue, fields.word1) }
  }

  func record(_ kind: EventKind, text: String) {
    guard let core else { return }
    UTF8Text.with(text) {
      optrace_emit_text(core, kind.rawValue, serial, 0, false, 0, $0, $1)
      if kind == .finishedWithError { optrace_operation_notify(pointer, kind.rawValue, $0, $1) }
    }
  }

  /// Runs the operation's code, or a part of it, through its companion if it has one.
  @inline(__always) func run(_ body: () -> Void) {
    if let companion = ObserverCompanion.of(pointer) { companion.run(body) } else { body() }
  }

  func claim(_ bit: UInt32) -> Bool { optrace_operation_claim(pointer, bit) }
  func has(_ bit: UInt32) -> Bool { optrace_operation_has(pointer, bit) }
}
