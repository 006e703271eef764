internal import Foundation
internal import OpTrace

extension Scenario {
  static let diamond = Scenario("diamond", "A and B lead to C; C and D lead to E.") { run in
    let queue = TracedOperationQueue(name: "letters", maxConcurrentOperationCount: 6, recorder: run.recorder)
    let a = Request("A", seconds: run.paced(0.2))
    let b = Request("B", seconds: run.paced(0.35))
    let c = Request("C", seconds: run.paced(0.2))
    let d = Request("D", seconds: run.paced(0.3))
    let e = Request("E", seconds: run.paced(0.15))
    c.addDependency(a)
    c.addDependency(b)
    e.addDependency(c)
    e.addDependency(d)
    queue.addOperations([a, b, c, d, e], waitUntilFinished: false)
    queue.waitUntilAllOperationsAreFinished()
  }
}
