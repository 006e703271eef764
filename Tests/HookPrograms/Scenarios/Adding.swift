import Foundation

/// Operations and dependencies that come later than usual.
enum Adding {
  static func dependencyLater() {
    let work = queue("work")
    let other = queue("other", limit: 1)
    work.isSuspended = true
    let hold = Gate()
    let first = Step("first") { _ in
      hold.wait()
      say("first")
    }
    let second = Step("second") { _ in say("second") }
    work.addOperation(second)
    second.addDependency(first)
    // Taken away when it is over: before that, Foundation on Linux never makes the dependent ready again.
    let early = Step("early")
    let third = Step("third")
    third.addDependency(early)
    work.addOperation(third)
    let over = early.whenOver()
    other.addOperation(early)
    over.wait()
    third.removeDependency(early)
    other.addOperation(first)
    work.isSuspended = false
    hold.open()
    work.waitUntilAllOperationsAreFinished()
    other.waitUntilAllOperationsAreFinished()
  }

  static func dependencyAlreadyOver() {
    let work = queue("work", limit: 1)
    let early = Step("early")
    let over = early.whenOver()
    work.addOperation(early)
    over.wait()
    let late = block("late")
    late.addDependency(early)
    say("late is ready: \(late.isReady)")
    work.addOperation(late)
    work.waitUntilAllOperationsAreFinished()
  }

  /// The one operation waits for good.
  static func dependencyNeverEnqueued() {
    let work = queue("work", limit: 1)
    let never = block("never")
    let waiting = Step("waiting") { _ in fail("it ran without its dependency") }
    let free = Step("free")
    waiting.addDependency(never)
    let over = free.whenOver()
    work.addOperations([waiting, free], waitUntilFinished: false)
    over.wait()
    say("waiting is ready: \(waiting.isReady)")
  }

  static func fromInside() {
    let work = queue("work", limit: 2)
    let other = queue("other", limit: 1)
    let outer = Step("outer") { outer in
      let inner = Step("inner") { _ in say("inner") }
      inner.addDependency(outer)
      work.addOperation(inner)
      work.addOperations([block("beside")], waitUntilFinished: false)
      other.addOperation(Step("elsewhere"))
      say("outer")
    }
    work.addOperations([outer], waitUntilFinished: false)
    work.waitUntilAllOperationsAreFinished()
    other.waitUntilAllOperationsAreFinished()
  }
}
