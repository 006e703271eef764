#if os(Linux)
  import Foundation
  import OpTraceAnalysis
  import OpTraceDoctor
  import OpTraceModel
  import OpTraceSymbols
  import TestSupport
  import Testing

  @testable import OpTraceSnapshot

  /// The core of a program that hangs.
  struct KernelCore {
    private let scratch: Scratch
    let path: String

    /// The kernel writes cores into the folder of the process, and not to a program such as systemd's.
    static var isPossible: Bool {
      let pattern = (try? String(contentsOfFile: "/proc/sys/kernel/core_pattern", encoding: .utf8)) ?? "|"
      return pattern.hasPrefix("core")
    }

    struct None: Error {}

    init(of row: AnswerTests.Row) throws {
      let scratch = try Scratch()
      self.scratch = scratch
      var hung: HungProgram?
      // Swift's own backtracer would take the signal, and the program would go on.
      let environment = RunningProgram.environment(adding: ["SWIFT_BACKTRACE": "enable=no"])
      let program = try Built.program(row.program).path
      hung = try HungProgram(threads: row.threads) {
        try RunningProgram(
          URL(fileURLWithPath: "/bin/sh"), ["-c", "ulimit -c unlimited && exec \"$0\" \"$1\"", program, row.name],
          environment: environment, in: scratch.folder)
      }
      hung?.program.signal(SIGABRT)
      hung?.program.end()
      hung = nil
      guard let name = try scratch.names.first(where: { $0.hasPrefix("core") }) else { throw None() }
      path = scratch.path(name)
    }
  }

  /// Programs that hang as in public reports, started like any other, and looked at. The doctor is the one that explains recorded traces.
  @Suite("Answers for programs that nobody prepared", .ownThread) struct AnswerTests {
    struct Row: CustomTestStringConvertible, Sendable {
      var name: String
      /// How many threads wait for good.
      var threads: Int
      var verdict: Diagnosis.Verdict
      var code: DoctorCode
      /// A part of the sentence.
      var says: String
      var program = "HangPrograms"
      /// The proof is who refers to what is waited for, whatever else moves.
      var isByReferences = false
      var testDescription: String { name }
    }

    static let broken: [Row] = [
      Row(
        name: "two-locks", threads: 3, verdict: .deadlocked, code: "lock-cycle",
        says: "2 operations wait for each other's locks", program: "HangingProgram"),
      Row(
        name: "mutex", threads: 2, verdict: .deadlocked, code: "lock-cycle", says: "in a cycle through a Mutex",
        program: "HangingProgram"),
      Row(
        name: "rwlock", threads: 2, verdict: .deadlocked, code: "lock-cycle",
        says: "in a cycle through a reader-writer lock", program: "HangingProgram"),
      Row(
        name: "locks-twice", threads: 3, verdict: .deadlocked, code: "lock-cycle",
        says: "waits for a mutex that it holds itself", program: "HangingProgram"),
      Row(
        name: "thirty-suspended", threads: 1, verdict: .stalled, code: "queue-suspended",
        says: "30 queues are suspended, with 60 operations ready to run"),
      Row(
        name: "semaphore-never", threads: 2, verdict: .stalled, code: "never-finished", says: "waiting for semaphore 1"),
      Row(
        name: "group-leave-missing", threads: 1, verdict: .stalled, code: "never-signalled",
        says: "the main thread waits for group 1"),
      Row(
        name: "sleep-holders", threads: 3, verdict: .deadlocked, code: "queue-self-wait",
        says: "all 2 slots of queue 1 are held by operations that wait for work in the same queue", isByReferences: true
      ),
      Row(
        name: "barrier-op-reentry", threads: 2, verdict: .deadlocked, code: "wait-cycle",
        says: "2 operations block each other in a cycle"),
      Row(
        name: "kvo-finish-missing", threads: 1, verdict: .stalled, code: "never-finished",
        says: "was started but has not finished"),
      Row(
        name: "dependency-cycle", threads: 1, verdict: .deadlocked, code: "dependency-cycle",
        says: "depend on each other in a cycle"),
      Row(
        name: "main-queue-operation", threads: 1, verdict: .deadlocked, code: "main-thread-deadlock",
        says: "which needs the main thread"),
      Row(
        name: "add-and-wait-inside", threads: 2, verdict: .deadlocked, code: "queue-self-wait",
        says: "holds the only slot"),
      Row(
        name: "wait-until-empty-inside", threads: 2, verdict: .deadlocked, code: "queue-self-wait",
        says: "holds the only slot"),
      Row(
        name: "depends-on-suspended", threads: 1, verdict: .stalled, code: "queue-suspended",
        says: "is suspended, with 1 operation ready to run"),
      Row(
        name: "never-added", threads: 1, verdict: .stalled, code: "orphan-dependency",
        says: "which was never enqueued"),
      Row(name: "never-ready", threads: 1, verdict: .stalled, code: "readiness-override", says: "never became ready"),
      Row(
        name: "threads-across", threads: 2, verdict: .deadlocked, code: "lock-cycle",
        says: "2 threads wait for each other's locks"),
      Row(
        name: "cancelled-and-forgotten", threads: 1, verdict: .stalled, code: "cancelled-never-finished",
        says: "was cancelled and never finished"),
      Row(
        name: "continuation-lost", threads: 1, verdict: .stalled, code: "continuation-never-resumed",
        says: "in lost() at Broken.swift:"),
      Row(
        name: "continuation-lost-main", threads: 0, verdict: .stalled, code: "continuation-never-resumed",
        says: "in lost() at Broken.swift:"),
      Row(
        name: "stream-never-ends", threads: 0, verdict: .stalled, code: "continuation-never-resumed",
        says: "in closure #2 in streamNeverEnds() at"),
      Row(
        name: "group-child", threads: 0, verdict: .stalled, code: "continuation-never-resumed",
        says: "in lost() at Broken.swift:"),
      Row(
        name: "sync-cycle", threads: 2, verdict: .deadlocked, code: "dispatch-cycle",
        says: "dispatch queue 'b' and dispatch queue 'a' wait for each other"),
      Row(
        name: "barrier-sync-across", threads: 2, verdict: .deadlocked, code: "dispatch-cycle",
        says: "wait for each other"),
      Row(
        name: "pool-starved", threads: 2, verdict: .stalled, code: "thread-pool-starvation",
        says: "block the threads of Swift's pool"),
      Row(
        name: "tasks-wait-for-tasks", threads: 2, verdict: .stalled, code: "thread-pool-starvation",
        says: "block the threads of Swift's pool"),
      Row(
        name: "dispatch-queue-suspended", threads: 1, verdict: .stalled, code: "queue-suspended",
        says: "dispatch queue 'events' is suspended, with 3 blocks in it, in closure #1 in dispatchQueueSuspended()"),
      Row(
        name: "dispatch-queue-inactive", threads: 1, verdict: .stalled, code: "queue-suspended",
        says: "dispatch queue 'importer' was never activated, with 1 block in it"),
      Row(
        name: "barrier-behind-reader", threads: 2, verdict: .stalled, code: "never-signalled",
        says: "waits for dispatch queue 'settings', which the main thread has"),
      Row(
        name: "barrier-inside-reader", threads: 2, verdict: .deadlocked, code: "dispatch-cycle",
        says: "work in dispatch queue 'cache' waits for dispatch queue 'cache' itself"),
      Row(
        name: "callback-on-main-queue", threads: 1, verdict: .stalled, code: "main-thread-deadlock",
        says: "callbackOnMainQueue()' (#1) needs the main thread"),
      Row(
        name: "callback-on-own-queue", threads: 2, verdict: .stalled, code: "never-signalled",
        says: "waits for dispatch queue 'store', which"),
      Row(
        name: "blocked-main-actor", threads: 1, verdict: .deadlocked, code: "main-thread-deadlock",
        says: "the main thread waits for semaphore 1, which only task", isByReferences: true),
      Row(
        name: "main-waits-for-main-async", threads: 1, verdict: .deadlocked, code: "main-thread-deadlock",
        says: "of the main queue needs the main thread", isByReferences: true),
      Row(
        name: "main-actor-beside-timer", threads: 1, verdict: .deadlocked, code: "main-thread-deadlock",
        says: "could end, and that needs the main thread", isByReferences: true),
      Row(
        name: "main-queue-beside-timer", threads: 1, verdict: .deadlocked, code: "main-thread-deadlock",
        says: "of the main queue needs the main thread", isByReferences: true),
      Row(
        name: "callback-released", threads: 1, verdict: .stalled, code: "never-signalled",
        says: "waits for semaphore 1, which nothing else refers to", isByReferences: true),
      Row(
        name: "continuation-released", threads: 0, verdict: .stalled, code: "continuation-never-resumed",
        says: "waits for a continuation that nobody resumes", isByReferences: true),
      Row(
        name: "child-of-lost-message", threads: 0, verdict: .stalled, code: "continuation-never-resumed",
        says: "waits for a continuation that nobody resumes", isByReferences: true),
      Row(
        name: "serial-queue-behind-itself", threads: 2, verdict: .deadlocked, code: "dispatch-cycle",
        says: "dispatch queue 'store'", isByReferences: true),
    ]

    @Test("the first finding is the one of a recorded run", arguments: broken) func answer(_ row: Row) throws {
      let snapshot = row.isByReferences ? try proven(row) : try hung(row)
      #expect(TraceValidator.check(snapshot.events) == [])
      let report = snapshot.report
      #expect(report.verdict == row.verdict && report.findings.first?.code == row.code, "\(report.answer)")
      #expect(report.answer.contains(row.says), "\(report.answer)")
      #expect(report.findings.first?.certainty == .proven)
      #expect(snapshot.objects.leftOut == [])
    }

    @Test("a thread has waited since it ran last, also where others go on") func beside() throws {
      let hung = try HungProgram("signal-beside-work", of: "HangPrograms", threads: 1)
      let snapshot = try Snapshot.taken(of: LiveMemory(hung.id))
      #expect(!snapshot.isStill)
      let trace = snapshot.trace
      let wait = try #require(trace.waits.first)
      #expect(.nanoseconds(trace.end - wait.began) >= snapshot.watched / 2)
      #expect(
        DoctorReport(of: .init(trace)).answer.hasPrefix(
          "Nothing is proven to be stuck. The main thread waits for semaphore 1"))
    }

    private func hung(_ row: Row) throws -> Snapshot {
      let hung = try HungProgram(row.name, of: row.program, threads: row.threads)
      var snapshot = try Snapshot.taken(of: LiveMemory(hung.id))
      // What has only just come to rest may go on: some rules wait for that.
      while !snapshot.isStill || snapshot.silence < 1_500_000_000
        || (row.threads == 0 && snapshot.objects.tasks?.tasks.isEmpty != false),
        hung.program.isRunning
      {
        poll(nil, 0, 50)
        snapshot = try Snapshot.taken(of: LiveMemory(hung.id))
      }
      return snapshot
    }

    /// Words that are left over in memory hide such a proof, and another run has others. While a timer runs, not every look finds all at rest.
    /// Returns the last snapshot if none of them proves it. What it finds instead is no error.
    private func proven(_ row: Row) throws -> Snapshot {
      var last: Snapshot?
      for _ in 1...10 {
        let hung = try HungProgram(row.name, of: row.program, threads: row.threads)
        for _ in 1...10 {
          let snapshot = try Snapshot.taken(of: LiveMemory(hung.id))
          let report = snapshot.report
          // Where nothing else moves, silence proves a part of it, too.
          let isSame = report.findings.first?.code == row.code
          if isSame, report.answer.contains(row.says) { return snapshot }
          #expect(isSame || !report.hasErrors, "\(report.answer)")
          last = snapshot
        }
      }
      return try #require(last)
    }

    /// Another process may have got an end of a pipe unseen, so it is no proof.
    @Test(
      "a process that waits for itself by way of the system is suspected",
      arguments: [
        ("child-with-full-pipe", "which waits until this process reads what it writes"),
        ("pipe-to-oneself", "the main thread waits for a pipe that no other process has"),
      ])
    func itself(_ name: String, says: String) throws {
      let hung = try HungProgram(name, of: "HangPrograms", threads: 0)
      var report = try Snapshot.taken(of: LiveMemory(hung.id)).report
      while report.verdict != .suspected, hung.program.isRunning {
        #expect(!report.hasErrors, "\(report.answer)")
        poll(nil, 0, 50)
        report = try Snapshot.taken(of: LiveMemory(hung.id)).report
      }
      #expect(report.findings.first?.code == "never-signalled" && report.answer.contains(says), "\(report.answer)")
    }

    @Test("a child that waits for this process is named, although waitUntilExit() wakes twenty times a second")
    func polls() throws {
      let hung = try HungProgram("foundation-child-with-full-pipe", of: "HangPrograms", threads: 0)
      try eventually("it is named", whileRunning: hung.program) {
        let report = try Snapshot.taken(of: LiveMemory(hung.id)).report
        #expect(!report.hasErrors, "\(report.answer)")
        return report.answer.contains("which waits until this process reads what it writes")
      }
    }

    /// A core does not say whether a signal has a handler that may wake a thread. So what only silence proves is proven for a program that
    /// gives signals none.
    static let inCores =
      broken.filter { $0.verdict == .deadlocked && !$0.isByReferences } + [
        Row(
          name: "semaphore", threads: 2, verdict: .stalled, code: "never-finished", says: "waiting for semaphore 1",
          program: "HangingProgram")
      ]

    @Test("a core of the kernel's gives the same answer", .enabled(if: KernelCore.isPossible), arguments: inCores)
    func core(_ row: Row) throws {
      let core = try KernelCore(of: row)
      let snapshot = try Snapshot.taken(of: CoreMemory(path: core.path))
      #expect(TraceValidator.check(snapshot.events) == [])
      let report = snapshot.report
      #expect(report.verdict == row.verdict && report.findings.first?.code == row.code, "\(report.answer)")
      #expect(report.answer.contains(row.says), "\(report.answer)")
      // Registers are all known.
      #expect(snapshot.threads.allSatisfy { $0.isWhole && $0.guessedFrom == $0.addresses.count })
      #expect(snapshot.objects.leftOut == [])
    }

    @Test(
      "a core of a program whose signals may have handlers proves nothing by silence",
      .enabled(if: KernelCore.isPossible))
    func coreWithHandlers() throws {
      let row = try #require(Self.broken.first { $0.name == "never-added" })
      let core = try KernelCore(of: row)
      let report = try withExtendedLifetime(core) { try Snapshot.taken(of: CoreMemory(path: core.path)).report }
      #expect(!report.hasErrors && report.answer.contains("a signal may have a handler"), "\(report.answer)")
      #expect(report.findings.first?.code == "orphan-dependency")
    }

    @Test(
      "a program that something may still move is not called stuck",
      arguments: [
        ("asyncafter-op", 2), ("sigterm-daemon", 1), ("repl-stdin", 1), ("child-process", 2),
        ("suspended-until-input", 0), ("later-until-input", 0), ("slow-initialiser", 3), ("socket-accept", 2),
        ("socket-read-source", 2), ("dispatch-timer", 2), ("sleeping-thread", 2), ("sleeping-op", 1), ("flock", 1),
        ("semaphore-with-limit", 2), ("main-queue-later", 1), ("back-off", 1), ("throttle", 1),
        ("resumed-by-signal", 1), ("lock-left-locked", 3), ("task-sleep", 1), ("task-stream-socket", 0),
        ("long-poll-urlsession-like", 1), ("websocket", 0), ("continuation-later", 0), ("tasks-that-sleep", 0),
        ("task-waits-for-input", 1), ("dispatch-queue-resumed-later", 1), ("main-actor-and-input", 1),
        ("main-actor-or-timer", 1), ("main-actor-or-weak", 1), ("callback-kept", 1), ("continuation-kept", 0),
        ("cancel-handler-signals", 1), ("async-let-signals", 1), ("closure-on-stack", 1), ("thread-signals-later", 1),
        ("child-with-reader", 0), ("address-in-the-system", 1), ("foundation-child-with-reader", 0),
        ("socket-of-child", 0),
      ])
    func healthy(_ name: String, threads: Int) throws {
      // Somebody who could write, and does not.
      let program = try RunningProgram(try Built.program("HangPrograms"), [name], input: .pipe)
      defer { program.kill() }
      let id = UInt32(program.processID)
      while ((try? LiveMemory(id).threads()) ?? []).count(where: { $0.call == 202 }) < threads { poll(nil, 0, 20) }
      var report = try Snapshot.taken(of: LiveMemory(id)).report
      // A program that is still being loaded has no Swift yet.
      try eventually("it is loaded", whileRunning: program) {
        #expect(!report.hasErrors, "\(report.answer)")
        if report.verdict == .unknown { report = try Snapshot.taken(of: LiveMemory(id)).report }
        return report.verdict != .unknown
      }
      #expect(!report.hasErrors && report.verdict == .healthy, "\(report.answer)")
    }
  }
#endif
