internal import COpTrace
internal import OpTraceFormat

extension EventWords {
  /// Records an event of two words.
  @inline(__always) func emit(to core: OpaquePointer?, about subject: UInt32) {
    optrace_emit2(core, Self.kind.rawValue, subject, word1)
  }
}
