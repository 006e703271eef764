#if CLI
  import OpTraceAnalysis
  import OpTraceComparison
  import OpTraceExport
  import OpTraceGraphviz
  import OpTraceModel
  import OpTracePrediction
  import OpTraceReport
  import OpTraceText

  /// A trace's page with its drawing.
  enum Report {
    /// `isLive`: more will follow, so nothing is foreseen from it.
    static func exporter(for trace: Trace, isServed: Bool = false, isLive: Bool = false) -> ReportExporter {
      let picture = picture(of: trace)
      let foresight = isLive ? nil : foresight(of: trace)
      return exporter(for: trace, picture) { graph, note in
        ReportExporter(
          trace, page: .standard, graph: graph, graphNote: note, foresight: foresight, isServed: isServed)
      }
    }

    /// The drawing alone; nil where it cannot be had.
    static func graph(of trace: Trace) -> EmbeddedGraph? {
      let picture = picture(of: trace)
      return (try? GraphvizRenderer.layout(picture)).map { EmbeddedGraph(picture, $0) }
    }

    private static func picture(of trace: Trace) -> GraphPicture {
      var options = GraphOptions()
      options.mostBoxes = GraphOptions.readable
      // One picture of all work where it can be read; without operations there is no other.
      options.layers = GraphOptions.usualLayers(of: trace)
      if trace.operations.count + trace.blocks.count + trace.tasks.count <= GraphOptions.readable {
        options.layers = Set(GraphOptions.Layer.allCases)
      }
      return withProgress("folding the graph") { GraphPicture(of: trace, options: options) }
    }

    /// A run beside the same run with changes. What would help is not told of two runs at once.
    static func exporter(for trace: Trace, foreseen: Trace) -> ReportExporter {
      let both = trace.beside(foreseen, called: "foreseen")
      var options = GraphOptions()
      options.mostBoxes = GraphOptions.readable
      return exporter(for: both, GraphPicture(of: both, options: options)) { graph, note in
        ReportExporter(both, page: .standard, graph: graph, graphNote: note)
      }
    }

    /// A run of the base above a new one, with the graph of what came and went.
    static func exporter(
      for base: Trace, and new: Trace, _ comparison: Comparison, json: JSONValue, title: String
    ) -> ReportExporter {
      let both = base.beside(new, called: "new", aligned: true)
      var members: [WorkPattern: [OperationID]] = [:]
      for (pattern, places) in comparison.members(in: base) {
        members[pattern, default: []] += places.map { both.operations[$0].id }
      }
      for (pattern, places) in comparison.members(in: new) {
        members[pattern, default: []] += places.map { both.operations[base.operations.count + $0].id }
      }
      let picture = GraphPicture(of: comparison, title: title, members: members)
      return exporter(for: both, picture) { graph, note in
        ReportExporter(both, page: .standard, graph: graph, graphNote: note, comparison: json)
      }
    }

    private static func exporter(
      for trace: Trace, _ picture: GraphPicture, _ make: (EmbeddedGraph?, String?) -> ReportExporter
    ) -> ReportExporter {
      do {
        let layout = try withProgress("laying out the graph") { try GraphvizRenderer.layout(picture) }
        return make(EmbeddedGraph(picture, layout), nil)
      } catch {
        // Everything else of the page is worth having without it.
        Console.warning("the page has no graph: \(printable("\(error)"))")
        return make(nil, "\(error)")
      }
    }

    /// Of larger traces `optrace whatif --suggest` tells, which may take its time.
    private static let mostOperations = 1_000
    private static let mostSuggestions = 6

    /// What would help; nil where that cannot be foreseen.
    static func foresight(of trace: Trace) -> WhatIf? {
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
