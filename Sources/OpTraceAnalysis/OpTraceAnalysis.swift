// What a program imports to read, explain and tell a trace: the kernel, and the capabilities that a library has.
@_exported public import OpTraceDoctor
@_exported public import OpTraceGraph
@_exported public import OpTraceHangs
@_exported public import OpTraceKernel
import OpTraceMemory
public import OpTraceModel
import OpTraceOrders
import OpTracePageParts
@_exported public import OpTraceRequests
@_exported public import OpTraceSamples
@_exported public import OpTraceSummary
@_exported public import OpTraceTimeline

extension Capability {
  /// Those that this library has. Findings, tables, sections of `top` and tabs of the report are in this order.
  package static let analysis: [Capability] = [
    .hangs, .orders, .timeline, .graph, .summary, .findings, .requests, .memory,
  ]
}

extension RuleSet {
  /// The rules of all capabilities that this library has.
  public static let all = RuleSet(of: Capability.analysis)
}

extension DoctorRule {
  /// Every rule, in the order in which findings of one severity are reported.
  public static let table = RuleSet.all.rules

  /// The rule of a code. O(number of rules).
  public static func of(_ code: DoctorCode) -> DoctorRule? { RuleSet.all[code] }
}

extension Diagnosis {
  /// By all rules.
  ///
  /// - Parameter symptom: run only the rules for this symptom; nil: all of them.
  public init(of trace: Trace, options: DoctorOptions = .init(), only symptom: DoctorRule.Symptom? = nil) {
    self.init(of: trace, options: options, only: symptom, by: .all)
  }
}

extension DoctorReport {
  /// What a trace shows, by all rules.
  public init(of reading: Reading, stallAfter: Nanoseconds = defaultStallAfter) {
    self.init(of: reading, stallAfter: stallAfter, by: .all)
  }

  /// What a running process shows in both of two readings, by all rules: transient states are left out.
  public init(of first: Reading, then second: Reading, stallAfter: Nanoseconds = defaultStallAfter) {
    self.init(of: first, then: second, stallAfter: stallAfter, by: .all)
  }
}

extension GraphOptions {
  /// Everything, by queue, with the critical path; what cannot go on is marked by all rules.
  public init() { self.init(rules: .all) }
}

extension GraphPicture {
  /// With all options as they are by default. O(n log n + e) for n operations and e dependencies.
  public init(of trace: Trace) { self.init(of: trace, options: GraphOptions()) }
}

extension DOTExporter {
  /// With all options as they are by default. O(n + e), and O(n log n) where the critical path is asked for.
  public init(_ trace: Trace) { self.init(trace, options: GraphOptions()) }
}

extension TimelineOptions {
  /// Everything, with details; what all rules find is marked.
  public init() { self.init(rules: .all) }
}

extension TimelineExporter {
  /// With all options as they are by default.
  public init(_ trace: Trace) { self.init(trace, options: TimelineOptions()) }
}

extension TimelineFormat {
  /// What writes this trace in this format, with all options as they are by default.
  public func exporter(_ trace: Trace) -> any TimelineExporter { exporter(trace, options: TimelineOptions()) }
}
