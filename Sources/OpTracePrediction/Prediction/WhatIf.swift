package import OpTraceModel

/// The answer to "what if": how well the recorded run can be replayed, and what is predicted for each scenario. Of several
/// traces of one program the ranges hold the run times of all.
package struct WhatIf: Sendable, Equatable {
  /// Nil: a run never ended. Of several traces the middle one's.
  package var recordedWall: Nanoseconds?
  /// The worst of several traces.
  package var replay: Replay
  /// In the order in which they were asked for; suggestions, the best first.
  package var scenarios: [Prediction]
  /// Names of the operations in the scenarios.
  package var names: [OperationID: String]

  /// - Parameter scenarios: for each scenario its changes, made for each predictor in order.
  /// O(scenarios · runs · s log s) for s steps.
  package init(_ predictors: [Predictor], scenarios: [[[Change]]]) {
    let walls = predictors.compactMap(\.recordedWall).sorted()
    recordedWall = walls.count == predictors.count && !walls.isEmpty ? walls[walls.count / 2] : nil
    replay = Replay.worst(predictors.map(\.replay))
    self.scenarios = scenarios.map { changes in
      Prediction.combined(zip(predictors, changes).map { $0.predict($1) })
    }
    names = [:]
    if let trace = predictors.first?.trace { name(by: trace) }
  }

  /// The same of scenarios that were predicted already, as suggestions are.
  package init(_ predictor: Predictor, suggestions: [Prediction]) {
    (recordedWall, replay, scenarios, names) = (predictor.recordedWall, predictor.replay, suggestions, [:])
    name(by: predictor.trace)
  }

  private mutating func name(by trace: Trace) {
    for scenario in scenarios {
      for id in scenario.criticalPath + scenario.neverEnds + scenario.operations.map(\.id) where names[id] == nil {
        names[id] = trace.operation(id)?.title ?? ""
      }
    }
  }
}

extension Replay {
  /// The one of which least is to be expected.
  static func worst(_ replays: [Replay]) -> Replay {
    let sorted = replays.sorted {
      ($0.reasons.count, abs($0.errorShare ?? 1)) > ($1.reasons.count, abs($1.errorShare ?? 1))
    }
    return sorted.first ?? Replay(wall: nil, errorShare: nil, finishErrorP95Share: nil, reasons: [])
  }
}

extension Prediction {
  /// Several runs' predictions as one: the middle one, with a range that holds all.
  static func combined(_ all: [Prediction]) -> Prediction {
    let sorted = all.sorted { ($0.wall?.likely ?? .max) < ($1.wall?.likely ?? .max) }
    guard var result = sorted.isEmpty ? nil : sorted[sorted.count / 2] else {
      return Prediction(changes: [], wall: nil, neverEnds: [], assumptions: [], criticalPath: [], operations: [])
    }
    // One that never ends in any of the runs has to be reported.
    if let stuck = all.first(where: { $0.wall == nil }) { result = stuck }
    if result.wall != nil {
      result.wall?.low = all.compactMap { $0.wall?.low }.min() ?? 0
      result.wall?.high = all.compactMap { $0.wall?.high }.max() ?? 0
    }
    var seen: Set<String> = []
    result.assumptions = all.flatMap(\.assumptions).filter { seen.insert($0).inserted }
    return result
  }
}
