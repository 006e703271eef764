import Foundation
import Testing

/// What goes wrong on threads that belong to no test, as those of operations: kept for the test that began them, and told as
/// its own at its end.
///
/// Sendable: guarded by the lock.
final class Troubles: @unchecked Sendable {
  /// Those of the test that this task, or what it has made, belongs to.
  @TaskLocal static var current: Troubles?

  private let lock = NSLock()
  private var all: [(what: String, location: SourceLocation)] = []

  func add(_ what: String, _ location: SourceLocation) {
    lock.withLock { all.append((what: what, location: location)) }
  }

  func report() {
    let all = lock.withLock { self.all }
    for trouble in all { Issue.record(Comment(rawValue: trouble.what), sourceLocation: trouble.location) }
  }
}
