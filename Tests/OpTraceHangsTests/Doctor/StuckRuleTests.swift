import OpTraceAnalysis
import OpTraceModel
import Testing

@Suite("Doctor: nothing moves any more")
struct StuckRuleTests {
  private func findings(
    _ lines: String, isClosed: Bool = false, end: Int = 1_000_000, header: String = ""
  ) throws -> [Finding] {
    Diagnosis(of: try DoctorCase.trace(lines, isClosed: isClosed, end: end, header: header)).findings
  }

  private let cycle = """
    0 t1 queue q1 limit=2 "network"
    0 t1 queue q2 limit=1 "account"
    """ + "\n"
    + DoctorCase.operation(1, "token", "10 t1 depends #1 on=#3", "10 t1 enqueued #1 queue=q1")
    + DoctorCase.operation(2, "session", "11 t1 depends #2 on=#1", "11 t1 enqueued #2 queue=q2")
    + DoctorCase.operation(3, "profile", "12 t1 depends #3 on=#2", "12 t1 enqueued #3 queue=q1")
    + DoctorCase.operation(4, "show", "13 t1 depends #4 on=#3", "13 t1 enqueued #4 queue=q1")
    + "20 t1 wait-queue q2\n"

  @Test func cycleOfDependenciesIsAnError() throws {
    let found = try findings(cycle)
    #expect(found.map(\.code) == ["dependency-cycle"])
    let finding = try #require(found.first)
    #expect(finding.severity == .error)
    #expect(finding.title == "3 operations depend on each other in a cycle")
    #expect(finding.cycle == [1, 3, 2].map { OperationID($0) })
    #expect(finding.behind == 1)
    #expect(
      finding.evidence.contains { $0.text == "the main thread waits for queue 'account' to be empty" })
    #expect(
      finding.fix
        == "Remove one of these dependencies: the one that the work does not need.")
  }

  @Test func adviceNamesTheEdgeThatClosedTheCycle() throws {
    let found = try findings(
      "0 t1 queue q1 limit=2 \"q\"\n"
        + DoctorCase.operation(1, "token", "10 t1 depends #1 on=#2", "10 t1 enqueued #1 queue=q1")
        + DoctorCase.operation(2, "session", "11 t1 enqueued #2 queue=q1", "30 t1 depends #2 on=#1"))
    #expect(
      found.first?.fix
        == "Remove one of these dependencies. The one of 'session' (#2) on 'token' (#1) closed the cycle.")
  }

  @Test func cycleIsNoErrorWhenRecordsAreMissing() throws {
    let found = try findings(cycle, header: "lost no-space 3")
    #expect(found.map(\.severity) == [.warning])
    #expect(found.first?.isProven == false)
    #expect(found.first?.evidence.last?.text == "unproven: 3 records were lost, and may show otherwise")
  }

  @Test func cancelledOperationBlocksNobody() throws {
    let found = try findings(cycle + "30 t1 cancel #1\n31 t1 ready #1\n")
    #expect(!found.contains { $0.severity == .error })
  }

  @Test func dependencyOnItselfIsReported() throws {
    let found = try findings(
      "0 t1 queue q1 limit=2 \"q\"\n" + DoctorCase.operation(1, "A", "10 t1 depends #1 on=#1"))
    #expect(found.map(\.title) == ["'A' (#1) depends on itself"])
    #expect(found.first?.cycle == [OperationID(1)])
  }

  private func serial(limit: Int) -> String {
    "0 t1 queue q1 limit=\(limit) \"database\"\n"
      + DoctorCase.operation(
        1, "outer", "10 t1 enqueued #1 queue=q1", "11 t1 ready #1", "20 t2 started #1", "21 t2 began #1",
        "30 t2 wait #2")
      + DoctorCase.operation(2, "inner", "25 t2 depends #2 on=#3", "25 t2 enqueued #2 queue=q1")
      + DoctorCase.operation(3, "first", "26 t2 enqueued #3 queue=q1", "26 t2 ready #3")
  }

  @Test func operationThatWaitsForItsOwnSlotIsReported() throws {
    let found = try findings(serial(limit: 1))
    #expect(found.map(\.code) == ["queue-self-wait"])
    #expect(
      found.first?.title == "'outer' (#1) holds the only slot of queue 'database' and waits for work that needs it")
    #expect(found.first?.cycle == [1, 2, 3].map { OperationID($0) })
    #expect(found.first?.queues == [QueueID(1)])
  }

  @Test func freeSlotIsNoDeadlock() throws {
    let found = try findings(serial(limit: 2))
    #expect(!found.contains { $0.severity == .error })
  }

  /// With limit 2, `outer` waits for work behind it while `working` runs: this is a cycle, but it resolves.
  @Test func slotHolderThatRunsIsNoDeadlock() throws {
    let found = try findings(
      serial(limit: 2)
        + DoctorCase.operation(
          4, "working", "10 t1 enqueued #4 queue=q1", "11 t1 ready #4", "20 t3 started #4", "21 t3 began #4"))
    #expect(!found.contains { $0.severity == .error })
  }

  @Test func waitForTheOwnQueueToBeEmptyIsReported() throws {
    let found = try findings(
      "0 t1 queue q1 limit=1 \"q\"\n"
        + DoctorCase.operation(
          1, "A", "10 t1 enqueued #1 queue=q1", "11 t1 ready #1", "20 t2 started #1", "21 t2 began #1",
          "30 t2 wait-queue q1"))
    #expect(found.map(\.code) == ["queue-self-wait"])
    #expect(found.first?.cycle == [OperationID(1)])
  }

  @Test func queuesThatWaitForEachOtherAreACycle() throws {
    func holder(_ id: Int, _ queue: Int, waitsFor other: Int) -> String {
      DoctorCase.operation(
        id, "holder \(id)", "10 t1 enqueued #\(id) queue=q\(queue)", "11 t1 ready #\(id)",
        "20 t\(id + 1) started #\(id)", "21 t\(id + 1) began #\(id)", "30 t\(id + 1) wait #\(other)")
    }
    let found = try findings(
      "0 t1 queue q1 limit=1 \"images\"\n0 t1 queue q2 limit=1 \"files\"\n" + holder(1, 1, waitsFor: 3)
        + holder(2, 2, waitsFor: 4)
        + DoctorCase.operation(3, "save", "25 t2 enqueued #3 queue=q2", "25 t2 ready #3")
        + DoctorCase.operation(4, "decode", "26 t3 enqueued #4 queue=q1", "26 t3 ready #4"))
    #expect(found.map(\.code) == ["wait-cycle"])
    #expect(found.first?.title == "4 operations block each other in a cycle across 2 queues")
    #expect(found.first?.cycle == [1, 3, 2, 4].map { OperationID($0) })
  }

  @Test func mainThreadThatWaitsForItsQueueIsReported() throws {
    let found = try findings(
      "0 t1 queue q1 limit=1 main \"main\"\n0 t1 queue q2 limit=4 \"work\"\n"
        + DoctorCase.operation(1, "show", "10 t1 enqueued #1 queue=q1", "11 t1 ready #1")
        + DoctorCase.operation(2, "save", "12 t1 depends #2 on=#1", "12 t1 enqueued #2 queue=q2")
        + "20 t1 wait-queue q2\n")
    #expect(found.map(\.code) == ["main-thread-deadlock"])
    #expect(found.first?.title == "the main thread waits for 'show' (#1), which needs the main thread")
  }

  @Test func dependencyThatWasNeverEnqueuedIsReported() throws {
    let lines =
      "0 t1 queue q1 limit=2 \"q\"\n" + DoctorCase.operation(1, "login")
      + DoctorCase.operation(2, "load", "10 t1 depends #2 on=#1", "10 t1 enqueued #2 queue=q1")
      + DoctorCase.operation(3, "show", "11 t1 depends #3 on=#2", "11 t1 enqueued #3 queue=q1")
    let found = try findings(lines)
    #expect(found.map(\.code) == ["orphan-dependency"])
    #expect(found.first?.title == "'load' (#2) waits for 'login' (#1), which was never enqueued")
    #expect(found.first?.behind == 1)
    // The program was killed: its next line may have enqueued it. Its thread may have waited that long for a processor.
    for end in [12, 160_000] { #expect(try findings(lines, end: end).map(\.severity) == [.warning]) }
  }

  @Test(arguments: [1, 2]) func operationSeenInPartIsNoOrphan(coverage: Int) throws {
    let found = try findings(
      "0 t1 queue q1 limit=2 \"q\"\n1 t1 created #1 class=\"Login\" coverage=\(coverage)\n"
        + DoctorCase.operation(2, "load", "10 t1 depends #2 on=#1", "10 t1 enqueued #2 queue=q1"))
    #expect(found.isEmpty)
  }

  @Test func suspendedQueue() throws {
    let lines =
      "0 t1 queue q1 limit=2 \"q\"\n5 t1 suspended q1\n"
      + DoctorCase.operation(1, "A", "10 t1 enqueued #1 queue=q1", "11 t1 ready #1")
      + DoctorCase.operation(2, "B", "12 t1 depends #2 on=#1", "12 t1 enqueued #2 queue=q1")
    let found = try findings(lines)
    #expect(found.map(\.code) == ["queue-suspended"])
    #expect(found.first?.title == "queue 'q' is suspended, with 1 operation ready to run")
    #expect(found.first?.behind == 1)
    #expect(try findings(lines + "500 t1 resumed q1\n").allSatisfy { $0.severity != .error })
    #expect(try findings("0 t1 queue q1 limit=2 \"q\"\n5 t1 suspended q1\n").isEmpty)
  }

  /// A queue that is suspended and resumed repeatedly may be resumed this time, too.
  @Test func suspensionNoLongerThanAnEarlierOneIsNoProof() throws {
    let throttled =
      "0 t1 queue q1 limit=2 \"q\"\n5 t1 suspended q1\n6 t1 suspended q1\n700005 t1 resumed q1\n"
      + "700010 t1 suspended q1\n700020 t1 resumed q1\n800000 t1 suspended q1\n"
      + DoctorCase.operation(1, "A", "800010 t1 enqueued #1 queue=q1", "800011 t1 ready #1")
    func found(end: Int, isClosed: Bool = false) throws -> [String] {
      let trace = try DoctorCase.trace(throttled, isClosed: isClosed, end: end)
      return Diagnosis(of: trace).findings.map { "\($0.severity.rawValue)[\($0.code)] \($0.isProven)" }
    }
    #expect(try found(end: 1_500_000) == ["warning[queue-suspended] false"])
    #expect(try found(end: 1_500_001) == ["error[queue-suspended] true"])
    #expect(try found(end: 1_500_000, isClosed: true) == ["error[queue-suspended] true"])
    let trace = try DoctorCase.trace(throttled, end: 1_400_000)
    let last = try #require(Diagnosis(of: trace).findings.first?.evidence.last)
    #expect(last.text == "unproven: it was suspended for as long before (700 ms), and then resumed")
  }

  /// The same with a limit of 0.
  @Test func limitOfZeroNoLongerThanBeforeIsNoProof() throws {
    let throttled =
      "0 t1 queue q1 limit=2 \"q\"\n5 t1 limit q1 value=0\n600000 t1 limit q1 value=4\n700000 t1 limit q1 value=0\n"
      + DoctorCase.operation(1, "A", "700010 t1 enqueued #1 queue=q1", "700011 t1 ready #1")
    #expect(try findings(throttled, end: 1_250_000).map(\.severity) == [.warning])
    #expect(try findings(throttled, end: 1_300_000).map(\.severity) == [.error])
  }

  /// An operation that has a slot starts although its queue is suspended; one without a slot waits.
  @Test func operationWithoutASlotWaitsInASuspendedQueue() throws {
    let lines =
      "0 t1 queue q1 limit=1 \"q\"\n20 t1 suspended q1\n"
      + DoctorCase.operation(
        1, "A", "10 t1 enqueued #1 queue=q1", "11 t1 ready #1", "30 t2 started #1", "31 t2 began #1", "40 t2 ended #1",
        "41 t2 finished #1", "42 t2 start-returned #1")
      + DoctorCase.operation(2, "B", "12 t1 enqueued #2 queue=q1", "13 t1 ready #2")
    #expect(try findings(lines).map(\.code) == ["queue-suspended"])
  }

  /// Times of two threads may be a little off; the order of what one thread did is certain.
  @Test func additionAfterASuspensionIsProvenOnOneThreadOnly() throws {
    func codes(_ thread: Int) throws -> [DoctorCode] {
      let lines =
        "0 t1 queue q1 limit=1 \"q\"\n10 t1 suspended q1\n"
        + DoctorCase.operation(1, "A", "11 t\(thread) enqueued #1 queue=q1", "11 t\(thread) ready #1")
      return try findings(lines).map(\.code)
    }
    #expect(try codes(1) == ["queue-suspended"])
    #expect(try !codes(3).contains("queue-suspended"))
  }

  @Test func mainQueueIgnoresSuspension() throws {
    let found = try findings(
      "0 t1 queue q1 limit=1 main \"main\"\n5 t1 suspended q1\n6 t1 limit q1 value=0\n"
        + DoctorCase.operation(1, "A", "10 t1 enqueued #1 queue=q1", "11 t1 ready #1"))
    #expect(found.allSatisfy { $0.severity != .error })
  }

  @Test func independentCausesAreBothReported() throws {
    // A cycle, a suspended queue, and an operation that waits for both.
    let found = try findings(
      cycle + "5 t1 queue q3 limit=1 \"disk\"\n6 t1 suspended q3\n"
        + DoctorCase.operation(5, "flush", "20 t1 enqueued #5 queue=q3", "21 t1 ready #5")
        + DoctorCase.operation(
          6, "close", "22 t1 depends #6 on=#5", "22 t1 depends #6 on=#1", "23 t1 enqueued #6 queue=q1"))
    #expect(found.map(\.code) == ["dependency-cycle", "queue-suspended"])
    // The operation behind both is counted once.
    let behind: Int = found.reduce(0) { $0 + $1.behind }
    #expect(behind == 2)
  }
}

@Suite("Doctor: the verdict")
struct VerdictTests {
  private func verdict(
    _ symptom: DoctorRule.Symptom, _ severity: Finding.Severity, _ ending: Finding.Ending
  ) -> Diagnosis.Verdict {
    let trouble = Trouble("something", symptom)
    return Diagnosis.verdict([Finding(trouble, severity, ending: ending, title: "", explanation: "", fix: "")])
  }

  @Test(arguments: DoctorRule.Symptom.allCases) func symptomSeverityAndEndingDecideTheVerdict(
    symptom: DoctorRule.Symptom
  ) {
    for ending in [Finding.Ending.cycle, .unknown, .itWorks, .onlyBy("resume()"), .sentence("Somebody can end it.")] {
      let stuck: Diagnosis.Verdict = ending == .cycle ? .deadlocked : .stalled
      #expect(verdict(symptom, .error, ending) == (symptom == .stuck ? stuck : .warning))
      #expect(verdict(symptom, .warning, ending) == .warning)
      #expect(verdict(symptom, .note, ending) == .healthy)
    }
  }

  @Test func verdictWithoutFindingsIsHealthy() { #expect(Diagnosis.verdict([]) == .healthy) }
}

/// A suspended queue does not take slots back: operations that have one start once the pool has a thread.
@Suite("Doctor: operations that had a slot before their queue was suspended") struct StoppedQueueTests {
  private let queue = "0 t1 queue q1 limit=1 \"q\"\n"
  private let waiting = DoctorCase.operation(1, "A", "10 t1 enqueued #1 queue=q1", "11 t1 ready #1")

  private func codes(_ lines: String) throws -> [DoctorCode] {
    Diagnosis(of: try DoctorCase.trace(lines)).findings.filter { $0.severity == .error }.map(\.code)
  }

  @Test func operationWithASlotStarts() throws {
    #expect(try codes(queue + waiting + "50 t1 suspended q1\n").isEmpty)
    #expect(try codes(queue + waiting + "50 t1 limit q1 value=0\n").isEmpty)
  }

  @Test func operationWithoutASlotIsHeld() throws {
    let holder = DoctorCase.operation(
      2, "B", "5 t1 enqueued #2 queue=q1", "5 t1 ready #2", "9 t2 started #2", "9 t2 began #2", "70 t2 ended #2",
      "70 t2 finished #2")
    #expect(try codes(queue + holder + waiting + "50 t1 suspended q1\n") == ["queue-suspended"])
    #expect(try codes(queue + holder + waiting + "80 t1 suspended q1\n").isEmpty)
  }

  @Test func operationAddedLaterIsHeld() throws {
    #expect(try codes(queue + waiting + "5 t1 suspended q1\n") == ["queue-suspended"])
  }
}
