package import OpTraceKernel
package import OpTraceModel

/// The rules that a program diagnoses with: those of each capability that it has, added to each other.
///
/// The doctor knows no capability. Each has a set of its own, and a program adds those that it links.
public struct RuleSet: Sendable {
  /// The rules, in the order in which findings of one severity are reported: those of one symptom together.
  public private(set) var rules: [DoctorRule]
  /// Evidence of other capabilities for what the rules look for.
  private(set) var witnesses: [DoctorWitness]
  /// What rules of a capability share, by the symptom for which it is needed.
  private var facts: [(symptom: DoctorRule.Symptom, type: any DoctorFacts.Type)] = []

  package init(_ rules: [DoctorRule], witnesses: [DoctorWitness] = []) {
    self.rules = rules
    self.witnesses = witnesses
  }

  /// The rules of all of these, in their order.
  package init(of capabilities: [Capability]) { self = capabilities.all(RuleSet.self).reduce(RuleSet([]), +) }

  /// Computes these facts before rules for this symptom run.
  package func needing(_ type: any DoctorFacts.Type, for symptom: DoctorRule.Symptom) -> RuleSet {
    var set = self
    set.facts.append((symptom, type))
    return set
  }

  /// Both: those on the left come first, of each symptom.
  public static func + (left: RuleSet, right: RuleSet) -> RuleSet {
    var both = left
    let rules = left.rules + right.rules
    both.rules = DoctorRule.Symptom.allCases.flatMap { symptom in rules.filter { $0.symptom == symptom } }
    both.witnesses += right.witnesses
    both.facts += right.facts
    return both
  }

  /// The rule of a code; nil: none has it. O(number of rules).
  public subscript(_ code: DoctorCode) -> DoctorRule? { rules.first { $0.code == code } }

  /// - Parameter symptom: only for this one; nil: all.
  func rules(for symptom: DoctorRule.Symptom?) -> [DoctorRule] {
    rules.filter { symptom == nil || $0.symptom == symptom }
  }

  func witnesses(for symptom: DoctorRule.Symptom?) -> [DoctorWitness] {
    witnesses.filter { symptom == nil || $0.symptom == symptom }
  }

  /// Computes what rules share, unless it is known.
  func facts(of trace: Trace, for symptom: DoctorRule.Symptom?, knowing known: [any DoctorFacts]) -> FactTable {
    var table = FactTable(known)
    for (of, type) in facts where symptom == nil || of == symptom { table.add(type, of: trace) }
    return table
  }
}

extension RuleSet: Contribution {}

/// What rules of one capability share: computed once for each trace, before they run.
package protocol DoctorFacts: Sendable {
  /// Nothing: of a trace for which it was not computed.
  init()
  /// What a trace shows.
  init(doctoring trace: Trace)
}

extension CriticalPath: DoctorFacts {
  package init(doctoring trace: Trace) { self.init(of: trace) }
}

/// Finds what a rule of another capability looks for, by evidence of its own. It counts only where that rule finds
/// nothing.
package struct DoctorWitness: Sendable {
  let symptom: DoctorRule.Symptom
  let find: @Sendable (DoctorContext) -> [Finding]

  /// - Parameter symptom: it is asked together with the rules for this one.
  package init(askedFor symptom: DoctorRule.Symptom, find: @escaping @Sendable (DoctorContext) -> [Finding]) {
    self.symptom = symptom
    self.find = find
  }
}

/// Facts by their type.
package struct FactTable: Sendable {
  private var values: [ObjectIdentifier: any DoctorFacts] = [:]

  package init(_ known: [any DoctorFacts] = []) { for one in known { values[ObjectIdentifier(type(of: one))] = one } }

  mutating func add(_ type: any DoctorFacts.Type, of trace: Trace) {
    guard values[ObjectIdentifier(type)] == nil else { return }
    values[ObjectIdentifier(type)] = type.init(doctoring: trace)
  }

  subscript<Facts: DoctorFacts>(_ type: Facts.Type) -> Facts {
    values[ObjectIdentifier(type)] as? Facts ?? Facts()
  }
}
