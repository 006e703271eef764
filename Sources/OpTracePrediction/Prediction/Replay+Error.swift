import OpTraceModel

extension Replay {
  /// Where a replay is this near, predictions of other runs were within 5 % in 99 of 100 cases.
  private static let trustedError = 0.005
  private static let trustedFinishError = 0.02

  init(of trace: Trace, _ outcome: MachineOutcome, recordedWall: Nanoseconds?) {
    var reasons = Completeness.reasons(trace)
    let unfinished = outcome.finished.indices.reduce(into: 0) {
      if trace.operations[$1].finished != nil, outcome.finished[$1] == MachineOutcome.never { $0 += 1 }
    }
    wall = unfinished == 0 ? outcome.wall : nil
    if unfinished > 0 { reasons.append("\(grouped(unfinished)) operations finished, but not in the replay.") }
    (errorShare, finishErrorP95Share) = (nil, nil)
    if let wall, let recordedWall, recordedWall > 0 {
      let error = Double(wall - recordedWall) / Double(recordedWall)
      errorShare = error
      if abs(error) > Self.trustedError {
        reasons.append("The replayed run differs by \(Self.percent(error)) from the recorded wall time.")
      }
      let finishError = Self.finishError(trace, outcome, share: 0.95) / Double(recordedWall)
      finishErrorP95Share = finishError
      if finishError > Self.trustedFinishError {
        reasons.append(
          "One in twenty operations finishes more than \(Self.percent(finishError)) earlier or later than recorded.")
      }
    }
    self.reasons = reasons
  }

  static func percent(_ share: Double) -> String {
    let tenths = (abs(share) * 1000).rounded() / 10
    return tenths == tenths.rounded() && tenths < 1e15 ? "\(Int(tenths)) %" : "\(tenths) %"
  }

  /// How far from their recorded time operations finish, at this percentile, in nanoseconds.
  static func finishError(_ trace: Trace, _ outcome: MachineOutcome, share: Double) -> Double {
    var errors: [Nanoseconds] = []
    for index in outcome.finished.indices where outcome.finished[index] != MachineOutcome.never {
      if let finished = trace.operations[index].finished?.time {
        errors.append(max(span(finished, outcome.finished[index]), span(outcome.finished[index], finished)))
      }
    }
    errors.sort()
    guard !errors.isEmpty else { return 0 }
    return Double(errors[min(errors.count - 1, Int(Double(errors.count) * share))])
  }
}

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
