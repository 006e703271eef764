import ArgumentParser
import Foundation
import OpTrace
import OpTraceFormat
import OpTraceModel
import OpTraceProcesses
import OpTraceText

struct RecordCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "record",
    abstract: "Run a program and record its queues.",
    usage: """
      optrace record [-o <file>] [--runs <n>] [--flight-recorder <size>] [--keep-when <condition> ...] \
      [--keep-files <n>] [--keep-bytes <size>] [--stacks <which>] [--dispatch] [--tasks] [--orders] [--cpu] \
      [--profile] [--profile-rate <hz>] [--profile-by <way>] [--memory[=<size>]] [--all] [--push <url>] \
      [--fail-on <severity>] [--known <file>] [--write-known <file>] [--stall-timeout <seconds>] [--annotations <service>] [--report <file>] [--open] \
      [--debug-file <file>] [--] <program> [<argument> ...]
      optrace record --pid <pid> [--for <time>] [-o <file>] [<options>]
      """,
    discussion: """
      Linux only. The program's file is not changed; Swift's libraries may be shared, or linked into it. It uses this \
      command's input and output and gets its signals. The exit status is the program's, or 128 plus the signal's number. Child processes \
      with operations or queues are recorded too, each into its own file.

      With --runs the program runs that many times, one after the other, even if a run fails. The status is that of the \
      first run that did not end with 0. Ctrl-C stops this run and skips the rest.

      With --fail-on the doctor examines each trace, and says on standard error what it found. The status is the \
      program's where that is not 0, else 1 where there is such a finding.

      With --stall-timeout a program that hangs is ended: if work is open, and nothing was recorded and no processor time \
      used for so many seconds. Standard error says which test stalled, why, and what each thread does. The status is 124. \
      A child that could not be recorded is looked at from outside.

      With --keep-when a copy of the flight recorder's ring is kept beside it when something happens, such as a request \
      that takes too long: run.kept-request-2026-11-28T15.51.53Z.optrace. The program goes on, and is not disturbed.

      With --push the samples of each minute go to a collector of OpenTelemetry or to Pyroscope while the program runs, as \
      'optrace profile --push' sends them. The status does not depend on it.

      Other exit statuses: 64 wrong usage, 125 the program cannot be recorded (it is not run), 126 it cannot be run, \
      127 there is no such program, 73 only the report could not be written.

      With --pid the recorder is loaded into a program that runs already: everything is recorded from now on, as with --all, \
      until --for is over, Ctrl-C, or the program ends. Then the program goes on as before. One of its threads is borrowed for a \
      moment; if none can be without a risk, nothing is done (status 125). Of a program that hangs, \
      'optrace doctor PID' tells more, without touching it.

      OPTRACE_VERBOSE=1 in the environment says more about what could not be recorded.

      Example: optrace record -o run.optrace -- ./my-program --its-option

      Everything: optrace record --all -o run.optrace -- ./my-program, then optrace profile run.optrace

      Always: optrace record --flight-recorder 64M --tasks --keep-when request=1s --keep-when stall=5s -- ./server

      It runs already: optrace record --pid 4711 --for 30s

      In CI: optrace record --stall-timeout 120 --annotations github --report report.html -- swift test
      """)

  @Option(
    name: .shortAndLong,
    help: ArgumentHelp(
      """
      The file to write; children add their process id before its ending, and %p stands for the process id \
      everywhere. By default PROGRAM.PID.optrace in this folder.
      """, valueName: "file"),
    completion: .file(extensions: ["optrace"]))
  var output: String?

  @Option(
    help: ArgumentHelp("Record a program that runs already, by its process id (Linux, x86-64).", valueName: "pid"))
  var pid: UInt32?

  @Option(
    name: .customLong("for"),
    help: ArgumentHelp(
      "With --pid: end the recording after this time, such as 30s. By default it lasts until Ctrl-C.", valueName: "time"
    ))
  var duration: TimeArgument?

  @Option(
    help: ArgumentHelp(
      "Run the program so many times, into run.r1.optrace, run.r2.optrace …; with zeros in front, so that names sort.",
      valueName: "n"))
  var runs: Int?

  @Option(
    help: ArgumentHelp("Keep the newest events in a file of such a size, as 512K, 16M or 1G.", valueName: "size"))
  var flightRecorder: String?

  @OptionGroup var keep: KeepOptions

  @Option(
    help: ArgumentHelp(
      """
      Which source locations to record: 'waits' (the default: of long waits, and the line that added each \
      operation), 'all' (also the full stack of that line), 'off'.
      """, valueName: "which"))
  var stacks: Stacks?

  enum Stacks: String, ExpressibleByArgument, CaseIterable {
    case off, waits, all
  }

  @OptionGroup var parts: RecordedParts

  @Option(
    help: ArgumentHelp(
      """
      End with status 1 if the doctor finds an 'error' ('warning': a warning or an error; 'order': an error, or what may hang \
      another time, with --orders) in any trace, even if the program succeeded.
      """, valueName: "severity"))
  var failOn: Severity?

  /// Which findings make the command fail.
  enum Severity: String, ExpressibleByArgument, CaseIterable {
    case error, warning, order
  }

  @Option(
    help: ArgumentHelp(
      "With --fail-on: a list of what may hang another time and does not count, as --write-known writes it.",
      valueName: "file"),
    completion: .file())
  var known: String?

  @Option(
    help: ArgumentHelp(
      "List in this file what may hang another time; it does not count for --fail-on in this run.", valueName: "file"),
    completion: .file())
  var writeKnown: String?

  @Option(
    // So that a value such as -1 gets the message that says what is needed.
    parsing: .unconditional,
    help: ArgumentHelp(
      "End the program if work is open and nothing moves for so long; say why on standard error; exit with 124.",
      valueName: "seconds"))
  var stallTimeout: String?

  @Option(help: Annotations.help)
  var annotations: Annotations?

  @Option(
    help: ArgumentHelp(
      """
      Write the report as one HTML page, as 'optrace report' does. Of several processes each has a page: file, \
      file-2 and so on, the one with most work first; where tests ran, of their processes alone.
      """, valueName: "file"),
    completion: .file(extensions: ["html"]))
  var report: String?

  @Option(
    help: ArgumentHelp(
      """
      Where the symbols of a stripped program with Swift's libraries linked into it are: a file with the same build \
      id. By default PROGRAM.debug beside it, and what lies in /usr/lib/debug/.build-id.
      """, valueName: "file"),
    completion: .file())
  var debugFile: String?

  @OptionGroup(title: "Continuous profiles") var pushing: PushOptions

  @Option(
    // So that a value such as -1 gets the message that says what is needed.
    parsing: .unconditional,
    help: ArgumentHelp(
      "With --push, which means --profile: how much time a profile is of (default: 60s).", valueName: "time"))
  var pushEvery: String?

  @Flag(help: "When the program has ended, show its trace in the browser, as 'optrace view' does.")
  var open = false

  @Argument(
    parsing: .captureForPassthrough,
    help: ArgumentHelp("The program and its arguments; what follows its name belongs to it.", valueName: "program"),
    completion: .custom(Completions.recorded))
  var words: [String] = []

  /// The program and its arguments, without the `--` that may be before them.
  var line: [String] { words.first == "--" ? Array(words.dropFirst()) : words }

  func validate() throws {
    if pid != nil { return try validateAttaching() }
    if duration != nil { throw ValidationError("--for needs --pid.") }
    guard let program = line.first else {
      throw ValidationError("Missing expected argument '<program>\(words.isEmpty ? " ..." : "")'")
    }
    // The parser passes unknown options, even its own help, to the program.
    if ["-h", "--help"].contains(words.first) { throw CleanExit.helpRequest(Self.self) }
    if words.first == "--version" { throw CleanExit.message(OpTraceVersion.current) }
    if program.hasPrefix("-"), words.first != "--" {
      let options = Set(Self.helpMessage().matches(of: /--[a-z][a-z-]+/).map { String($0.output) })
      let hint = Suggestion.text(for: program, among: options).map { "; \($0)" } ?? ""
      throw ValidationError("Unknown option '\(program)'\(hint)")
    }
    try validateFiles()
    if let runs { try RunNames.check(runs) }
    if let stallTimeout { try StallTimeout.check(stallTimeout) }
    if pushing.push == nil, pushEvery != nil { throw ValidationError("--push-every needs --push.") }
    _ = try PushInterval.nanoseconds(pushEvery, option: "--push-every")
    try validateRing()
    try keep.validate(ring: flightRecorder.flatMap { TraceRecorder.bytes($0) }.map { UInt64($0) })
  }

  func validateFiles() throws {
    if output == "-" { throw ValidationError("-o names a file: a trace cannot go to standard output.") }
    if output == "" { throw ValidationError("-o needs the name of a file.") }
    if report == "-" { throw ValidationError("--report names a file: standard output is the program's.") }
    if report == "" { throw ValidationError("--report needs the name of a file.") }
    if known != nil, failOn == nil { throw ValidationError("--known needs --fail-on.") }
    if writeKnown == "-" || writeKnown == "" { throw ValidationError("--write-known needs the name of a file.") }
    if let report, report == output { throw ValidationError("-o and --report need different files.") }
  }

  func validateRing() throws {
    if let flightRecorder {
      guard let bytes = TraceRecorder.bytes(flightRecorder) else {
        throw ValidationError("'\(flightRecorder)' is not a size such as 512K, 16M or 1G.")
      }
      if bytes < TraceRecorder.Configuration.smallestCapacity {
        throw ValidationError("'\(flightRecorder)' is too small for a flight recorder: it needs 256K or more.")
      }
    }
  }

  #if os(Linux)
    func run() throws {
      if let pid { return try attach(to: pid) }
      let program = try ProgramFile.find(line[0])
      try program.checkRecordable(debugFile: debugFile)
      let object = try PreloadObject.find()
      let folder = RawPath.currentFolder
      let targets = try targets(in: folder)
      let pages = try report.map { try RecordPages.files($0, runs: runs) }
      var known = try KnownFindings(from: known, to: writeKnown)
      if let remark = keep.remark(hasUnits: parts.recordsUnits) {
        Console.note(remark)
      }
      let push = try pushing.push.map {
        try PushSettings(pushing, url: $0, every: try PushInterval.nanoseconds(pushEvery, option: "--push-every"))
      }
      var firstFailure: Int32 = 0
      var isFound = false
      var lacksPages = false
      var firstReport: RecordReport?
      for (index, target) in targets.enumerated() {
        let finished = try runOnce(program, object: object, to: target, in: folder, push: push)
        let (end, stalled, kept) = (finished.end, finished.stalled, finished.kept)
        let report = finished.report(program: line[0], folder: folder, debugFile: debugFile)
        let run = runs == nil ? "" : "run \(index + 1) of \(targets.count): "
        Console.error(report.text(run: run))
        if !kept.isEmpty { Console.error(kept) }
        if firstFailure == 0 { firstFailure = stalled == nil ? end.shellStatus : ExitStatus.stalled.rawValue }
        if failOn != nil || annotations != nil || writeKnown != nil {
          let findings = try RecordFindings(
            in: report.traces, from: failOn, known: &known, annotations: annotations, stalled: stalled)
          Console.error(findings.text)
          if findings.isFound { isFound = true }
        }
        if let pages {
          let written = RecordPages(of: report.traces, to: pages[index])
          Console.error(written.text)
          if !written.isWhole { lacksPages = true }
        }
        let isBetter = stalled != nil && firstReport?.isStalled == false
        if firstReport?.firstTrace == nil || isBetter { firstReport = report }
        if finished.isAskedToStop, index + 1 < targets.count {
          Console.error("optrace: asked to stop: \(counted(targets.count - index - 1, "run")) left out\n")
          break
        }
      }
      try known.write()
      if let firstReport, let path = firstReport.firstTrace {
        // With --fail-on the findings stand above.
        if !isFound { Console.error(firstReport.answer) }
        Console.error(firstReport.hints)
        if open { show(path) }
      }
      if firstFailure != 0 { throw ExitCode(firstFailure) }
      if isFound { throw ExitStatus.foundError }
      if lacksPages { throw ExitStatus.cannotWrite }
    }

    /// Shows the trace until Ctrl-C. An error here is no failure of the program, whose status is the command's.
    func show(_ path: String) {
      let input = TraceInput(path: path)
      do {
        let view = ViewedTrace(name: input.name, path: path, opensBrowser: true, sparesOutput: true)
        try view.asReport(try input.read().trace, port: 0)
      } catch {
        Console.error("optrace: \((error as? Failure)?.message ?? "\(error)")")
      }
    }
  #else
    func run() throws {
      throw Failure(
        message: "record works on Linux alone; on Apple platforms link OpTrace and call instrumentProcess()",
        status: .cannotRecord)
    }
  #endif
}
