package import OpTraceModel

/// Findings of one kind are told as one: thirty operations that nobody started are one mistake, and one thing to mend.
extension Finding {
  /// What findings have in common that are told as one.
  struct Kind: Hashable, Sendable {
    var code: String
    var variant: Int
    var isNote: Bool
    /// The class and the queue of the operation whose fault it is.
    var pattern: DoctorContext.Pattern
  }

  /// Those of one kind as one, in the place of the first, which is to be one of the most severe.
  /// O(findings + their operations).
  static func grouped(_ findings: [Finding]) -> [Finding] {
    var groups: [[Finding]] = []
    var places: [Kind: Int] = [:]
    for finding in findings {
      if let kind = finding.kind, let place = places[kind] {
        groups[place].append(finding)
      } else {
        if let kind = finding.kind { places[kind] = groups.count }
        groups.append([finding])
      }
    }
    return groups.map(one)
  }

  /// The first, which is of the most severe, speaks for all; of the others, what they are about.
  private static func one(_ group: [Finding]) -> Finding {
    let lead = group[0]
    let others = group.dropFirst()
    guard !others.isEmpty else { return lead }
    var result = lead
    result.title += " (\(others.count) more like it)"
    result.explanation += " The same is true of \(others.count) more."
    result.operations = distinct(
      group.compactMap(\.operations.first) + group.flatMap { $0.operations.dropFirst() })
    result.queues = distinct(group.flatMap(\.queues))
    result.behind = group.reduce(0) { $0 + $1.behind }
    let told = others.prefix(max(1, DoctorContext.mostEvidence - lead.evidence.count))
    result.evidence += told.map { other in
      var line = other.evidence.first ?? .init(other.title)
      line.text = other.title
      return line
    }
    if others.count > told.count { result.evidence.append(.init("and \(others.count - told.count) more")) }
    let unproven = others.filter { !$0.isProven }
    if lead.isProven, let reason = unproven.first?.evidence.last(where: { $0.text.hasPrefix(unprovenMark) })?.text {
      result.evidence.append(
        .init("\(unproven.count) of them \(unproven.count == 1 ? "is" : "are") \(reason)"))
    }
    return result.inOrderOfTime
  }

  /// With what the line begins that says why a finding is not proven.
  static let unprovenMark = "unproven: "

  private static func distinct<Element: Hashable>(_ elements: [Element]) -> [Element] {
    var seen = Set<Element>()
    return elements.filter { seen.insert($0).inserted }
  }
}

extension DoctorContext {
  /// The finding with its kind. A cycle of waiting is one by itself.
  func withKind(_ finding: Finding) -> Finding {
    guard finding.cycle.isEmpty, let first = finding.operations.first.flatMap(operation) else { return finding }
    var finding = finding
    finding.kind = Finding.Kind(
      code: finding.code, variant: finding.variant, isNote: finding.severity == .note, pattern: Pattern(first))
    return finding
  }
}

extension Finding {
  /// Whether it tells of what does not go on at the trace's end: not of what stood still for a while, and is over.
  package func isOfStuck(in trace: Trace) -> Bool {
    guard severity != .note, DoctorRule.of(code)?.symptom == .stuck else { return false }
    return operations.isEmpty || operations.contains { trace.operation($0)?.finished == nil }
  }
}
