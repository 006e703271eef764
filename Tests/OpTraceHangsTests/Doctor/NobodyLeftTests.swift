import OpTraceAnalysis
import OpTraceModel
import Testing

@Suite("Doctor: nobody is left, and who waits")
struct NobodyLeftTests {
  private typealias Case = LockCase

  private func diagnosis(_ lines: String, end: Int = 9_000_000) throws -> Diagnosis {
    Diagnosis(of: try DoctorCase.trace(Case.code + lines, end: end))
  }

  /// `let one = Work(); one.start(); one.waitUntilFinished()`, where nobody hears the call of a final class's `start()`.
  private let byHand = """
    10 t1 created #1 class="Work" coverage=1 async age=10
    11 t1 began #1
    20 t1 wait #1

    """

  @Test("an operation whose start was not heard holds no thread, so nobody waits for itself")
  func startedByHand() throws {
    for end in [2_500_000, 9_000_000] {
      let diagnosis = try diagnosis(
        byHand + Case.look([(1, .inSemaphore), (2, .sleepingForATime)]), end: end)
      #expect(diagnosis.findings.allSatisfy { $0.severity == .note }, "\(diagnosis.findings)")
      #expect(diagnosis.verdict == .healthy)
    }
    // A class that is not asynchronous.
    let plain = byHand.replacing(" async", with: "")
    #expect(try !diagnosis(plain + Case.look([(1, .inSemaphore), (2, .sleepingForATime)])).hasErrors)
  }

  @Test("if nobody is left, it is said that nothing finishes it")
  func neverFinishedByHand() throws {
    let found = try diagnosis(byHand + Case.look([(1, .inSemaphore), (2, .idle)])).findings
    #expect(found.map(\.code) == ["never-finished"] && found.first?.severity == .error, "\(found)")
    #expect(
      found.first?.title
        == "the main thread waits for 'Work' (#1), and nothing is left to finish it, in step1() at main.swift:10")
  }

  @Test("threads that wait without a record are told, if nobody is left to wake them")
  func unrecordedWaits() throws {
    let looks =
      Case.look(at: 1_100_000, still: true, [(1, .inSemaphore), (2, .inSemaphore)])
      + Case.look(at: 7_500_000, still: true, [(1, .inSemaphore), (2, .inSemaphore)])
    let found = try diagnosis("5 t1 thread t1 tid=100 \"bank\"\n" + looks).findings
    #expect(found.map(\.code) == ["never-signalled"] && found.first?.severity == .error, "\(found)")
    #expect(
      found.first?.title
        == "the main thread waits for a signal of another thread, and nothing is left to wake it (and 1 more), in step1() at main.swift:10"
    )
    let timed = looks.replacing("t2 cpu=3 state=2 call=203 reason=7", with: "t2 cpu=3 state=2 call=203 reason=7 timed")
    try #require(timed != looks)
    #expect(try diagnosis(timed).findings.isEmpty)
  }

  @Test("a task that its executor does not run is told, after five seconds")
  func droppedJob() throws {
    let lines = """
      20 t1 task #1 priority=21 enqueued code=f1 at=f2
      30 t2 task-run #1
      40 t2 task-suspended #1 reason=4
      40 t2 at f3

      """
    let looks = Case.look(at: 1_100_000, still: true, [(1, .inSemaphore), (2, .idle)])
    let found = try diagnosis(lines + looks).findings.filter { $0.code == "continuation-never-resumed" }
    #expect(found.map(\.severity) == [.error], "\(found)")
    #expect(
      found.first?.title
        == "task 'step1()' (#1) waits for a turn on an executor, which does not run it, in step3() at main.swift:30")
    // Another task may be in the actor that it waits for.
    let other = lines + "20 t1 task #2 priority=21 enqueued code=f1 at=f2\n30 t3 task-run #2\n"
    let busy = Case.look(at: 1_100_000, still: true, [(1, .inSemaphore), (2, .idle), (3, .inSemaphore)])
    #expect(try !diagnosis(other + busy).findings.contains { $0.code == "continuation-never-resumed" })
    #expect(try !diagnosis(lines + looks, end: 4_000_000).hasErrors)
  }

  @Test("what needs the main thread has no turn while that waits")
  func needsTheMainThread() throws {
    let lines = """
      20 t1 task #1 priority=21 enqueued code=f1 at=f2
      21 t1 task-run #1
      22 t1 task #2 by=#1 priority=21 enqueued main code=f3 at=f2
      30 t1 blocked #1 object=0x7000 kind=semaphore

      """
    let found = try diagnosis(lines + Case.look(still: true, [(1, .inSemaphore), (2, .idle)])).findings
    #expect(found.contains { $0.severity == .error }, "\(found)")
    let door = Case.look(still: true, [(1, .inSemaphore), (2, .polling)])
    #expect(try !diagnosis(lines + door).hasErrors)
  }

  @Test("a lock that a signal handler takes on the thread that holds it is told as that")
  func handler() throws {
    let code = """
      0 t0 image i3 build="c3" page=128 pages=4 "/lib/libc.so.6"
      0 t0 frame f21 image=i1 offset=4098
      0 t0 frame f22 image=i3 offset=100 caller=f21 returns
      0 t0 frame f23 image=i3 offset=200 caller=f22 returns
      0 t0 frame f24 image=i1 offset=4097 caller=f23 returns
      0 t0 symbol f22 short="nanosleep" module="libc.so.6" "nanosleep"
      0 t0 symbol f21 short="upload()" line=7 file="/src/main.swift" module="Bank" "Bank.upload()"
      0 t0 symbol f24 short="onSignal()" line=17 file="/src/main.swift" module="Bank" "Bank.onSignal()"
      5 t1 thread t1 tid=100 "bank"

      """
    func title(_ code: String) throws -> String? {
      let look = Case.look(still: true, [(1, .inLock(1, of: 1))]).replacing("t6 at f1\n", with: "t6 at f24\n")
      return try diagnosis(code + look).findings.first { $0.code == "lock-cycle" }?.title
    }
    #expect(
      try title(code)
        == "a signal handler on the main thread waits for a mutex that the same thread held when the signal came")
    let called = code + "0 t0 symbol f23 short=\"qsort\" module=\"libc.so.6\" \"qsort\"\n"
    #expect(try title(called) == "the main thread waits for a mutex that it holds itself")
  }
}
