import OpTraceModel

/// One cause, one finding: what only follows from an error is listed with it.
extension DoctorContext {
  /// Moves findings that follow from the first error to it.
  ///
  /// A task whose continuation is not resumed, while whoever could resume it is stuck, has no mistake of its own. The same holds for what
  /// rests on silence: the silence has its reason already. O(findings).
  func causes(_ findings: [Finding]) -> [Finding] {
    // Where all of them could follow from another one, the first is the cause.
    let errors = findings.indices.filter { findings[$0].severity == .error && findings[$0].isStuck }
    guard let cause = errors.first(where: { !follows(findings[$0]) }) ?? errors.first else { return findings }
    var result = findings
    let others = findings.indices.filter {
      $0 != cause && follows(findings[$0]) && findings[$0].code != findings[cause].code
    }
    result[cause].consequences += others.map {
      Finding.Consequence(code: findings[$0].code, title: findings[$0].title)
    }
    return result.enumerated().filter { !others.contains($0.offset) }.map(\.element)
  }

  /// Whether it would not be there, were another thing not stuck.
  private func follows(_ finding: Finding) -> Bool {
    switch finding.code {
    case "continuation-never-resumed", "never-signalled": true
    // Without a cycle: what is ready, or still runs, while something else is stuck.
    case "thread-pool-starvation": finding.severity != .error
    case "never-finished": finding.severity != .error && finding.variant != Self.computingVariant
    default: false
    }
  }
}
