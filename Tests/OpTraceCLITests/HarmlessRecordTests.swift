#if os(Linux)
  import Foundation
  import OpTraceModel
  import TestSupport
  import Testing

  /// Programs do what they do without a recorder, whatever they ask of the system or of Swift's runtime.
  @Suite("Programs that a recorder could disturb", .ownThread) struct HarmlessRecordTests {
    private let workspace: RecordFolder

    init() throws { workspace = try RecordFolder() }

    private func compile(_ name: String = "delicate", _ options: String = "") throws {
      let header = RecordFolder.sources.appendingPathComponent("DelicateProgram/support.h").path
      try workspace.compile("DelicateProgram", as: name, "-import-objc-header '\(header)' \(options)")
    }

    /// Runs `shell` in the folder, with `arguments`.
    private func run(_ arguments: [String], shell: String) throws -> Command.Result {
      try Command.run(
        arguments: [workspace.folder.folder.path] + arguments, input: [], shell: RecordFolder.enter + shell)
    }

    private func alone(_ how: String, program: String = "delicate") throws -> Command.Result {
      try run([how], shell: "exec ./\(program) \"$@\"")
    }

    private func record(_ how: String, _ options: [String], program: String = "delicate") throws -> Command.Result {
      try run(options + ["-o", "run.optrace", "--", "./\(program)", how], shell: #"exec "$optrace" record "$@""#)
    }

    private func checkedTrace() throws -> Trace {
      #expect(TraceValidator.check(try TraceReader.events(path: workspace.folder.path("run.optrace"))).isEmpty)
      return try workspace.trace("run.optrace")
    }

    @Test(
      "the runtime's variables belong to the program, and tasks of its own executor are recorded",
      arguments: ["", "-static-stdlib"])
    func executor(_ options: String) throws {
      try compile("delicate", options)
      let alone = try alone("executor")
      let expected = "set before: [false, false]\njobs of the own executor: true\nset after: false true\n"
      #expect(alone.status == 0 && alone.output == expected, "\(alone)")
      let recorded = try record("executor", ["--tasks"])
      #expect(recorded.status == alone.status && recorded.output == alone.output, "\(recorded)")
      let tasks = try checkedTrace().tasks
      // The program may end before the last tasks have returned.
      #expect(tasks.count == 30 && tasks.allSatisfy { $0.enqueued != nil })
    }

    @Test(
      "a filter of system calls that kills does not kill",
      arguments: ["filter", "filter-all"],
      [
        ["--dispatch"], ["--all"], ["--dispatch", "--tasks", "--stacks", "all"],
        ["--flight-recorder", "16M", "--tasks"], ["--profile", "--profile-by", "timer"],
      ])
    func filters(_ how: String, _ options: [String]) throws {
      try compile()
      let alone = try alone(how)
      // Some systems refuse filters: then there is nothing to show.
      guard alone.output == "0\n" else { return }
      let recorded = try record(how, options)
      #expect(recorded.status == alone.status && recorded.output == alone.output, "\(recorded)")
      let trace = try checkedTrace()
      #expect(trace.header.isClosed && trace.operations.count == 16_400)
      #expect(trace.operations.allSatisfy { $0.finished != nil })
    }

    @Test(
      "a call that needs a process with one thread succeeds",
      arguments: ["namespace", "namespace-by-number"], [[], ["--all"]])
    func namespaces(_ how: String, _ options: [String]) throws {
      try compile()
      let alone = try alone(how)
      let recorded = try record(how, options)
      #expect(recorded.status == alone.status && recorded.output == alone.output, "\(recorded)")
      #expect(try checkedTrace().operations.count == 600)
    }

    @Test("a program that resets its signals survives the timers of samples") func signals() throws {
      try compile()
      let recorded = try record("signals", ["--profile", "--profile-by", "timer", "--profile-rate", "999"])
      #expect(recorded.status == 0 && recorded.output == "alive\n", "\(recorded)")
    }

    @Test("a program that exits in a signal handler ends with its status, and the trace is readable")
    func exits() throws {
      try compile()
      let runs = try run(
        ["--dispatch"],
        shell: #"""
          for i in $(seq 20); do
            rm -f run.optrace
            timeout -s KILL 300 "$optrace" record "$@" -o run.optrace -- ./delicate exit 2>said || echo "status $?"
            "$optrace" validate run.optrace >valid || cat valid
          done
          """#)
      #expect(runs.output == String(repeating: "status 7\n", count: 20), "\(runs)")
    }

    static var hasValgrind: Bool { (try? Command.run(shell: "command -v valgrind"))?.status == 0 }

    @Test(
      "a program under valgrind is recorded, and ends with its status",
      .enabled("needs valgrind") { await OwnThread.run { hasValgrind } })
    func valgrind() throws {
      try compile()
      let recorded = try run(
        [],
        shell: #"exec "$optrace" record -o run.optrace -- valgrind -q --error-exitcode=9 ./delicate namespace"#)
      #expect(recorded.status == 0, "\(recorded)")
      #expect(try workspace.trace("run.optrace").operations.count == 600)
    }
  }
#endif
