package import OpTraceModel

/// What the new runs consist of and the base runs do not, or the other way round. A count differs only where no base run has one
/// that a new run has: what varies between runs of one program is no difference.
package struct StructureDifferences: Sendable, Equatable {
  /// How often something was there in the runs of each side: the least and the most.
  package struct Counts: Sendable, Equatable {
    /// In the base runs.
    package var base: ClosedRange<Int>
    /// In the new runs.
    package var new: ClosedRange<Int>
    /// There is more of it than there was.
    package var isMore: Bool { new.lowerBound > base.upperBound }
    /// No base run has as many as a new run.
    package var isChanged: Bool { !base.overlaps(new) }
    /// How it changed.
    package var change: Change? {
      guard isChanged else { return nil }
      return base.upperBound == 0 ? .came : new.upperBound == 0 ? .went : isMore ? .more : .fewer
    }
  }

  /// How something changed between the sides.
  package enum Change: String, Sendable, CaseIterable {
    /// No base run has it.
    case came
    /// No new run has it.
    case went
    /// There is more of it.
    case more
    /// There is less of it.
    case fewer
  }

  /// Operations of a pattern.
  package struct Operations: Sendable, Equatable {
    /// Which operations.
    package var pattern: WorkPattern
    /// How many there were.
    package var counts: Counts
  }

  /// Dependencies between operations of two patterns.
  package struct Edges: Sendable, Equatable {
    /// Those that wait.
    package var waiter: WorkPattern
    /// Those that they wait for.
    package var dependency: WorkPattern
    /// How many such dependencies there were.
    package var counts: Counts
  }

  /// Operation queues of a pattern.
  package struct Queues: Sendable, Equatable {
    /// The name, with `#` for its numbers.
    package var queue: String
    /// How many there were.
    package var counts: Counts
  }

  /// Queues of a pattern that ever had a limit.
  package struct Limits: Sendable, Equatable {
    /// The name, with `#` for its numbers.
    package var queue: String
    /// How many may run at once; nil: as many as the system allows.
    package var limit: Int?
    /// How many such queues there were.
    package var counts: Counts
  }

  /// Operations of a pattern that were in a state at the end.
  package struct Ends: Sendable, Equatable {
    /// Which operations.
    package var pattern: WorkPattern
    /// Their state; nil: the trace does not say.
    package var state: OperationState?
    /// How many there were.
    package var counts: Counts
  }

  /// Something that the doctor finds.
  package struct Finding: Sendable, Equatable {
    /// As `optrace doctor --explain` knows it.
    package var code: String
    /// Proven in one of the runs that have it.
    package var isError: Bool
    /// In how many runs of each side it is found.
    package var runs: (base: Int, new: Int)
    /// The new runs have it and no base run does.
    package var isNew: Bool { runs.base == 0 }

    package static func == (left: Self, right: Self) -> Bool {
      left.code == right.code && left.isError == right.isError && left.runs == right.runs
    }
  }

  /// Operations that came or went, by pattern.
  package internal(set) var operations: [Operations] = []
  /// Dependencies that came or went, by the patterns of both ends.
  package internal(set) var edges: [Edges] = []
  /// Queues that came or went, by pattern.
  package internal(set) var queues: [Queues] = []
  /// Limits that came or went, of queues that both sides have.
  package internal(set) var limits: [Limits] = []
  /// States at the end that came or went, of operations that both sides have as many of.
  package internal(set) var ends: [Ends] = []
  /// What the doctor finds on one side alone: in all of its runs, or, where it is an error, in any.
  package internal(set) var findings: [Finding] = []

  /// Something besides findings differs.
  package var isChanged: Bool {
    !(operations.isEmpty && edges.isEmpty && queues.isEmpty && limits.isEmpty && ends.isEmpty)
  }

  /// Something is found that no base run has.
  package var hasNewFindings: Bool { findings.contains(where: \.isNew) }
}

extension StructureDifferences {
  /// - Parameters:
  ///   - graph: of the same runs.
  ///   - patterns: by number.
  /// O(runs * patterns).
  init(base: [RunFacts], new: [RunFacts], graph: PatternGraph, patterns: [WorkPattern]) {
    func pattern(_ number: Int32) -> WorkPattern { patterns[Int(number)] }
    operations = graph.operations.filter(\.counts.isChanged)
    edges = graph.edges.filter(\.counts.isChanged)
    queues = graph.queues.filter(\.counts.isChanged)
    let queuesThatDiffer = Set(queues.map(\.queue))
    limits = Self.differences(base.map(\.limits), new.map(\.limits))
      .filter { !queuesThatDiffer.contains($0.0.queue) }
      .map { Limits(queue: $0.queue, limit: $0.limit < 0 ? nil : $0.limit, counts: $1) }
      .sorted { ($0.queue, $0.limit ?? .max) < ($1.queue, $1.limit ?? .max) }
    let patternsThatDiffer = Set(operations.map(\.pattern))
    ends = Self.differences(base.map(\.ends), new.map(\.ends))
      .map { Ends(pattern: pattern($0.pattern), state: $0.state, counts: $1) }
      .filter { !patternsThatDiffer.contains($0.pattern) }
      .sorted {
        $0.pattern == $1.pattern ? $0.state?.rawValue ?? "" < $1.state?.rawValue ?? "" : $0.pattern < $1.pattern
      }
    findings = Self.findings(base, new)
  }

  private static func differences<Key: Hashable>(_ base: [[Key: Int]], _ new: [[Key: Int]]) -> [(Key, Counts)] {
    counts(base, new).filter { $0.1.isChanged }
  }

  /// The counts of everything that some run has.
  static func counts<Key: Hashable>(_ base: [[Key: Int]], _ new: [[Key: Int]]) -> [(Key, Counts)] {
    let (first, second) = (ranges(base), ranges(new))
    var result = first.map { ($0.key, Counts(base: $0.value, new: second[$0.key] ?? 0...0)) }
    for (key, range) in second where first[key] == nil { result.append((key, Counts(base: 0...0, new: range))) }
    return result
  }

  /// The least and the most of each over the runs; a run that does not have it has none of it.
  private static func ranges<Key: Hashable>(_ runs: [[Key: Int]]) -> [Key: ClosedRange<Int>] {
    var result: [Key: ClosedRange<Int>] = [:]
    var seen: [Key: Int] = [:]
    for run in runs {
      for (key, count) in run {
        let known = result[key] ?? count...count
        result[key] = min(known.lowerBound, count)...max(known.upperBound, count)
        seen[key, default: 0] += 1
      }
    }
    for (key, times) in seen where times < runs.count {
      if let range = result[key] { result[key] = min(0, range.lowerBound)...range.upperBound }
    }
    return result
  }

  private static func findings(_ base: [RunFacts], _ new: [RunFacts]) -> [Finding] {
    let codes = Set((base + new).flatMap(\.findings.keys))
    return codes.sorted().compactMap { code in
      let counts = (
        base: base.count { $0.findings[code] != nil }, new: new.count { $0.findings[code] != nil }
      )
      let isError = (base + new).contains { $0.findings[code] == true }
      let isOneSided =
        (counts.base == 0 && (counts.new == new.count || isError))
        || (counts.new == 0 && (counts.base == base.count || isError))
      return isOneSided ? Finding(code: code, isError: isError, runs: counts) : nil
    }
  }
}

/// All operations and dependencies of both sides by pattern, those that differ and those that do not: what a picture of the
/// comparison is drawn of.
package struct PatternGraph: Sendable, Equatable {
  /// In the order of their patterns.
  package internal(set) var operations: [StructureDifferences.Operations] = []
  /// In the order of the patterns that wait, then of those that they wait for.
  package internal(set) var edges: [StructureDifferences.Edges] = []
  /// By name.
  package internal(set) var queues: [StructureDifferences.Queues] = []

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
