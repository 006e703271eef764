import OpTraceAnalysis
import OpTraceFormat
import OpTraceModel
import Testing

/// One state that silence seems to prove, as lines of a trace. Threads 1 to 5 are the program's.
struct SilentCase: CustomTestStringConvertible, Sendable {
  var name: String
  var code: DoctorCode
  var lines: String
  /// What the threads do besides the main thread, which waits for a signal.
  var threads: [(Int, LockCase.Doing)] = []
  var testDescription: String { name }

  private static let queues = """
    0 t0 dispatch-queue d1 width=1 "accounts"
    0 t0 dispatch-queue d3 width=0 global "global"

    """

  /// The snapshot is taken as soon as a reader could ask for one.
  func trace(_ door: OpenDoor?, end: Int) throws -> Trace {
    let threads = [(1, LockCase.Doing.inSemaphore)] + threads + (door?.threads ?? [])
    let text =
      LockCase.code + Self.queues + lines + (door?.lines ?? "") + LockCase.look(at: 1_100_000, still: true, threads)
    return try DoctorCase.trace(text, end: end, header: door?.header ?? "")
  }

  private static func operation(_ events: String...) -> String {
    "1 t1 created #1 class=\"Work\" async\n1 t1 named #1 \"upload\"\n10 t1 enqueued #1 queue=q1\n11 t1 ready #1\n"
      + events.joined(separator: "\n") + "\n"
  }
  private static let returned = operation("20 t2 started #1", "21 t2 began #1", "23 t2 start-returned #1")
  private static let behind =
    DoctorCase.operation(2, "report", "12 t1 depends #2 on=#1", "12 t1 enqueued #2 queue=q1") + "30 t1 wait-queue q1\n"
  private static let running = LockCase.executing(1, "fetch", on: 2)
  private static let parkedTask =
    "20 t1 task #1 priority=21 enqueued code=f1 at=f2\n30 t2 task-run #1\n40 t2 task-suspended #1 reason=2\n40 t2 at f3\n"

  static let all = [
    SilentCase(
      name: "an asynchronous operation that nobody finishes", code: "never-finished", lines: returned + behind,
      threads: [(2, .idle)]),
    SilentCase(
      name: "one whose submitted work is over", code: "never-finished",
      lines: returned
        + "22 t2 submitted #7 queue=d3 by=#1 code=f1 at=f2\n40 t2 run #7\n50 t2 ran #7\n" + behind,
      threads: [(2, .idle)]),
    SilentCase(
      name: "one that is finished and has not announced it", code: "never-finished",
      lines: returned + "30 t3 finish-seen #1\n" + behind, threads: [(2, .idle)]),
    SilentCase(
      name: "an operation that waits for a semaphore", code: "never-finished",
      lines: running + "40 t2 blocked #1 object=0x7000 kind=semaphore\n" + behind, threads: [(2, .inSemaphore)]),
    SilentCase(
      name: "an operation in a wait that was not recorded", code: "never-finished", lines: running + behind,
      threads: [(2, .inSemaphore)]),
    SilentCase(
      name: "an operation that was cancelled before its start", code: "cancelled-never-finished",
      lines: operation("12 t1 cancel #1", "20 t2 started #1", "23 t2 start-returned #1") + behind,
      threads: [(2, .idle)]),
    SilentCase(
      name: "one that was cancelled while it executed", code: "cancelled-never-finished",
      lines: returned + "30 t1 cancel #1\n" + behind, threads: [(2, .idle)]),
    SilentCase(
      name: "an operation that is not ready", code: "readiness-override",
      lines: DoctorCase.operation(1, "sync", "10 t1 enqueued #1 queue=q1") + "30 t1 wait-queue q1\n"),
    SilentCase(
      name: "an operation with a removed dependency", code: "removed-dependency-stuck",
      lines: DoctorCase.operation(
        1, "login", "10 t1 enqueued #1 queue=q1", "11 t1 ready #1", "20 t2 started #1", "21 t2 began #1",
        "100 t2 ended #1", "101 t2 finished #1", "102 t2 start-returned #1")
        + DoctorCase.operation(
          2, "upload", "12 t1 depends #2 on=#1", "12 t1 enqueued #2 queue=q1", "30 t1 undepends #2 on=#1")
        + "40 t1 wait-queue q1\n", threads: [(2, .idle)]),
    SilentCase(
      name: "a dependency that was not enqueued", code: "orphan-dependency",
      lines: DoctorCase.operation(1, "login")
        + DoctorCase.operation(2, "load", "10 t1 depends #2 on=#1", "10 t1 enqueued #2 queue=q1")
        + "30 t1 wait-queue q1\n"),
    SilentCase(
      name: "a queue that is paused", code: "queue-suspended",
      lines: "5 t1 suspended q1\n" + LockCase.ready(1, "sync") + "30 t1 wait-queue q1\n"),
    SilentCase(
      name: "a queue with the limit 0", code: "queue-suspended",
      lines: "5 t1 limit q1 value=0\n" + LockCase.ready(1, "sync") + "30 t1 wait-queue q1\n"),
    SilentCase(
      name: "a dispatch queue in which nothing runs", code: "queue-suspended",
      lines: "20 t1 submitted #1 queue=d1 code=f1 at=f2\n", threads: [(2, .idle)]),
    SilentCase(
      name: "a task that waits for a continuation", code: "continuation-never-resumed", lines: parkedTask,
      threads: [(2, .idle)]),
    SilentCase(
      name: "a task whose sleep was cancelled before, and that waits for a continuation",
      code: "continuation-never-resumed", lines: parkedTask.replacing("reason=2", with: "reason=5"),
      threads: [(2, .idle)]),
    SilentCase(
      name: "a thread that waits for a semaphore", code: "never-signalled",
      lines: "40 t1 blocked #0 object=0x7000 kind=semaphore\n", threads: [(2, .idle)]),
    SilentCase(
      name: "a thread that waits for a group", code: "never-signalled",
      lines: "40 t1 blocked #0 object=0x7000 kind=group\n", threads: [(2, .idle)]),
    SilentCase(
      name: "a thread that waits for a condition", code: "never-signalled",
      lines: "40 t1 blocked #0 object=0x7000 kind=condition\n", threads: [(2, .idle)]),
    SilentCase(
      name: "operations that hold all threads", code: "thread-pool-starvation",
      lines: "0 t1 queue q2 limit=-1 \"other\"\n" + running + LockCase.executing(2, "load", on: 3)
        + "40 t2 blocked #1 object=0x7000 kind=semaphore\n41 t3 blocked #2 object=0x7010 kind=semaphore\n"
        + DoctorCase.operation(3, "inner", "42 t2 enqueued #3 queue=q2", "43 t2 ready #3"),
      threads: [(2, .inSemaphore), (3, .inSemaphore)]),
    SilentCase(
      name: "a ready operation that nothing starts", code: "thread-pool-starvation",
      lines: LockCase.ready(1, "sync") + "30 t1 wait-queue q1\n", threads: [(2, .idle)]),
    SilentCase(
      name: "an operation whose start was lost", code: "thread-pool-starvation",
      lines: DoctorCase.operation(1, "sync", "10 t1 enqueued #1 queue=q1", "11 t2 ready #1") + "30 t1 wait-queue q1\n",
      threads: [(2, .idle)]),
    SilentCase(
      name: "tasks that block the threads of their pool", code: "thread-pool-starvation",
      lines: "20 t1 task #1 priority=21 enqueued code=f1 at=f2\n21 t1 task #2 priority=21 enqueued code=f1 at=f2\n"
        + "30 t2 task-run #1\n",
      threads: [(2, .inSemaphore)]),
  ]
}

/// Something that may still move the program.
struct OpenDoor: CustomTestStringConvertible, Sendable {
  var name: String
  var threads: [(Int, LockCase.Doing)] = []
  var lines = ""
  var header = ""
  var testDescription: String { name }

  private static func thread(_ name: String, _ what: String) -> OpenDoor {
    OpenDoor(name: name, threads: [(7, .seen(what))])
  }

  static let all =
    [
      thread("a sleeping thread", "state=2 call=231 reason=9 timed"),
      thread("a wait with a time limit", "state=2 call=203 reason=7 timed"),
      thread("a thread that computes", "state=1 running"),
      thread("a run loop's source", "state=2 call=8 reason=8"),
      thread("a run loop's timer", "state=2 call=233 reason=8 timed lock=0x10"),
      thread("a child process", "state=2 call=61 reason=11"),
      thread("a child process that works", "state=2 call=61 reason=11 lock=0x126720000"),
      thread("a pipe that a child has", "state=2 call=0 reason=10 lock=0x126720002"),
      thread("its own pipe with a time limit", "state=2 call=7 reason=8 timed lock=0x10002"),
      thread("a signal", "state=2 call=128 reason=12"),
      thread("shared memory", "state=2 call=203 reason=15"),
      thread("an unknown call", "state=2 call=300 reason=0"),
      OpenDoor(
        name: "a block of asyncAfter", lines: "25 t1 submitted #90 queue=d3 how=2 code=f1 at=f2\n"),
      OpenDoor(
        name: "a sleeping task",
        lines:
          "25 t1 task #91 priority=21 enqueued code=f1 at=f2\n26 t4 task-run #91\n27 t4 task-suspended #91 reason=5\n"),
      OpenDoor(name: "a signal handler", header: "handles \(1 << 9)\n"),
    ]
    + EventSource.allCases.flatMap { source in
      [
        thread("poll for \(source)", "state=2 call=7 reason=8 lock=0x\(String(source.rawValue, radix: 16))"),
        thread("read from \(source)", "state=2 call=0 reason=10 lock=0x\(String(source.rawValue, radix: 16))"),
      ]
    }
}

@Suite("Doctor: no proof by silence without asking who is left")
struct DoorTests {
  /// Before `--stall-after` has passed, when a `doctor` looks twice, and long after.
  private static let ends = [2_200_000, 4_900_000, 9_000_000, 700_000_000]

  @Test("without a door each state is found", arguments: SilentCase.all)
  func withoutDoors(_ one: SilentCase) throws {
    let diagnosis = Diagnosis(of: try one.trace(nil, end: 9_000_000))
    let found = diagnosis.findings.filter { $0.code == one.code && $0.severity != .note }
    #expect(!found.isEmpty, "\(diagnosis.findings)")
  }

  @Test("while a door is open none is an error, and none is called stuck", arguments: SilentCase.all)
  func withDoors(_ one: SilentCase) throws {
    for door in OpenDoor.all {
      for end in Self.ends {
        let trace = try one.trace(door, end: end)
        let diagnosis = Diagnosis(of: trace)
        let wrong = diagnosis.findings.filter { $0.severity == .error || $0.isOfStuck(in: trace) }
        #expect(wrong.isEmpty, "\(door.name), \(end / 1000) ms: \(wrong)")
        #expect(diagnosis.verdict == .healthy || diagnosis.verdict == .warning, "\(door.name): \(diagnosis.verdict)")
      }
    }
  }

  @Test("the thread of another recorder is no door", arguments: SilentCase.all)
  func recorder(_ one: SilentCase) throws {
    var door = OpenDoor(name: "", threads: [(7, .seen("state=2 call=203 reason=7 timed"))])
    door.lines = "0 t7 thread t7 tid=107 \"optrace\"\n"
    let diagnosis = Diagnosis(of: try one.trace(door, end: 9_000_000))
    #expect(diagnosis.findings.contains { $0.code == one.code && $0.severity != .note }, "\(diagnosis.findings)")
  }

  /// What nobody can undo stays an error, whoever is awake.
  @Test("a cycle is an error behind any door", arguments: OpenDoor.all)
  func cycles(_ door: OpenDoor) throws {
    let locks = SilentCase(
      name: "", code: "lock-cycle",
      lines: LockCase.executing(1, "debit", on: 2) + LockCase.executing(2, "credit", on: 3),
      threads: [(2, .inLock(1, of: 3)), (3, .inLock(2, of: 2))])
    let dependencies = SilentCase(
      name: "", code: "dependency-cycle",
      lines: DoctorCase.operation(1, "a", "10 t1 depends #1 on=#2", "11 t1 enqueued #1 queue=q1")
        + DoctorCase.operation(2, "b", "10 t1 depends #2 on=#1", "11 t1 enqueued #2 queue=q1"))
    let slots = SilentCase(
      name: "", code: "queue-self-wait",
      lines: "0 t1 queue q2 limit=1 \"database\"\n"
        + DoctorCase.operation(
          1, "outer", "10 t1 enqueued #1 queue=q2", "11 t1 ready #1", "20 t2 started #1", "21 t2 began #1",
          "30 t2 wait #2")
        + DoctorCase.operation(2, "inner", "25 t2 enqueued #2 queue=q2", "26 t2 ready #2"),
      threads: [(2, .inSemaphore)])
    for one in [locks, dependencies, slots] {
      let diagnosis = Diagnosis(of: try one.trace(door, end: 9_000_000))
      #expect(diagnosis.findings.contains { $0.code == one.code && $0.severity == .error }, "\(diagnosis.findings)")
    }
  }

  @Test("the table has a case of each rule that silence could prove")
  func tableIsComplete() {
    // Proven by what was recorded: a cycle, a start or an end that happened twice, a thread inside of a call.
    let byRecords: Set<DoctorCode> = [
      "dependency-cycle", "queue-self-wait", "wait-cycle", "main-thread-deadlock", "lock-cycle", "dispatch-cycle",
      "barrier-reentry",
    ]
    let stuck = Set(DoctorRule.table.filter { $0.symptom == .stuck }.map(\.code)).subtracting(byRecords)
    #expect(stuck.subtracting(SilentCase.all.map(\.code)) == [])
  }
}
