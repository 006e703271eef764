internal import Foundation
internal import OpTrace

extension Scenario {
  static let readinessOverride = broken(
    "readiness-override", "A message waits in isReady for the network, and nothing announces when it is there."
  ) { run in
    let outbox = OperationQueue.named("outbox", limit: 2)
    let compose = BlockOperation.named("Compose message") { run.pause(0.05) }
    let send = SendMessage("Send message")
    send.addDependency(compose)
    let tidy = BlockOperation.named("Empty drafts") { run.say("The message is sent.") }
    tidy.addDependency(send)
    outbox.addOperations([compose, send, tidy], waitUntilFinished: false)
    run.pause(0.2)
    run.say("The network is there.")
    if run.isFixed { send.willChangeValue(forKey: "isReady") }
    send.isOnline = true
    if run.isFixed { send.didChangeValue(forKey: "isReady") }
    outbox.waitUntilAllOperationsAreFinished()
  }
}

/// Sendable: `online` is only touched under `lock`.
private class SendMessage: Operation, @unchecked Sendable {
  private let lock = NSLock()
  private var online = false

  init(_ name: String) {
    super.init()
    self.name = name
  }

  var isOnline: Bool {
    get { lock.withLock { online } }
    set { lock.withLock { online = newValue } }
  }

  override var isReady: Bool { super.isReady && isOnline }

  override func main() { Thread.sleep(forTimeInterval: 0.05) }
}
