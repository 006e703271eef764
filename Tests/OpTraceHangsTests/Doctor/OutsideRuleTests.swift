import OpTraceAnalysis
import OpTraceModel
import Testing

@Suite("Doctor: wake-ups from outside of the threads, and suspended dispatch queues")
struct OutsideRuleTests {
  private typealias Case = LockCase

  private static let queues = """
    0 t0 dispatch-queue d1 width=1 "accounts"
    0 t0 dispatch-queue d2 width=1 "journal"
    0 t0 dispatch-queue d3 width=1 global "global"

    """

  private func diagnosis(_ lines: String, end: Int = 9_000_000, header: String = "") throws -> Diagnosis {
    Diagnosis(of: try DoctorCase.trace(Case.code + Self.queues + lines, end: end, header: header))
  }

  /// A task that waits for a continuation, and two threads that only other threads wake.
  private let parked =
    """
    20 t1 task #1 priority=21 enqueued code=f1 at=f2
    30 t2 task-run #1
    40 t2 task-suspended #1 reason=2
    40 t2 at f3

    """ + LockCase.look([(1, .inSemaphore), (2, .inSemaphore)])

  @Test("no error: a signal handler may resume what no thread can")
  func handlers() throws {
    #expect(try diagnosis(parked).hasErrors)
    // SIGUSR1 and SIGTERM.
    let handled = try diagnosis(parked, header: "handles \(1 << 9 | 1 << 14)\n")
    #expect(handled.findings.allSatisfy { $0.severity == .note } && handled.verdict == .healthy, "\(handled.findings)")
    #expect(handled.rest.doors.map(\.text).contains("a handler of SIGUSR1, SIGTERM may run"), "\(handled.rest.doors)")
  }

  @Test("no error: another process may signal a shared object")
  func shared() throws {
    let shared = parked.replacing(
      "cpu=3 state=2 call=203 reason=7\n2000000 t6 at f1", with: "cpu=3 state=2 call=203 reason=15\n2000000 t6 at f1")
    try #require(shared != parked)
    let diagnosis = try diagnosis(shared)
    #expect(diagnosis.findings.allSatisfy { $0.severity == .note }, "\(diagnosis.findings)")
    #expect(
      diagnosis.rest.doors.contains {
        $0.text.hasPrefix("the main thread waits for something that it shares with other processes")
      })
  }

  @Test("a lock that a suspended task may hold is no proof, and a recursive lock is not advised")
  func lockAcrossAnAwait() throws {
    func lines(_ other: String) -> String {
      """
      20 t1 task #1 priority=21 enqueued code=f1 at=f2
      21 t1 task #2 priority=21 enqueued code=f4 at=f2
      30 t3 task-run #1
      \(other)
      50 t3 task-run #2

      """ + Case.look(at: 2_100_000, [(1, .inSemaphore), (2, .idle), (3, .inLock(1, of: 3))])
    }
    let held = try diagnosis(lines("40 t3 task-suspended #1 reason=4\n41 t3 task-enqueued #1"))
    let finding = try #require(held.findings.first { $0.code == "lock-cycle" }, "\(held.findings)")
    #expect(
      finding.severity == .warning
        && finding.title.hasSuffix("that its thread holds: task 'step1()' (#1) was suspended there before"))
    #expect(finding.fix.hasPrefix("Do not hold a lock across an await") && !finding.fix.contains("NSRecursiveLock"))
    let alone = try diagnosis(lines("40 t3 task-completed #1"))
    #expect(alone.findings.contains { $0.code == "lock-cycle" && $0.severity == .error }, "\(alone.findings)")
  }

  @Test("a cycle of tasks is reported as one of tasks, not of operations")
  func tasks() throws {
    let lines = """
      20 t1 task #1 priority=21 enqueued code=f1 at=f2
      21 t1 task #2 priority=21 enqueued code=f4 at=f2
      30 t2 task-run #1
      31 t2 task-suspended #1 reason=1 for=#2
      32 t2 task-run #2
      33 t2 task-suspended #2 reason=1 for=#1

      """ + Case.look([(1, .inSemaphore), (2, .inSemaphore)])
    let finding = try #require(try diagnosis(lines).findings.first)
    #expect(finding.code == "wait-cycle" && finding.title == "2 tasks wait for each other in a cycle", "\(finding)")
    #expect(!finding.explanation.contains("operation") && !finding.fix.contains("operation"))
    let itself = try #require(
      try diagnosis(
        lines.replacing("for=#2", with: "for=#1").replacing(
          "32 t2 task-run #2\n33 t2 task-suspended #2 reason=1 for=#1\n", with: "")
      ).findings.first)
    #expect(itself.title == "task 'step1()' (#1) awaits itself", "\(itself)")
  }

  @Test("blocks that do not begin in idle queues give one finding: suspended, or never activated")
  func dispatchQueues() throws {
    let waits = Case.look([(1, .inSemaphore), (2, .idle)])
    let stopped = "20 t1 submitted #1 queue=d1 code=f1 at=f2\n21 t1 submitted #2 queue=d1 code=f1 at=f2\n"
    let found = try diagnosis(stopped + waits).findings.filter { $0.code == "queue-suspended" }
    #expect(found.map(\.severity) == [.warning])
    #expect(
      found.first?.title
        == "2 blocks have not begun in dispatch queue accounts, where nothing runs: it is suspended, or was never activated"
    )
    let both = try diagnosis(stopped + "22 t1 submitted #3 queue=d2 code=f1 at=f2\n" + waits)
    #expect(both.findings.count { $0.code == "queue-suspended" } == 1 && both.verdict == .suspected)
    // No finding: something runs there; a global queue has no thread; a sleeping thread may resume it; its time has not
    // come; the silence is short.
    for (lines, end) in [
      (stopped + "23 t1 submitted #3 queue=d1 code=f1 at=f2\n30 t2 run #3\n" + waits, 9_000_000),
      (stopped.replacing("d1", with: "d3") + waits, 9_000_000),
      (stopped + Case.look([(1, .inSemaphore), (2, .sleepingForATime)]), 9_000_000),
      (stopped.replacing("queue=d1", with: "queue=d1 how=2") + waits, 9_000_000), (stopped + waits, 3_000_000),
    ] {
      let diagnosis = try diagnosis(lines, end: end)
      #expect(!diagnosis.findings.contains { $0.code == "queue-suspended" }, "\(lines)")
    }
  }

  @Test("a dispatch queue that was seen suspended, or inactive, is an error, if nothing may resume it")
  func seenSuspended() throws {
    func found(
      _ stopped: Int, _ other: Case.Doing, end: Int = 9_000_000, outside: Bool = false
    ) throws -> [Finding] {
      let lines = """
        0 t0 dispatch-queue d4 width=1 stopped=\(stopped) "events"
        20 t1 submitted #1 queue=d4 code=f1
        21 t1 submitted #2 queue=d4 code=f1

        """ + Case.look([(1, .inSemaphore), (2, other)])
      let origin = outside ? "22 t1 outside timed watched=12 \"\"\n" : ""
      // A snapshot is whole, though its program goes on.
      let trace = try DoctorCase.trace(Case.code + Self.queues + origin + lines, isClosed: outside, end: end)
      return Diagnosis(of: trace).findings.filter { $0.code == "queue-suspended" }
    }
    let suspended = try #require(try found(1, .idle).first)
    #expect(suspended.severity == .error && suspended.isProven && suspended.ending == "Only resume() ends it.")
    #expect(
      suspended.title
        == "dispatch queue 'events' is suspended, with 2 blocks in it, in step1() at main.swift:10")
    let inactive = try #require(try found(2, .idle).first)
    #expect(inactive.title.hasPrefix("dispatch queue 'events' was never activated, with 2 blocks in it"))
    #expect(inactive.ending == "Only activate() ends it.")
    // A thread that sleeps may resume it, also where nothing has moved for a short time only.
    #expect(try found(1, .sleepingForATime).allSatisfy { $0.severity != .error })
    #expect(try found(1, .sleepingForATime, end: 2_100_000, outside: true).allSatisfy { $0.severity != .error })
  }

  @Test("a core has no times: what is said of them goes, with its comma")
  func wordsOfACore() throws {
    let never = Int(TraceOrigin.unknownTime / 1000)
    let lines = """
      20 t1 task #1 priority=21 enqueued code=f1 at=f2
      30 t2 task-run #1
      40 t2 task-suspended #1 reason=2
      40 t2 at f3
      50 t1 outside core watched=0 ""

      """ + Case.look(at: never, [(1, .inSemaphore), (2, .inSemaphore)])
    let found = try diagnosis(lines, end: never, header: "handles \(1 << 9)\n").findings
    let title = try #require(found.first { $0.code == "continuation-never-resumed" }?.title, "\(found)")
    #expect(title.hasSuffix(" waits for a continuation, in step3() at main.swift:30"), "\(title)")
  }

  @Test("what waits for the waiting thread is told with the wait")
  func claims() throws {
    let lines = """
      20 t1 submitted #1 queue=d1 how=4
      21 t1 run #1
      22 t1 blocked #0 object=0x10 kind=semaphore thread=t1
      23 t2 submitted #2 queue=d1 how=4

      """ + Case.look([(1, .inSemaphore), (2, .inSemaphore)])
    let finding = try #require(try diagnosis(lines).findings.first)
    #expect(finding.code == "never-signalled" && finding.severity == .error)
    #expect(
      finding.title.contains("; thread 102 'worker' waits for dispatch queue 'accounts', which the main thread has"),
      "\(finding.title)")
  }

  @Test("the main thread waits, and nothing can go on but a task that needs it")
  func neededMainThread() throws {
    func lines(_ other: Case.Doing) -> String {
      """
      20 t2 task #1 priority=21 enqueued code=f1
      30 t2 task-run #1
      31 t2 task-suspended #1 reason=4
      32 t2 task-enqueued #1 main
      33 t1 blocked #0 object=0x10 kind=semaphore thread=t1

      """ + Case.look([(1, .inSemaphore), (2, other)])
    }
    let findings = try diagnosis(lines(.idle)).findings
    #expect(findings.map(\.code) == ["main-thread-deadlock"], "\(findings)")
    #expect(
      findings.first?.title == "the main thread waits for semaphore 1, while task 'step1()' (#1) needs the main thread")
    #expect(findings.first?.severity == .error && findings.first?.ending == "Nothing can end it.")
    // A thread that sleeps may signal.
    #expect(try !diagnosis(lines(.sleepingForATime)).hasErrors)
  }

  @Test("threads without operations have been still for as long as somebody outside has seen")
  func silenceWithoutWork() throws {
    func found(_ outside: String) throws -> [Finding] {
      // Nothing but threads.
      let code = Case.code.replacing("0 t1 queue q1 limit=2 \"bank\"\n", with: "")
      let look = Case.look(at: 8_000_000, still: true, [(1, .inSemaphore), (2, .inSemaphore)])
      return Diagnosis(of: try DoctorCase.trace(code + outside + look, end: 9_000_000)).findings
    }
    #expect(try found("10 t1 outside timed watched=12 \"\"\n").map(\.code) == ["never-signalled"])
    #expect(try found("7999999 t1 outside timed watched=12 \"\"\n").isEmpty)
  }
}
