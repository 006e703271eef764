import ArgumentParser
import OpTraceModel

/// `optrace dump`: converts a trace to text, one line per event, and a text to a trace.
struct DumpCommand: ParsableCommand {
  enum Format: String, ExpressibleByArgument, CaseIterable { case text, binary }

  static let configuration = CommandConfiguration(
    commandName: "dump",
    abstract: "Print a trace as text, or turn text into a trace.",
    discussion: """
      Every command that reads a trace takes the text form as well, so a text is enough for a bug report. \
      A text that was made from a binary and back is the same text.

      Example: optrace dump run.optrace -o run.txt
      """)

  @OptionGroup var trace: TraceArgument

  @Option(
    name: [.short, .customLong("output")],
    help: ArgumentHelp("The file to write; '-' is standard output, and the default.", valueName: "file"),
    completion: .file())
  var output: String?

  @Option(help: "text or binary. Without it: binary when the file's name ends with '.optrace', else text.")
  var format: Format?

  @OptionGroup var limit: UnpackingLimit

  private var input: TraceInput { trace.input(limit) }

  func run() throws {
    let events = try input.readEvents()
    var target = try self.input.output(output)
    switch format ?? (output?.hasSuffix(".optrace") == true ? .binary : .text) {
    case .text:
      try target.writeLong { sink in
        try TraceText.write(events) { piece in try piece.withUnsafeBytes { try sink($0) } }
      }
      if events.loss.isDamaged { self.input.warn(ofDamage: events.loss.damage) }
    case .binary:
      if target.isTerminal { throw Failure.usage("a binary trace is not for a terminal: use -o FILE") }
      if events.loss.isDamaged {
        Console.warning("a binary trace cannot say that parts of its source were damaged: the new file looks sound")
      }
      target.isPrivate = true
      try target.write(withProgress("making a binary trace") { TraceWriter.bytes(events) })
    }
    if events.loss.isDamaged { throw ExitStatus.badInput }
  }
}

extension TraceInput {
  /// Reads the events without interpreting them. Throws ``Failure`` if nothing can be read.
  func readEvents() throws -> TraceEvents {
    try opened("reading") { try TraceReader.events(path: $0, unpacking: limit.unpacker) }
  }
}
