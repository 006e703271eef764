import Dispatch

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// Runs parts of a computation on several processors at once. Parts must not depend on each other, so the results are
/// those of running one after another.
package enum SideBySide {
  /// The most processors to use: all of the machine, unless a task sets less. A task that reads inside a program that
  /// it watches leaves the other processors alone.
  @TaskLocal package static var processors = max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN)))

  /// The results of so many parts, in order. The calling thread takes part, so this makes progress even if all other
  /// threads are busy.
  package static func map<Result: Sendable>(_ count: Int, _ part: @Sendable (Int) -> Result) -> [Result] {
    guard processors > 1, count > 1 else { return (0..<count).map(part) }
    return [Result](unsafeUninitializedCapacity: count) { results, initialized in
      // Each thread writes elements of its own, and all have been written before anybody reads.
      nonisolated(unsafe) let results = results
      DispatchQueue.concurrentPerform(iterations: count) { results.initializeElement(at: $0, to: part($0)) }
      initialized = count
    }
  }

  /// Runs both at the same time, or one after the other if no thread is free. Both may call this again; nested calls of
  /// `concurrentPerform`, in contrast, get no further threads.
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

  /// Work that is done by the first thread that comes to it.
  ///
  /// Sendable: `value` is set by the one thread that took the work, before it leaves the group, and is read only after
  /// a wait for the group.
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
      // The work has been done, so `value` is set; the fallback is never used.
      return value ?? work()
    }
  }

  /// Cuts `0..<count` into ordered parts of about the same length: several for each processor, because others use the
  /// processors, too.
  package static func slices(of count: Int, atLeast least: Int) -> [Range<Int>] {
    let parts = min(processors == 1 ? 1 : processors * 4, count / max(1, least))
    guard parts > 1 else { return count == 0 ? [] : [0..<count] }
    return (0..<parts).map { count * $0 / parts..<count * ($0 + 1) / parts }
  }
}
