import OpTraceKernel
import OpTraceComparison
import OpTraceGraph
import OpTracePage
import OpTracePageParts
import OpTraceGraphviz
import OpTraceModel
import OpTracePrediction
import OpTraceText
import Foundation

/// The report page of a trace, with its drawing.
enum Report {
  /// The file of each of several pages, counted from 1: `report.html`, `report-2.html` …
  static func file(_ number: Int, of path: String) -> String {
    guard number > 1 else { return path }
    let ending = (path as NSString).pathExtension
    let stem = ending.isEmpty ? path[...] : path.dropLast(ending.count + 1)
    return stem + "-\(number)" + (ending.isEmpty ? "" : ".\(ending)")
  }

  /// - Parameter isLive: more will follow, so nothing is predicted.
  static func exporter(for trace: Trace, isServed: Bool = false, isLive: Bool = false) -> ReportExporter {
    let (prepared, drawing, whatIf) = withProgress("looking through the run") {
      let prepared = PreparedReport(of: trace, for: .command)
      // Both are independent of each other, and take about as long.
      let ((drawing, whatIf), columns) = SideBySide.both(
        { (Drawing { picture(of: trace, knowing: prepared) }, isLive ? nil : self.whatIf(of: trace)) },
        { isLive ? prepared : prepared.withTables(of: trace) })
      return (columns, drawing, whatIf)
    }
    drawing.warn()
    var exporter = ReportExporter(
      trace, page: .command, contents: [drawing.content], whatIf: whatIf?.pageJSON, isServed: isServed)
    exporter.prepared = prepared
    return exporter
  }

  /// Only the drawing; nil if there is none.
  static func graph(of trace: Trace) -> EmbeddedGraph? {
    Drawing { picture(of: trace, knowing: nil) }.graph
  }

  private static func picture(of trace: Trace, knowing prepared: PreparedReport?) -> GraphPicture {
    var options = GraphOptions(rules: .command)
    options.mostBoxes = GraphOptions.readable
    // One picture of all work if it can be read; without operations there is no other.
    options.layers = GraphOptions.usualLayers(of: trace)
    if trace.workCount <= GraphOptions.readable {
      options.layers = Set(GraphOptions.Layer.allCases)
    }
    guard let prepared else { return GraphPicture(of: trace, options: options) }
    return GraphPicture(
      of: trace, options: options, path: prepared.path ?? CriticalPath(of: trace), diagnosis: prepared.diagnosis)
  }

  /// A page of a run beside the same run with changes. Without suggestions, which would have to be for one run.
  static func exporter(for trace: Trace, predicted: Trace) -> ReportExporter {
    let both = trace.beside(predicted, called: "predicted")
    var options = GraphOptions(rules: .command)
    options.mostBoxes = GraphOptions.readable
    return exporter(for: both, GraphPicture(of: both, options: options)) {
      ReportExporter(both, page: .command, contents: [$0])
    }
  }

  /// A page of a base run above a new one, with a graph of what was added and removed.
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
    return exporter(for: both, picture) {
      ReportExporter(both, page: .command, contents: [$0], comparison: json)
    }
  }

  private static func exporter(
    for trace: Trace, _ picture: GraphPicture, _ make: (PartContent) -> ReportExporter
  ) -> ReportExporter {
    let drawing = withProgress("laying out the graph") { Drawing { picture } }
    drawing.warn()
    return make(drawing.content)
  }

  /// A picture with its layout, or the reason why there is none.
  private struct Drawing: Sendable {
    var graph: EmbeddedGraph?
    var note: String?

    init(_ picture: () -> GraphPicture) {
      let picture = picture()
      do { graph = EmbeddedGraph(picture, try GraphvizRenderer.layout(picture)) } catch { note = "\(error)" }
    }

    var content: PartContent { EmbeddedGraph.content(of: graph, note: note ?? graph?.note) }

    /// Warns that there is no picture; the rest of the page is useful without it.
    func warn() {
      if let note { Console.warning("the page has no graph: \(printable(note))") }
    }
  }

  /// For larger traces, use `optrace whatif --suggest`, which may take longer.
  private static let mostOperations = 1_000
  private static let mostSuggestions = 6

  /// Predictions of changes that would help; nil if the run cannot be predicted.
  static func whatIf(of trace: Trace) -> WhatIf? {
    guard (2...mostOperations).contains(trace.operations.count),
      let predictor = try? Predictor(trace, processors: OwnMachine.processors(of: trace.header)),
      predictor.recordedWall != nil
    else { return nil }
    return WhatIf(predictor, suggestions: predictor.suggestions(atMost: mostSuggestions))
  }
}
