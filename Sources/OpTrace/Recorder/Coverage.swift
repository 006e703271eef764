extension TraceRecorder {
  /// How fully an operation is seen, as in the format.
  enum Coverage: UInt8, Comparable {
    case full = 0
    case partial = 1
    case external = 2

    static func < (a: Coverage, b: Coverage) -> Bool { a.rawValue < b.rawValue }
  }
}
