import ArgumentParser
import OpTraceFormat
import OpTraceModel
import OpTraceOrders
import OpTraceText

struct ShakeCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "shake",
    abstract: "Run a program with small pauses by chance, until it hangs.",
    usage:
      "optrace shake [--runs <n>] [--seed <n>] [--stall-timeout <seconds>] [-o <file>] [--] <program> [<argument> ...]",
    discussion: """
      Threads pause for 5 to 300 ms at a few places where they meet: where operations, blocks and tasks begin and go on, before \
      locks are taken, and before others are let go on. Each run has other places, which follow from its seed: the same seed \
      chooses the same. At the first run that hangs the doctor says why, and its trace and its seed are named. Linux only.

      Exit status: 1 where a run hung, 0 where none did. Else as for 'record'.

      Example: optrace shake --runs 50 -- ./server --self-test

      The same places again: optrace shake --runs 1 --seed 4711 -- ./server --self-test
      """)

  @Option(help: ArgumentHelp("Run the program at most so many times (default: 20).", valueName: "n"))
  var runs = 20

  @Option(
    help: ArgumentHelp(
      "The number that says where threads pause in the first run; each further run has the next one. By default another one each time.",
      valueName: "n"))
  var seed: UInt64?

  @OptionGroup var shared: PausedRunsOptions

  @Option(
    name: .shortAndLong,
    help: ArgumentHelp(
      "The file, or the folder, for the trace of the run that hung. By default PROGRAM.shaken.r1.optrace.",
      valueName: "file"),
    completion: .file(extensions: ["optrace"]))
  var output: String?

  @Argument(
    parsing: .captureForPassthrough,
    help: ArgumentHelp("The program and its arguments; what follows its name belongs to it.", valueName: "program"),
    completion: .custom(Completions.recorded))
  var words: [String] = []

  /// The program and its arguments, without the `--` that may be before them.
  private var line: [String] { words.first == "--" ? Array(words.dropFirst()) : words }

  #if os(Linux)
    func validate() throws {
      if ["-h", "--help"].contains(words.first) { throw CleanExit.helpRequest(Self.self) }
      guard let program = line.first else { throw ValidationError("Missing expected argument '<program>'") }
      if program.hasPrefix("-"), words.first != "--" { throw ValidationError("Unknown option '\(program)'") }
      try RunNames.check(runs)
    }

    func run() throws {
      let first = seed ?? UInt64.random(in: 1...999_999)
      let runs = try PausedRuns(
        line, runs: runs, stallTimeout: shared.timeout, output: output, ending: "shaken"
      )
      for index in runs.targets.indices {
        let seed = first &+ UInt64(index)
        let outcome = try runs.run(index, RunChanges(variables: ["OPTRACE_PAUSES": PausePlan.setting(seed: seed)]))
        Console.error("optrace: run \(index + 1) of \(runs.targets.count), seed \(seed): \(outcome.words)\n")
        if outcome.hung, let trace = outcome.stalled?.trace {
          Console.error(
            "optrace: it hung with --seed \(seed): \(calledCommand) doctor \(quoted(trace))\n")
          throw ExitStatus.foundError
        }
        if outcome.isAskedToStop { return }
      }
      Console.error("optrace: it did not hang in \(counted(runs.targets.count, "run"))\n")
    }
  #else
    func run() throws {
      throw Failure(message: "shake works on Linux alone", status: .cannotRecord)
    }
  #endif
}
