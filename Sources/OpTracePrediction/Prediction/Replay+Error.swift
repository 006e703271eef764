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
    if unfinished > 0 { reasons.append("\(grouped(unfinished)) operations that finished do not when replayed.") }
    (errorShare, finishErrorP95Share) = (nil, nil)
    if let wall, let recordedWall, recordedWall > 0 {
      let error = Double(wall - recordedWall) / Double(recordedWall)
      errorShare = error
      if abs(error) > Self.trustedError {
        reasons.append("The replayed run is \(Self.percent(error)) off the recorded wall time.")
      }
      let finishError = Self.finishError(trace, outcome, share: 0.95) / Double(recordedWall)
      finishErrorP95Share = finishError
      if finishError > Self.trustedFinishError {
        reasons.append(
          "One in twenty replayed operations finishes more than \(Self.percent(finishError)) off its moment.")
      }
    }
    self.reasons = reasons
  }

  static func percent(_ share: Double) -> String {
    let tenths = (abs(share) * 1000).rounded() / 10
    return tenths == tenths.rounded() && tenths < 1e15 ? "\(Int(tenths)) %" : "\(tenths) %"
  }

  /// By how much the worst but a few finish off their recorded moment, in nanoseconds.
  static func finishError(_ trace: Trace, _ outcome: MachineOutcome, share: Double) -> Double {
    var errors: [Nanoseconds] = []
    for place in outcome.finished.indices where outcome.finished[place] != MachineOutcome.never {
      if let finished = trace.operations[place].finished?.time {
        errors.append(max(span(finished, outcome.finished[place]), span(outcome.finished[place], finished)))
      }
    }
    errors.sort()
    guard !errors.isEmpty else { return 0 }
    return Double(errors[min(errors.count - 1, Int(Double(errors.count) * share))])
  }
}
