import OpTraceKernel
import OpTraceModel

/// Reports one finding per cause: findings that merely follow from an error are listed with that error.
extension DoctorContext {
  /// Moves findings that follow from the first error to it. O(findings).
  ///
  /// If whoever could resume a continuation is stuck, the task that waits for it has no mistake of its own. The same
  /// holds for findings that rest on silence: the error explains the silence already.
  package func causes(_ findings: [Finding]) -> [Finding] {
    // If all of them could follow from another one, take the first as the cause.
    let errors = findings.indices.filter { findings[$0].severity == .error && findings[$0].isStuck }
    let first = findings.indices.first { index in
      findings[index].isFirstCause && (findings[index].severity == .error || errors.isEmpty)
    }
    guard let cause = first ?? errors.first(where: { !follows(findings[$0]) }) ?? errors.first else { return findings }
    var result = findings
    let others = findings.indices.filter { index in
      let finding = findings[index]
      // An operation that was never started might have finished the others, or signalled to them.
      let awaitsIt = first != nil && finding.reason == .missingEnd
      return index != cause && (follows(finding) || awaitsIt) && finding.code != findings[cause].code
    }
    result[cause].consequences += others.map {
      Finding.Consequence(code: findings[$0].code, title: findings[$0].title)
    }
    return result.enumerated().filter { !others.contains($0.offset) }.map(\.element)
  }

  /// Whether this finding would disappear if something else were not stuck.
  private func follows(_ finding: Finding) -> Bool {
    switch finding.reason {
    case .itself: false
    case .missingCall: true
    // Only without proof: operations that are ready, or still run, while something else is stuck.
    case .missingEnd, .silence: finding.severity != .error
    }
  }
}
