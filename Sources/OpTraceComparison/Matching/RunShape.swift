import OpTraceAnalysis
import OpTraceModel

/// A run as matching needs it: what each operation is called, what it is, and who waits for whom.
struct RunShape: Sendable {
  /// By place in the trace; nil: without a name.
  var names: [String?]
  /// The number of each operation's pattern.
  var patterns: [Int32]
  var graph: DependencyGraph
  /// Some operation's function is known: the trace has symbols.
  var hasFunctions: Bool
  var count: Int { patterns.count }

  init(of trace: Trace, graph: DependencyGraph, patterns: inout PatternTable) {
    self.patterns = patterns.numbers(of: trace)
    names = trace.operations.indices.map { trace.operations[$0].name }
    self.graph = graph
    hasFunctions = trace.operations.indices.contains { trace.operations[$0].function != nil }
  }

  /// The same with other numbers for its patterns.
  func mapped(by numbers: [Int32]) -> RunShape {
    var result = self
    result.patterns = patterns.map { numbers[Int($0)] }
    return result
  }
}
