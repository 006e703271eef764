internal import Foundation
internal import OpTrace

extension Scenario {
  static let tickets = Scenario(
    "tickets", "Two serial queues sell 50 tickets under one lock: the time each waits for the lock is a span."
  ) { run in
    let office = TicketOffice(count: 50)
    let queues = ["Beijing", "Shanghai"].map { city in
      let queue = TracedOperationQueue(name: city, maxConcurrentOperationCount: 1, recorder: run.recorder)
      queue.addOperation(named: "Window \(city)") { sell(from: office, in: city, run) }
      return queue
    }
    for queue in queues { queue.waitUntilAllOperationsAreFinished() }
  }

  private static func sell(from office: TicketOffice, in city: String, _ run: ScenarioRun) {
    var sold = 0
    while true {
      run.recorder.measure("wait for the lock") { office.lock.lock() }
      guard office.left > 0 else {
        office.lock.unlock()
        break
      }
      run.recorder.measure("sell ticket \(office.left)") {
        office.left -= 1
        run.pause(0.015)
      }
      office.lock.unlock()
      sold += 1
      // Handed over without the lock: the other window's turn.
      run.pause(0.008)
    }
    run.say("\(city) sold \(sold) tickets.")
  }
}

/// Sendable: `left` is only touched under `lock`.
private final class TicketOffice: @unchecked Sendable {
  let lock = NSLock()
  var left: Int

  init(count: Int) { left = count }
}
