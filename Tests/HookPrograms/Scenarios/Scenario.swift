/// What the programs can do, by the name that is their argument. The tests go through all of them.
enum Scenario: String, CaseIterable {
  case graph, serial, limitOfThree, limitRaised, suspended, priorities, qualities, barrier, acrossQueues
  case changedInPlace, severalBlocks
  case asynchronous, asynchronousByKeyPath, asynchronousInSilence
  case cancelBeforeStart, cancelWhileQueued, cancelWhileRunning, cancelAll
  case dependencyAddedLater, dependencyAlreadyOver, dependencyNeverEnqueued, addedFromInside
  case addAndWait, waitForOne, waitFromInside
  case subclasses, genericClasses, overrides, readinessOverride, queueSubclass
  case mainQueue, byHand
}

/// Programs that end in other ways, or do much.
enum Ending: String, CaseIterable {
  case load, shortThreads, exec, fork, underscoreExit, exitStatus, trap, kill
}
