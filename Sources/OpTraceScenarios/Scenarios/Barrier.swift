internal import Foundation
internal import OpTrace

extension Scenario {
  static let barrier = Scenario(
    "barrier", "Readers run together; the writer, a barrier, runs alone: after all before it, before all after it."
  ) { run in
    let queue = TracedOperationQueue(name: "catalogue", maxConcurrentOperationCount: 3, recorder: run.recorder)
    for number in 1...3 {
      queue.addOperation(Request("Read \(number)", seconds: run.paced(0.1 + 0.08 * Double(number))))
    }
    queue.addBarrierBlock {
      run.say("The catalogue is written.")
      run.pause(0.2)
    }
    for number in 4...6 { queue.addOperation(Request("Read \(number)", seconds: run.paced(0.15))) }
    queue.waitUntilAllOperationsAreFinished()
  }
}
