import OpTraceAnalysis
import OpTraceComparison
import OpTraceGraph
import OpTraceReport
import OpTraceGraphviz
import OpTraceModel
import OpTracePrediction
import OpTraceText
import Foundation

/// A trace's page with its drawing.
enum Report {
  /// Of several pages the file of each, counted from 1: `report.html`, `report-2.html` …
  static func file(_ number: Int, of path: String) -> String {
    guard number > 1 else { return path }
    let ending = (path as NSString).pathExtension
    let stem = ending.isEmpty ? path[...] : path.dropLast(ending.count + 1)
    return stem + "-\(number)" + (ending.isEmpty ? "" : ".\(ending)")
  }

  /// `isLive`: more will follow, so nothing is predicted from it.
  static func exporter(for trace: Trace, isServed: Bool = false, isLive: Bool = false) -> ReportExporter {
    let (parts, drawing, whatIf) = withProgress("looking through the run") {
      let parts = ReportParts(of: trace)
      // Neither needs anything of the other, and each takes about as long.
      let ((drawing, whatIf), columns) = SideBySide.both(
        { (Drawing { picture(of: trace, knowing: parts) }, isLive ? nil : self.whatIf(of: trace)) },
        { isLive ? parts : parts.withTables(of: trace) })
      return (columns, drawing, whatIf)
    }
    drawing.warn()
    var exporter = ReportExporter(
      trace, page: .standard, graph: drawing.graph, graphNote: drawing.note, whatIf: whatIf?.pageJSON,
      isServed: isServed)
    exporter.parts = parts
    return exporter
  }

  /// The drawing alone; nil where it cannot be had.
  static func graph(of trace: Trace) -> EmbeddedGraph? {
    Drawing { picture(of: trace, knowing: nil) }.graph
  }

  private static func picture(of trace: Trace, knowing parts: ReportParts?) -> GraphPicture {
    var options = GraphOptions()
    options.mostBoxes = GraphOptions.readable
    // One picture of all work where it can be read; without operations there is no other.
    options.layers = GraphOptions.usualLayers(of: trace)
    if trace.operations.count + trace.blocks.count + trace.tasks.count <= GraphOptions.readable {
      options.layers = Set(GraphOptions.Layer.allCases)
    }
    return parts.map { GraphPicture(of: trace, options: options, knowing: $0) }
      ?? GraphPicture(of: trace, options: options)
  }

  /// A run beside the same run with changes. What would help is not told of two runs at once.
  static func exporter(for trace: Trace, predicted: Trace) -> ReportExporter {
    let both = trace.beside(predicted, called: "predicted")
    var options = GraphOptions()
    options.mostBoxes = GraphOptions.readable
    return exporter(for: both, GraphPicture(of: both, options: options)) { graph, note in
      ReportExporter(both, page: .standard, graph: graph, graphNote: note)
    }
  }

  /// A run of the base above a new one, with the graph of what was added and removed.
  static func exporter(
    for base: Trace, and new: Trace, _ comparison: Comparison, json: JSONValue, title: String
  ) -> ReportExporter {
    let both = base.beside(new, called: "new", aligned: true)
    var members: [WorkPattern: [OperationID]] = [:]
    for (pattern, indices) in comparison.members(in: base) {
      members[pattern, default: []] += indices.map { both.operations[$0].id }
    }
    for (pattern, indices) in comparison.members(in: new) {
      members[pattern, default: []] += indices.map { both.operations[base.operations.count + $0].id }
    }
    let picture = GraphPicture(of: comparison, title: title, members: members)
    return exporter(for: both, picture) { graph, note in
      ReportExporter(both, page: .standard, graph: graph, graphNote: note, comparison: json)
    }
  }

  private static func exporter(
    for trace: Trace, _ picture: GraphPicture, _ make: (EmbeddedGraph?, String?) -> ReportExporter
  ) -> ReportExporter {
    let drawing = withProgress("laying out the graph") { Drawing { picture } }
    drawing.warn()
    return make(drawing.graph, drawing.note)
  }

  /// A picture that is laid out, or why it has none.
  private struct Drawing: Sendable {
    var graph: EmbeddedGraph?
    var note: String?

    init(_ picture: () -> GraphPicture) {
      let picture = picture()
      do { graph = EmbeddedGraph(picture, try GraphvizRenderer.layout(picture)) } catch { note = "\(error)" }
    }

    /// Everything else of the page is worth having without it.
    func warn() {
      if let note { Console.warning("the page has no graph: \(printable(note))") }
    }
  }

  /// Of larger traces `optrace whatif --suggest` tells, which may take its time.
  private static let mostOperations = 1_000
  private static let mostSuggestions = 6

  /// What would help; nil where that cannot be predicted.
  static func whatIf(of trace: Trace) -> WhatIf? {
    guard (2...mostOperations).contains(trace.operations.count),
      let predictor = try? Predictor(trace, processors: OwnMachine.processors(of: trace.header)),
      predictor.recordedWall != nil
    else { return nil }
    return WhatIf(predictor, suggestions: predictor.suggestions(atMost: mostSuggestions))
  }
}
