internal import Foundation
internal import OpTrace

extension Scenario {
  static let doubleFinish = broken(
    "double-finish", "The timeout and the reply of a request both finish the operation."
  ) { run in
    let queue = TracedOperationQueue(name: "requests", maxConcurrentOperationCount: 2, recorder: run.recorder)
    queue.addOperations([WeatherRequest(run)], waitUntilFinished: true)
    // Until the answer has come.
    run.pause(0.2)
    run.say("The weather is shown.")
  }
}

/// Sendable: `isOver` is only touched under `lock`; the other stored property is a constant.
private final class WeatherRequest: TracedAsyncOperation, @unchecked Sendable {
  private let run: ScenarioRun
  private let lock = NSLock()
  private var isOver = false

  init(_ run: ScenarioRun, source: StaticString = #fileID, line: UInt = #line) {
    self.run = run
    super.init()
    setName("Request weather", file: source, line: line)
  }

  override func execute() {
    Callbacks.shared.after(run.paced(0.1)) { self.end("timed out") }
    Callbacks.shared.after(run.paced(0.15)) { self.end("answered") }
  }

  private func end(_ how: String) {
    let isFirst = lock.withLock {
      defer { isOver = true }
      return !isOver
    }
    if run.isFixed && !isFirst { return }
    run.say("The request \(how).", in: self)
    finish()
  }
}
