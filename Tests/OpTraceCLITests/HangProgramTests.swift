#if os(Linux)
  import Foundation
  import OpTraceAnalysis
  import OpTraceModel
  import OpTraceText
  import TestSupport
  import Testing

  /// Programs that hang as in public reports, and similar healthy ones. They are recorded unchanged and killed.
  @Suite("Hanging programs, and healthy ones that look alike", .ownThread) struct HangProgramTests {
    private let folder: RecordFolder

    init() throws { folder = try RecordFolder() }

    /// The doctor's answer for each hanging program: verdict, code of the first finding, and a part of the sentence.
    static let broken: [(name: String, verdict: Diagnosis.Verdict, code: DoctorCode, says: String)] = [
      ("slots-wait-own-additions", .deadlocked, "queue-self-wait", "all 2 slots of queue 'parse'"),
      ("thirty-suspended", .stalled, "queue-suspended", "30 queues are suspended, with 60 operations ready to run"),
      ("main-waits-for-mainactor-task", .deadlocked, "main-thread-deadlock", "needs the main thread"),
      ("main-waits-for-main-async", .deadlocked, "main-thread-deadlock", "of the main queue"),
      ("pool-starved", .stalled, "thread-pool-starvation", "block the threads of Swift's pool"),
      ("pool-starved-with-timer", .warning, "thread-pool-starvation", "block the threads of Swift's pool"),
      ("lock-left-by-pool", .deadlocked, "lock-cycle", "waits for a mutex that it holds itself"),
      ("barrier-sync-across", .deadlocked, "dispatch-cycle", "wait for each other"),
      ("missed-signal", .stalled, "never-finished", ", whose last signal came "),
      ("semaphore-never", .stalled, "never-finished", "waiting for semaphore 1"),
      ("group-leave-missing", .stalled, "never-signalled", "the main thread waits for group 1"),
      ("continuation-lost", .stalled, "continuation-never-resumed", "in lost() at Broken.swift:"),
      ("continuation-lost-main", .stalled, "continuation-never-resumed", "in lost() at Broken.swift:"),
      ("sync-cycle", .deadlocked, "dispatch-cycle", "wait for each other"),
      ("sleep-holders", .stalled, "never-finished", "waiting for semaphore 1"),
      ("barrier-op-reentry", .deadlocked, "wait-cycle", "2 operations block each other in a cycle"),
      ("kvo-finish-missing", .stalled, "never-finished", "nothing has finished it"),
      ("dependency-cycle", .deadlocked, "dependency-cycle", "depend on each other in a cycle"),
      (
        "initialisers-across", .deadlocked, "lock-cycle",
        "2 operations wait for each other's initialisers: those of '"
      ),
      (
        "initialiser-of-itself", .deadlocked, "lock-cycle",
        "waits for the initialiser of 'Registry.shared', which it runs itself"
      ),
    ]
    static let brokenWaits: [(name: String, verdict: Diagnosis.Verdict, code: DoctorCode, says: String)] = [
      ("delegate-queue", .stalled, "never-finished", "waiting for semaphore 1"),
      ("connection-pool", .stalled, "never-finished", "waiting for semaphore 1"),
      ("throw-path", .stalled, "never-finished", "waiting for semaphore 1"),
      ("stream-never-ends", .stalled, "continuation-never-resumed", "in closure #2 in streamNeverEnds() at"),
      ("kvo-under-lock", .deadlocked, "lock-cycle", "waits for a mutex that it holds itself"),
      ("main-queue-operation", .deadlocked, "main-thread-deadlock", "which needs the main thread"),
      ("group-child", .stalled, "continuation-never-resumed", "in lost() at Broken.swift:"),
      ("add-and-wait-inside", .deadlocked, "queue-self-wait", "holds the only slot"),
      ("wait-until-empty-inside", .deadlocked, "queue-self-wait", "holds the only slot"),
      ("depends-on-suspended", .stalled, "queue-suspended", "is suspended, with 1 operation ready to run"),
      ("never-added", .stalled, "orphan-dependency", "which was never enqueued"),
      ("never-ready", .stalled, "readiness-override", "never became ready"),
      ("threads-across", .deadlocked, "lock-cycle", "2 threads wait for each other's locks"),
      ("work-item-wait", .deadlocked, "dispatch-cycle", "dispatch queue 'serial' waits for dispatch queue 'serial'"),
      ("lock-twice", .deadlocked, "lock-cycle", "waits for a mutex that it holds itself"),
      ("tasks-wait-for-tasks", .stalled, "thread-pool-starvation", "block the threads of Swift's pool"),
      ("actor-waits-for-itself", .deadlocked, "wait-cycle", "in Bank.pay() at"),
      ("operation-waits-for-task", .stalled, "never-finished", "waiting for semaphore 1"),
      ("cancelled-and-forgotten", .stalled, "cancelled-never-finished", "was cancelled and never finished"),
      ("in-a-century", .stalled, "never-finished", "condition 1"),
      ("lock-against-main", .deadlocked, "lock-cycle", "in a cycle through a mutex"),
      ("initialiser-against-main", .deadlocked, "lock-cycle", "in a cycle through the initialiser of 'Screen.scale'"),
      ("one-signal-for-two", .stalled, "never-finished", "has been waiting for semaphore 1"),
    ]
    /// Not proven, so no error. The answer names what may still let the program continue.
    static let open: [(name: String, says: String)] = [
      ("lock-left-locked", "2 operations wait for a mutex, which thread "),
      ("lock-held-by-computing", "holds while it is computing"),
      ("semaphore-never-runloop", "is still running"),
    ]
    /// What the answer names for each healthy program with open work.
    static let healthy: [(name: String, says: String)] = [
      ("asyncafter-op", "of asyncAfter has not begun"), ("async-op-after", "of asyncAfter has not begun"),
      ("sigterm-daemon", "a signal of the system"), ("sigwait-daemon", "a signal of the system"),
      ("repl-stdin", "the main thread waits for"), ("child-process", "waits for process "),
      ("process-foundation", "is still running"), ("socket-accept", "waits for a socket"),
      ("socket-read-source", "a socket"), ("pipe-read-op", "waits for a pipe"), ("runloop-timer", ""),
      ("dispatch-timer", "a timer"), ("sleeping-thread", "waits for a time"), ("sleeping-op", "waits for a time"),
      ("slow-initialiser", "waits for a time"),
      ("suspended-until-input", "is suspended, with 1 operation ready to run; the main thread waits for"),
      ("later-until-input", "which was never enqueued; the main thread waits for"),
      ("task-sleep", "sleeps"), ("task-stream-socket", "waits for a socket"), ("idle-dispatch-main", "No deadlock"),
      ("idle-runloop", "No deadlock"), ("inotify-watcher", "changes of files"), ("eventfd-poll", "waits for a socket"),
      ("flock", "the lock of a file, which this process has already"), ("busy", "is computing"),
      ("long-poll-urlsession-like", "a socket"),
    ]

    static let healthyWaits: [(name: String, says: String)] = [
      ("datagram", "waits for a socket"), ("select-input", "waits for a file"), ("poll-two", "waits for a pipe"),
      ("upload", "waits for a socket"), ("reads-child", "waits for a pipe"), ("fifo", "waits for input or output"),
      ("semaphore-with-limit", "with a time limit"), ("condition-with-limit", "with a time limit"),
      ("main-queue-later", "of asyncAfter has not begun"), ("websocket", "a socket"),
      ("continuation-later", "of asyncAfter has not begun"), ("tasks-that-sleep", "sleeps"),
      ("task-waits-for-input", "waits for a"), ("back-off", "is suspended, with 1 operation ready to run; block"),
      ("throttle", "waits for a time"), ("resumed-by-signal", "a signal of the system"), ("cron", "No deadlock"),
      ("idle-server", "No deadlock"),
    ]

    private func compile() throws -> String { try folder.compile("HangPrograms", as: "hangs") }

    /// Programs whose answer is right without recorded blocks and tasks.
    static let plain = [
      "semaphore-never", "sleep-holders", "slots-wait-own-additions", "missed-signal", "group-leave-missing",
      "kvo-finish-missing", "initialisers-across", "thirty-suspended", "child-process", "socket-accept",
      "dispatch-timer",
      "repl-stdin", "asyncafter-op", "slow-initialiser",
    ]

    /// Records all at once. When the recorder has seen them not moving, they are killed with their child processes.
    private func record(
      _ names: [String], _ program: String, _ options: String = "--dispatch --tasks", looks: Bool = false
    )
      throws
    {
      let looking =
        looks
        ? """
        for name in \(names.joined(separator: " ")); do
          pid=$(pgrep -o -f "^$1 $name$")
          "$optrace" doctor --json $pid >$name.doctor.json 2>$name.doctor.err &
          lookers="$lookers $!"
          "$optrace" top --once --json $pid >$name.top.json 2>$name.top.err &
          lookers="$lookers $!"
          # Some at a time: other tests have to go on.
          set -- "$1" $lookers
          [ $# -gt 6 ] && wait $lookers && lookers=
        done
        # Without any, it would wait for the recorders.
        [ -z "$lookers" ] || wait $lookers
        """ : ""
      let list = names.joined(separator: " ")
      let result = try Command.run(
        folder.folder.folder.path, program,
        shell: RecordFolder.enter + """
          mkfifo input
          # Somebody who could write, and does not.
          exec 9<>input
          for name in \(list); do
            "$optrace" record \(options) -o $name.optrace -- "$1" $name <input >$name.out 2>$name.err &
          done
          \(RecordFolder.untilSeen(names))
          # Longer than the doctor waits for a sign of life, which is 5 s.
          sleep 5
          \(looking)
          # The program before its children: one that sees a child's end goes on.
          for pid in $(pgrep -f "^$1 "); do kill -KILL $pid $(pgrep -P $pid); done
          wait
          """)
      #expect(result.status == 0, "\(result)")
    }

    private func report(_ name: String) throws -> DoctorReport {
      let trace = try folder.trace("\(name).optrace")
      let events = try TraceReader.events(path: folder.folder.path("\(name).optrace"))
      #expect(TraceValidator.check(events) == [], "\(name)")
      return DoctorReport(of: .init(trace), stallAfter: 1_500_000_000)
    }

    @Test("without recorded blocks and tasks, hanging operations are still diagnosed")
    func answersOfOperations() throws {
      let program = try compile()
      try record(Self.plain, program, "")
      for name in Self.plain {
        let report = try report(name)
        guard let row = Self.broken.first(where: { $0.name == name }) else {
          #expect(
            report.verdict == .healthy && report.answer.hasPrefix("Nothing has moved"), "\(name): \(report.answer)")
          continue
        }
        #expect(report.verdict == row.verdict && report.findings.first?.code == row.code, "\(name): \(report.answer)")
      }
    }

    @Test("--stall-timeout ends a program that spins in the kernel, but not one that works there")
    func stallInTheKernel() throws {
      let program = try compile()
      let spins = try Command.run(
        "record", "--stall-timeout", "3", "-o", folder.folder.path("spins.optrace"), "--", program,
        "initialisers-across")
      #expect(spins.status == 124, "\(spins)")
      #expect(spins.errors.contains("stalled: Stuck for "), "\(spins.errors)")
      #expect(spins.errors.contains("wait for each other's initialisers"), "\(spins.errors)")
      let works = try Command.run(
        "record", "--stall-timeout", "1", "-o", folder.folder.path("works.optrace"), "--", program, "copies")
      #expect(works.status == 0, "\(works)")
    }

    /// Codes of findings that are more than notes, in order.
    private func codes(_ file: String) throws -> [String] {
      let path = folder.folder.path(file)
      let document = try JSONSerialization.jsonObject(with: Data(contentsOf: URL(fileURLWithPath: path)))
      let findings = (document as? [String: Any])?["findings"] as? [[String: Any]]
      return try #require(findings, "\(file)").filter { $0["severity"] as? String != "note" }.compactMap {
        $0["code"] as? String
      }
    }

    /// Of the healthy ones: those of which no other process has an end of what they wait for.
    private static let inside: Set = ["flock", "pipe-read-op", "upload"]

    @Test("the first line explains each hang, and no healthy program gets a false finding") func answers() throws {
      let program = try compile()
      try record(Self.broken.map(\.name) + Self.open.map(\.name), program, looks: true)
      try record(Self.brokenWaits.map(\.name), program)
      for row in Self.broken + Self.brokenWaits {
        let report = try report(row.name)
        #expect(
          report.verdict == row.verdict && report.findings.first?.code == row.code, "\(row.name): \(report.answer)")
        #expect(report.answer.contains(row.says), "\(row.name): \(report.answer)")
        #expect(report.findings.count { $0.severity != .note } == 1, "\(row.name): \(report.findings.map(\.title))")
        // A timer may end it.
        let isProven = row.verdict != .warning
        #expect(report.findings.first?.certainty == (isProven ? .proven : .likely), "\(row.name)")
        #expect(report.answer.hasPrefix(isProven ? "Stuck for " : "Nothing has moved for "), "\(row.name)")
        // The living program gives the same findings as its trace.
        let told = report.findings.filter { $0.severity != .note }.map(\.code.rawValue)
        for looker in ["doctor", "top"] where Self.broken.contains(where: { $0.name == row.name }) {
          #expect(try codes("\(row.name).\(looker).json") == told, "\(row.name), \(looker)")
        }
        // If the doctor offers a picture, it can be drawn.
        let file = folder.folder.path("\(row.name).optrace")
        let isOffered = try Command.run("doctor", file).output.contains(" graph --deadlock ")
        let drawn = try Command.run("graph", "--deadlock", file, "-o", folder.folder.path("\(row.name).svg"))
        #expect(!isOffered || drawn.status == 0, "\(row.name): \(drawn)")
        // If there is no picture, the message does not say that nothing is stuck.
        #expect(!drawn.errors.contains("nothing is stuck"), "\(row.name): \(drawn)")
      }
      try record(Self.healthy.map(\.name), program)
      try record(Self.healthyWaits.map(\.name), program)
      for row in Self.healthy + Self.healthyWaits + Self.open {
        let report = try report(row.name)
        let isInside = Self.inside.contains(row.name)
        #expect(report.verdict == (isInside ? .suspected : .healthy), "\(row.name): \(report.answer)")
        // No work needs to be open here, so only the verdict counts.
        if row.says.isEmpty { continue }
        #expect(report.answer.contains(row.says), "\(row.name): \(report.answer)")
        #expect(!report.answer.hasPrefix("No deadlock") || row.says == "No deadlock", "\(row.name)")
      }
    }
  }
#endif
