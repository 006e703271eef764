internal import Foundation
internal import OpTrace

extension Scenario {
  static let customConcurrent = Scenario(
    "custom-concurrent", "Operations with their own threads; one is cancelled and notices it by itself."
  ) { run in
    let queue = TracedOperationQueue(name: "scans", recorder: run.recorder)
    let photos = FolderScan(folder: "Photos", files: 8, run)
    let archive = FolderScan(folder: "Archive", files: 40, run)
    queue.addOperations([photos, archive], waitUntilFinished: false)

    archive.waitUntilScanned(files: 4)
    archive.cancel()
    queue.waitUntilAllOperationsAreFinished()
  }
}

/// Scans a folder on its own thread. `cancel()` only sets a flag: the loop checks it before every file.
///
/// Sendable: `count` is only touched under `condition`; the other stored properties are constants.
private final class FolderScan: TracedAsyncOperation, @unchecked Sendable {
  private let folder: String
  private let files: Int
  private let run: ScenarioRun
  private let condition = NSCondition()
  private var count = 0

  init(folder: String, files: Int, _ run: ScenarioRun, line: UInt = #line) {
    self.folder = folder
    self.files = files
    self.run = run
    super.init()
    setName("Scan \(folder)", line: line)
  }

  override func execute() {
    Thread.startNamed("scan \(folder)") { self.scan() }
  }

  private func scan() {
    run.recorder.measure("files of \(folder)", in: self) {
      for number in 1...files {
        if isCancelled { break }
        run.pause(0.05)
        condition.withLock {
          count = number
          condition.broadcast()
        }
      }
    }
    run.say("\(folder): \(condition.withLock { count }) of \(files) files", in: self)
    finish()
  }

  func waitUntilScanned(files: Int) {
    condition.withLock {
      while count < files { condition.wait() }
    }
  }
}
