/// All operations and dependencies of both sides by pattern, those that differ and those that do not: what a picture of the
/// comparison is drawn of.
public struct PatternGraph: Sendable, Equatable {
  /// In the order of their patterns.
  public internal(set) var operations: [StructureDifferences.Operations] = []
  /// In the order of the patterns that wait, then of those that they wait for.
  public internal(set) var edges: [StructureDifferences.Edges] = []
  /// By name.
  public internal(set) var queues: [StructureDifferences.Queues] = []

  /// - Parameter patterns: by number. O(runs * patterns).
  init(base: [RunFacts], new: [RunFacts], patterns: [WorkPattern]) {
    func pattern(_ number: Int32) -> WorkPattern { patterns[Int(number)] }
    operations = StructureDifferences.counts(base.map(\.operations), new.map(\.operations))
      .map { .init(pattern: pattern($0), counts: $1) }.sorted { $0.pattern < $1.pattern }
    edges = StructureDifferences.counts(base.map(\.edges), new.map(\.edges))
      .map { .init(waiter: pattern($0.waiter), dependency: pattern($0.dependency), counts: $1) }
      .sorted { $0.waiter == $1.waiter ? $0.dependency < $1.dependency : $0.waiter < $1.waiter }
    queues = StructureDifferences.counts(base.map(\.queues), new.map(\.queues))
      .map { .init(queue: $0, counts: $1) }.sorted { $0.queue < $1.queue }
  }
}
