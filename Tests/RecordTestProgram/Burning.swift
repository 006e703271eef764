import Dispatch
import Foundation

// What uses processor time, by the clock of the thread that it runs on: how much is known whatever else the machine does.

@inline(never) func timeUsed() -> UInt64 {
  var time = timespec()
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
  return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
}

@inline(never) func spin(_ milliseconds: UInt64, _ seed: Int) -> Int {
  var value = seed
  let end = timeUsed() + milliseconds * 1_000_000
  while timeUsed() < end { for step in 0..<20000 { value = value &* 31 &+ step } }
  return value
}

// Each gives its result on, so that none of them is a tail call, which would leave no frame.
@inline(never) func decodeImage() -> Int { spin(30, 1) &+ 1 }
@inline(never) func encodeImage() -> Int { spin(10, 2) &+ 2 }
@inline(never) func hashImage() -> Int { spin(100, 3) &+ 3 }
@inline(never) func scoreImage() -> Int { spin(100, 4) &+ 4 }

final class Converting: Operation, @unchecked Sendable {
  private(set) var result = 0
  override func main() { result = decodeImage() &+ encodeImage() }
}

/// Ten operations that decode for 30 ms and encode for 10 ms each, a block that hashes for 100 ms, a task that scores for 100 ms.
func burn() {
  let queue = OperationQueue()
  queue.name = "convert"
  queue.maxConcurrentOperationCount = 2
  queue.addOperations((0..<10).map { _ in Converting() }, waitUntilFinished: true)
  DispatchQueue(label: "hashes").sync { say("\(hashImage() == 0)", to: STDERR_FILENO) }
  let group = DispatchGroup()
  group.enter()
  Task {
    await Task.yield()
    say("\(scoreImage() == 0)", to: STDERR_FILENO)
    group.leave()
  }
  group.wait()
}
