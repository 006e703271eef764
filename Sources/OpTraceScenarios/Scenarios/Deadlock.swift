internal import Foundation
internal import OpTrace

extension Scenario {
  static let deadlock = Scenario(
    "deadlock", "Three operations wait for each other in a cycle, and the program waits for them.",
    health: .stuck, options: [.timeout]
  ) { run in
    let network = TracedOperationQueue(name: "network", maxConcurrentOperationCount: 2, recorder: run.recorder)
    let account = TracedOperationQueue(name: "account", maxConcurrentOperationCount: 1, recorder: run.recorder)
    let settings = Request("Load settings", seconds: run.paced(0.15))
    let token = Request("Refresh token", seconds: run.paced(0.1))
    let session = Step("Open session", seconds: run.paced(0.1))
    let profile = Request("Load profile", seconds: run.paced(0.1))
    token.addDependency(settings)
    // Each line makes sense by itself.
    session.addDependency(token)
    profile.addDependency(session)
    token.addDependency(profile)
    run.keepForever([network, account, settings, token, session, profile])

    network.addOperations([settings, token, profile], waitUntilFinished: false)
    account.addOperation(session)
    // What a program would do here without a timeout. The thread is never heard of again.
    Thread.startNamed("waits for ever") { account.waitUntilAllOperationsAreFinished() }
    settings.waitUntilFinished()
    Thread.sleep(forTimeInterval: run.settings.timeout ?? run.paced(1))
    run.say("Gave up: \(network.operationCount + account.operationCount) operations are unfinished.")
  }
}
