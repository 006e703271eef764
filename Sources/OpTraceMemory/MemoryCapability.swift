package import OpTraceDoctor
import OpTraceLive
import OpTraceModel
import OpTracePageParts
import OpTraceTables

extension Capability {
  /// Where memory goes.
  package static let memory = Capability(RuleSet.memory, TableSet.memory, SectionSet.memory, ReportPart.memory)
}

extension RuleSet {
  /// What grows, what the allocator keeps, and what is slow because it allocates.
  package static let memory = RuleSet([.memoryGrowth, .mallocHolds, .allocationHotspot])
    .needing(MemoryFacts.self, for: .misuse).needing(SlowMemoryFacts.self, for: .slow)
}

/// The same for rules about slowness, which are asked by themselves. Only of traces that have samples of processor time, too.
struct SlowMemoryFacts: DoctorFacts {
  let report: MemoryReport?

  init() { report = nil }

  init(doctoring trace: Trace) { report = trace.samples.isEmpty ? nil : MemoryFacts(doctoring: trace).report }
}

/// What the rules share.
struct MemoryFacts: DoctorFacts {
  let report: MemoryReport?

  init() { report = nil }

  init(_ report: MemoryReport) { self.report = report }

  init(doctoring trace: Trace) {
    // Most traces have none, and pay nothing.
    report = trace.memory.map { !$0.allocations.isEmpty } == true ? MemoryReport(of: trace) : nil
  }
}

extension DoctorContext {
  /// Nil: no memory was sampled.
  var memory: MemoryReport? { facts(MemoryFacts.self).report }
}
