import CStackTestSupport
import Foundation
import Synchronization
import TestSupport
import Testing

#if os(Linux)

  /// Locks of Foundation and of Swift that this thread holds while another one waits for them.
  @Suite(.ownThread, .serialized) struct SwiftLockTests {
    /// The owner of the lock for which a new thread waits in `body`.
    private func owner(whileItCalls body: @escaping @Sendable () -> Void) throws -> UInt32 {
      let ids = Log<UInt32>()
      let thread = Thread {
        ids.add(test_thread_id())
        body()
      }
      thread.start()
      let id = try ids.next()
      var seen = test_seen()
      try eventually("it sleeps, and an owner is told") { test_see(id, &seen) && !seen.is_running && seen.owner != 0 }
      return seen.owner
    }

    @Test func ownersOfFoundationLocksAreFound() throws {
      let locks: [any NSLocking & Sendable] = [NSLock(), NSRecursiveLock(), NSCondition()]
      for lock in locks {
        lock.lock()
        defer { lock.unlock() }
        let found = try owner {
          lock.lock()
          lock.unlock()
        }
        #expect(found == test_thread_id(), "\(lock)")
      }
    }

    @Test func ownerOfASwiftMutexIsFound() throws {
      final class Guarded: Sendable { let value = Mutex(0) }
      let guarded = Guarded()
      let found = try guarded.value.withLock { _ in try owner { guarded.value.withLock { $0 += 1 } } }
      #expect(found == test_thread_id())
    }
  }

#endif
