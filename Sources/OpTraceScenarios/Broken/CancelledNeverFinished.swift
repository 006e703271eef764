internal import Foundation
internal import OpTrace

extension Scenario {
  /// Six seconds: until then it may just be busy.
  static let cancelledNeverFinished = broken(
    "cancelled-never-finished", "A download that is cancelled early returns from start() and never finishes.",
    silence: 6
  ) { run in
    let queue = OperationQueue.named("downloads", limit: 1)
    let first = Download("Download article", run)
    let second = Download("Download comments", run)
    let show = BlockOperation.named("Show page") { run.say("The page is shown.") }
    queue.addOperations([first, second, show], waitUntilFinished: false)
    // The reader has closed the comments.
    second.cancel()
    queue.waitUntilAllOperationsAreFinished()
  }

  static let cancelledNeverFinishedRunning = broken(
    "cancelled-never-finished", variant: "running",
    "Cancelled while it runs, a request is stopped; its answer, which would finish it, never comes.", silence: 6
  ) { run in
    let queue = OperationQueue.named("search", limit: 1)
    let old = Search("Search “que”", run)
    let new = Search("Search “queue”", run)
    queue.addOperation(old)
    run.pause(0.1)
    old.cancel()
    queue.addOperation(new)
    queue.waitUntilAllOperationsAreFinished()
    run.say("The results are there.")
  }
}

/// Sendable: `state` is only touched under `lock`; the other stored properties are constants.
private class Download: Operation, @unchecked Sendable {
  private let run: ScenarioRun
  private let lock = NSLock()
  private var state = (executing: false, finished: false)

  init(_ name: String, _ run: ScenarioRun) {
    self.run = run
    super.init()
    self.name = name
  }

  override var isAsynchronous: Bool { true }
  override var isExecuting: Bool { lock.withLock { state.executing } }
  override var isFinished: Bool { lock.withLock { state.finished } }

  override func start() {
    if isCancelled {
      if run.isFixed { change(to: (false, true)) }
      return
    }
    change(to: (true, false))
    Callbacks.shared.after(run.paced(0.1)) { self.change(to: (false, true)) }
  }

  private func change(to next: (executing: Bool, finished: Bool)) {
    for key in ["isExecuting", "isFinished"] { willChangeValue(forKey: key) }
    lock.withLock { state = next }
    for key in ["isExecuting", "isFinished"] { didChangeValue(forKey: key) }
  }
}

/// Sendable: `isStopped` is only touched under `lock`; the other stored properties are constants.
private class Search: HandmadeOperation, @unchecked Sendable {
  private let run: ScenarioRun
  private let lock = NSLock()
  private var isStopped = false

  init(_ name: String, _ run: ScenarioRun) {
    self.run = run
    super.init(name)
  }

  override func execute() {
    Callbacks.shared.after(run.paced(0.3)) {
      let isStopped = self.lock.withLock { self.isStopped }
      if !isStopped { self.finish() }
    }
  }

  override func cancel() {
    super.cancel()
    guard isExecuting else { return }
    lock.withLock { isStopped = true }
    if run.isFixed { finish() }
  }
}
