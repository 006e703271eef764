import OpTraceAnalysis
import OpTraceModel
import Testing

@Suite("Doctor: locks")
struct LockRuleTests {
  private typealias Case = LockCase

  private func diagnosis(_ lines: String, end: Int = 9_000_000, header: String = "") throws -> Diagnosis {
    Diagnosis(of: try DoctorCase.trace(Case.code + lines, end: end, header: header))
  }

  private func hasNoError(_ lines: String, end: Int = 9_000_000) throws -> Bool {
    let diagnosis = try diagnosis(lines, end: end)
    return !diagnosis.hasErrors && diagnosis.verdict != .stalled
  }

  private let two = LockCase.executing(1, "save", on: 2) + LockCase.executing(2, "spend", on: 3)

  @Test func locksInOppositeOrderAreADeadlock() throws {
    let diagnosis = try diagnosis(
      two + Case.ready(3, "report") + "40 t1 wait-queue q1\n"
        + Case.look([(1, .inSemaphore), (2, .inLock(1, of: 3)), (3, .inLock(2, of: 2))]))
    #expect(diagnosis.findings.map(\.code) == ["lock-cycle"])
    #expect(diagnosis.verdict == .deadlocked)
    let finding = try #require(diagnosis.findings.first)
    #expect(finding.severity == .error && finding.isProven)
    #expect(finding.title == "2 operations wait for each other's locks")
    #expect(finding.cycle.map(\.rawValue) == [2, 1] || finding.cycle.map(\.rawValue) == [1, 2])
    #expect(finding.behind == 1)
    #expect(finding.chain.map(\.kind) == [.operation, .lock, .operation, .lock])
    let save = try #require(finding.chain.first { $0.id == 1 })
    #expect(save.name == "save" && save.function == "step2()" && save.file == "/src/main.swift" && save.line == 20)
    #expect(finding.chain.contains { $0.kind == .lock && $0.id == 0x7001 && $0.name == "a mutex" && $0.line == nil })
    let texts = finding.evidence.map(\.text)
    #expect(texts.contains("'save' (#1) waits for a mutex, in step2() at main.swift:20; 'spend' (#2) holds it"))
    #expect(texts.contains("'spend' (#2) waits for a mutex, in step3() at main.swift:30; 'save' (#1) holds it"))
    #expect(texts.contains { $0.hasPrefix("the main thread waits for queue 'bank' to be empty") })
  }

  @Test(arguments: [1, 2, 4]) func lockWithATimeoutIsNoCycle(reason: Int) throws {
    #expect(
      try hasNoError(
        two
          + Case.look([
            (1, .polling), (2, .inLock(1, of: 3, reason: reason)), (3, .inLock(2, of: 2, reason: reason, timed: true)),
          ])))
  }

  @Test func waiterOfABusyHolderIsNotStuck() throws {
    let diagnosis = try diagnosis(
      two + "40 t1 wait-queue q1\n" + Case.look([(1, .inSemaphore), (2, .inLock(1, of: 3)), (3, .computing)]))
    #expect(diagnosis.verdict == .healthy)
    #expect(diagnosis.findings.allSatisfy { $0.severity == .note })
    #expect(diagnosis.findings.contains { $0.title == "'spend' (#2) is computing" })
    #expect(
      diagnosis.findings.contains {
        $0.title
          == "'save' (#1) is still running: it waits for a mutex, in step2() at main.swift:20; 'spend' (#2) holds it and is computing"
      })
  }

  @Test func holderThatSleepsWithATimeoutIsNoCycle() throws {
    #expect(
      try hasNoError(
        two + "40 t1 wait-queue q1\n" + Case.look([(1, .inSemaphore), (2, .inLock(1, of: 3)), (3, .sleepingForATime)])))
  }

  @Test(arguments: [2, 4]) func lockHeldDuringAWaitIsADeadlock(reason: Int) throws {
    // Swift's Mutex, and a reader-writer lock.
    let diagnosis = try diagnosis(
      two + "50 t2 wait #2\n" + Case.look([(1, .polling), (2, .inSemaphore), (3, .inLock(1, of: 2, reason: reason))]))
    #expect(diagnosis.findings.map(\.code) == ["lock-cycle"])
    let lock = reason == 2 ? "a Mutex" : "a reader-writer lock"
    #expect(diagnosis.findings.first?.title == "2 operations block each other in a cycle through \(lock)")
    #expect(
      diagnosis.findings.first?.fix
        == "Do not wait while holding a lock: unlock it before 'save' (#1) waits, in step2() at main.swift:20.")
    #expect(diagnosis.findings.first?.cycle.map(\.rawValue).sorted() == [1, 2])
    // Another thread holds it.
    #expect(
      try hasNoError(
        two + "50 t2 wait #2\n"
          + Case.look([
            (1, .polling), (2, .inSemaphore), (3, .inLock(1, of: 4, reason: reason)), (4, .sleepingForATime),
          ])))
  }

  @Test func lockOfTheWaitingMainThreadIsADeadlock() throws {
    let one = Case.executing(1, "refresh", on: 2)
    let diagnosis = try diagnosis(
      one + "50 t1 wait #1\n" + Case.look([(1, .inSemaphore), (2, .inLock(1, of: 1, reason: 4))]))
    #expect(diagnosis.findings.map(\.code) == ["lock-cycle"])
    let finding = try #require(diagnosis.findings.first)
    #expect(
      finding.title
        == "an operation and the main thread block each other in a cycle through a reader-writer lock")
    #expect(finding.cycle.map(\.rawValue) == [1])
    #expect(Set(finding.chain.map(\.kind)) == [.operation, .lock, .thread])
    #expect(finding.chain.first { $0.kind == .thread }?.line == 10)
    #expect(
      try hasNoError(
        one + "50 t1 wait #1\n" + Case.look([(1, .inSemaphore), (2, .inLock(1, of: 3)), (3, .polling)])))
  }

  @Test func lockHeldDuringAQueueWaitIsADeadlock() throws {
    let diagnosis = try diagnosis(
      Case.executing(1, "refresh", on: 2) + "50 t1 wait-queue q1\n"
        + Case.look([(1, .inSemaphore), (2, .inLock(1, of: 1))]))
    #expect(diagnosis.findings.map(\.code) == ["lock-cycle"])
    #expect(diagnosis.findings.first?.chain.contains { $0.kind == .queue && $0.name == "bank" } == true)
  }

  @Test func lockingTwiceIsADeadlock() throws {
    let diagnosis = try diagnosis(Case.executing(1, "save", on: 2) + Case.look([(2, .inLock(1, of: 2))]))
    #expect(diagnosis.findings.map(\.code) == ["lock-cycle"])
    #expect(diagnosis.findings.first?.title == "'save' (#1) waits for a mutex that it holds itself")
    #expect(diagnosis.findings.first?.chain.map(\.kind) == [.operation, .lock])
    #expect(diagnosis.verdict == .deadlocked)
  }

  /// Foundation takes its own lock twice there: the dependency is the mistake.
  @Test func doubleLockInsideFoundationHasItsOwnCode() throws {
    let lines = DoctorCase.operation(1, "A", "10 t1 depends #1 on=#1") + Case.look([(1, .inLock(1, of: 1))])
    #expect(try diagnosis(lines).findings.map(\.code) == ["dependency-cycle"])
    let other = DoctorCase.operation(1, "A", "10 t1 enqueued #1 queue=q1", "11 t1 ready #1")
    #expect(try diagnosis(other + Case.look([(1, .inLock(1, of: 1))])).findings.map(\.code) == ["lock-cycle"])
  }

  @Test func threadsWithoutOperationsAreReported() throws {
    let diagnosis = try diagnosis(Case.look([(2, .inLock(1, of: 3)), (3, .inLock(2, of: 2))]))
    #expect(diagnosis.findings.map(\.title) == ["2 threads wait for each other's locks"])
    #expect(diagnosis.findings.first?.cycle.isEmpty == true)
    #expect(diagnosis.findings.first?.chain.map(\.kind) == [.thread, .lock, .thread, .lock])
    // A second reading confirms it.
    #expect(diagnosis.confirmed(by: diagnosis).count == 1)
  }

  @Test func initialisersThatWaitForEachOtherAreADeadlock() throws {
    let diagnosis = try diagnosis(
      Case.executing(1, "save", on: 2) + Case.executing(2, "load", on: 3)
        + Case.look([(2, .inLock(1, of: 3, reason: 14)), (3, .inLock(2, of: 2, reason: 14))]))
    #expect(diagnosis.findings.map(\.code) == ["lock-cycle"] && diagnosis.verdict == .deadlocked)
    #expect(diagnosis.findings.first?.title == "2 operations wait for each other's initialisers")
    #expect(diagnosis.findings.first?.evidence.contains { $0.text.hasSuffix("'load' (#2) runs it") } == true)
  }

  @Test func initialiserThatUsesItselfIsReported() throws {
    let diagnosis = try diagnosis(
      Case.executing(1, "save", on: 2) + Case.look([(2, .inLock(1, of: 2, reason: 14))]))
    #expect(
      diagnosis.findings.map(\.title) == ["'save' (#1) waits for the initialiser of a global, which it runs itself"])
  }

  /// The snapshot knows only the system's number of a thread that has ended; its records have another number.
  @Test func lockOfAnEndedThreadNamesItsLastOperation() throws {
    let diagnosis = try diagnosis(
      Case.executing(1, "open", on: 4) + "30 t4 ended #1\n31 t4 finished #1\n0 t4 thread t4 tid=77 \"disk\"\n"
        + Case.executing(2, "save", on: 2, at: 40) + "50 t6 thread t9 tid=77 \"\"\n"
        + Case.look([(2, .inLostLock(1, of: 9))]))
    #expect(
      diagnosis.findings.map(\.title) == [
        "'save' (#2) waits for a mutex whose holder, thread 77 'disk' (its last operation was 'open' (#1)), has ended"
      ])
  }

  @Test func lockOfAnEndedThreadIsAStall() throws {
    let diagnosis = try diagnosis(
      Case.executing(1, "save", on: 2) + "40 t1 wait #1\n" + Case.look([(1, .inSemaphore), (2, .inLostLock(1))]))
    #expect(diagnosis.findings.map(\.code) == ["never-finished"])
    let finding = try #require(diagnosis.findings.first)
    #expect(finding.severity == .error && diagnosis.verdict == .stalled)
    #expect(finding.title == "'save' (#1) waits for a mutex whose holder has ended")
    #expect(finding.evidence.contains { $0.text.hasSuffix("without unlocking it, in step2() at main.swift:20") })
    #expect(finding.evidence.contains { $0.text.hasPrefix("the main thread waits for 'save' (#1)") })
  }

  @Test func semaphoreThatNothingCanSignalIsAStall() throws {
    let lines = Case.executing(1, "fetch", on: 2) + "40 t1 wait #1\n"
    let diagnosis = try diagnosis(lines + Case.look([(1, .inSemaphore), (2, .inSemaphore), (4, .idle)]))
    #expect(diagnosis.findings.map(\.code) == ["never-finished"])
    #expect(diagnosis.findings.first?.severity == .error && diagnosis.verdict == .stalled)
    #expect(
      diagnosis.findings.first?.title
        == "'fetch' (#1) waits for a signal of another thread, and nothing is left to wake it, in step2() at main.swift:20"
    )
    // The silence is too short.
    #expect(try hasNoError(lines + Case.look([(1, .inSemaphore), (2, .inSemaphore)]), end: 3_000_000))
    for other in [Case.Doing.polling, .sleepingForATime, .computing] {
      #expect(try hasNoError(lines + Case.look([(1, .inSemaphore), (2, .inSemaphore), (4, other)])))
    }
    #expect(try hasNoError(lines + Case.look(moved: 1, [(1, .inSemaphore), (2, .inSemaphore)])))
  }

  @Test func silenceIsNoProofWhileAThreadComputes() throws {
    let lines =
      DoctorCase.operation(
        1, "load", "10 t1 enqueued #1 queue=q1", "11 t1 ready #1", "20 t2 started #1", "21 t2 began #1",
        "22 t2 ended #1", "23 t2 start-returned #1")
      + "40 t1 wait #1\n"
    let still = try diagnosis(lines + Case.look([(1, .inSemaphore), (2, .inSemaphore)]))
    #expect(still.findings.map(\.severity) == [.error] && still.verdict == .stalled)
    // A thread that may still finish it makes the finding only possible.
    for other in [Case.Doing.polling, .sleepingForATime, .computing] {
      let open = try diagnosis(lines + Case.look([(1, .inSemaphore), (4, other)]))
      #expect(open.findings.map(\.severity) == [.note] && open.verdict == .healthy, "\(other)")
      #expect(
        open.findings.first?.certainty == .possible && open.rest.doors.compactMap { $0.thread?.rawValue } == [4],
        "\(other)")
    }
    // Without a snapshot of the threads it is likely.
    let unseen = try diagnosis(lines)
    #expect(unseen.findings.map(\.severity) == [.warning] && unseen.verdict == .suspected)
    #expect(unseen.findings.first?.certainty == .likely)
    #expect(
      unseen.findings.first?.evidence.last?.text == "unproven: the trace does not show what every thread does")
  }

  @Test func moveAfterTheSnapshotIsNoDeadlock() throws {
    let look = Case.look([(1, .polling), (2, .inLock(1, of: 3)), (3, .inLock(2, of: 2))])
    #expect(try hasNoError(two + look + "2500000 t3 ended #2\n2500001 t3 finished #2\n"))
    #expect(try hasNoError(two + look + "2500000 t3 wait #1\n"))
  }

  @Test func lockThatIsBeingPassedOnIsNoDeadlock() throws {
    let three = two + Case.executing(3, "lend", on: 4)
    #expect(
      try hasNoError(
        three + Case.look([(2, .inLock(1, of: 3)), (3, .inLock(2, of: 2)), (4, .inLock(1, of: 5)), (5, .polling)])))
  }

  @Test func threadsThatPassLocksBackAndForthProveNothing() throws {
    let found = try diagnosis(two + Case.look(cpu: 900, [(2, .inLock(1, of: 3)), (3, .inLock(2, of: 2))])).findings
    #expect(found.map(\.severity) == [.warning])
    #expect(found.first?.isProven == false)
  }

  /// Threads that worked before they locked each other out are reported at once.
  @Test func threadThatDidNotMoveDuringTheSnapshotIsStuck() throws {
    let threads: [(Int, Case.Doing)] = [(2, .inLock(1, of: 3)), (3, .inLock(2, of: 2))]
    let found = try diagnosis(two + Case.look(cpu: 900, still: true, threads)).findings
    #expect(found.map(\.severity) == [.error] && found.first?.isProven == true)
  }

  @Test func lockCycleIsNoErrorWhenRecordsAreMissing() throws {
    let found = try diagnosis(
      two + Case.look([(2, .inLock(1, of: 3)), (3, .inLock(2, of: 2))]), header: "lost no-space 3"
    ).findings
    #expect(found.map(\.severity) == [.warning])
  }

  @Test func sixtyFourReadyOperationsAreBehindALockCycle() throws {
    var lines = "0 t1 queue q1 limit=-1 \"bank\"\n" + two
    for id in 3...66 { lines += Case.ready(id, "more \(id)") }
    let found = try diagnosis(
      lines + "90 t1 wait-queue q1\n"
        + Case.look([(1, .inSemaphore), (2, .inLock(1, of: 3)), (3, .inLock(2, of: 2))])
    ).findings
    #expect(found.map(\.code) == ["lock-cycle"])
    #expect(found.first?.behind == 64)
  }

  @Test func anotherWaiterOfTheLockIsCountedBehind() throws {
    let found = try diagnosis(
      two + Case.executing(3, "lend", on: 4)
        + Case.look([(2, .inLock(1, of: 3)), (3, .inLock(2, of: 2)), (4, .inLock(1, of: 3))])
    ).findings
    #expect(found.map(\.code) == ["lock-cycle"])
    #expect(found.first?.cycle.count == 2 && found.first?.behind == 1)
  }
}
