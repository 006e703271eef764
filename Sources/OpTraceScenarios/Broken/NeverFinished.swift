internal import Dispatch
internal import Foundation
internal import OpTrace

extension Scenario {
  /// Six seconds: until then it may just be busy.
  static let neverFinished = broken(
    "never-finished", "A download fails, and the error path does not call finish().", silence: 6
  ) { run in
    let queue = TracedOperationQueue(name: "downloads", maxConcurrentOperationCount: 2, recorder: run.recorder)
    let logo = Download("Download logo", file: "logo.png", run)
    let photo = Download("Download photo", file: nil, run)
    let show = TracedBlockOperation(name: "Show page") { run.say("The page is shown.") }
    show.addDependency(logo)
    show.addDependency(photo)
    queue.addOperations([logo, photo, show], waitUntilFinished: true)
  }

  static let neverFinishedUnannounced = broken(
    "never-finished", variant: "unannounced", "An operation is finished but never announces it."
  ) { run in
    let queue = OperationQueue.named("scans", limit: 2)
    let isOver = DispatchSemaphore(value: 0)
    let scan = Scan("Scan folder", run) { isOver.signal() }
    let show = BlockOperation.named("Show files") { run.say("The files are shown.") }
    show.addDependency(scan)
    queue.addOperations([scan, show], waitUntilFinished: false)
    isOver.wait()
    let finished = queue.operations.filter(\.isFinished).count
    run.say(finished == 1 ? "The queue holds an operation that is finished." : "The queue goes on.")
    queue.waitUntilAllOperationsAreFinished()
  }
}

/// Sendable: the stored properties are constants.
private final class Download: TracedAsyncOperation, @unchecked Sendable {
  private let file: String?
  private let run: ScenarioRun

  init(_ name: String, file: String?, _ run: ScenarioRun, source: StaticString = #fileID, line: UInt = #line) {
    self.file = file
    self.run = run
    super.init()
    setName(name, file: source, line: line)
  }

  override func execute() {
    Callbacks.shared.after(run.paced(0.1)) {
      guard let file = self.file else {
        self.run.say("The server has no such file.", in: self)
        if self.run.isFixed { self.finish() }
        return
      }
      self.run.say("\(file) is here.", in: self)
      self.finish()
    }
  }
}

/// States of its own, but the announcements are forgotten.
///
/// Sendable: `state` is only touched under `lock`; the other stored properties are constants.
private class Scan: Operation, @unchecked Sendable {
  private let run: ScenarioRun
  private let completion: @Sendable () -> Void
  private let lock = NSLock()
  private var state = (executing: false, finished: false)

  init(_ name: String, _ run: ScenarioRun, completion: @escaping @Sendable () -> Void) {
    self.run = run
    self.completion = completion
    super.init()
    self.name = name
  }

  override var isAsynchronous: Bool { true }
  override var isExecuting: Bool { lock.withLock { state.executing } }
  override var isFinished: Bool { lock.withLock { state.finished } }

  override func start() {
    change(to: (true, false))
    Callbacks.shared.after(run.paced(0.1)) {
      self.change(to: (false, true))
      self.completion()
    }
  }

  private func change(to next: (executing: Bool, finished: Bool)) {
    lock.withLock { state = next }
    guard run.isFixed else { return }
    for key in ["isExecuting", "isFinished"] { didChangeValue(forKey: key) }
  }
}
