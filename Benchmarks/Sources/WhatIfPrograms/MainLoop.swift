import Foundation
import Synchronization

private let isOver = Atomic(false)

/// Runs the main thread's loop until ``stopMainLoop()``.
func runMainLoop() {
  while !isOver.load(ordering: .acquiring) { _ = RunLoop.main.run(mode: .default, before: .now + 0.002) }
}

/// Lets ``runMainLoop()`` return.
func stopMainLoop() { isOver.store(true, ordering: .releasing) }
