import ArgumentParser
import OpTraceDoctor
import OpTraceFormat
import OpTraceModel
import OpTraceOrders
import OpTraceText

struct ProvokeCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "provoke",
    abstract: "Make deadlocks happen that have not happened yet.",
    usage: "optrace provoke <trace> [--runs <n>] [--stall-timeout <seconds>] [-o <file>] -- <program> [<argument> ...]",
    discussion: """
      Takes from a trace of 'optrace record --orders' what may hang (lock-order-inversion, blocking-in-task), and runs the \
      program again with pauses at just those places: who comes first waits there for a moment, until the others have come. \
      What then hangs is proven; the doctor says why, and the trace of that run is kept.

      With 'swift test' only the tests in question run, if the trace says which. The program must be the same build. Linux only.

      Exit status: 1 where a run hung, 0 where none did: then it stays possible. Else as for 'record'.

      Example: optrace provoke run.optrace -- swift test, after optrace record --all --orders -o run.optrace -- swift test
      """)

  @OptionGroup var trace: TraceArgument

  @Option(help: ArgumentHelp("Run the program at most so many times (default: 10).", valueName: "n"))
  var runs = 10

  @OptionGroup var shared: PausedRunsOptions

  @Option(
    name: .shortAndLong,
    help: ArgumentHelp(
      "The file, or the folder, for traces of runs that hung: run.r1.optrace, run.r2.optrace … By default PROGRAM.provoked.r1.optrace.",
      valueName: "file"),
    completion: .file(extensions: ["optrace"]))
  var output: String?

  @Argument(
    parsing: .postTerminator,
    help: ArgumentHelp("The program and its arguments, behind '--'.", valueName: "program"),
    completion: .custom(Completions.recorded))
  var line: [String] = []

  @OptionGroup var limit: UnpackingLimit

  #if os(Linux)
    func validate() throws {
      guard !line.isEmpty else { throw ValidationError("Missing expected argument '<program>': put '--' before it.") }
      try RunNames.check(runs)
    }

    func run() throws {
      let input = trace.input(limit)
      let read = try input.read()
      guard read.trace.orderLoss != nil || !read.trace.orders.isEmpty else {
        throw Failure(
          message: "\(input.name) has no orders of locks: record it with 'optrace record --orders'", status: .badInput)
      }
      var deadlocks = ProvokedDeadlocks(of: read.trace)
      for one in deadlocks.unplaced {
        let title = printable(one.latent.finding.title)
        Console.note("finding \(one.number) cannot be provoked, since the trace does not say where it is: \(title)")
      }
      guard !deadlocks.all.isEmpty else {
        Console.error("optrace: nothing to provoke: \(input.name) shows nothing that may hang in another run\n")
        return try read.end()
      }
      for one in deadlocks.all {
        Console.error("optrace: finding \(one.number), possible so far: \(printable(one.latent.finding.title))\n")
      }
      let (done, hasHung) = try provoke(&deadlocks)
      tell(deadlocks, done)
      if hasHung { throw ExitStatus.foundError }
      try read.end()
    }

    /// How many runs there were, and whether one of them hung.
    private func provoke(_ deadlocks: inout ProvokedDeadlocks) throws -> (done: Int, hasHung: Bool) {
      let runs = try PausedRuns(
        line, runs: runs, stallTimeout: shared.timeout, output: output,
        ending: "provoked")
      let words = deadlocks.tests.flatMap { TestFilter.words(runs.words, line: line, tests: $0) }
      var (held, done) = (0, 0)
      var hasHung = false
      for index in runs.targets.indices where !deadlocks.open.isEmpty {
        let pauses = ["OPTRACE_PAUSES": deadlocks.plan.setting(wait: Self.wait(index))]
        let outcome = try runs.run(index, RunChanges(variables: pauses, words: words))
        Console.error("optrace: run \(index + 1) of \(runs.targets.count): \(outcome.words)\n")
        hasHung = hasHung || outcome.hung
        let isNamed = deadlocks.note(outcome)
        held += outcome.marks.held
        done += 1
        if index == 0, held == 0, !outcome.hung, let changed = deadlocks.changed(outcome.images).first {
          throw Failure(
            message: "'\(printable(changed))' was built anew since the trace was recorded: record it again",
            status: .badInput)
        }
        if !isNamed, let trace = outcome.stalled?.trace {
          Console.error(
            "optrace: it hung in another way than the trace shows: \(calledCommand) doctor \(quoted(trace))\n")
          break
        }
        if outcome.isAskedToStop { break }
      }
      if held == 0 {
        Console.note("no thread came by these places: the program may need the arguments of the recorded run")
      }
      return (done, hasHung)
    }

    /// For how many milliseconds who comes first waits for the others: later runs wait longer.
    private static func wait(_ index: Int) -> Int { index == 0 ? 300 : 1000 }

    private func tell(_ deadlocks: ProvokedDeadlocks, _ done: Int) {
      for one in deadlocks.all {
        if let trace = one.trace {
          Console.error(
            "optrace: finding \(one.number) has happened: \(calledCommand) doctor \(quoted(trace))\n")
        } else {
          Console.error(
            "optrace: finding \(one.number) was not provoked in \(counted(done, "run")); it stays possible\n")
        }
      }
    }
  #else
    func run() throws {
      throw Failure(message: "provoke works on Linux alone", status: .cannotRecord)
    }
  #endif
}
