/// A scenario is one file in `Scenarios/` or `Broken/`, and one word here.
extension Scenario {
  package static let all: [Scenario] = [
    .photoImport, .iLoveU, .uploadCancel, .asyncWait, .customConcurrent, .blockFanOut, .diamond, .serialVsConcurrent,
    .priorities, .crossQueue, .barrier, .suspendResume, .cancelAll, .mainHop, .tickets, .deadlock,
  ]

  /// Programs with a fault: each has a twin without it (``ScenarioSettings/isFixed``).
  package static let broken: [Scenario] = [
    .dependencyCycle, .dependencyCycleSelf, .queueSelfWait, .waitCycle, .waitCycleMutual, .mainThreadDeadlock,
    .lockCycle, .lockCycleWait, .orphanDependency, .queueSuspended, .queueSuspendedLimit,
    .neverFinished, .neverFinishedUnannounced,
    .cancelledNeverFinished, .cancelledNeverFinishedRunning, .threadPoolStarvation, .readinessOverride,
    .removedDependencyStuck, .barrierReentry, .finishedWithoutStart, .doubleFinish, .doubleStart, .doubleStartEnqueued,
    .prematureFinish, .dependentReleased, .barrierOnIdleQueue, .retainedOperation, .startedBeforeDependency,
    .priorityInversion, .blockingWait, .serialBottleneck, .dependencyChainCost,
  ]

  package static func named(_ name: String) -> Scenario? { (all + broken).first { $0.name == name } }
}
