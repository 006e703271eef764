package import OpTraceDoctor
import OpTraceKernel

extension RuleSet {
  /// What is stuck, and what is wrong: the rules about hangs and misuse.
  package static let hangs = RuleSet([
    // Nothing moves any more.
    .dependencyCycle,
    .queueSelfWait,
    .mainThreadDeadlock,
    .lockCycle,
    .dispatchCycle,
    .waitCycle,
    .orphanDependency,
    .queueSuspended,
    .neverFinished,
    .cancelledNeverFinished,
    .continuationNeverResumed,
    .neverSignalled,
    .threadPoolStarvation,
    .readinessOverride,
    .removedDependencyStuck,
    .barrierReentry,
    // It works, but it is wrong.
    .finishedWithoutStart,
    .doubleFinish,
    .doubleStart,
    .prematureFinish,
    .dependentReleased,
    .barrierOnIdleQueue,
    .retainedOperation,
    .startedBeforeDependency,
  ])
}
