import Foundation

/// An operation that computes until the process has used so much processor time: longer than nothing may move in the tests, however
/// busy the machine is.
func compute(seconds: Double) {
  let queue = OperationQueue()
  queue.name = "compute"
  queue.addOperation {
    var sum = 0.0
    while Double(clock()) / Double(CLOCKS_PER_SEC) < seconds {
      for number in 1..<10_000 { sum += 1 / Double(number) }
    }
    if sum < 0 { say(sum) }
  }
  queue.waitUntilAllOperationsAreFinished()
}

/// Two operations that ended, and then nothing.
func idle(seconds: UInt32) {
  work(2)
  var left = seconds
  // A signal ends it early.
  while left > 0 { left = sleep(left) }
}
