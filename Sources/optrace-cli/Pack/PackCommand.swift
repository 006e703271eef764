import OpTracePacked
import OpTraceRunning
import ArgumentParser
import OpTraceModel

/// `optrace pack`: packs a trace to a tenth of its size or less, with or without its names.
struct PackCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "pack",
    abstract: "Compress a trace, or remove its names.",
    discussion: """
      Nothing is lost: 'optrace unpack' gives the same file back, byte for byte. A trace whose program still runs is \
      packed as it is now.

      If the trace has addresses but no names of functions, files and lines (a program that recorded itself), they are \
      added to the packed file when the program's files are on this machine, so it can be read anywhere. The trace itself \
      is not changed. --no-symbols omits the names.

      With --anonymize every text becomes a number ('name-1', 'class-3'), and what identifies the machine, the process and \
      the day is removed. Equal texts become equal numbers, so graph, times and findings stay the same. Documentation/record.md says \
      what is left.

      Example: optrace pack --anonymize run.optrace
      """)

  @OptionGroup var trace: TraceArgument

  @Option(
    name: [.short, .customLong("output")],
    help: ArgumentHelp(
      "The file to write; '-' is standard output. Without it: the trace's name with the ending '.optracez', with "
        + "--anonymize '.anonymous.optracez', where there is no such file yet; for standard input, standard output.",
      valueName: "file"),
    completion: .file(extensions: ["optracez"]))
  var output: String?

  @Flag(help: "Replace every name and text by a number.")
  var anonymize = false

  @Flag(help: "Do not look up what code is called: pack the trace as it is.")
  var noSymbols = false

  @OptionGroup var limit: UnpackingLimit

  private var input: TraceInput { trace.input(limit) }

  func run() throws {
    let target = try PackTarget(
      input, output, endings: [".optrace", ".txt", ".optracez"],
      ending: anonymize ? ".anonymous.optracez" : ".optracez")
    let location = try input.location()
    let report: TracePacker.Report
    if anonymize {
      report = try packAnonymized(to: target)
    } else {
      var symbols: TraceSymbols?
      let naming = SettledTrace.Naming(isLive: LiveProcess.writes) { stacks in
        let found = TraceSymbols(of: stacks)
        symbols = found
        return found.names
      }
      report = try target.write(of: input, doing: "packing into") {
        try TracePacker.pack(
          path: location, unpackingAtMost: input.limit.bytes, naming: noSymbols ? nil : naming, to: $0)
      }
      if let symbols, symbols.named > 0 { Console.note(symbols.told(of: input.name)) }
    }
    if report.needsLimit {
      Console.note(
        "nearly all of it is empty space: to read it packed takes "
          + "--max-unpacked \(SizeArgument.text(report.unpacked))")
    }
    try target.tell(report, of: input, small: report.packed, large: report.unpacked)
  }

  private func packAnonymized(to target: PackTarget) throws -> TracePacker.Report {
    let named = try input.readEvents()
    let events = withProgress("taking the names out of \(input.name)") { Anonymizer.anonymized(named) }
    // A binary trace cannot say that parts are missing; the text form can, and is read as well.
    let bytes = events.loss.isDamaged ? Array(TraceText.string(events).utf8) : TraceWriter.bytes(events)
    var report = try target.write(of: input, doing: "packing into") { try TracePacker.pack(bytes: bytes, to: $0) }
    report.damage = events.loss.damage
    return report
  }
}

/// `optrace unpack`: restores the packed trace.
struct UnpackCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "unpack",
    abstract: "Restore a packed trace, byte for byte, with the names that 'pack' put in.",
    discussion: """
      No command needs it: a packed trace is read as it is. A file that is not packed is refused. A damaged \
      block is reported and replaced by zeros; the other blocks are restored.

      Example: optrace unpack run.optracez -o run.optrace
      """)

  @OptionGroup var trace: TraceArgument

  @Option(
    name: [.short, .customLong("output")],
    help: ArgumentHelp(
      "The file to write; '-' is standard output. Without it: the trace's name with the ending '.optrace', where "
        + "there is no such file yet; for standard input, standard output.", valueName: "file"),
    completion: .file(extensions: ["optrace"]))
  var output: String?

  @OptionGroup var limit: UnpackingLimit

  private var input: TraceInput { trace.input(limit) }

  func run() throws {
    let target = try PackTarget(input, output, endings: [".optracez"], ending: ".optrace")
    let location = try input.location()
    let report = try target.write(of: input, doing: "unpacking into") {
      try TracePacker.unpack(path: location, unpackingAtMost: input.limit.bytes, to: $0)
    }
    try target.tell(report, of: input, small: nil, large: report.unpacked)
  }
}
