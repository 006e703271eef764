/// What a change must not do: `--fail-on structure,findings,slower=3%`.
package struct Gate: Sendable, Equatable {
  /// One of its conditions. The raw value is the word for it.
  package enum Condition: String, Sendable, CaseIterable {
    /// Operations, dependencies, queues, limits or states at the end came or went.
    case structure
    /// The doctor finds what it found in no base run.
    case findings
    /// A pattern is slower.
    case slower
  }

  /// In the order of ``Condition``, each once.
  package let conditions: [Condition]
  /// What counts as slower: 0.03 is 3 %; nil: what the rule says.
  package let slowerThreshold: Double?

  /// Why a text is not a gate, or there are too few runs for it. Says what to do.
  package struct Problem: Error, Equatable, CustomStringConvertible {
    /// One sentence without a full stop.
    package let description: String
  }

  /// - Parameter text: conditions with commas between them; `slower` may have `=` and a percentage behind it.
  package init(_ text: String) throws(Problem) {
    var found: Set<Condition> = []
    var threshold: Double?
    for part in text.split(separator: ",", omittingEmptySubsequences: false) {
      let words = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      let word = words.first.map { String($0) } ?? ""
      guard let condition = Condition(rawValue: word) else {
        throw Problem(
          description: "'\(word)' is not a condition: use structure, findings or slower, separated by commas")
      }
      if words.count > 1 {
        guard condition == .slower else {
          throw Problem(description: "'\(word)' takes no value: only slower does, as in slower=3%")
        }
        guard let value = Self.share(words[1]) else {
          throw Problem(description: "'\(words[1])' is not a percentage from 0 to 1000, such as 3% or 7.5%")
        }
        threshold = value
      }
      found.insert(condition)
    }
    conditions = Condition.allCases.filter(found.contains)
    slowerThreshold = threshold
  }

  private static func share(_ text: Substring) -> Double? {
    let digits = text.hasSuffix("%") ? text.dropLast() : text
    guard !digits.isEmpty, digits.utf8.allSatisfy({ (0x30...0x39).contains($0) || $0 == 0x2E }),
      let value = Double(digits), value <= 1000
    else { return nil }
    return value / 100
  }

  /// Before anything is read: whether so many runs can be enough.
  package func check(baseRuns: Int, newRuns: Int) throws(Problem) {
    guard conditions.contains(.slower), min(baseRuns, newRuns) < TimingRule.leastRuns else { return }
    throw Problem(
      description:
        "slower needs at least \(TimingRule.leastRuns) runs of each side, and there are \(baseRuns) and \(newRuns): "
        + "with fewer, any difference may be chance; record more with 'optrace record --runs 10'")
  }

  /// Those of its conditions that hold, in their order.
  package func failed(_ comparison: Comparison) -> [Condition] {
    conditions.filter { condition in
      switch condition {
      case .structure: comparison.structure.isChanged
      case .findings: comparison.structure.hasNewFindings
      case .slower: comparison.timings.contains { $0.verdict == .slower }
      }
    }
  }
}
