import Dispatch

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// Parts of a computation on several processors at once. What a part does may not depend on the others, so results are those of doing
/// one after the other.
package enum SideBySide {
  /// On how many at most; those of the machine, unless a task says otherwise: one that reads inside of a program that it watches
  /// leaves the others alone.
  @TaskLocal package static var processors = max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN)))

  /// The results of so many parts, in their order. The thread that asks does its share, so it goes on where all others are taken.
  package static func map<Result: Sendable>(_ count: Int, _ part: @Sendable (Int) -> Result) -> [Result] {
    guard processors > 1, count > 1 else { return (0..<count).map(part) }
    return [Result](unsafeUninitializedCapacity: count) { results, initialized in
      // Each thread writes elements of its own, and all have written before anybody reads.
      nonisolated(unsafe) let results = results
      DispatchQueue.concurrentPerform(iterations: count) { results.initializeElement(at: $0, to: part($0)) }
      initialized = count
    }
  }

  /// Both at the same time; where no thread is free, one after the other. Unlike iterations of `concurrentPerform`, of which inner ones
  /// get no thread, both parts may do the same again.
  package static func both<One: Sendable, Other: Sendable>(
    _ one: () -> One, _ other: @escaping @Sendable () -> Other
  ) -> (One, Other) {
    guard processors > 1 else { return (one(), other()) }
    let part = Part(other)
    DispatchQueue.global().async { part.begin() }
    let first = one()
    part.begin()
    return (first, part.result())
  }

  /// Work that the first thread does that comes to it.
  ///
  /// Sendable: `value` is set by the one thread that took the work, before it leaves the group, and is read behind a wait for the group.
  private final class Part<Value: Sendable>: @unchecked Sendable {
    private let work: @Sendable () -> Value
    private let group = DispatchGroup()
    private let right = DispatchSemaphore(value: 0)
    private var value: Value?

    init(_ work: @escaping @Sendable () -> Value) {
      self.work = work
      group.enter()
      right.signal()
    }

    func begin() {
      guard right.wait(timeout: .now()) == .success else { return }
      value = work()
      group.leave()
    }

    func result() -> Value {
      group.wait()
      // It has been done; were it not, which cannot be, it would be done now.
      return value ?? work()
    }
  }

  /// Cuts `0..<count` into parts of about the same length, in order: some for each processor, since others use them, too.
  package static func slices(of count: Int, atLeast least: Int) -> [Range<Int>] {
    let parts = min(processors == 1 ? 1 : processors * 4, count / max(1, least))
    guard parts > 1 else { return count == 0 ? [] : [0..<count] }
    return (0..<parts).map { count * $0 / parts..<count * ($0 + 1) / parts }
  }
}
