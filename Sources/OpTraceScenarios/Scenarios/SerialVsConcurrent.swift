internal import Foundation
internal import OpTrace

extension Scenario {
  static let serialVsConcurrent = Scenario(
    "serial-vs-concurrent", "The same four requests on a serial queue, and on one that runs four at a time."
  ) { run in
    let serial = TracedOperationQueue(name: "serial", maxConcurrentOperationCount: 1, recorder: run.recorder)
    let concurrent = TracedOperationQueue(name: "concurrent", maxConcurrentOperationCount: 4, recorder: run.recorder)
    for number in 1...4 {
      serial.addOperation(Request("Page \(number), in turn", seconds: run.paced(0.2)))
      concurrent.addOperation(Request("Page \(number), together", seconds: run.paced(0.2)))
    }
    concurrent.waitUntilAllOperationsAreFinished()
    run.say("The concurrent queue is empty.")
    serial.waitUntilAllOperationsAreFinished()
    run.say("The serial queue is empty.")
  }
}
