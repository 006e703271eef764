#if CLI
  import ArgumentParser
  import Foundation
  import OpTraceExport
  import OpTraceGraphviz
  import OpTraceModel

  struct GraphCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "graph",
      abstract: "Draws the dependency graph: who waited for whom, how long, and what decided the end.",
      discussion: """
        Queues are lanes, the critical path is violet, what is stuck red. In a browser the SVG shows the times of an \
        operation under the pointer, and all that it waited for and that waited for it. With --deadlock, where nothing \
        is stuck, nothing is drawn and the exit status is 64.
        """)

    enum Format: String, CaseIterable, ExpressibleByArgument {
      case svg, png, pdf, dot

      var image: GraphvizRenderer.ImageFormat? { GraphvizRenderer.ImageFormat(rawValue: rawValue) }
    }

    enum Grouping: String, CaseIterable, ExpressibleByArgument {
      case queue
      case `class`
    }

    @OptionGroup var input: TraceInput

    @Option(
      name: .shortAndLong,
      help: ArgumentHelp("The file to write; '-' is standard output, and the default.", valueName: "file"),
      completion: .file(extensions: Format.allCases.map(\.rawValue)))
    var output: String?

    @Option(help: "svg, png, pdf or dot; by default what the file's name ends with, svg where it has no ending.")
    var format: Format?

    @Option(
      help: ArgumentHelp("Only this operation (a name, or a number as '#5') and what is near.", valueName: "name"))
    var focus: String?

    @Flag(help: "Only what is stuck: circles of waiting, what holds others up, and what is next behind it.")
    var deadlock = false

    @Option(
      help: ArgumentHelp(
        "How many edges away from --focus (default: 2), or behind what --deadlock shows (1).", valueName: "k"))
    var hops: Int?

    @Option(help: "What a lane stands for: queue or class.")
    var groupBy = Grouping.queue

    @Flag(inversion: .prefixedNo, exclusivity: .exclusive, help: "Whether to show the critical path.")
    var criticalPath = true

    func validate() throws {
      if let hops, hops < 0 { throw ValidationError("--hops must not be negative.") }
      if deadlock, focus != nil { throw ValidationError("--deadlock and --focus exclude each other.") }
      if hops != nil, focus == nil, !deadlock { throw ValidationError("--hops needs --focus or --deadlock.") }
    }

    func run() throws {
      let format = try chosenFormat()
      let output = try self.input.output(output)
      if output.isTerminal, format.image != nil {
        throw Failure.usage("\(format.rawValue) is not for a terminal: use -o FILE")
      }
      let input = try input.read()
      let picture = GraphPicture(of: input.trace, options: try options(for: input.trace))
      if deadlock, picture.nodes.isEmpty {
        throw Failure.usage(
          "nothing is stuck in \(self.input.name), so --deadlock has nothing to draw; without it, everything is drawn")
      }
      try output.write(try bytes(of: picture, format))
      try input.end()
    }

    private func bytes(of picture: GraphPicture, _ format: Format) throws -> [UInt8] {
      do {
        if format == .dot { return Array(DOTWriter(picture).text().utf8) }
        if let image = format.image { return try GraphvizRenderer.image(of: picture, as: image) }
        return Array(SVGWriter.text(picture, try GraphvizRenderer.layout(picture)).utf8)
      } catch {
        throw Failure(message: printable("\(error)"), status: status(of: error))
      }
    }

    private func status(of error: GraphvizError) -> ExitStatus {
      switch error {
      case .missingPlugin: .cannotWrite
      case .tooLarge, .tooDeep: .usage
      case .failed: .bug
      }
    }

    private func options(for trace: Trace) throws -> GraphOptions {
      var options = GraphOptions()
      options.grouping = groupBy == .class ? .class : .queue
      options.showsCriticalPath = criticalPath
      if deadlock { options.stuckHops = hops ?? 1 }
      guard let focus else { return options }
      do {
        let found = try OperationLookup.find(focus, in: trace)
        options.focus = GraphOptions.Focus(operations: found, hops: hops ?? 2, name: focus)
      } catch {
        throw Failure.usage(unknown(error))
      }
      return options
    }

    private func unknown(_ error: OperationLookup.Unknown) -> String {
      let text = "no operation is called '\(printable(error.name))' in \(input.name)"
      if error.suggestions.isEmpty { return text }
      return text + "; did you mean " + error.suggestions.map { "'\(printable($0))'" }.joined(separator: " or ") + "?"
    }

    private func chosenFormat() throws -> Format {
      if let format { return format }
      guard let output, output != "-" else { return .svg }
      let ending = (output as NSString).pathExtension.lowercased()
      if let known = Format(rawValue: ending) { return known }
      if ending.isEmpty || output.hasPrefix("/dev/") { return .svg }
      throw Failure.usage("'\(printable(output))' ends with no known format; say --format svg, png, pdf or dot")
    }
  }
#endif
