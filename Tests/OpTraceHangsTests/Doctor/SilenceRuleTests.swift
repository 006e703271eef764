@testable import OpTraceKernel
@testable import OpTraceDoctor
@testable import OpTraceHangs
import OpTraceAnalysis
import OpTraceModel
import Testing

@Suite("Doctor: findings that need silence, and findings that do not")
struct SilenceRuleTests {
  private func findings(_ lines: String, end: Int, isClosed: Bool = false) throws -> [Finding] {
    Diagnosis(of: try DoctorCase.trace(lines, isClosed: isClosed, end: end)).findings
  }

  private let queue = "0 t1 queue q1 limit=1 \"q\"\n"
  private let upload = DoctorCase.operation(
    1, "upload", "10 t1 enqueued #1 queue=q1", "11 t1 ready #1", "20 t2 started #1", "21 t2 began #1",
    "22 t2 ended #1", "23 t2 start-returned #1")
  private let report = DoctorCase.operation(2, "report", "12 t1 enqueued #2 queue=q1", "12 t1 ready #2")

  @Test func neverFinishedNeedsSilenceAndOthersBehind() throws {
    let found = try findings(queue + upload + report, end: 6_000_000)
    #expect(found.map(\.code) == ["never-finished"])
    // No snapshot shows what the threads do.
    #expect(found.first?.severity == .warning && found.first?.certainty == .likely)
    #expect(Diagnosis.verdict(found) == .suspected)
    #expect(found.first?.title == "'upload' (#1) was started but has not finished for 6 s")
    #expect(found.first?.behind == 1)
    // Four seconds are not enough; and with nothing behind it there is no fault.
    #expect(try findings(queue + upload + report, end: 4_000_000).map(\.severity) == [.note])
    #expect(try findings(queue + upload, end: 60_000_000).map(\.title) == ["'upload' (#1) is still running"])
    // A waiting thread counts as behind it.
    #expect(try findings(queue + upload + "30 t1 wait-queue q1\n", end: 6_000_000).map(\.severity) == [.warning])
  }

  @Test("a stall that record --stall-timeout saw needs no threshold, unless something has moved since")
  func endedAsStalled() throws {
    func severities(_ more: String = "") throws -> [Finding.Severity] {
      let trace = try DoctorCase.trace(queue + upload + report + more, end: 400_000, header: "stalled 500000000\n")
      let diagnosis = Diagnosis(of: trace)
      if more.isEmpty { #expect(diagnosis.silence == 499_977_000) }
      return diagnosis.findings.map(\.severity)
    }
    #expect(try severities() == [.warning])
    #expect(try severities("600000 t3 mark #0 \"cleanup\"\n700000 t3 wait-queue q1\n") == [.note])
  }

  @Test("submissions to a queue that starts nothing do not end the silence")
  func submissionsAreNoMoves() throws {
    func found(_ last: String) throws -> [Finding] {
      let later = (1...5).map { number in
        DoctorCase.operation(
          2 + number, "tick", "\(number)000000 t1 enqueued #\(2 + number) queue=q1",
          "\(number)000000 t1 ready #\(2 + number)")
      }
      return try findings(queue + upload + report + later.joined() + last, end: 6_500_000)
    }
    let stuck = try found("").filter { $0.code == "never-finished" }
    #expect(stuck.map(\.severity) == [.warning], "\(stuck)")
    // An operation that ran ends it.
    let moved = try found("5000100 t3 started #7\n5000200 t3 began #7\n5000300 t3 ended #7\n5000400 t3 finished #7\n")
    #expect(moved.allSatisfy { $0.severity != .warning }, "\(moved)")
  }

  @Test func executingOperationIsNotStuck() throws {
    let running = DoctorCase.operation(
      1, "upload", "10 t1 enqueued #1 queue=q1", "11 t1 ready #1", "20 t2 started #1", "21 t2 began #1")
    #expect(try findings(queue + running + report, end: 4_000_000).isEmpty)
    #expect(try findings(queue + running + report, end: 60_000_000).map(\.severity) == [.note])
  }

  @Test func forgottenNotificationIsProven() throws {
    let found = try findings(queue + upload + "30 t3 finish-seen #1\n", end: 600_000)
    #expect(found.map(\.code) == ["never-finished"])
    // Its class may be about to announce it.
    #expect(try findings(queue + upload + "30 t3 finish-seen #1\n", end: 300_000).map(\.severity) == [.warning])
    // A thread without a processor may be about to announce it, also when the program stops its recorder.
    let seen = queue + upload + "30 t3 finish-seen #1\n"
    let early = try findings(seen + "5000 t1 mark #0 \"end\"\n", end: 5500, isClosed: true)
    #expect(early.allSatisfy { $0.severity == .note }, "\(early)")
    #expect(try findings(seen, end: 600_000, isClosed: true).map(\.severity) == [.error])
    #expect(found.first?.severity == .error)
    #expect(found.first?.title == "'upload' (#1) is finished but never notified its queue")
    #expect(try findings(queue + upload + "30 t3 finish-seen #1\n31 t3 finished #1\n", end: 500_000).isEmpty)
  }

  @Test func semaphoreThatNobodySignalsIsReported() throws {
    let waiting =
      DoctorCase.operation(
        1, "fetch", "10 t1 enqueued #1 queue=q1", "11 t1 ready #1", "20 t2 started #1", "21 t2 began #1")
      + "10030 t3 blocked #1 object=0x7000 kind=1 age=625000 thread=t2\n"
    let found = try findings(queue + waiting + report, end: 8_000_000)
    #expect(found.map(\.code) == ["never-finished"])
    #expect(found.first?.title.hasPrefix("'fetch' (#1) has been waiting for semaphore 1 for ") == true)
  }

  @Test("an operation that sleeps or waits for a disk is not stuck", arguments: ["sleep", "disk"])
  func sleepingOperationIsNotStuck(_ kind: String) throws {
    let sleeping =
      DoctorCase.operation(
        1, "fetch", "10 t1 enqueued #1 queue=q1", "11 t1 ready #1", "20 t2 started #1", "21 t2 began #1")
      + "10030 t3 blocked #1 object=0x1 kind=\(kind) age=625000 thread=t2\n"
    let trace = try DoctorCase.trace(queue + sleeping + report, end: 60_000_000)
    let found = Diagnosis(of: trace).findings
    #expect(found.allSatisfy { $0.severity == .note && $0.certainty != .proven }, "\(found)")
    #expect(found.map(\.title) == ["'fetch' (#1) is still running"])
    let status = ThreadStatuses(of: trace).threads.first { $0.id.rawValue == 2 }
    #expect(status?.state == .sleeping && status?.waitsFor?.kind == (kind == "sleep" ? .time : .input))
  }

  @Test func operationsThatSleptWereNotBlocked() throws {
    func slept(_ kind: String) throws -> [DoctorCode] {
      try findings(
        queue
          + DoctorCase.operation(
            1, "fetch", "10 t1 enqueued #1 queue=q1", "11 t1 ready #1", "20 t2 started #1", "21 t2 began #1",
            "90000 t2 blocked #1 object=0x1 kind=\(kind) age=5000000", "90001 t2 unblocked #1 object=0x1 kind=\(kind)",
            "90010 t2 ended #1", "90011 t2 finished #1"), end: 100_000
      ).map(\.code)
    }
    #expect(try slept("sleep").isEmpty && slept("disk").isEmpty)
    #expect(try slept("semaphore") == ["blocking-wait"])
  }

  @Test func cancelledAndNeverFinished() throws {
    let cancelled = DoctorCase.operation(
      1, "upload", "10 t1 enqueued #1 queue=q1", "11 t1 cancel #1", "12 t1 ready #1", "20 t2 started #1",
      "23 t2 start-returned #1")
    let found = try findings(queue + cancelled, end: 500_000)
    #expect(found.map(\.code) == ["cancelled-never-finished"])
    #expect(found.first?.severity == .error)
    // One that began may still finish.
    #expect(
      try findings(queue + upload + "30 t1 cancel #1\n" + report, end: 500_000).allSatisfy { $0.severity == .note })
    #expect(
      try findings(queue + upload + "30 t1 cancel #1\n" + report, end: 6_000_000).map(\.code)
        == ["cancelled-never-finished"])
  }

  @Test func neverReady() throws {
    let waiting = DoctorCase.operation(1, "sync", "10 t1 enqueued #1 queue=q1")
    let found = try findings(queue + waiting, end: 1_500_000)
    #expect(found.map(\.code) == ["readiness-override"])
    #expect(try findings(queue + waiting, end: 500_000, isClosed: true).map(\.severity) == [.error])
    #expect(try findings(queue + waiting, end: 500_000).isEmpty)
    #expect(found.first?.title == "'sync' (#1) could run but never became ready")
    #expect(try findings(queue + waiting, end: 20).allSatisfy { $0.severity != .error })
    #expect(try findings(queue + waiting + "30 t1 ready #1\n", end: 500_000).isEmpty)
  }

  @Test("no error: what is not ready may become so while a thread sleeps for a time, or became so in lost records")
  func neverReadyWithDoors() throws {
    let waiting = DoctorCase.operation(1, "sync", "10 t1 enqueued #1 queue=q1")
    let lines = LockCase.code + waiting
    let doors = LockCase.look(at: 1_400_000, [(1, .sleepingForATime), (2, .idle)])
    func found(_ lines: String, end: Int, isClosed: Bool = false, header: String = "") throws -> [Finding] {
      Diagnosis(of: try DoctorCase.trace(lines, isClosed: isClosed, end: end, header: header)).findings
        .filter { $0.code == "readiness-override" }
    }
    #expect(try found(lines, end: 2_500_000).map(\.severity) == [.error])
    #expect(try found(lines + doors, end: 2_500_000).map(\.severity) == [.note])
    #expect(try found(lines + doors, end: 9_000_000).map(\.severity) == [.note])
    // Nobody is left where the program has ended.
    #expect(try found(lines + doors, end: 2_500_000, isClosed: true).map(\.severity) == [.error])
    #expect(try found(lines, end: 2_500_000, header: "lost no-space 3\n").isEmpty)
  }

  @Test("no error: a queue that is paused for a moment may be resumed while a thread sleeps for a time")
  func pausedWithDoors() throws {
    let lines =
      LockCase.code + "5 t1 suspended q1\n"
      + DoctorCase.operation(1, "sync", "10 t1 enqueued #1 queue=q1", "11 t1 ready #1")
    let doors = LockCase.look(at: 1_400_000, [(1, .sleepingForATime), (2, .idle)])
    func found(_ lines: String, end: Int) throws -> [Finding.Severity] {
      Diagnosis(of: try DoctorCase.trace(lines, end: end)).findings.filter { $0.code == "queue-suspended" }.map(
        \.severity)
    }
    #expect(try found(lines, end: 2_500_000) == [.error])
    #expect(try found(lines + doors, end: 2_500_000) == [.note])
    #expect(try found(lines + doors, end: 9_000_000) == [.note])
  }

  @Test("a barrier that never ran because the program ended is no finding")
  func barrierThatNeverRan() throws {
    let waiting = DoctorCase.operation(1, "Barrier", "10 t1 enqueued #1 queue=q1 barrier")
    #expect(try findings(queue + waiting, end: 500_000, isClosed: true).allSatisfy { $0.severity != .error })
  }

  @Test func removedDependency() throws {
    let lines =
      queue
      + DoctorCase.operation(
        1, "login", "10 t1 enqueued #1 queue=q1", "11 t1 ready #1", "20 t2 started #1", "21 t2 began #1",
        "100 t2 ended #1", "101 t2 finished #1", "102 t2 start-returned #1")
      + DoctorCase.operation(
        2, "upload", "12 t1 depends #2 on=#1", "12 t1 enqueued #2 queue=q1", "30 t1 undepends #2 on=#1")
    let found = try findings(lines, end: 500_000)
    #expect(found.map(\.code) == ["removed-dependency-stuck"])
    #expect(found.first?.title == "'upload' (#2) waits for a dependency that was removed")
    #expect(try findings(lines + "110 t2 ready #2\n", end: 500_000).isEmpty)
  }

  private func blocked(_ id: Int, on other: Int, at time: Int) -> String {
    DoctorCase.operation(
      id, "outer \(id)", "10 t1 enqueued #\(id) queue=q1", "11 t1 ready #\(id)", "\(time) t\(id + 1) started #\(id)",
      "\(time + 1) t\(id + 1) began #\(id)", "\(time + 10) t\(id + 1) wait #\(other)")
  }

  @Test func poolWithoutAFreeThreadIsStarvation() throws {
    let lines =
      "0 t1 queue q1 limit=-1 \"q\"\n" + blocked(1, on: 3, at: 20) + blocked(2, on: 3, at: 30)
      + DoctorCase.operation(3, "inner", "40 t6 enqueued #3 queue=q1", "40 t6 ready #3")
    let found = try findings(lines, end: 6_000_000)
    #expect(found.map(\.code) == ["thread-pool-starvation"])
    #expect(found.first?.severity == .error)
    #expect(try findings(lines, end: 4_000_000).isEmpty)
  }

  @Test func poolThatGrowsOnceASecondIsAWarning() throws {
    func ended(_ id: Int, _ time: Int) -> String {
      "\(time) t\(id + 1) waited #5\n\(time + 1) t\(id + 1) ended #\(id)\n\(time + 2) t\(id + 1) finished #\(id)\n"
        + "\(time + 3) t\(id + 1) start-returned #\(id)\n"
    }
    let lines =
      "0 t1 queue q1 limit=-1 \"q\"\n" + blocked(1, on: 5, at: 20) + blocked(2, on: 5, at: 30)
      + blocked(3, on: 5, at: 1_000_050) + blocked(4, on: 5, at: 2_000_070)
      + DoctorCase.operation(
        5, "inner", "40 t2 enqueued #5 queue=q1", "40 t2 ready #5", "3000090 t6 started #5", "3000091 t6 began #5",
        "3000095 t6 ended #5", "3000096 t6 finished #5", "3000097 t6 start-returned #5")
      + (1...4).map { ended($0, 3_000_100) }.joined()
    // A run of 300 days gives the same result, and takes no longer to analyse.
    let day = 86_400_000_000
    let later = DoctorCase.operation(
      6, "later", "\(300 * day) t1 enqueued #6 queue=q1", "\(300 * day) t1 ready #6",
      "\(300 * day + 1) t1 started #6", "\(300 * day + 2) t1 began #6", "\(300 * day + 3) t1 ended #6",
      "\(300 * day + 4) t1 finished #6", "\(300 * day + 5) t1 start-returned #6")
    for (lines, end) in [(lines, 3_100_000), (lines + later, 300 * day + 10)] {
      let found = try findings(lines, end: end, isClosed: true).filter { $0.code == "thread-pool-starvation" }
      #expect(found.map(\.severity) == [.warning])
      #expect(found.first?.title == "3 operations waited for a thread, about 1 s each")
    }
  }
}

@Suite("Doctor: evidence of starvation")
struct PoolEvidenceTests {
  private func codes(_ wait: String) throws -> [Finding.Severity] {
    let lines =
      "0 t1 queue q1 limit=-1 \"q\"\n0 t1 queue q2 limit=-1 \"other\"\n"
      + DoctorCase.operation(
        1, "first", "10 t1 enqueued #1 queue=q1", "11 t1 ready #1", "20 t2 started #1", "21 t2 began #1", wait)
      + DoctorCase.operation(2, "second", "12 t1 enqueued #2 queue=q2", "13 t1 ready #2")
    return Diagnosis(of: try DoctorCase.trace(lines, end: 7_000_000)).findings
      .filter { $0.code == "thread-pool-starvation" }.map(\.severity)
  }

  @Test func oneBlockedThreadIsNoProof() throws {
    #expect(try codes("10030 t3 blocked #1 object=0x7000 kind=1 age=625000 thread=t2") == [.warning])
  }

  @Test func waitForAnOperationWithoutAThreadIsProof() throws { #expect(try codes("30 t2 wait #2") == [.error]) }

  @Test("if no operation holds a thread, the finding does not blame the pool") func nobodyHoldsAThread() throws {
    let lines =
      "0 t1 queue q1 limit=-1 \"q\"\n"
      + DoctorCase.operation(1, "first", "10 t1 enqueued #1 queue=q1", "11 t1 ready #1")
    let found = try #require(Diagnosis(of: try DoctorCase.trace(lines, end: 7_000_000)).findings.first)
    #expect(found.code == "thread-pool-starvation" && found.severity == .warning)
    #expect(found.title == "1 operation is ready, but nothing starts it")
    #expect(found.explanation.hasSuffix("No operation holds a thread."))
    #expect(found.ending.isEmpty)
  }

  /// Operation 2 depends on 1, and becomes ready `delay` microseconds after it was enqueued.
  private func lost(
    after delay: Int, thread: String = "t2", queue: String = "limit=1", rest: String = ""
  ) throws -> [Finding] {
    let lines =
      LockCase.code + "0 t1 queue q2 \(queue) \"other\"\n"
      + DoctorCase.operation(
        1, "first", "10 t1 enqueued #1 queue=q1", "11 t1 ready #1", "20 t2 started #1", "21 t2 began #1",
        "22 t2 ended #1", "22 t2 finished #1", "23 t2 start-returned #1")
      + DoctorCase.operation(
        2, "second", "12 t1 depends #2 on=#1", "13 t1 enqueued #2 queue=q2", "\(13 + delay) \(thread) ready #2")
      + rest
    return Diagnosis(of: try DoctorCase.trace(lines, end: 7_000_000)).findings
  }

  @Test("an operation that became ready while another thread added it has lost its start") func lostStart() throws {
    let found = try #require(try lost(after: 60).first)
    #expect(found.code == "thread-pool-starvation" && found.severity == .warning)
    #expect(found.title == "1 operation is ready, but Foundation lost its start")
    #expect(found.ending == "Only another change of its queue ends it.")
  }

  @Test("a lost start is the cause of other findings, and an error if no thread can start it")
  func onlyLostStart() throws {
    let asynchronous = DoctorCase.operation(
      3, "third", "14 t1 enqueued #3 queue=q1", "15 t1 ready #3", "30 t3 started #3", "31 t3 began #3",
      "32 t3 ended #3", "32 t3 start-returned #3")
    let look = LockCase.look(at: 2_000_000, [(1, .inSemaphore), (2, .idle), (3, .idle)])
    for (rest, severity) in [("", Finding.Severity.warning), (look, .error)] {
      let found = try lost(after: 60, rest: asynchronous + rest).filter { $0.severity != .note }
      #expect(found.map(\.code) == ["thread-pool-starvation"] && found.map(\.severity) == [severity])
      #expect(found.first?.isFirstCause == true && found.first?.consequences.map(\.code) == ["never-finished"])
    }
  }

  @Test(
    "no start is lost if it became ready on the adding thread, or long afterwards",
    arguments: [(60, "t1"), (60_000, "t2")])
  func startedByNobody(_ delay: Int, _ thread: String) throws {
    #expect(try lost(after: delay, thread: thread).first?.title == "1 operation is ready, but nothing starts it")
  }

  @Test("no start is lost if another operation holds a thread, or in the main queue") func otherReasons() throws {
    let holder = DoctorCase.operation(
      3, "third", "14 t1 enqueued #3 queue=q1", "15 t1 ready #3", "30 t3 started #3", "31 t3 began #3")
    let titles = try [lost(after: 60, rest: holder), lost(after: 60, queue: "limit=1 main")]
      .flatMap { $0.filter { $0.code == "thread-pool-starvation" }.map(\.title) }
    #expect(titles == ["1 operation is ready, but no thread of the pool is free"])
  }
}

@Suite("Doctor: a signal that wakes another waiter") struct WokenInsteadTests {
  /// Threads 2 and 3 wait for one condition; a signal wakes the second, which waits again.
  private static func lines(kind: String = "condition", again: Bool = true) -> String {
    """
    40 t2 blocked #0 object=0x7000 kind=\(kind)
    40 t2 at f2
    41 t3 blocked #0 object=0x7000 kind=\(kind)
    1060 t3 unblocked #0 object=0x7000 kind=\(kind)
    1060 t3 signalled #0 object=0x7000 kind=\(kind) age=1 thread=t1
    \(again ? "1070 t3 blocked #0 object=0x7000 kind=\(kind)\n1070 t3 at f3" : "")

    """
  }

  private static func title(_ lines: String, third: LockCase.Doing = .inSemaphore) throws -> String? {
    let threads: [(Int, LockCase.Doing)] = [(1, .inSemaphore), (2, .inSemaphore), (3, third)]
    let text = LockCase.code + lines + LockCase.look(at: 1_100_000, still: true, threads)
    return Diagnosis(of: try DoctorCase.trace(text, end: 9_000_000)).findings.first?.title
  }

  @Test("who was not woken is named, and who was") func told() throws {
    let found = try Self.title(Self.lines())
    #expect(
      found
        == "thread 102 'worker' waits for condition 1, whose signal woke thread 103 'worker' instead, in step2() at main.swift:20"
    )
  }

  @Test("not if the one that was woken does not wait again, or for a semaphore") func lookalikes() throws {
    #expect(try Self.title(Self.lines(again: false), third: .idle)?.contains("instead") == false)
    #expect(try Self.title(Self.lines(kind: "semaphore"))?.contains("instead") == false)
  }
}

@Suite("Doctor: a reader that reads again") struct ReadAgainTests {
  @Test("is told as a reader-writer lock, and is none while somebody is left") func told() throws {
    let readers = LockCase.Doing.seen("state=2 call=202 reason=5 lock=0x7000")
    func diagnosis(_ more: [(Int, LockCase.Doing)]) throws -> Diagnosis {
      let text = LockCase.code + LockCase.look(at: 1_100_000, still: true, [(1, readers), (2, readers)] + more)
      return Diagnosis(of: try DoctorCase.trace(text, end: 9_000_000))
    }
    let found = try diagnosis([])
    #expect(found.verdict == .stalled)
    #expect(
      found.findings.first?.title
        == "the main thread waits for a reader-writer lock, and nothing is left to unlock it (and 1 more), in step1() at main.swift:10"
    )
    #expect(found.findings.first?.ending == "Only unlocking ends it.")
    #expect(try diagnosis([(3, .sleepingForATime)]).findings.isEmpty)
  }
}
