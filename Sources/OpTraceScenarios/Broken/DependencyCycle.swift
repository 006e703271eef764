internal import Foundation
internal import OpTrace

extension Scenario {
  static let dependencyCycle = broken(
    "dependency-cycle", "Profile, database and token wait for each other in a cycle, across two queues."
  ) { run in
    let network = TracedOperationQueue(name: "network", maxConcurrentOperationCount: 2, recorder: run.recorder)
    let disk = TracedOperationQueue(name: "disk", maxConcurrentOperationCount: 1, recorder: run.recorder)
    let settings = TracedBlockOperation(name: "Read settings") { run.pause(0.05) }
    let token = TracedBlockOperation(name: "Refresh token") { run.pause(0.05) }
    let profile = TracedBlockOperation(name: "Load profile") { run.pause(0.05) }
    let database = TracedBlockOperation(name: "Open database") { run.pause(0.05) }
    let show = TracedBlockOperation(name: "Show profile") { run.say("The profile is shown.") }

    token.addDependency(settings)
    profile.addDependency(token)
    // The database has a key for each profile …
    database.addDependency(profile)
    // … and the token lies in the database: the cycle is closed. The keychain holds it as well.
    if !run.isFixed { token.addDependency(database) }
    show.addDependency(profile)

    disk.addOperations([settings, database], waitUntilFinished: false)
    network.addOperations([token, profile, show], waitUntilFinished: true)
    disk.waitUntilAllOperationsAreFinished()
  }

  static let dependencyCycleSelf = broken(
    "dependency-cycle", variant: "self", "Each page waits for the one before; the first is made to wait for itself."
  ) { run in
    let queue = OperationQueue.named("pages", limit: 2)
    let catalogue = BlockOperation.named("Load catalogue") { run.pause(0.1) }
    queue.addOperation(catalogue)
    let pages = (1...4).map { number in BlockOperation.named("Load page \(number)") { run.pause(0.02) } }
    for (index, page) in pages.enumerated() {
      page.addDependency(catalogue)
      queue.addOperation(page)
      // "The one before", and the first where there is none.
      let before = pages[max(0, index - 1)]
      if run.isFixed, before === page { continue }
      // Foundation on Linux does not return from here.
      page.addDependency(before)
    }
    queue.waitUntilAllOperationsAreFinished()
    run.say("All pages are there.")
  }
}
