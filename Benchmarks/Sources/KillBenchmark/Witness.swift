import CRecorderTestSupport
import Foundation

/// What a process has done, recorded outside of its trace: counts in a mapped file, which outlive the process.
///
/// Each count has one thread that writes it, after the call that it counts has returned; it is read when the process has
/// ended, or by who only wants to know whether it is zero. So nothing here needs a lock.
final class Witness: @unchecked Sendable {
  static let threadCount = 4
  /// One cache line each, so that threads do not wait for each other.
  private static let stride = 64
  private static let size = 4096

  private let base: UnsafeMutableRawPointer

  /// Makes the file.
  convenience init(creatingFileAt path: String) throws {
    try Data(count: Self.size).write(to: URL(fileURLWithPath: path))
    try self.init(openingFileAt: path)
  }

  init(openingFileAt path: String) throws {
    let file = open(path, O_RDWR)
    defer { close(file) }
    guard file >= 0, let mapped = mmap(nil, Self.size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0),
      mapped != MAP_FAILED
    else { throw Failed(what: "mapping \(path)", why: errno) }
    base = mapped
  }

  deinit { munmap(base, Self.size) }

  private func counter(_ kind: Int, _ thread: Int) -> UnsafeMutablePointer<UInt64> {
    (base + (kind * Self.threadCount + thread) * Self.stride).assumingMemoryBound(to: UInt64.self)
  }

  /// Marks that the thread has made.
  func marks(_ thread: Int) -> Int { Int(counter(0, thread).pointee) }
  /// Operations that have finished, of those which the thread has added.
  func operations(_ thread: Int) -> Int { Int(counter(1, thread).pointee) }

  func noteSteadiness(by thread: Int) { test_store(counter(2, thread), 1) }

  func note(marks: Int, by thread: Int) { test_store(counter(0, thread), UInt64(marks)) }
  func note(operations: Int, by thread: Int) { test_store(counter(1, thread), UInt64(operations)) }

  var isIdle: Bool { (0..<Self.threadCount).contains { marks($0) == 0 } }
  /// Whether no thread hurries any more.
  var isSteady: Bool { (0..<Self.threadCount).allSatisfy { counter(2, $0).pointee > 0 } }
  var counts: Counts {
    Counts(
      marks: (0..<Self.threadCount).map { marks($0) }, operations: (0..<Self.threadCount).map { operations($0) })
  }
}

/// Of each thread, at a moment.
struct Counts {
  var marks: [Int]
  var operations: [Int]
}

struct Failed: Error, CustomStringConvertible {
  var what: String
  var why: Int32
  var description: String { "\(what) failed: \(String(cString: strerror(why)))" }
}
