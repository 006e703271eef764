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
  case completions
}

/// Programs that end in other ways, or do much.
enum Ending: String, CaseIterable {
  case load, shortThreads, exec, fork, underscoreExit, exitStatus, trap, kill
}

/// Programs that hang, crash, or do what they should not: what proves it must be in the trace.
enum Evidence: String, CaseIterable {
  case addingHangs, addingSeveralHangs, innerAddingHangs, addingReturns
  case dependsOnItself, dependsOnItselfBeforeAdding
  case neverReady, readyInSilence, readyTooEarly
  case barrierOnIdleQueue, barrierOutlivesTheWait, suspendedForGood, limitOfZero
  case startedInAQueue, startedTwice, addedTwice, dependentReleased, cancelledDependentReleased
  case finishedBeforeStart, cancelledAndNeverFinished
}
