import OpTraceKernel
package import OpTraceModel

/// Merges findings of one kind: if nobody started thirty operations, that is one mistake, with one fix.
extension Finding {
  /// What merged findings have in common.
  package struct Kind: Hashable, Sendable {
    var code: DoctorCode
    var form: Form
    var isNote: Bool
    /// The class and queue of the operation at fault; nil for findings about queues, whatever is in these.
    var pattern: DoctorContext.Pattern?
    /// The object that all of them wait for: one signal is missing, however many wait for it.
    var object: WaitRecord.Target?
  }

  /// One of the things that a rule reports. Rules that report several declare their own.
  package struct Form: Hashable, Sendable {
    private let name: String

    package init(_ name: String) { self.name = name }

    static let usual = Form("usual")
  }

  /// Words for the title of merged findings: `30 queues are suspended, with 60 operations ready to run: 'a', 'b'`.
  package struct Subject: Hashable, Sendable {
    /// What this finding is about: `'a'`.
    var name: String
    /// What all of them are: `queues are suspended`.
    var together: String
    /// What their operations are: `ready to run`.
    var state: String

    package init(name: String, together: String, state: String) {
      (self.name, self.together, self.state) = (name, together, state)
    }
  }

  /// Merges findings of one kind, at the position of the first, which must be one of the most severe.
  /// O(findings + their operations).
  package static func grouped(_ findings: [Finding]) -> [Finding] {
    var groups: [[Finding]] = []
    var indexes: [Kind: Int] = [:]
    for finding in findings {
      if let kind = finding.kind, let index = indexes[kind] {
        groups[index].append(finding)
      } else {
        if let kind = finding.kind { indexes[kind] = groups.count }
        groups.append([finding])
      }
    }
    return groups.map(one)
  }

  /// Merges a group: the first finding, one of the most severe, gives title and fix; the others add their titles as
  /// evidence.
  private static func one(_ group: [Finding]) -> Finding {
    let lead = group[0]
    let others = group.dropFirst()
    guard !others.isEmpty else { return lead }
    var result = lead
    result.title = titleOfSubjects(group) ?? "\(lead.title) (and \(others.count) more)"
    result.explanation += " The same applies to \(others.count) more."
    result.consequences = group.flatMap(\.consequences)
    result.operations = distinct(
      group.compactMap(\.operations.first) + group.flatMap { $0.operations.dropFirst() })
    result.queues = distinct(group.flatMap(\.queues))
    result.behind = group.reduce(0) { $0 + $1.behind }
    let shown = others.prefix(max(1, DoctorContext.mostEvidence - lead.evidence.count))
    result.evidence += shown.map { other in
      var line = other.evidence.first ?? .init(other.title)
      line.text = other.title
      return line
    }
    if others.count > shown.count { result.evidence.append(.init("and \(others.count - shown.count) more")) }
    let unproven = others.filter { !$0.isProven }
    if lead.isProven, let reason = unproven.first?.evidence.last(where: { $0.text.hasPrefix(unprovenMark) })?.text {
      result.evidence.append(
        .init("\(unproven.count) of them \(unproven.count == 1 ? "is" : "are") \(reason)"))
    }
    return result.inOrderOfTime
  }

  /// `30 queues are suspended, with 60 operations ready to run: 'a', 'b', 'c' and 27 more`; nil: these have no subject.
  private static func titleOfSubjects(_ group: [Finding]) -> String? {
    let names = group.compactMap(\.subject?.name)
    guard names.count == group.count, let subject = group[0].subject else { return nil }
    let held = Set(group.flatMap(\.operations)).count
    let shown = names.prefix(3) + (names.count > 3 ? ["\(names.count - 3) more"] : [])
    return "\(names.count) \(subject.together), with \(DoctorContext.count(held, "operation")) \(subject.state): "
      + DoctorContext.list(Array(shown))
  }

  /// The prefix of the evidence line that says why a finding is not proven.
  package static let unprovenMark = "unproven: "

  /// Why it is not proven, in words; nil: no evidence says it.
  package var doubt: String? {
    evidence.last { $0.text.hasPrefix(Self.unprovenMark) }.map { String($0.text.dropFirst(Self.unprovenMark.count)) }
  }

  private static func distinct<Element: Hashable>(_ elements: [Element]) -> [Element] {
    var seen = Set<Element>()
    return elements.filter { seen.insert($0).inserted }
  }
}

extension DoctorContext {
  /// Adds the finding's kind and location, and whether nothing moves. Cycles get no kind, so they are never merged.
  package func completed(_ finding: Finding) -> Finding {
    var finding = finding
    finding.location = finding.location ?? location(of: finding)
    finding.isOfStandstill =
      isStandstill && finding.severity == .warning && !finding.isPassing && finding.isStuck
    guard finding.cycle.isEmpty, let first = finding.operations.first.flatMap(operation) else { return finding }
    var pattern: Pattern? = Pattern(first)
    // One mistake stops them all: a class that never finishes in any queue, or a queue of which each tenant has one.
    let culprit = finding.trouble.culprit
    if culprit == .queues { pattern = nil } else if finding.isStuck { pattern?.queue = nil }
    var object: WaitRecord.Target?
    if culprit == .awaited,
      let wait = trace.waits.last(where: { $0.inside == first.id && $0.ended == nil }),
      case .object = wait.target
    {
      (object, pattern) = (wait.target, nil)
    }
    finding.kind = Finding.Kind(
      code: finding.code, form: finding.form, isNote: finding.severity == .note, pattern: pattern, object: object)
    return finding
  }

  /// Where the first of its operations waits or runs; else the first location in its chain.
  package func location(of finding: Finding) -> CodeLocation? {
    for id in finding.operations.prefix(Self.mostEvidence) {
      if let wait = trace.waits.last(where: { $0.inside == id && $0.ended == nil }), let found = location(of: wait) {
        return found
      }
      if let found = operation(id).flatMap({ location(ofExecuting: $0) }) { return found }
    }
    if let member = finding.chain.first(where: { $0.line != nil }) {
      return CodeLocation(function: member.function, file: member.file, line: member.line)
    }
    return finding.operations.lazy.compactMap { operation($0)?.codeLocation }.first {
      $0.file != nil || $0.function != nil
    }
  }
}

extension Finding {
  /// Whether it reports something that is stuck at the trace's end, not a stall that is over.
  package func isOfStuck(in trace: Trace) -> Bool {
    guard severity != .note, isStuck, !isPassing else { return false }
    return operations.isEmpty || operations.contains { trace.operation($0)?.finished == nil }
  }
}
