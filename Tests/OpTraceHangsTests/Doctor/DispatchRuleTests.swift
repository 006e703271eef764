import OpTraceAnalysis
import OpTraceModel
import Testing

@Suite("Doctor: blocks of dispatch queues, and tasks")
struct DispatchRuleTests {
  private typealias Case = LockCase

  private static let queues = """
    0 t0 dispatch-queue d1 width=1 "accounts"
    0 t0 dispatch-queue d2 width=1 "journal"
    0 t0 dispatch-queue d3 width=1 main "com.apple.main-thread"
    0 t0 dispatch-queue d4 width=0 target=d1 "above"

    """

  private func diagnosis(_ lines: String, end: Int = 9_000_000, header: String = "") throws -> Diagnosis {
    Diagnosis(of: try DoctorCase.trace(Case.code + Self.queues + lines, end: end, header: header))
  }

  private func isHealthy(_ lines: String) throws -> Bool {
    let diagnosis = try diagnosis(lines)
    return !diagnosis.hasErrors && diagnosis.verdict != .stalled
  }

  /// Two blocks that run, each on a thread.
  private let two = """
    20 t1 submitted #1 queue=d1 code=f1
    21 t1 submitted #2 queue=d2 code=f2
    30 t2 run #1
    31 t3 run #2
    40 t2 submitted #3 by=#1 queue=d2 how=4 at=f2

    """

  @Test func queuesThatSyncOnEachOtherAreADeadlock() throws {
    let diagnosis = try diagnosis(two + "50 t3 submitted #4 by=#2 queue=d1 how=4 at=f3\n")
    #expect(diagnosis.findings.map(\.code) == ["dispatch-cycle"])
    #expect(diagnosis.verdict == .deadlocked)
    let finding = try #require(diagnosis.findings.first)
    #expect(finding.severity == .error && finding.isProven && finding.cycle.isEmpty)
    #expect(finding.chain.map(\.kind) == [.block, .block, .queue, .block, .block, .queue] || finding.chain.count == 6)
    #expect(finding.chain.contains { $0.kind == .queue && $0.name == "journal" && $0.id == 2 })
    #expect(
      finding.evidence.map(\.text).contains(
        "block 'step1()' (#1) calls sync on dispatch queue 'journal', and waits until block 'sync in step2()' (#3) is over, "
          + "in step2() at main.swift:20"))
  }

  /// A closure whose last call is `sync` leaves no frame: f9 is libdispatch's.
  @Test func syncAsTheLastCallIsLocatedInTheBlocksFunction() throws {
    let diagnosis = try diagnosis(two + "50 t3 submitted #4 by=#2 queue=d1 how=4 at=f9\n")
    let finding = try #require(diagnosis.findings.first)
    #expect(finding.code == "dispatch-cycle")
    #expect(
      finding.evidence.map(\.text).contains(
        "block 'step2()' (#2) calls sync on dispatch queue 'accounts', and waits until block 'sync in step2()' (#4) is over, "
          + "in step2() at main.swift:20"), "\(finding.evidence.map(\.text))")
  }

  /// The block that holds the lock calls `sync`; the advice must not tell the waiter to unlock it.
  @Test func adviceNamesTheHolderOfTheLock() throws {
    let diagnosis = try diagnosis(
      """
      20 t1 submitted #1 queue=d1 code=f1
      21 t1 submitted #2 queue=d2 code=f2
      30 t2 run #1
      31 t3 run #2
      40 t2 submitted #3 by=#1 queue=d2 how=4 at=f2

      """ + LockCase.look([(2, .inSemaphore), (3, .inLock(1, of: 2))]))
    let finding = try #require(diagnosis.findings.first { $0.code == "lock-cycle" }, "\(diagnosis.findings)")
    #expect(
      finding.fix
        == "Do not wait while holding a lock: unlock it before block 'step1()' (#1) waits, in step2() at main.swift:20."
    )
  }

  @Test func waitForAQueueThatMovesIsHealthy() throws {
    #expect(try isHealthy(two))
    // Block #1 is in no serial queue.
    #expect(try isHealthy(two.replacing("queue=d1 code", with: "code") + "50 t3 submitted #4 by=#2 queue=d1 how=4\n"))
    // The block of the `sync` has begun.
    #expect(try isHealthy(two + "50 t3 submitted #4 by=#2 queue=d1 how=4\n60 t2 run #3\n"))
  }

  @Test func cycleThroughATargetQueueIsFound() throws {
    let lines = """
      20 t1 submitted #1 queue=d4 code=f1
      30 t2 run #1
      40 t2 submitted #2 by=#1 queue=d1 how=4 at=f2

      """
    let diagnosis = try diagnosis(lines)
    #expect(diagnosis.findings.map(\.code) == ["dispatch-cycle"])
    #expect(
      diagnosis.findings.first?.title
        == "work in dispatch queue 'accounts' waits for dispatch queue 'accounts' itself")
  }

  @Test func cycleThroughAnOperationIsFound() throws {
    let lines =
      Case.executing(1, "reader", on: 3) + """
        40 t1 submitted #2 queue=d1 code=f1
        41 t2 run #2
        50 t2 wait #1
        60 t3 submitted #3 by=#1 queue=d1 how=4 at=f3

        """
    let diagnosis = try diagnosis(lines)
    #expect(diagnosis.findings.map(\.code) == ["dispatch-cycle"])
    #expect(diagnosis.findings.first?.cycle.map(\.rawValue) == [1])
  }

  private func upload(_ lines: String) -> String {
    DoctorCase.operation(
      1, "upload", "11 t1 enqueued #1 queue=q1", "12 t1 ready #1", "20 t2 started #1", "21 t2 began #1"
    )
    .replacing("class=\"Work\"", with: "class=\"Work\" async") + lines
  }

  private let nobodyElse = LockCase.look([(1, .inSemaphore), (2, .inSemaphore)])

  @Test func operationThatNeedsAMainQueueBlockBlocksTheMainThread() throws {
    let lines = upload("22 t2 submitted #2 by=#1 queue=d3 code=f4 at=f3\n23 t2 start-returned #1\n30 t1 wait #1\n")
    let proven = try diagnosis(lines + nobodyElse)
    #expect(proven.findings.map(\.code) == ["main-thread-deadlock"] && proven.hasErrors)
    #expect(
      proven.findings.first?.title
        == "the main thread waits for 'upload' (#1), which needs block 'step4()' (#2) of the main queue")
    #expect(proven.findings.first?.chain.map(\.kind) == [.operation, .block, .thread])
    // Another thread may finish it.
    let open = try diagnosis(lines + Case.look([(1, .inSemaphore), (2, .polling)]))
    #expect(open.findings.map(\.code) == ["main-thread-deadlock"] && !open.hasErrors)
  }

  @Test func operationWhoseSubmissionsAreAllOverNeverFinishes() throws {
    let lines = upload(
      """
      22 t2 submitted #2 by=#1 queue=d1 code=f4 at=f3
      23 t2 start-returned #1
      30 t3 run #2
      31 t3 submitted #3 by=#2 queue=d2 code=f5
      32 t3 ran #2
      40 t4 run #3
      41 t4 ran #3

      """)
    let proven = try diagnosis(lines + nobodyElse)
    #expect(proven.findings.map(\.code) == ["never-finished"] && proven.verdict == .stalled)
    #expect(
      proven.findings.first?.title
        == "'upload' (#1) was started, all 2 blocks and tasks it submitted are over, and nothing has finished it")
    #expect(try !diagnosis(lines + Case.look([(1, .polling), (2, .inSemaphore)])).hasErrors)
    // One of them has not run yet.
    #expect(try !diagnosis(lines.replacing("40 t4 run #3\n41 t4 ran #3\n", with: "") + nobodyElse).hasErrors)
  }

  @Test func operationBehindItsBlockedSubmissionIsInTheSameFinding() throws {
    let lines =
      Case.executing(1, "upload", on: 2) + """
        40 t2 submitted #2 by=#1 queue=d1 code=f4 at=f3
        50 t3 run #2
        2000050 t6 blocked #1 object=0x10 kind=semaphore age=0 thread=t2

        """
    let diagnosis = try diagnosis(
      lines + Case.look(at: 2_100_000, [(1, .polling), (2, .inSemaphore), (3, .inLock(1, of: 3))]))
    #expect(diagnosis.findings.map(\.code) == ["lock-cycle"])
    #expect(diagnosis.findings.first?.title == "block 'step4()' (#2) waits for a mutex that it holds itself")
    #expect(diagnosis.findings.first?.operations.map(\.rawValue) == [1])
    #expect(
      diagnosis.findings.first?.evidence.contains {
        $0.text.hasPrefix("'upload' (#1) waits for semaphore 1")
          && $0.text.hasSuffix(
            "; of the work it submitted only block 'step4()' (#2) of dispatch queue 'accounts' is unfinished")
      } == true, "\(diagnosis.findings)")
  }

  @Test func blockThatOutlivesItsOperationIsAPrematureFinish() throws {
    func lines(_ dependent: String) -> String {
      upload(
        """
        22 t2 submitted #2 by=#1 queue=d1 code=f4
        23 t2 submitted #3 by=#1 queue=d2 code=f5
        24 t2 start-returned #1
        30 t3 run #2
        31 t4 run #3
        40 t4 finished #1
        41 t4 ran #3
        300000 t3 ran #2

        """)
        + DoctorCase.operation(
          4, "show", "13 t1 depends #4 on=#1", "14 t1 enqueued #4 queue=q1", "45 t2 ready #4",
          "\(dependent) t2 started #4",
          "\(dependent)1 t2 began #4", "950000 t2 ended #4", "950001 t2 finished #4")
    }
    let early = try diagnosis(lines("50").replacing("300000 t3", with: "30000 t3"))
    // Block #3 finished it; #2 may have contributed, and its thread may just have waited for a processor.
    #expect(early.findings.map(\.code) == ["premature-finish"] && early.findings.first?.severity == .note)
    let long = try diagnosis(lines("50"))
    #expect(long.findings.map(\.code) == ["premature-finish"] && long.findings.first?.severity == .warning)
    let goesOn = "60 t3 submitted #5 by=#2 queue=d1 code=f4\n61 t5 run #5\n62 t5 ran #5\n30000 t3 ran #2"
    let active = try diagnosis(lines("50").replacing("300000 t3 ran #2", with: goesOn))
    #expect(active.findings.map(\.code) == ["premature-finish"] && active.findings.first?.severity == .warning)
    let waits =
      "20000 t3 blocked #2 object=0x10 kind=sleep age=312500\n20001 t3 unblocked #2 object=0x10 kind=sleep\n30000 t3 ran #2"
    let sleeps = try diagnosis(lines("50").replacing("300000 t3 ran #2", with: waits))
    #expect(sleeps.findings.map(\.code) == ["premature-finish"] && sleeps.findings.first?.severity == .warning)
    let slept = waits.replacing("age=312500", with: "age=1247812")
    let before = try diagnosis(lines("50").replacing("300000 t3 ran #2", with: slept))
    #expect(before.findings.map(\.code) == ["premature-finish"] && before.findings.first?.severity == .note)
    // An operation that it added finished it; block #2 may have contributed.
    let added =
      "23 t2 created #6 class=\"Work\"\n23 t2 enqueued #6 queue=q1\n23 t2 ready #6\n24 t2 start-returned #1\n"
      + "31 t5 started #6\n32 t5 began #6\n40 t5 finished #1\n41 t5 ended #6\n42 t5 finished #6\n"
    let inside = try diagnosis(
      lines("50").replacing("300000 t3", with: "30000 t3").replacing("24 t2 start-returned #1\n", with: added)
        .replacing("40 t4 finished #1\n", with: ""))
    #expect(inside.findings.map(\.code) == ["premature-finish"] && inside.findings.first?.severity == .note)
    // Nothing that it submitted finished it: main() returned.
    let returned = try diagnosis(
      lines("50").replacing("300000 t3", with: "30000 t3").replacing("24 t2 start-returned #1\n", with: "").replacing(
        "40 t4 finished #1\n", with: "40 t2 finished #1\n"))
    #expect(returned.findings.map(\.code) == ["premature-finish"] && returned.findings.first?.severity == .warning)
    #expect(early.findings.first?.evidence.contains { $0.text.hasPrefix("block 'step4()' (#2) of 'upload'") } == true)
    // Nothing relied on the finish.
    let late = try diagnosis(lines("92000")).findings
    #expect(late.map(\.code) == ["premature-finish"] && late.first?.severity == .note)
  }

  /// On a busy machine, work returns late from the call that finished the operation.
  @Test func workThatCausedTheFinishMayReturnAfterIt() throws {
    func lines(_ after: String) -> String {
      upload(
        """
        22 t2 task #2 by=#1 priority=21 enqueued code=f4
        23 t2 task #3 by=#1 priority=21 enqueued code=f5
        24 t2 start-returned #1
        30 t3 task-run #2
        31 t3 task-suspended #2 reason=2
        32 t4 task-run #3
        33 t4 task-enqueued #2 by=#3
        34 t3 task-run #2
        35 t3 submitted #5 by=#2 queue=d1 code=f4
        36 t5 run #5
        40 t5 finished #1
        41 t5 ran #5
        90000 t3 task-completed #2
        \(after)
        90000 t4 task-completed #3

        """)
        + DoctorCase.operation(
          4, "show", "13 t1 depends #4 on=#1", "14 t1 enqueued #4 queue=q1", "45 t2 ready #4", "50 t2 started #4",
          "51 t2 began #4", "950000 t2 ended #4", "950001 t2 finished #4")
    }
    #expect(try diagnosis(lines("")).findings.isEmpty)
    let anew = try diagnosis(lines("60 t4 task-suspended #3 reason=5\n61 t4 task-enqueued #3\n70 t4 task-run #3"))
    #expect(anew.findings.map(\.code) == ["premature-finish"])
  }

  /// An executor that is a queue runs each turn of a task in a block, which lasts as long as that turn.
  @Test func blockThatRanATaskMayReturnAfterTheFinish() throws {
    let lines =
      upload(
        """
        22 t2 task #2 by=#1 priority=21 enqueued code=f4
        23 t2 submitted #3 by=#1 queue=d1 code=f5
        24 t2 start-returned #1
        30 t4 run #3
        31 t4 task-run #2
        33 t4 submitted #5 by=#2 queue=d1 code=f4
        34 t4 task-completed #2
        36 t5 run #5
        40 t5 finished #1
        41 t5 ran #5
        90000 t4 ran #3

        """)
      + DoctorCase.operation(
        4, "show", "13 t1 depends #4 on=#1", "14 t1 enqueued #4 queue=q1", "45 t2 ready #4", "50 t2 started #4",
        "51 t2 began #4", "950000 t2 ended #4", "950001 t2 finished #4")
    #expect(try diagnosis(lines).findings.isEmpty)
  }

  /// The end of a task is recorded only when its thread starts something else, so a task may seem to go on after its
  /// end.
  @Test func taskThatReturnsLateDidNothingAfterTheFinish() throws {
    func lines(_ after: String = "", carrier: Bool = false) -> String {
      upload(
        """
        22 t2 task #2 by=#1 priority=21 enqueued code=f4
        \(carrier ? "22 t2 submitted #6 by=#1 queue=d2 code=f5" : "")
        23 t2 submitted #3 by=#1 queue=d1 code=f5
        24 t2 start-returned #1
        \(carrier ? "29 t3 run #6" : "")
        30 t3 task-run #2
        31 t4 run #3
        40 t4 finished #1
        41 t4 ran #3
        \(after)
        90000 t3 task-completed #2
        \(carrier ? "90001 t3 ran #6" : "")

        """)
        + DoctorCase.operation(
          4, "show", "13 t1 depends #4 on=#1", "14 t1 enqueued #4 queue=q1", "45 t2 ready #4", "50 t2 started #4",
          "51 t2 began #4", "950000 t2 ended #4", "950001 t2 finished #4")
    }
    // The task may have decremented a counter before the block brought it to zero.
    #expect(try diagnosis(lines()).findings.isEmpty)
    #expect(try diagnosis(lines(carrier: true)).findings.isEmpty)
    for goesOn in [
      "60 t3 task-suspended #2 reason=5\n61 t4 task-enqueued #2\n70 t3 task-run #2",
      "60 t3 submitted #5 by=#2 queue=d1 code=f4\n61 t4 run #5\n62 t4 ran #5",
      "60 t3 task #5 by=#2 priority=21 enqueued code=f4\n61 t5 task-run #5\n62 t5 task-completed #5",
    ] {
      let found = try diagnosis(lines(goesOn)).findings
      #expect(found.map(\.code) == ["premature-finish"] && found.first?.severity == .warning, "\(goesOn): \(found)")
    }
  }

  /// Without `submitted … by`, only the task that it resumes shows that the first task goes on.
  @Test func taskThatResumesAnotherAfterTheFinishGoesOn() throws {
    let found = try diagnosis(
      upload(
        """
        22 t2 task #2 by=#1 priority=21 enqueued code=f4
        23 t2 submitted #3 by=#1 queue=d1 code=f5
        24 t2 start-returned #1
        25 t1 task #5 priority=21 enqueued code=f4
        26 t5 task-run #5
        27 t5 task-suspended #5 reason=2
        30 t3 task-run #2
        31 t4 run #3
        40 t4 finished #1
        41 t4 ran #3
        60 t3 task-enqueued #5 by=#2
        61 t5 task-run #5
        62 t5 task-completed #5
        90000 t3 task-completed #2

        """)
    ).findings
    #expect(found.map(\.code) == ["premature-finish"] && found.first?.severity == .note, "\(found)")
  }

  // MARK: - Tasks

  private let parked = """
    20 t1 task #1 priority=21 enqueued code=f1 at=f2
    30 t2 task-run #1
    40 t2 task-suspended #1 reason=2
    40 t2 at f3

    """

  @Test func continuationThatNothingCanResumeIsReported() throws {
    let proven = try diagnosis(parked + nobodyElse)
    #expect(proven.findings.map(\.code) == ["continuation-never-resumed"] && proven.verdict == .stalled)
    #expect(
      proven.findings.first?.title
        == "task 'step1()' (#1) waits for a continuation that nobody resumes, in step3() at main.swift:30")
    // A connection may arrive.
    let open = try diagnosis(parked + Case.look([(1, .polling), (2, .inSemaphore)]))
    #expect(open.findings.allSatisfy { $0.severity == .note } && open.verdict == .healthy)
    // Submitted work may resume it.
    #expect(try !diagnosis(parked + "50 t1 submitted #2 queue=d1\n" + nobodyElse).hasErrors)
    #expect(try !diagnosis(parked + "50 t1 task #2 enqueued\n" + nobodyElse).hasErrors)
  }

  @Test func tasksThatBlockAllPoolThreadsAreStarvation() throws {
    let lines = """
      20 t1 task #1 priority=21 enqueued code=f1 at=f2
      21 t1 task #2 priority=21 enqueued code=f2 at=f2
      30 t2 task-run #1
      40 t2 blocked #1 object=0x10 kind=semaphore age=0 thread=t2

      """
    let starved = try diagnosis(lines + nobodyElse)
    #expect(starved.findings.map(\.code).contains("thread-pool-starvation"))
    #expect(
      starved.findings.first?.title
        == "1 task is ready, but 1 task blocks the threads of Swift's pool: task 'step1()' (#1) waits for semaphore 1, in "
        + "step2() at main.swift:20")
    // It sleeps, and then goes on.
    #expect(
      try diagnosis(lines.replacing("semaphore", with: "sleep") + nobodyElse).findings.allSatisfy {
        $0.severity == .note
      })
    // One of them computes.
    #expect(
      try diagnosis(lines + "41 t3 task #3 enqueued\n42 t3 task-run #3\n").findings.allSatisfy { $0.severity == .note })
  }

  @Test func loopThatSleepsInItsTurnsIsReported() throws {
    let turns = (1...12).map { turn in
      """
      \(turn * 30_000) t3 blocked #0 object=0x1 kind=sleep age=1250000
      \(turn * 30_000) t3 at f3
      \(turn * 30_000 + 1) t3 unblocked #0 object=0x1 kind=sleep
      \(turn * 30_000 + 2) t3 loop-turn t3 age=1251000

      """
    }
    let lines =
      "20 t1 task #1 priority=21 enqueued code=f1 at=f2\n30 t2 task-run #1\n" + turns.joined()
      + "390000 t6 loop-turns t3 turns=12 longest=20016 busy=240192 idle=119808\n"
    let found = try diagnosis(lines, end: 400_000).findings.filter { $0.code == "event-loop-blocked" }
    #expect(found.count == 1 && found.first?.location?.function == "step3()" && found.first?.location?.line == 30)
    #expect(
      found.first?.title.hasSuffix(" in 'step3()' (main.swift:30), which sleeps") == true, "\(found.map(\.title))")
  }

  @Test func sleepDoesNotWaitForWhatItsWorkSubmitted() throws {
    func stuck(_ kind: String) throws -> Diagnosis {
      try diagnosis(
        Case.executing(1, "upload", on: 2) + """
          40 t2 submitted #2 by=#1 queue=d1 code=f4 at=f3
          50 t3 run #2
          2000050 t6 blocked #1 object=0x1 kind=\(kind) age=0 thread=t2

          """ + Case.look(at: 2_100_000, [(1, .polling), (2, .inSemaphore), (3, .inLock(1, of: 3))]))
    }
    #expect(try stuck("semaphore").findings.first?.operations.map(\.rawValue) == [1])
    #expect(try stuck("sleep").findings.first?.operations.map(\.rawValue) == [])
  }

  @Test func barriersThatSyncOnEachOtherAreADeadlock() throws {
    let queues = "0 t0 dispatch-queue d5 width=0 \"cache.a\"\n0 t0 dispatch-queue d6 width=0 \"cache.b\"\n"
    func crossed(_ alone: String) -> String {
      queues + """
        20 t1 submitted #1 queue=d5 item \(alone) code=f1
        21 t1 submitted #2 queue=d6 item \(alone) code=f2
        30 t2 run #1
        31 t3 run #2
        40 t2 submitted #3 by=#1 queue=d6 how=4 at=f2
        50 t3 submitted #4 by=#2 queue=d5 how=4 at=f3

        """
    }
    let barriers = try diagnosis(crossed("alone"))
    #expect(barriers.findings.map(\.code) == ["dispatch-cycle"] && barriers.verdict == .deadlocked)
    #expect(
      barriers.findings.first?.title
        == "dispatch queue 'cache.b' and dispatch queue 'cache.a' wait for each other")
    // Without barriers a concurrent queue runs all of them at once.
    #expect(try isHealthy(crossed("")))
  }

  /// A `sync` inside a `sync`, with a barrier in between: the usual cache behind a concurrent queue.
  @Test func readerInsideAReaderBehindAWriterIsADeadlock() throws {
    func readers(writer: Int, way: String = "alone", inner: Int = 5) -> String {
      """
      0 t0 dispatch-queue d5 width=0 "cache"
      0 t0 dispatch-queue d6 width=0 "other"
      20 t1 submitted #1 queue=d5 how=4 code=f1
      21 t1 run #1
      40 t1 submitted #2 by=#1 queue=d\(inner) how=4 at=f2
      \(writer) t2 submitted #3 queue=d5 \(way) code=f3

      """
    }
    let stuck = try diagnosis(readers(writer: 30))
    #expect(stuck.findings.map(\.code) == ["dispatch-cycle"] && stuck.verdict == .deadlocked)
    #expect(stuck.findings.first?.title == "work in dispatch queue 'cache' waits for dispatch queue 'cache' itself")
    #expect(
      stuck.findings.first?.explanation
        == "In dispatch queue 'cache' a barrier waits until the work that runs is over, and what comes after the barrier waits "
        + "for it: the `sync` inside of that work, too. Neither can continue.")
    // The barrier is later: the reader's thread was interrupted before it entered the queue.
    #expect(try diagnosis(readers(writer: 41)).findings.map(\.code) == ["dispatch-cycle"])
    // No barrier; a reader of another queue; a barrier that came much later; and one that may be about to run.
    #expect(try isHealthy(readers(writer: 30, way: "")))
    #expect(try isHealthy(readers(writer: 30, inner: 6)))
    #expect(try isHealthy(readers(writer: 200_000)))
    #expect(try diagnosis(readers(writer: 30), end: 900_000).findings.isEmpty)
  }

  @Test func mainThreadThatWaitsForAMainActorTaskIsDeadlocked() throws {
    func lines(_ main: String) -> String {
      """
      20 t1 task #1 priority=25 enqueued code=f1 at=f2
      30 t2 task-run #1
      31 t2 task-suspended #1 reason=4
      32 t2 task-enqueued #1 \(main)
      10030 t3 blocked #0 object=0x10 kind=semaphore age=0 thread=t1

      """ + nobodyElse
    }
    let stuck = try diagnosis(lines("main"))
    #expect(stuck.findings.map(\.code) == ["main-thread-deadlock"] && stuck.verdict == .deadlocked)
    #expect(
      stuck.findings.first?.title
        == "the main thread waits for semaphore 1, while task 'step1()' (#1), which it created, needs the main thread")
    #expect(try diagnosis(lines("")).findings.allSatisfy { $0.code != "main-thread-deadlock" })
  }

  @Test func mainThreadThatWaitsForItsGroupNotificationIsDeadlocked() throws {
    func lines(queue: Int, waiter: Int = 1) -> String {
      """
      20 t1 submitted #1 queue=d1 group code=f1 at=f2
      21 t1 submitted #2 queue=d\(queue) how=3 code=f4 at=f3
      30 t2 run #1
      40 t2 ran #1
      10030 t3 blocked #0 object=0x10 kind=semaphore age=0 thread=t\(waiter)

      """ + nobodyElse
    }
    let stuck = try diagnosis(lines(queue: 3))
    #expect(stuck.findings.map(\.code) == ["main-thread-deadlock"] && stuck.verdict == .deadlocked)
    #expect(
      stuck.findings.first?.title
        == "the main thread waits for semaphore 1, while block 'step4()' (#2) of the main queue needs the main thread")
    // On another queue it runs as soon as the group is empty.
    #expect(try diagnosis(lines(queue: 1)).findings.allSatisfy { $0.code != "main-thread-deadlock" })
  }
}
