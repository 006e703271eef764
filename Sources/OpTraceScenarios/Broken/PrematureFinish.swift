internal import Dispatch
internal import Foundation
internal import OpTrace

extension Scenario {
  static let prematureFinish = broken(
    "premature-finish", "A synchronous operation starts a request in main() and finishes before the reply comes."
  ) { run in
    let queue = TracedOperationQueue(name: "articles", maxConcurrentOperationCount: 2, recorder: run.recorder)
    let isParsed = DispatchGroup()
    isParsed.enter()
    let load: Operation = run.isFixed ? PatientLoad(run, isParsed) : HastyLoad(run, isParsed)
    let show = TracedBlockOperation(name: "Show article") {
      run.say(isParsed.wait(timeout: .now()) == .success ? "The article is shown." : "There is nothing to show yet.")
    }
    show.addDependency(load)
    queue.addOperations([load, show], waitUntilFinished: true)
    isParsed.wait()
  }

  /// What the answer of the server brings about, as a part of the operation that has asked.
  fileprivate static func parse(in operation: Operation, _ run: ScenarioRun) {
    run.recorder.measure("parse article", in: operation) { run.pause(0.05) }
  }
}

/// Sendable: the stored properties are constants.
private final class HastyLoad: TracedOperation, @unchecked Sendable {
  private let run: ScenarioRun
  private let isParsed: DispatchGroup

  init(_ run: ScenarioRun, _ isParsed: DispatchGroup, source: StaticString = #fileID, line: UInt = #line) {
    self.run = run
    self.isParsed = isParsed
    super.init()
    setName("Load article", file: source, line: line)
  }

  override func main() {
    Callbacks.shared.after(run.paced(0.1)) {
      Scenario.parse(in: self, self.run)
      self.isParsed.leave()
    }
  }
}

/// Sendable: the stored properties are constants.
private final class PatientLoad: TracedAsyncOperation, @unchecked Sendable {
  private let run: ScenarioRun
  private let isParsed: DispatchGroup

  init(_ run: ScenarioRun, _ isParsed: DispatchGroup, source: StaticString = #fileID, line: UInt = #line) {
    self.run = run
    self.isParsed = isParsed
    super.init()
    setName("Load article", file: source, line: line)
  }

  override func execute() {
    Callbacks.shared.after(run.paced(0.1)) {
      Scenario.parse(in: self, self.run)
      self.isParsed.leave()
      self.finish()
    }
  }
}
