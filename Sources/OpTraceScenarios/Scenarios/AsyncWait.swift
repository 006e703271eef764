internal import Foundation
internal import OpTrace

extension Scenario {
  static let asyncWait = Scenario(
    "async-wait", "An asynchronous operation, done wrong (it finishes before its work) and done right."
  ) { run in
    let queue = TracedOperationQueue(name: "downloads", recorder: run.recorder)

    let hasty = HastyDownload("Hasty download", run)
    queue.addOperations([hasty], waitUntilFinished: true)
    run.say("Hasty download: waited until it is finished")
    hasty.arrived.wait()

    let patient = PatientDownload("Patient download", run)
    queue.addOperations([patient], waitUntilFinished: true)
    run.say("Patient download: waited until it is finished")

    // Started by hand it runs without a queue, and still does not block this thread.
    run.asDefault {
      let manual = PatientDownload("Download by hand", run)
      manual.start()
      run.say("Download by hand: start() has returned")
      manual.waitUntilFinished()
      run.say("Download by hand: waited until it is finished")
    }
  }
}

/// Done wrong: says that it is asynchronous, but nothing maintains its states. It counts as finished when `main()`
/// returns, and the data comes too late for whoever waited for it.
///
/// Sendable: the stored properties are constants.
private final class HastyDownload: TracedOperation, @unchecked Sendable {
  let arrived = DispatchSemaphore(value: 0)
  private let title: String
  private let run: ScenarioRun

  init(_ title: String, _ run: ScenarioRun, line: UInt = #line) {
    self.title = title
    self.run = run
    super.init()
    setName(title, line: line)
  }

  override var isAsynchronous: Bool { true }

  override func main() {
    Callbacks.shared.after(run.paced(0.25)) { [self] in
      run.say("\(title): the data is here", in: self)
      arrived.signal()
    }
  }
}

/// Done right: finished when the data is there.
///
/// Sendable: the stored properties are constants.
private final class PatientDownload: TracedAsyncOperation, @unchecked Sendable {
  private let title: String
  private let run: ScenarioRun

  init(_ title: String, _ run: ScenarioRun, line: UInt = #line) {
    self.title = title
    self.run = run
    super.init()
    setName(title, line: line)
  }

  override func execute() {
    Callbacks.shared.after(run.paced(0.25)) { [self] in
      run.say("\(title): the data is here", in: self)
      finish()
    }
  }
}
