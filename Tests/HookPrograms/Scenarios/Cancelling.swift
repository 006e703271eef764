import Foundation

enum Cancelling {
  static func beforeStart() {
    let work = queue("before", limit: 1)
    work.isSuspended = true
    let operations = [
      Step("step") { _ in fail("a cancelled step ran") }, Fetch("fetch") { fail("a cancelled fetch ran") },
      block("block") { fail("a cancelled block ran") },
    ]
    work.addOperations(operations, waitUntilFinished: false)
    for operation in operations { operation.cancel() }
    work.isSuspended = false
    work.waitUntilAllOperationsAreFinished()
    say("cancelled and over: \(operations.allSatisfy { $0.isCancelled && $0.isFinished })")
  }

  /// It does not wait for what it depends on any more.
  static func whileQueued() {
    let work = queue("queued")
    let hold = Gate()
    let slow = Step("slow") { _ in hold.wait() }
    let waiting = Step("waiting") { _ in fail("a cancelled step ran") }
    waiting.addDependency(slow)
    let over = waiting.whenOver()
    work.addOperations([slow, waiting], waitUntilFinished: false)
    waiting.cancel()
    over.wait()
    say("waiting over: \(waiting.isFinished), slow over: \(slow.isFinished)")
    hold.open()
    work.waitUntilAllOperationsAreFinished()
  }

  static func whileRunning() {
    let work = queue("running")
    let running = [Gate(), Gate()]
    let goOn = [Gate(), Gate()]
    let step = Step("step") { step in
      running[0].open()
      goOn[0].wait()
      say("step sees it: \(step.isCancelled)")
    }
    let fetch = Fetch("fetch") {
      running[1].open()
      goOn[1].wait()
    }
    for (index, operation) in [step, fetch].enumerated() {
      work.addOperation(operation)
      running[index].wait()
      operation.cancel()
      goOn[index].open()
    }
    work.waitUntilAllOperationsAreFinished()
  }

  static func all() {
    let work = queue("all", limit: 1)
    let running = Gate()
    let goOn = Gate()
    work.addOperation(
      Step("running") { step in
        running.open()
        goOn.wait()
        say("running sees it: \(step.isCancelled)")
      })
    running.wait()
    for index in 1...3 { work.addOperation(Step("queued \(index)") { _ in fail("a cancelled step ran") }) }
    // Other words than above: the optimiser may make one function of equal code.
    work.addOperation(block("queued block") { fail("the queued block ran, though cancelled") })
    work.cancelAllOperations()
    goOn.open()
    work.waitUntilAllOperationsAreFinished()
  }
}
