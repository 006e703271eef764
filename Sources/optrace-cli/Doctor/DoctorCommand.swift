import ArgumentParser
import OpTrace
import OpTraceDoctor
import OpTraceKernel
import OpTraceModel
import OpTraceText

struct DoctorCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "doctor",
    abstract: "Find deadlocks, stalls and misuse, and say why.",
    discussion: """
      An error is reported only if the trace proves it. If the program still runs, its trace is read twice, a second \
      apart, and only what both readings show is reported. The program is not changed. Its recorder takes a snapshot of \
      the threads; if it does not answer, optrace takes one from outside.

      A program that nobody recorded, and a core file (also packed with gzip or zstd), are read as they are. The last \
      lines say what that cannot show. If not all could be read and nothing is found, the verdict is 'unknown'.

      Exit status: 1 where an error was found, also in a damaged trace; else as for all commands.

      Example: optrace doctor 4711, of a program that hangs

      In CI: optrace doctor --annotations github --format sarif -o run.sarif run.optrace
      """)

  @OptionGroup var trace: ChosenTrace

  @Flag(help: "Write JSON; the same as --format json. Documentation/json.md describes its keys.")
  var json = false

  @Option(
    help: ArgumentHelp(
      "Write 'text' (the default), 'json', or 'sarif': SARIF 2.1.0, for code scanners and editors.", valueName: "format"
    ))
  var format: Format?

  enum Format: String, ExpressibleByArgument, CaseIterable {
    case text, json, sarif
  }

  @Option(help: Annotations.help)
  var annotations: Annotations?

  @Option(
    help: ArgumentHelp(
      "How long nothing must move before that counts as a hang (default: 5).", valueName: "seconds"))
  var stallAfter: Double?

  @Option(
    help: ArgumentHelp(
      "A list of what may hang another time and is left out, as 'record --write-known' writes it.", valueName: "file"),
    completion: .file())
  var known: String?

  @OptionGroup var own: OwnModules

  @OptionGroup var core: CoreOptions

  @Option(
    name: .shortAndLong,
    help: ArgumentHelp("The file to write; '-' is standard output, and the default.", valueName: "file"),
    completion: .file())
  var output: String?

  @Option(
    help: ArgumentHelp(
      "Say what a code means, with an example and its remedy; --list has the codes.", valueName: "code"),
    completion: .list(RuleSet.command.rules.map(\.code.rawValue)))
  var explain: String?

  @Flag(help: "List all that the doctor can find.")
  var list = false

  @OptionGroup var limit: UnpackingLimit

  func validate() throws {
    if let stallAfter, !(stallAfter >= 0 && stallAfter <= 1_000_000) {
      throw ValidationError("--stall-after must be 0 to 1000000 seconds.")
    }
    if json, let format, format != .json {
      throw ValidationError("--json and --format \(format.rawValue) cannot be combined.")
    }
    if annotations != nil, chosenFormat != .text, output == nil || output == "-" {
      throw ValidationError(
        "--annotations prints on standard output: name a file for --format \(chosenFormat.rawValue) with -o.")
    }
    let isManual = explain != nil || list
    if explain != nil, list { throw ValidationError("--explain and --list cannot be combined.") }
    let hasOthers =
      json || format != nil || annotations != nil || stallAfter != nil || !own.module.isEmpty || known != nil
    if isManual, trace.path != nil || hasOthers {
      throw ValidationError("\(list ? "--list" : "--explain") reads no trace: omit the other arguments.")
    }
  }

  private var chosenFormat: Format { json ? .json : format ?? .text }

  func run() throws {
    if explain != nil || list {
      let output = Output(path: output)
      let guide = DoctorGuideText(style: output.style)
      return try output.write(try explain.map { guide.page(of: try rule($0)) } ?? guide.list(of: .command))
    }
    var input = try trace.input(limit, core.unprepared)
    input.notesOrigin = false
    let output = try input.output(output)
    let examination = try DoctorExamination(of: input, stallAfter: stallAfter, own: own)
    var report = examination.report
    var known = try KnownFindings(from: known, to: nil)
    let left = known.take(from: &report.findings)
    if left > 0 { Console.note("\(counted(left, "finding", is: true)) known, and left out") }
    switch chosenFormat {
    case .json: try output.write(report.json.bytes)
    case .sarif:
      try output.write(report.sarif(version: OpTraceVersion.current, roots: Annotations.roots).exactBytes)
    case .text: try output.write(DoctorText(report, style: output.style).text(next: hints(for: report, input.path)))
    }
    try annotations?.write(report)
    // A proven finding stays proven in a damaged trace.
    if report.hasErrors { throw ExitStatus.foundError }
    try examination.input.end()
  }

  private func rule(_ code: String) throws -> DoctorRule {
    if let rule = RuleSet.command[DoctorCode(rawValue: code)] { return rule }
    let hint =
      Suggestion.text(for: code, among: Set(RuleSet.command.rules.map(\.code.rawValue)))
      ?? "'optrace doctor --list' lists them"
    throw Failure.usage("the doctor knows no code '\(printable(code))': \(hint)")
  }

  /// Commands to run next.
  private func hints(for report: DoctorReport, _ trace: String) -> [DoctorText.Hint] {
    var hints: [DoctorText.Hint] = []
    if let origin = report.trace.origin, origin.isCore, core.sysroot == nil,
      origin.leftOut.contains(where: { $0.contains(" is missing, ") })
    {
      hints.append(
        .init("\(calledCommand) doctor \(quoted(trace)) --sysroot FOLDER", "With a copy of the other machine's files"))
    }
    guard let first = report.findings.first(where: { $0.severity != .note }) else { return hints }
    // The graph draws operations, so it would show nothing of threads, blocks and tasks alone.
    let hasPicture = report.findings.contains { $0.isOfStuck(in: report.trace) && !$0.operations.isEmpty }
    if hasPicture, [.deadlocked, .stalled].contains(report.verdict), trace != "-" {
      hints.append(
        .init("\(calledCommand) graph --deadlock \(quoted(trace)) -o deadlock.svg", "A picture of it"))
    }
    if first.isLatent, trace != "-" {
      hints.append(.init("\(calledCommand) provoke \(quoted(trace)) -- PROGRAM", "To make it happen"))
      if !first.chain.isEmpty {
        hints.append(.init("\(calledCommand) graph --deadlock \(quoted(trace)) -o deadlock.svg", "A picture of it"))
      }
    }
    hints.append(.init("\(calledCommand) doctor --explain \(first.code)", "What this means"))
    return hints
  }
}
