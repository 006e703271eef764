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

  /// Both at the same time.
  package static func both<One: Sendable, Other: Sendable>(
    _ one: @Sendable () -> One, _ other: @Sendable () -> Other
  ) -> (One, Other) {
    guard processors > 1 else { return (one(), other()) }
    nonisolated(unsafe) var first: One?
    nonisolated(unsafe) var second: Other?
    // Each has a variable of its own.
    DispatchQueue.concurrentPerform(iterations: 2) { index in
      if index == 0 { first = one() } else { second = other() }
    }
    // Both have been done; where one was not, which cannot be, it is done now.
    return (first ?? one(), second ?? other())
  }

  /// Cuts `0..<count` into parts of about the same length, in order: some for each processor, since others use them, too.
  package static func slices(of count: Int, atLeast least: Int) -> [Range<Int>] {
    let parts = min(processors == 1 ? 1 : processors * 4, count / max(1, least))
    guard parts > 1 else { return count == 0 ? [] : [0..<count] }
    return (0..<parts).map { count * $0 / parts..<count * ($0 + 1) / parts }
  }
}
