// What a program imports to write reports: the page, and the parts that a library has.
import OpTraceAnalysis
import OpTraceComparison
package import OpTraceDoctor
@_exported public import OpTraceGraph
public import OpTraceModel
@_exported public import OpTracePage
import OpTracePageParts
import OpTracePrediction
import OpTraceProfile
public import OpTraceText

extension Capability {
  /// Those that this library has: those of the analysis come first.
  package static let report = analysis + [.profile, .comparison, .prediction]
}

extension ReportPage {
  /// The page with everything that this library has.
  public static let standard = ReportPage(of: Capability.report)

  /// Makes a page from these three texts, splitting the shell at its slots. O(length).
  public init(shell: String, style: String, script: String) {
    self.init(shell: shell, style: style, script: script, parts: Self.standard.parts, rules: .all)
  }
}

extension GrowingReport {
  /// Starts with nothing sent, for the page with everything that this library has.
  public init() { self.init(page: .standard) }
}

extension ReportExporter {
  /// - Parameters:
  ///   - page: what is the same in every report, usually `.standard`.
  ///   - graph: the drawing. Nil: there is none, and `graphNote` says why.
  ///   - whatIf: changes that would make the run faster, as returned by `WhatIf.pageJSON`. Nil: nobody asked for any.
  ///   - comparison: the differences between the two runs of the trace, as the JSON of `Comparison`. Nil: it is one
  ///     run.
  ///   - isServed: whether the page comes from `optrace view`, and may ask it for news.
  public init(
    _ trace: Trace, page: ReportPage, graph: EmbeddedGraph?, graphNote: String? = nil, whatIf: JSONValue? = nil,
    comparison: JSONValue? = nil, isServed: Bool = false
  ) {
    let content = EmbeddedGraph.content(of: graph, note: graphNote ?? graph?.note)
    self.init(
      trace, page: page, contents: [content], whatIf: whatIf, comparison: comparison, isServed: isServed)
  }
}

extension GrowingReport {
  /// Writes everything for a page that missed a revision, or for one whose program has ended: including the drawing of
  /// `graph`, if there is one, and what would help.
  public mutating func writeWhole(
    _ trace: Trace, graph: EmbeddedGraph? = nil, whatIf: JSONValue? = nil, to sink: ByteSink
  ) throws {
    try writeWhole(trace, contents: graph.map { [$0.content] } ?? [], whatIf: whatIf, to: sink)
  }

  /// Writes what has changed since the last revision.
  ///
  /// - Parameters:
  ///   - analysis: the current conclusions. Nil: the last ones still hold.
  ///   - graph: the drawing, if there is a new one.
  public mutating func writeGrowth(
    to trace: Trace, analysis: ReportAnalysis? = nil, graph: EmbeddedGraph? = nil, to sink: ByteSink
  ) throws {
    try writeGrowth(to: trace, analysis: analysis, contents: graph.map { [$0.content] } ?? [], to: sink)
  }
}

extension ReportAnalysis {
  /// Draws the conclusions that the page with everything that this library has shows. O(n log n), on two threads.
  public init(of trace: Trace) { self.init(of: trace, for: .standard) }
}
