internal import Foundation
internal import OpTrace

extension Scenario {
  static let suspendResume = Scenario(
    "suspend-resume", "A suspended queue starts nothing; running operations run to their end."
  ) { run in
    let queue = TracedOperationQueue(name: "sync", maxConcurrentOperationCount: 2, recorder: run.recorder)
    let began = DispatchSemaphore(value: 0)
    let mail = Sync("Sync mail", seconds: run.paced(0.3), began: began)
    let contacts = Sync("Sync contacts", seconds: run.paced(0.2), began: began)
    let calendar = Sync("Sync calendar", seconds: run.paced(0.15), began: began)
    let notes = Sync("Sync notes", seconds: run.paced(0.15), began: began)
    queue.addOperations([mail, contacts, calendar, notes], waitUntilFinished: false)
    for _ in 1...2 { began.wait() }

    queue.isSuspended = true
    mail.waitUntilFinished()
    contacts.waitUntilFinished()
    run.say("Offline: two slots are free, and nothing starts.")
    run.pause(0.3)
    queue.isSuspended = false
    run.say("Online again.")
    queue.waitUntilAllOperationsAreFinished()
  }
}

/// Tells when it begins. Sendable: the stored property is a constant.
private final class Sync: Request, @unchecked Sendable {
  private let began: DispatchSemaphore

  init(_ name: String, seconds: TimeInterval, began: DispatchSemaphore, line: UInt = #line) {
    self.began = began
    super.init(name, seconds: seconds, file: #fileID, line: line)
  }

  override func execute() {
    super.execute()
    began.signal()
  }
}
