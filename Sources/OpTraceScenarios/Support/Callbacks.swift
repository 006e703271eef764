internal import Dispatch
internal import Foundation

/// A thread that calls back later, as a network stack does: whoever waits for an answer holds no thread of the pool,
/// which has no more of them than there are processors.
///
/// Sendable: `pending` is only touched under `condition`.
final class Callbacks: @unchecked Sendable {
  static let shared = Callbacks(threadName: "callbacks")

  private struct Pending {
    var due: UInt64
    var body: @Sendable () -> Void
  }

  private let condition = NSCondition()
  private var pending: [Pending] = []

  init(threadName: String) {
    Thread.startNamed(threadName) { self.run() }
  }

  func after(_ seconds: TimeInterval, _ body: @escaping @Sendable () -> Void) {
    condition.withLock {
      pending.append(Pending(due: Self.now + UInt64(max(0, seconds) * 1e9), body: body))
      condition.signal()
    }
  }

  private static var now: UInt64 { DispatchTime.now().uptimeNanoseconds }

  private func run() {
    while true { nextDue()() }
  }

  private func nextDue() -> @Sendable () -> Void {
    condition.withLock {
      while true {
        guard let next = pending.indices.min(by: { pending[$0].due < pending[$1].due }) else {
          condition.wait()
          continue
        }
        let now = Self.now
        if pending[next].due <= now { return pending.remove(at: next).body }
        _ = condition.wait(until: Date(timeIntervalSinceNow: Double(pending[next].due - now) / 1e9))
      }
    }
  }
}
