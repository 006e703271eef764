import Foundation

/// Orders, limits, priorities.
enum Running {
  /// Fan-out and fan-in, blocks and subclasses.
  static func graph() {
    let work = queue("graph")
    let hold = Gate()
    let root = block("root") { hold.wait() }
    let left = Step("left") { _ in }
    let right = block("right")
    let join = Step("join") { _ in say("joined") }
    for next in [left, right] { next.addDependency(root) }
    for last in [left, right] { join.addDependency(last) }
    work.addOperations([join, left, right, root], waitUntilFinished: false)
    hold.open()
    work.waitUntilAllOperationsAreFinished()
  }

  /// Each tells when it is over; the first one's block adds the next.
  static func completions() {
    let work = queue("completions", limit: 1)
    let kinds = [Step("step"), block("block"), Fetch("fetch"), Step("cancelled")]
    kinds[3].cancel()
    for operation in kinds {
      let over = operation.whenOver()
      work.addOperation(operation)
      over.wait()
      say("\(operation.name ?? "") is over")
    }
    let added = Gate()
    let first = Step("first")
    first.completionBlock = {
      let second = Step("second")
      second.completionBlock = { added.open() }
      work.addOperation(second)
    }
    work.addOperation(first)
    added.wait()
  }

  static func serial() {
    let work = queue("serial", limit: 1)
    for index in 1...5 { work.addOperation(Step("step \(index)") { _ in say("step \(index)") }) }
    work.addOperation { say("block") }
    work.waitUntilAllOperationsAreFinished()
  }

  /// The first two meet, so at least two run at the same time.
  static func limitOfThree() {
    let work = queue("three", limit: 3)
    let met = [Gate(), Gate()]
    work.addOperation(
      Step("one") { _ in
        met[0].open()
        met[1].wait()
      })
    work.addOperation(
      block("other") {
        met[1].open()
        met[0].wait()
      })
    for index in 1...4 { work.addOperation(Step("later \(index)")) }
    work.waitUntilAllOperationsAreFinished()
  }

  static func limitRaised() {
    let work = queue("raised", limit: 1)
    let begun = Gate()
    let goOn = Gate()
    work.addOperation(
      Step("first") { _ in
        begun.open()
        goOn.wait()
        say("first ends")
      })
    work.addOperation(
      Step("second") { _ in
        say("second runs beside it")
        goOn.open()
      })
    begun.wait()
    work.maxConcurrentOperationCount = 2
    work.waitUntilAllOperationsAreFinished()
  }

  /// Properties that are read and written in one go.
  static func changedInPlace() {
    let work = queue("changed", limit: 1)
    work.isSuspended.toggle()
    let step = Step("step")
    step.queuePriority = .high
    work.addOperation(step)
    let later = block("block")
    work.addOperation(later)
    later.name? += " with a longer name"
    work.maxConcurrentOperationCount += 1
    work.name? += " in place"
    work.isSuspended.toggle()
    work.waitUntilAllOperationsAreFinished()
  }

  static func severalBlocks() {
    let work = queue("blocks", limit: 1)
    let counted = BlockWork()
    counted.name = "several"
    for _ in 1...4 { counted.addExecutionBlock { say("block") } }
    let empty = BlockWork()
    empty.name = "none"
    work.addOperations([counted, empty], waitUntilFinished: false)
    work.waitUntilAllOperationsAreFinished()
  }

  static func suspended() {
    let work = queue("suspended", limit: 2)
    work.isSuspended = true
    let first = Step("first") { _ in say("first") }
    let over = first.whenOver()
    work.addOperation(first)
    say("nothing runs")
    work.isSuspended = false
    over.wait()
    work.isSuspended = true
    work.addOperation(block("second") { say("second") })
    say("again")
    work.isSuspended = false
    work.waitUntilAllOperationsAreFinished()
  }

  static func priorities() {
    let work = queue("priorities", limit: 1)
    work.isSuspended = true
    let priorities: [(String, Operation.QueuePriority)] = [
      ("low", .low), ("normal", .normal), ("highest", .veryHigh), ("lowest", .veryLow), ("high", .high),
    ]
    for (name, priority) in priorities {
      let operation = Step(name) { _ in say(name) }
      operation.queuePriority = priority
      work.addOperation(operation)
    }
    let changed = block("changed") { say("changed") }
    work.addOperation(changed)
    changed.queuePriority = .low
    work.isSuspended = false
    work.waitUntilAllOperationsAreFinished()
  }

  static func qualities() {
    let work = queue("qualities", limit: 1)
    work.qualityOfService = .utility
    work.isSuspended = true
    let qualities: [(String, QualityOfService)] = [
      ("background", .background), ("interactive", .userInteractive), ("initiated", .userInitiated),
    ]
    for (name, quality) in qualities {
      let operation = block(name)
      operation.qualityOfService = quality
      work.addOperation(operation)
    }
    let changed = Step("changed")
    work.addOperation(changed)
    changed.qualityOfService = .utility
    work.addOperation {}
    work.isSuspended = false
    work.waitUntilAllOperationsAreFinished()
  }

  static func barrier() {
    let work = queue("barrier")
    let hold = Gate()
    work.addOperation(
      Step("before") { _ in
        hold.wait()
        say("before")
      })
    work.addBarrierBlock { say("barrier") }
    work.addOperation(block("after") { say("after") })
    hold.open()
    work.waitUntilAllOperationsAreFinished()
  }

  static func acrossQueues() {
    let one = queue("one")
    let other = queue("other", limit: 1)
    let hold = Gate()
    let steps = (1...4).map { index in
      Step("step \(index)") { _ in
        if index == 1 { hold.wait() }
        say("step \(index)")
      }
    }
    for (next, last) in zip(steps.dropFirst(), steps) { next.addDependency(last) }
    for (index, step) in steps.enumerated().reversed() { (index % 2 == 0 ? one : other).addOperation(step) }
    hold.open()
    one.waitUntilAllOperationsAreFinished()
    other.waitUntilAllOperationsAreFinished()
  }
}
