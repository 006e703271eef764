internal import Foundation
internal import OpTrace

extension Scenario {
  static let cancelAll = Scenario(
    "cancel-all", "The running operation notices the cancellation and stops; those behind it end without having begun."
  ) { run in
    let queue = TracedOperationQueue(name: "search", maxConcurrentOperationCount: 1, recorder: run.recorder)
    let began = DispatchSemaphore(value: 0)
    queue.addOperation(TracedBlockOperation(name: "Read index") { run.pause(0.1) })
    queue.addOperation(Search("Search “oper”", seconds: run.paced(2), began: began))
    for text in ["opera", "operat", "operation"] {
      queue.addOperation(Search("Search “\(text)”", seconds: run.paced(2), began: began))
    }
    began.wait()
    run.pause(0.2)
    queue.cancelAllOperations()
    queue.waitUntilAllOperationsAreFinished()

    // The queue itself continues.
    queue.addOperation(Search("Search “queue”", seconds: run.paced(0.2), began: began))
    queue.waitUntilAllOperationsAreFinished()
  }
}

/// Tells when it begins. Sendable: the stored property is a constant.
private final class Search: Step, @unchecked Sendable {
  private let began: DispatchSemaphore

  init(_ name: String, seconds: TimeInterval, began: DispatchSemaphore, line: UInt = #line) {
    self.began = began
    super.init(name, seconds: seconds, file: #fileID, line: line)
  }

  override func main() {
    began.signal()
    super.main()
  }
}
