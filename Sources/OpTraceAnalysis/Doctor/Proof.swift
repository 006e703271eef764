import OpTraceModel

/// Whether the trace holds all that a proof needs.
extension DoctorContext {
  /// Makes an error a warning, and says why, where records are missing that could have told otherwise.
  func proven(_ finding: Finding) -> Finding {
    guard let gap = missing(since: begin(of: finding)) else { return finding }
    return unproven(finding, because: gap)
  }

  func unproven(_ finding: Finding, because reason: String) -> Finding {
    var finding = finding
    finding.isProven = false
    if finding.severity == .error { finding.severity = .warning }
    finding.evidence.append(.init(Finding.unprovenMark + reason))
    return finding
  }

  /// Since when everything must be known of those that the finding names.
  private func begin(of finding: Finding) -> Nanoseconds {
    var begin = end
    for id in finding.operations {
      guard let operation = operation(id) else { return .min }
      begin = min(begin, operation.created ?? .min, operation.enqueued?.time ?? begin)
    }
    // Who was in a queue before is not known where records of that time are missing.
    for id in finding.queues { begin = min(begin, queue(id)?.created ?? .min) }
    return begin
  }

  /// What is missing after this moment, in words; nil: nothing.
  private func missing(since begin: Nanoseconds) -> String? {
    let loss = trace.loss
    if loss.isDamaged { return "the trace is damaged, and what it held there may tell otherwise" }
    if !loss.unknownKinds.isEmpty { return "the trace holds records of a newer OpTrace, which may tell otherwise" }
    guard loss.lostCount > 0 else { return nil }
    let located = loss.gaps.reduce(UInt64(0)) { sum, gap in
      let (result, overflow) = sum.addingReportingOverflow(gap.count)
      return overflow ? .max : result
    }
    if located >= loss.lostCount, loss.gaps.allSatisfy({ $0.to < begin }) { return nil }
    return "\(loss.lostCount) records were lost, and may tell otherwise"
  }
}
