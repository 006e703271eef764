/// Progress of a long computation. The caller may listen, and the computing code may report at any time. Neither has
/// to, so no signature mentions progress.
package enum WorkProgress {
  /// Receives the share that is done, from 0 to 1, on a working thread: the one that got the reporter, or one to which
  /// it was passed.
  @TaskLocal private static var listener: (@Sendable (_ share: Double) -> Void)?

  /// Runs `body`, and sends its reports to `listener`.
  package static func listening<Value>(
    with listener: @escaping @Sendable (_ share: Double) -> Void, _ body: () throws -> Value
  ) rethrows -> Value {
    try $listener.withValue(listener) { try body() }
  }

  /// A reporter for one part of the work, from `low` to `high` of the whole. Get it once, before a loop.
  package static func reporter(from low: Double = 0, to high: Double = 1) -> Reporter {
    Reporter(listener: listener, low: low, width: high - low)
  }

  package struct Reporter: Sendable {
    fileprivate let listener: (@Sendable (Double) -> Void)?
    fileprivate let low: Double
    fileprivate let width: Double

    /// For a part of the work whose progress is reported elsewhere.
    static let silent = Reporter(listener: nil, low: 0, width: 0)

    /// Costs only a branch if nobody listens.
    @inline(__always)
    package func report(_ done: some BinaryInteger, of all: some BinaryInteger) {
      guard let listener, all > 0 else { return }
      listener(low + width * min(1, Double(done) / Double(all)))
    }

    /// For loops that are too fast to report each time: reports every 4,096th.
    @inline(__always)
    package func reportSometimes(_ done: Int, of all: Int) {
      if done.isMultiple(of: 4096) { report(done, of: all) }
    }
  }
}
