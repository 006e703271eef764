extension Scenario {
  func run() {
    switch self {
    case .graph: Running.graph()
    case .completions: Running.completions()
    case .serial: Running.serial()
    case .limitOfThree: Running.limitOfThree()
    case .limitRaised: Running.limitRaised()
    case .changedInPlace: Running.changedInPlace()
    case .severalBlocks: Running.severalBlocks()
    case .suspended: Running.suspended()
    case .priorities: Running.priorities()
    case .qualities: Running.qualities()
    case .barrier: Running.barrier()
    case .acrossQueues: Running.acrossQueues()
    case .asynchronous: Threads.asynchronous()
    case .asynchronousByKeyPath: Threads.asynchronousByKeyPath()
    case .asynchronousInSilence: Threads.asynchronousInSilence()
    case .mainQueue: Threads.mainQueue()
    case .byHand: Threads.byHand()
    case .cancelBeforeStart: Cancelling.beforeStart()
    case .cancelWhileQueued: Cancelling.whileQueued()
    case .cancelWhileRunning: Cancelling.whileRunning()
    case .cancelAll: Cancelling.all()
    case .dependencyAddedLater: Adding.dependencyLater()
    case .dependencyAlreadyOver: Adding.dependencyAlreadyOver()
    case .dependencyNeverEnqueued: Adding.dependencyNeverEnqueued()
    case .addedFromInside: Adding.fromInside()
    case .addAndWait: Waiting.addAndWait()
    case .waitForOne: Waiting.forOne()
    case .waitFromInside: Waiting.fromInside()
    case .subclasses: Classes.subclasses()
    case .genericClasses: Classes.generic()
    case .overrides: Classes.overrides()
    case .readinessOverride: Classes.readiness()
    case .queueSubclass: Classes.queueSubclass()
    }
  }
}

extension Ending {
  func run() {
    switch self {
    case .load: Endings.load()
    case .shortThreads: Endings.shortThreads()
    case .exec: Endings.exec()
    case .fork: Endings.fork()
    case .underscoreExit: Endings.underscoreExit()
    case .exitStatus: Endings.exitStatus()
    case .trap: Endings.trap()
    case .kill: Endings.kill()
    }
  }
}

extension Evidence {
  func run() {
    switch self {
    case .addingHangs: Evidences.addingHangs()
    case .addingSeveralHangs: Evidences.addingSeveralHangs()
    case .innerAddingHangs: Evidences.innerAddingHangs()
    case .addingReturns: Evidences.addingReturns()
    case .dependsOnItself: Evidences.dependsOnItself()
    case .dependsOnItselfBeforeAdding: Evidences.dependsOnItselfBeforeAdding()
    case .neverReady: Evidences.neverReady()
    case .readyInSilence: Evidences.readyInSilence()
    case .readyTooEarly: Evidences.readyTooEarly()
    case .barrierOnIdleQueue: Evidences.barrierOnIdleQueue()
    case .barrierOutlivesTheWait: Evidences.barrierOutlivesTheWait()
    case .suspendedForGood: Evidences.suspendedForGood()
    case .limitOfZero: Evidences.limitOfZero()
    case .startedInAQueue: Evidences.startedInAQueue()
    case .startedTwice: Evidences.startedTwice()
    case .addedTwice: Evidences.addedTwice()
    case .dependentReleased: Evidences.dependentReleased()
    case .cancelledDependentReleased: Evidences.cancelledDependentReleased()
    case .finishedBeforeStart: Evidences.finishedBeforeStart()
    case .cancelledAndNeverFinished: Evidences.cancelledAndNeverFinished()
    }
  }
}
