public import ArgumentParser
import Foundation
import OpTraceDoctor
import OpTraceGraph
import OpTraceGraphviz
import OpTraceKernel
import OpTraceModel
import OpTraceText

struct GraphCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "graph",
    abstract: "Draw the dependency graph.",
    discussion: """
      Queues are lanes, the critical path is violet, what is stuck red. In a browser the SVG shows the times of an \
      operation under the pointer, and all that it waited for and that waited for it. With --deadlock, where nothing \
      is stuck, what may hang in another run is drawn ('record --orders'), or nothing.

      Of more than \(GraphOptions.readable) operations, like ones share a box that counts them and adds up their times; what \
      has a finding, failed, is on the critical path or named by --focus stays alone. The picture says what was \
      folded; --full draws every operation. DOT is meant for other programs, and is never folded.

      Example: optrace graph run.optrace -o run.svg
      """)

  enum Format: String, CaseIterable, ExpressibleByArgument {
    case svg, png, pdf, dot

    var image: GraphvizRenderer.ImageFormat? { GraphvizRenderer.ImageFormat(rawValue: rawValue) }
  }

  @OptionGroup var trace: TraceArgument

  @Option(
    name: .shortAndLong,
    help: ArgumentHelp(
      "The file to write; '-' is standard output, and the default where that is no terminal.", valueName: "file"),
    completion: .file(extensions: Format.allCases.map(\.rawValue)))
  var output: String?

  @Option(help: "svg, png, pdf or dot; by default what the file's name ends with, svg where it has no ending.")
  var format: Format?

  @Option(
    help: ArgumentHelp("Only this operation (a name, or a number as '#5') and what is near.", valueName: "name"))
  var focus: String?

  @Flag(help: "Only what is stuck: cycles of waiting, what holds others up, what is next; the rest is counted.")
  var deadlock = false

  @Option(
    help: ArgumentHelp(
      "How many edges away from --focus (default: 2), or behind what --deadlock shows (1).", valueName: "k"))
  var hops: Int?

  @Flag(help: "Every operation in a box of its own, however many there are (svg; png and pdf up to 3,000).")
  var full = false

  @Option(help: "What a lane stands for: queue or class.")
  var groupBy = GraphOptions.Grouping.queue

  @Option(
    help: ArgumentHelp(
      "What to draw: operations, dispatch (blocks, and who submitted them), tasks (and who "
        + "created them); separate several with commas. Default: operations; if there are none, the others. Work that is not "
        + "drawn is mentioned at the operation that submitted it.",
      valueName: "list"))
  var layers: String?

  @Flag(inversion: .prefixedNo, exclusivity: .exclusive, help: "Whether to show the critical path.")
  var criticalPath = true

  @OptionGroup var core: CoreOptions

  @OptionGroup var limit: UnpackingLimit

  private var input: TraceInput {
    var input = trace.input(limit)
    input.unprepared = core.unprepared
    return input
  }

  func validate() throws {
    if let hops, hops < 0 { throw ValidationError("--hops must not be negative.") }
    if deadlock, focus != nil { throw ValidationError("--deadlock and --focus cannot be combined.") }
    if deadlock, let layers = try chosenLayers(), layers != [.operations] {
      throw ValidationError("--deadlock draws only operations: omit --layers.")
    }
    if hops != nil, focus == nil, !deadlock { throw ValidationError("--hops needs --focus or --deadlock.") }
  }

  func run() throws {
    let format = try chosenFormat()
    let output = try self.input.output(output)
    if output.isTerminal {
      let isText = format.image == nil
      if !isText || self.output == nil {
        let hint = isText ? ", or -o - to see it nevertheless" : ""
        throw Failure.usage("\(format.rawValue) is not for a terminal: use -o FILE\(hint)")
      }
    }
    let input = try input.read()
    let options = try options(for: input.trace)
    if format == .dot { return try writeDOT(of: input, options, to: output) }
    var picture = withProgress("folding the graph") { GraphPicture(of: input.trace, options: options) }
    if deadlock, picture.nodes.isEmpty, let mayHang = mayHang(in: input.trace) { picture = mayHang }
    if isNothingStuck(in: input, picture.nodes.count) { return try input.end() }
    try write(picture, format, to: output)
    if let note = picture.foldingNote { Console.error("optrace: note: \(printable(note))") }
    try input.end()
  }

  private func write(_ picture: GraphPicture, _ format: Format, to output: Output) throws {
    if let image = format.image {
      let (bytes, scale) = try withProgress("drawing the graph") {
        try drawn { () throws(GraphvizError) in try GraphvizRenderer.scaledImage(of: picture, as: image) }
      }
      try output.write(bytes)
      if scale < 1 {
        Console.note(
          "the picture has more pixels than a \(format.rawValue) can: it is drawn at \(percent(scale)); svg has no limit"
        )
      }
      return
    }
    let layout = try withProgress("laying out the graph") {
      try drawn { () throws(GraphvizError) in try GraphvizRenderer.layout(picture) }
    }
    try output.writeLong { try SVGWriter.write(picture, layout, to: $0) }
  }

  private func writeDOT(of input: InputTrace, _ options: GraphOptions, to output: Output) throws {
    let exporter = DOTExporter(input.trace, options: options)
    if deadlock, exporter.nodeCount == 0, let picture = mayHang(in: input.trace) {
      try output.writeLong { try DOTWriter(picture).write(to: $0) }
      return try input.end()
    }
    if isNothingStuck(in: input, exporter.nodeCount) { return try input.end() }
    try output.writeLong { try exporter.write(to: $0) }
    try input.end()
  }

  /// What may hang in another run, where no operation is stuck in this one.
  private func mayHang(in trace: Trace) -> GraphPicture? {
    GraphPicture(mayHang: Diagnosis(of: trace, by: .command).findings, in: trace)
  }

  /// Explains a missing picture: nothing is stuck, or nothing that is stuck is an operation.
  private func isNothingStuck(in trace: InputTrace, _ count: Int) -> Bool {
    guard deadlock, count == 0 else { return false }
    let diagnosis = Diagnosis(of: trace.trace, by: .command)
    if diagnosis.verdict == .unknown {
      Console.error(
        "optrace: whether an operation is stuck in \(input.name) is not known, because not all could be read")
      return true
    }
    let isOfOthers = diagnosis.isStandstill || [.deadlocked, .stalled, .suspected].contains(diagnosis.verdict)
    Console.error(
      isOfOthers
        ? "optrace: no operation is stuck in \(input.name), and --deadlock draws operations; 'optrace doctor' says which tasks, blocks or threads are"
        : "optrace: nothing is stuck in \(input.name), so --deadlock has nothing to draw; without it, everything is drawn"
    )
    return true
  }

  private func drawn<Value>(_ body: () throws(GraphvizError) -> Value) throws -> Value {
    do { return try body() } catch {
      throw Failure(message: printable("\(error)"), status: status(of: error))
    }
  }

  private func status(of error: GraphvizError) -> ExitStatus {
    switch error.reason {
    case .missingPlugin: .cannotWrite
    case .tooLarge, .tooDeep: .usage
    case .failed: .bug
    }
  }

  private func options(for trace: Trace) throws -> GraphOptions {
    var options = GraphOptions(rules: .command)
    if !full { options.mostBoxes = GraphOptions.readable }
    options.grouping = groupBy
    options.showsCriticalPath = criticalPath
    options.layers = try chosenLayers() ?? (deadlock ? [.operations] : GraphOptions.usualLayers(of: trace))
    if deadlock { options.stuckHops = hops ?? 1 }
    guard let focus else { return options }
    do {
      let found =
        options.layers != [.operations]
        ? try OperationLookup.findWork(focus, in: trace) : try OperationLookup.find(focus, in: trace)
      options.focus = GraphOptions.Focus(operations: found, hops: hops ?? 2, name: focus)
    } catch {
      throw Failure.usage(error.message(in: input.name))
    }
    return options
  }

  /// Nil: no layers were chosen.
  private func chosenLayers() throws -> Set<GraphOptions.Layer>? {
    guard let layers else { return nil }
    var chosen: Set<GraphOptions.Layer> = []
    for word in layers.split(separator: ",", omittingEmptySubsequences: false) {
      let name = word.trimmingCharacters(in: .whitespaces)
      guard let layer = GraphOptions.Layer(rawValue: name) else {
        let known = GraphOptions.Layer.allCases.map(\.rawValue)
        let offer = Suggestion.text(for: name, among: Set(known)) ?? "there are \(known.joined(separator: ", "))"
        throw Failure.usage("--layers has no '\(printable(name))'; \(offer)")
      }
      chosen.insert(layer)
    }
    return chosen
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

extension GraphOptions.Grouping: ExpressibleByArgument {}
