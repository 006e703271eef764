/// How far a long piece of work is. Who waits for it listens; who does it tells, at moments of its own choice. Nobody has to
/// do either, so it stands in no signature.
package enum WorkProgress {
  /// Gets the share that is done, from 0 to 1, on a thread that works: the one that asked for a reporter, or one that it handed it to.
  @TaskLocal private static var listener: (@Sendable (_ share: Double) -> Void)?

  /// Runs `body`; what it tells goes to `listener`.
  package static func listening<Value>(
    with listener: @escaping @Sendable (_ share: Double) -> Void, _ body: () throws -> Value
  ) rethrows -> Value {
    try $listener.withValue(listener) { try body() }
  }

  /// Something to tell progress to, for a part of the work that is this part of the whole. To be asked for once, before a loop.
  package static func reporter(from low: Double = 0, to high: Double = 1) -> Teller {
    Teller(listener: listener, low: low, width: high - low)
  }

  package struct Teller: Sendable {
    fileprivate let listener: (@Sendable (Double) -> Void)?
    fileprivate let low: Double
    fileprivate let width: Double

    /// For a part of the work of which another tells.
    static let silent = Teller(listener: nil, low: 0, width: 0)

    /// Costs a branch where nobody listens.
    @inline(__always)
    package func tell(_ done: some BinaryInteger, of all: some BinaryInteger) {
      guard let listener, all > 0 else { return }
      listener(low + width * min(1, Double(done) / Double(all)))
    }

    /// For loops that are too fast to tell each time: every 4,096th.
    @inline(__always)
    package func reportSometimes(_ done: Int, of all: Int) {
      if done.isMultiple(of: 4096) { tell(done, of: all) }
    }
  }
}
