import OpTraceModel

/// Whether enough of a run is in its trace.
enum Completeness {
  /// A ring that dropped what came first, damage, or losses: operations would be missing that others waited for.
  static func check(_ trace: Trace) throws(PredictionError) {
    let seen = trace.operations.reduce(into: 0) { if $1.coverage != .full { $0 += 1 } }
    // A few are met while they run already, as where a recorder was begun late.
    guard seen * 2 < max(1, trace.operations.count) else {
      throw .incomplete("\(grouped(seen)) of \(grouped(trace.operations.count)) operations were seen in part only")
    }
  }

  /// What is missing, each in a sentence.
  static func reasons(_ trace: Trace) -> [String] {
    var reasons: [String] = []
    if trace.loss.lostCount > 0 { reasons.append("\(grouped(trace.loss.lostCount)) records were lost.") }
    if trace.loss.isDamaged { reasons.append("The trace is damaged.") }
    if trace.loss.overwrittenBytes > 0 { reasons.append("A flight recorder dropped what happened first.") }
    let partial = trace.operations.reduce(into: 0) { if $1.coverage == .partial { $0 += 1 } }
    if partial > 0 { reasons.append("\(grouped(partial)) operations were seen in part only.") }
    let open = trace.operations.reduce(into: 0) { if $1.enqueued != nil, $1.finished == nil { $0 += 1 } }
    if open > 0 { reasons.append("\(grouped(open)) operations were not over when the trace ended.") }
    return reasons
  }
}
