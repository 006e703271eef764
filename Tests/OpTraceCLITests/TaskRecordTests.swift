#if os(Linux) && compiler(>=6.2)
  import Foundation
  import OpTraceFormat
  import OpTraceModel
  import TestSupport
  import Testing

  /// Tasks of programs that do not use OpTrace.
  @Suite("record --tasks", .ownThread) struct TaskRecordTests {
    private let folder: RecordFolder
    private let file = "run.optrace"

    init() throws { folder = try RecordFolder() }

    private func program(_ name: String) throws -> String {
      try Command.executable.deletingLastPathComponent().appendingPathComponent(name).path
    }

    private func record(
      _ options: [String] = ["--tasks"], _ name: String = "TaskTestProgram", _ arguments: String...
    )
      throws -> (result: Command.Result, trace: Trace)
    {
      let result = try Command.run(
        arguments: [folder.folder.folder.path] + options + ["-o", file, "--", try program(name)] + arguments,
        shell: RecordFolder.enter + #"exec "$optrace" record "$@""#)
      return (result, try folder.trace(file))
    }

    private func isInOrder() throws -> Bool {
      let violations = TraceValidator.check(try TraceReader.events(path: folder.folder.path(file)))
      #expect(violations.isEmpty, "\(violations)")
      return violations.isEmpty
    }

    private static let words = "10\n3\n42\nwoken\nmain\ndone\n"

    @Test("each task is recorded once, with creator, waits and source locations") func tasks() throws {
      let (result, trace) = try record()
      #expect(result.status == 0 && result.output == Self.words, "\(result.errors)")
      #expect(trace.loss.isComplete)
      #expect(try isInOrder())
      func tasks(_ name: String) -> [TaskRecord] { trace.tasks.filter { $0.kind.contains(name) } }
      let main = try #require(trace.tasks.first)
      #expect(main.submitter == nil && main.completed == nil && main.runs.count > 3)

      let children = tasks("in loadAll(_:)")
      #expect(children.count == 4, "\(trace.tasks.map(\.title))")
      #expect(children.allSatisfy { $0.way == .groupChild && $0.parent == main.id && $0.completed != nil })
      #expect(trace.stacks.codeLocation(children.first?.submittedAt)?.function?.contains("loadAll") == true)
      #expect(main.suspensions.contains { $0.reason == .group })

      let lets = trace.tasks.filter { $0.way == .asyncLet }
      #expect(lets.count == 2 && lets.allSatisfy { $0.parent == main.id && $0.completed != nil })

      // The operation that resumes a continuation is its resumer.
      let waiting = main.suspensions.filter { $0.reason == .continuation }
      let operation = try #require(trace.operations.first)
      let answered = try #require(waiting.first { $0.resumer == operation.id }, "\(main.suspensions)")
      let stack = trace.stacks.stack(answered.at).compactMap { trace.stacks.function(of: $0)?.shortName }
      #expect(stack.contains { $0.contains("answer()") } && stack.contains { $0.contains("allSorts()") }, "\(stack)")

      let sleeper = try #require(trace.tasks.first { $0.name == "the sleeper" })
      #expect(sleeper.title == "the sleeper" && sleeper.cancelRequested != nil && sleeper.completed != nil)
      #expect(sleeper.way == .unstructured && main.suspensions.contains { $0.reason == .sleep })
      let slow = try #require(trace.tasks.first { $0.name == "slow" })
      #expect(main.suspensions.contains { $0.reason == .task && $0.awaited == slow.id })

      // The main task is detached, too, so it is left out.
      let detached = trace.tasks.filter { $0.way == .detached && $0.id != main.id }
      #expect(detached.map(\.priority) == [9, 21])
      #expect(detached.first?.suspensions.contains { $0.reason == .executor } == true)
      // An operation is the submitter of the tasks that it creates. A wait inside of a task belongs to that task.
      let download = try #require(trace.operations.first { $0.className == "Download" })
      #expect(trace.tasks.filter { $0.submitter == download.id }.count == 1)
      #expect(trace.waits.contains { $0.inside == detached.last?.id })
    }

    @Test("with --dispatch, a task can submit blocks; blocks of executors are not recorded") func blocks() throws {
      let (result, trace) = try record(["--tasks", "--dispatch"])
      #expect(result.output == Self.words && trace.loss.isComplete)
      #expect(try isInOrder())
      let block = try #require(trace.blocks.first)
      #expect(trace.blocks.count == 1 && block.submitter.flatMap { trace.task($0) } != nil)
      let main = try #require(trace.tasks.first)
      #expect(main.suspensions.contains { $0.resumer == block.id })
    }

    @Test("without the option no task is recorded; with it every output accepts the tasks") func outputs() throws {
      let plain = try record([])
      #expect(plain.trace.tasks.isEmpty && plain.result.output == Self.words)
      let trace = try record().trace
      func run(_ arguments: String...) throws -> Command.Result {
        try Command.run(
          arguments: [folder.folder.folder.path] + arguments, shell: RecordFolder.enter + #"exec "$optrace" "$@""#)
      }
      let summary = try run("summary", file).output
      #expect(summary.contains("\nTasks\n") && summary.contains("for continuations"), "\(summary)")
      let json = try run("summary", "--json", file).output
      #expect(json.contains("\"tasks\": [") && json.contains("\"suspendedSeconds\": {"))
      for command in ["doctor", "validate", "stacks"] { #expect(try run(command, file).status == 0, "\(command)") }
      for command in ["graph", "timeline", "report"] {
        #expect(try run(command, file, "-o", "-").status == 0, "\(command)")
      }
      #expect(try run("pack", file, "-o", "small.optracez").status == 0)
      #expect(try folder.trace("small.optracez").tasks == trace.tasks)
      let anonymous = try run("pack", "--anonymize", file, "-o", "none.optracez")
      let dump = try run("dump", "none.optracez", "-o", "-").output
      #expect(anonymous.status == 0 && dump.contains("task-suspended") && !dump.contains("sleeper"))
    }

    /// Whether Swift's libraries are linked statically.
    private static let isStatic = [false, true]

    private func recorded(_ part: String, isStatic: Bool) throws -> (output: String, trace: Trace) {
      guard isStatic else {
        let (result, trace) = try record(["--tasks", "--dispatch"], "TaskTestProgram", part)
        return (result.output, trace)
      }
      try folder.compile("TaskTestProgram", as: "linked", "-static-stdlib")
      let result = try Command.run(
        arguments: [folder.folder.folder.path, "--tasks", "--dispatch", "-o", file, "--", "./linked", part],
        shell: RecordFolder.enter + #"exec "$optrace" record "$@""#)
      return (result.output, try folder.trace(file))
    }

    @Test(
      "each wait for a busy actor is recorded, and each task ends on the thread of its last run", arguments: isStatic)
    func actors(isStatic: Bool) throws {
      let (output, trace) = try recorded("actors", isStatic: isStatic)
      #expect(output == "200\n" && trace.loss.isComplete)
      #expect(try isInOrder())
      let callers = trace.tasks.filter { task in task.actorWaits.contains { $0.actor.className == "Printer" } }
      // The task that holds the actor need not wait.
      #expect(callers.count == 200 || callers.count == 201, "\(callers.count)")
      let waits = callers.flatMap(\.actorWaits)
      #expect(waits.count == callers.count && Set(waits.map(\.actor.number)).count == 1)
      #expect(waits.allSatisfy { ($0.began ?? 0) >= $0.queued.time && $0.suspension != nil })
      // Each task enqueues itself at the actor.
      #expect(waits.allSatisfy { $0.by == nil })
      #expect(waits.filter { ($0.began ?? 0) - $0.queued.time >= 10_000_000 }.count >= 200)
      let events = try TraceReader.events(path: folder.folder.path(file))
      var last: [ThreadID: UInt32] = [:]
      for index in events.indices {
        let event = events[index]
        // Between a task's last run and its end, its thread runs no other task.
        switch EventKind(rawValue: event.kind) {
        case .taskRun: last[event.thread] = event.subject
        case .taskCompleted: #expect(last[event.thread] == event.subject, "\(event)")
        case .taskSuspended: last[event.thread] = nil
        default: break
        }
      }
    }

    @Test("each continuation is recorded with its resumer and the way of resumption", arguments: isStatic)
    func resumes(isStatic: Bool) throws {
      let (output, trace) = try recorded("resumes", isStatic: isStatic)
      #expect(output == "90\n" && trace.loss.isComplete)
      #expect(try isInOrder())
      let main = try #require(trace.tasks.first)
      let events = try TraceReader.events(path: folder.folder.path(file))
      let resumed = events.indices.map { events[$0] }.filter {
        $0.kind == EventKind.taskResumed.rawValue && $0.subject == main.id.rawValue
      }
      #expect(resumed.count == 90)
      let by = resumed.map { WorkID(EventFields.TaskResumed($0.word1).by) }
      #expect(by.filter { trace.task($0) != nil }.count == 30 && by.filter { trace.block($0) != nil }.count == 30)
      #expect(by.filter { $0.rawValue == 0 }.count == 30)
      let ways = Dictionary(resumed.map { (EventFields.TaskResumed($0.word1).how, 1) }, uniquingKeysWith: +)
      // Checked continuations are resumed like throwing ones.
      #expect(ways == [0: 30, 1: 45, 2: 15])
      // A task does not suspend if it is resumed early enough.
      let waits = main.suspensions.filter { $0.reason == .continuation }
      #expect(waits.count > 45 && waits.allSatisfy { $0.resumed != nil && $0.resumption != nil }, "\(waits.count)")
      #expect(waits.allSatisfy { $0.resumption != .value || $0.resumer.flatMap { trace.workIndex(of: $0) } != nil })
    }

    @Test("tasks of a program without Foundation are recorded, even 20,000 short ones") func plain() throws {
      let (result, trace) = try record(["--tasks", "--dispatch"], "PlainTaskProgram")
      #expect(result.status == 0 && result.output == "12\n")
      #expect(result.errors.contains("optrace: 5 tasks in "), "\(result.errors)")
      #expect(trace.tasks.count == 5 && trace.blocks.isEmpty)
      #expect(try isInOrder())
      let many = try record(["--tasks"], "PlainTaskProgram", "20000").trace
      #expect(many.loss.isComplete)
      #expect(many.tasks.count == 20_001 && many.tasks.filter { $0.completed == nil }.map(\.id) == [many.tasks[0].id])
      #expect(many.tasks.dropFirst().allSatisfy { $0.runs.count == 1 && $0.way == .groupChild })
      #expect(try isInOrder())
      // In a program without tasks nothing is recorded.
      let other = try Command.run(
        arguments: [folder.folder.folder.path, "--tasks", "-o", "none.optrace", "--", "true"],
        shell: RecordFolder.enter + #"exec "$optrace" record "$@""#)
      #expect(other.status == 0 && other.errors.contains("nothing was recorded"))
    }

    @Test("the ring of a killed program has the tasks that still wait") func hanging() throws {
      let shell = """
        "$optrace" record --tasks --flight-recorder 256K -o run.optrace -- "$2" hang > out &
        until grep -q waiting out; do sleep 0.05; done
        sleep 0.2
        kill -KILL $(cat /proc/$!/task/$!/children)
        wait
        """
      let result = try Command.run(
        arguments: [folder.folder.folder.path, "", try program("TaskTestProgram")],
        shell: #"cd "$1" || exit; shift; "# + shell)
      _ = result
      let trace = try folder.trace(file)
      let forgotten = try #require(trace.tasks.first { $0.name == "forgotten" })
      #expect(forgotten.suspension?.reason == .continuation && forgotten.completed == nil)
      let stack = trace.stacks.stack(forgotten.suspension?.at).compactMap { trace.stacks.function(of: $0)?.shortName }
      #expect(stack.contains { $0.contains("main") }, "\(stack)")
      #expect(trace.tasks.contains { $0.suspension?.awaited == forgotten.id })
    }
  }
#endif
