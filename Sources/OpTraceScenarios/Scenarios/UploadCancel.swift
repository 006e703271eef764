internal import Foundation
internal import OpTrace

extension Scenario {
  static let uploadCancel = Scenario(
    "upload-cancel", "One upload is cancelled while it executes, one before it starts; the others continue."
  ) { run in
    let queue = TracedOperationQueue(name: "uploads", maxConcurrentOperationCount: 1, recorder: run.recorder)
    let beach = Upload("beach.mov", parts: 12, run)
    let garden = Upload("garden.jpg", parts: 4, run)
    let attic = Upload("attic.jpg", parts: 4, run)
    let album = TracedBlockOperation(name: "Refresh album") { run.say("The album is refreshed.") }
    album.addDependency(garden)
    queue.addOperations([beach, garden, attic, album], waitUntilFinished: false)

    beach.waitUntilSent(parts: 3)
    attic.cancel()
    beach.cancel()
    queue.waitUntilAllOperationsAreFinished()
    for upload in [beach, garden, attic] { run.say("\(upload.file): \(upload.state)") }
  }
}

/// Sends a file part by part. When cancelled it finishes at once; otherwise it would hold its slot forever.
///
/// Sendable: `storedState` is only touched under `condition`; the other stored properties are constants.
private final class Upload: TracedAsyncOperation, @unchecked Sendable {
  enum State: Equatable, CustomStringConvertible {
    case waiting
    case sending(Int)
    case cancelled(after: Int)
    case complete

    var description: String {
      switch self {
      case .waiting: "never began"
      case .sending(let parts): "\(parts) parts sent"
      case .cancelled(let parts): "cancelled after \(parts) parts"
      case .complete: "complete"
      }
    }
  }

  let file: String
  private let parts: Int
  private let run: ScenarioRun
  private let condition = NSCondition()
  private var storedState = State.waiting

  init(_ file: String, parts: Int, _ run: ScenarioRun, line: UInt = #line) {
    self.file = file
    self.parts = parts
    self.run = run
    super.init()
    setName("Upload \(file)", line: line)
  }

  var state: State { condition.withLock { storedState } }

  override func execute() { send(1) }

  private func send(_ part: Int) {
    Callbacks.shared.after(run.paced(0.08)) { [self] in
      let next: State = part == parts ? .complete : .sending(part)
      guard move(to: next) else { return }
      if next == .complete { finish() } else { send(part + 1) }
    }
  }

  override func cancel() {
    super.cancel()
    if case .sending(let parts) = state, move(to: .cancelled(after: parts)) { finish() }
  }

  /// False when the upload is over: the last word was spoken by another thread.
  private func move(to next: State) -> Bool {
    condition.withLock {
      switch storedState {
      case .cancelled, .complete: return false
      case .waiting, .sending: break
      }
      storedState = next
      condition.broadcast()
      return true
    }
  }

  func waitUntilSent(parts: Int) {
    condition.withLock {
      while true {
        switch storedState {
        case .waiting: break
        case .sending(let sent) where sent < parts: break
        default: return
        }
        condition.wait()
      }
    }
  }
}
