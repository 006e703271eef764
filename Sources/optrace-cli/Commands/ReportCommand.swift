#if CLI
  import ArgumentParser
  import OpTraceExport
  import OpTraceGraphviz
  import OpTraceModel
  import OpTracePrediction
  import OpTraceReport

  struct ReportCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "report",
      abstract: "Writes one HTML page that shows all of it: timeline, graph, why it was slow, what is wrong.",
      discussion: """
        The page needs nothing else and asks nobody for anything: attach it to a bug report, open it anywhere. What is \
        selected in it stands in its address.

        The page holds the names of operations, queues, threads and source files; 'optrace pack --anonymize' makes a \
        trace without them.

        Example: optrace report run.optrace -o run.html
        """)

    @OptionGroup var input: TraceInput

    @Option(
      name: .shortAndLong,
      help: ArgumentHelp("The file to write; '-' is standard output, and the default.", valueName: "file"),
      completion: .file(extensions: ["html"]))
    var output: String?

    func run() throws {
      let output = try self.input.output(output)
      if output.isTerminal { throw Failure.usage("a page is not for a terminal: use -o FILE") }
      let input = try input.read()
      let report = Report.exporter(for: input.trace)
      try output.writeLong { try report.write(to: $0) }
      try input.end()
    }
  }

  /// A trace's page with its drawing.
  enum Report {
    static func exporter(for trace: Trace, isServed: Bool = false, isLive: Bool = false) -> ReportExporter {
      var options = GraphOptions()
      options.mostBoxes = GraphOptions.readable
      // One picture of all work where it can be read; without operations there is no other.
      options.layers = GraphOptions.usualLayers(of: trace)
      if trace.operations.count + trace.blocks.count + trace.tasks.count <= GraphOptions.readable {
        options.layers = Set(GraphOptions.Layer.allCases)
      }
      let picture = withProgress("folding the graph") { GraphPicture(of: trace, options: options) }
      let foresight = isLive ? nil : foresight(of: trace)
      do {
        let graph = EmbeddedGraph(
          picture, try withProgress("laying out the graph") { try GraphvizRenderer.layout(picture) })
        return ReportExporter(
          trace, page: .standard, graph: graph, foresight: foresight, isServed: isServed, isLive: isLive)
      } catch {
        // Everything else of the page is worth having without it.
        Console.warning("the page has no graph: \(printable("\(error)"))")
        return ReportExporter(
          trace, page: .standard, graph: nil, graphNote: "\(error)", foresight: foresight, isServed: isServed,
          isLive: isLive)
      }
    }

    /// Of larger traces `optrace whatif --suggest` tells, which may take its time.
    private static let mostOperations = 1_000
    private static let mostSuggestions = 6

    /// What would help; nil where that cannot be foreseen.
    private static func foresight(of trace: Trace) -> WhatIf? {
      guard (2...mostOperations).contains(trace.operations.count),
        let predictor = try? Predictor(trace, processors: OwnMachine.processors(of: trace.header)),
        predictor.recordedWall != nil
      else { return nil }
      return withProgress("trying what would help") {
        WhatIf(predictor, suggestions: predictor.suggestions(atMost: mostSuggestions))
      }
    }
  }
#endif
