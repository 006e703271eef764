import OpTraceAnalysis
import OpTraceModel
import Testing

@Suite("Doctor: who alone could end a wait")
struct EnderRuleTests {
  private typealias Case = LockCase

  private func findings(_ lines: String, _ enders: String...) throws -> [Finding] {
    let outside = "1999999 t1 outside timed watched=12 \"\"\n"
    let text = Case.code + lines + outside + enders.map { "1999999 t1 only-by \($0)\n" }.joined()
    return Diagnosis(of: try DoctorCase.trace(text, isClosed: true, end: 2_100_000)).findings
  }

  private func hasErrors(_ findings: [Finding]) -> Bool { findings.contains { $0.severity == .error } }

  /// The main thread waits for a semaphore, a task needs the main thread, and something else goes on.
  private static func mainActor(_ other: Case.Doing = .sleepingForATime) -> String {
    """
    20 t2 task #1 priority=21 enqueued code=f1
    30 t2 task-run #1
    31 t2 task-suspended #1 reason=4
    32 t2 task-enqueued #1 main
    33 t1 blocked #0 object=0x10 kind=semaphore thread=t1

    """ + Case.look([(1, .inSemaphore), (2, other)])
  }

  @Test("a task that needs the main thread, which waits for a signal that it alone could give, whatever else goes on")
  func mainThread() throws {
    #expect(try !hasErrors(findings(Self.mainActor())))
    let found = try findings(Self.mainActor(), "by=#1 waiter=t1")
    #expect(found.first?.code == "main-thread-deadlock" && found.first?.severity == .error, "\(found)")
    #expect(
      found.first?.title
        == "the main thread waits for semaphore 1, which only task 'step1()' (#1) could end, and that needs the main thread"
    )
    #expect(
      found.first?.evidence.contains {
        $0.text
          == "only task 'step1()' (#1) could end the wait of the main thread: nothing else that could go on refers to what it "
          + "waits for"
      } == true, "\(found.first?.evidence ?? [])")
  }

  @Test("no error: another one could end it, too, and goes on")
  func others() throws {
    // A thread that sleeps for a time, and a task that waits for what nobody knows.
    #expect(try !hasErrors(findings(Self.mainActor(), "by=#1 waiter=t1", "thread=t2 waiter=t1")))
    let sleeper = """
      21 t2 task #2 priority=21 enqueued code=f2
      34 t2 task-run #2
      35 t2 task-suspended #2 reason=5

      """ + Self.mainActor(.idle)
    #expect(try !hasErrors(findings(sleeper, "by=#1 waiter=t1", "by=#2 waiter=t1")))
    // Both wait for the main thread.
    let both = sleeper.replacing("reason=5\n", with: "reason=4\n36 t2 task-enqueued #2 main\n")
    let found = try findings(both, "by=#1 waiter=t1", "by=#2 waiter=t1")
    #expect(found.first?.code == "main-thread-deadlock" && hasErrors(found), "\(found)")
    #expect(found.first?.title.contains("which has to go on first, needs the main thread") == true, "\(found)")
  }

  @Test("nobody could: of a thread's wait, an operation's, and a task's, whatever else goes on")
  func nobody() throws {
    let thread =
      "33 t1 blocked #0 object=0x10 kind=semaphore thread=t1\n"
      + Case.look([(1, .inSemaphore), (2, .sleepingForATime)])
    #expect(try !hasErrors(findings(thread)))
    let lost = try findings(thread, "waiter=t1")
    #expect(lost.map(\.code) == ["never-signalled"] && hasErrors(lost), "\(lost)")
    #expect(lost.first?.title.hasPrefix("the main thread waits for semaphore 1, which nothing else refers to") == true)

    let operation =
      Case.executing(1, "Save", on: 3) + "33 t3 blocked #1 object=0x10 kind=group thread=t3\n"
      + Case.look([(1, .sleepingForATime), (3, .inSemaphore)])
    #expect(try !hasErrors(findings(operation)))
    let unfinished = try findings(operation, "waiter=t3")
    #expect(unfinished.first?.code == "never-finished" && hasErrors(unfinished), "\(unfinished)")

    let task = """
      20 t2 task #1 priority=21 enqueued code=f1
      30 t2 task-run #1
      31 t2 task-suspended #1 reason=2
      31 t2 at f3

      """ + Case.look([(1, .sleepingForATime)])
    #expect(try !hasErrors(findings(task)))
    let unresumed = try findings(task, "for=#1")
    #expect(unresumed.map(\.code) == ["continuation-never-resumed"] && hasErrors(unresumed), "\(unresumed)")
    #expect(unresumed.first?.explanation.contains("Nothing that could go on has one") == true)
    // Another task may have it, and goes on.
    #expect(try !hasErrors(findings("19 t2 task #2 priority=21 enqueued code=f2\n" + task, "for=#1 by=#2")))
  }

  @Test("a thread of which not all is known may end it, unless it is held up itself, and is never named for it")
  func possible() throws {
    let lines =
      "33 t1 blocked #0 object=0x10 kind=semaphore thread=t1\n34 t2 blocked #0 object=0x20 kind=group thread=t2\n"
    let waiting = lines + Case.look([(1, .inSemaphore), (2, .inSemaphore), (3, .sleepingForATime)])
    // The second thread waits for nobody knows what.
    #expect(try !hasErrors(findings(waiting, "thread=t2 waiter=t1")))
    // Each of the two may end only the other's wait.
    let found = try findings(waiting, "thread=t2 possibly waiter=t1", "thread=t1 possibly waiter=t2")
    #expect(found.map(\.code) == ["never-signalled", "never-signalled"], "\(found)")
    // One that refers to it may use it, and nobody is named for it.
    #expect(try findings(waiting, "thread=t2 waiter=t1", "thread=t1 waiter=t2").allSatisfy { $0.severity != .error })
    #expect(try !hasErrors(findings(Self.mainActor(.inSemaphore), "by=#1 waiter=t1", "thread=t2 waiter=t1")))
  }

  @Test("an operation that alone could signal needs the slot of the one that waits")
  func slot() throws {
    let lines =
      Case.executing(1, "Save", on: 3).replacing("queue=q1", with: "queue=q2")
      + Case.ready(2, "Check").replacing("queue=q1", with: "queue=q2")
      + "33 t3 blocked #1 object=0x10 kind=semaphore thread=t3\n"
      + Case.look([(1, .sleepingForATime), (3, .inSemaphore)])
    let queue = "0 t1 queue q2 limit=1 \"serial\"\n"
    #expect(try !hasErrors(findings(queue + lines)))
    let found = try findings(queue + lines, "by=#2 waiter=t3")
    #expect(found.first?.code == "queue-self-wait" && hasErrors(found), "\(found)")
  }
}
