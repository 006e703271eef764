/// Finds one code, and explains it. Each rule is in a file of its own and has one line in ``table``.
public struct DoctorRule: Sendable {
  /// The finding's code: `queue-self-wait`. A contract: codes never change their meaning.
  public let code: String
  /// The highest severity that it reports.
  public let severity: Finding.Severity
  /// Whether it reports something stuck, wrong or slow.
  public let symptom: Symptom
  /// What the finding means, for `optrace doctor --explain`.
  public let guide: Guide
  let find: @Sendable (DoctorContext) -> [Finding]

  /// The three kinds of trouble.
  public enum Symptom: String, Sendable, CaseIterable {
    /// Nothing moves any more.
    case stuck
    /// It works, but it is wrong.
    case misuse
    /// It works, but it is slower than it needs to be.
    case slow
  }

  /// A page of the manual: some sentences, a mistake in code, and the same code fixed.
  public struct Guide: Sendable {
    /// What happens and why it is wrong, in some sentences.
    public var meaning: String
    /// The mistake, as Swift.
    public var wrong: String
    /// The same without the mistake, as Swift.
    public var right: String

    init(_ meaning: String, wrong: String, right: String) {
      self.meaning = meaning
      self.wrong = wrong
      self.right = right
    }
  }

  init(
    _ code: String, _ severity: Finding.Severity, _ symptom: Symptom, _ guide: Guide,
    find: @escaping @Sendable (DoctorContext) -> [Finding]
  ) {
    self.code = code
    self.severity = severity
    self.symptom = symptom
    self.guide = guide
    self.find = find
  }

  /// Every rule, in the order in which findings of one severity are reported.
  public static let table: [DoctorRule] = [
    // Nothing moves any more.
    dependencyCycle,
    queueSelfWait,
    mainThreadDeadlock,
    lockCycle,
    dispatchCycle,
    waitCycle,
    orphanDependency,
    queueSuspended,
    neverFinished,
    cancelledNeverFinished,
    continuationNeverResumed,
    neverSignalled,
    threadPoolStarvation,
    readinessOverride,
    removedDependencyStuck,
    barrierReentry,
    // It works, but it is wrong.
    finishedWithoutStart,
    doubleFinish,
    doubleStart,
    prematureFinish,
    dependentReleased,
    barrierOnIdleQueue,
    retainedOperation,
    startedBeforeDependency,
    // It works, but it is slower than it needs to be.
    priorityInversion,
    blockingWait,
    serialBottleneck,
    dependencyChainCost,
    eventLoopBlocked,
    hotActor,
    poolExhausted,
    cpuHotspot,
    taskLeak,
    streamBacklog,
    retryStorm,
    slowDependency,
  ]

  /// The rule of a code. O(number of rules).
  public static func of(_ code: String) -> DoctorRule? { table.first { $0.code == code } }
}
