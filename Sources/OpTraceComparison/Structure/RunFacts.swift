import OpTraceDoctor
import OpTraceKernel
import OpTraceModel

/// What a run consists of, apart from its times and the order of things: what stays the same when a program that was not
/// changed runs again. Patterns are given by their numbers in the table of all runs.
struct RunFacts: Sendable {
  struct End: Hashable, Sendable {
    var pattern: Int32
    /// Nil: the trace does not say what became of it.
    var state: OperationState?
  }

  struct Edge: Hashable, Sendable {
    var waiter: Int32
    var dependency: Int32
  }

  struct Limit: Hashable, Sendable {
    var queue: String
    /// -1: as many as the system allows.
    var limit: Int
  }

  var operations: [Int32: Int] = [:]
  var edges: [Edge: Int] = [:]
  var ends: [End: Int] = [:]
  var queues: [String: Int] = [:]
  /// How many queues of a pattern ever had a limit.
  var limits: [Limit: Int] = [:]
  /// Codes of what the doctor finds, and whether any of that is an error. Not how often: that depends on times.
  var findings: [String: Bool] = [:]

  /// O(n log n), as the doctor.
  init(of trace: Trace, shape: RunShape, _ diagnosis: Diagnosis) {
    for index in trace.operations.indices {
      let pattern = shape.patterns[index]
      operations[pattern, default: 0] += 1
      let state = trace.operations[index].isOutcomeKnown ? trace.operations[index].state : nil
      ends[End(pattern: pattern, state: state), default: 0] += 1
    }
    for edge in shape.graph.edges {
      let key = Edge(waiter: shape.patterns[edge.waiter], dependency: shape.patterns[edge.dependency])
      edges[key, default: 0] += 1
    }
    for queue in trace.queues {
      let pattern = NamePattern.of(queue.title)
      queues[pattern, default: 0] += 1
      var seen: Set<Int> = [queue.initialLimit]
      for change in queue.changes { if case .limit(let limit) = change.kind { seen.insert(limit) } }
      for limit in seen { limits[Limit(queue: pattern, limit: limit), default: 0] += 1 }
    }
    for finding in diagnosis.findings {
      let code = finding.code.rawValue
      findings[code] = findings[code] == true || finding.severity == .error
    }
  }

  /// The same with other numbers for its patterns.
  func mapped(by numbers: [Int32]) -> RunFacts {
    var result = self
    (result.operations, result.edges, result.ends) = ([:], [:], [:])
    for (pattern, count) in operations { result.operations[numbers[Int(pattern)], default: 0] += count }
    for (edge, count) in edges {
      let key = Edge(waiter: numbers[Int(edge.waiter)], dependency: numbers[Int(edge.dependency)])
      result.edges[key, default: 0] += count
    }
    for (end, count) in ends {
      result.ends[End(pattern: numbers[Int(end.pattern)], state: end.state), default: 0] += count
    }
    return result
  }
}
