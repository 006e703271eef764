import OpTraceModel

extension Timeline {
  /// An arrow for every dependency whose ends were both started. A dependency that was taken away before the operation ran
  /// held nothing up, and gets none.
  ///
  /// Both ends lie strictly inside their slices where these are longer than a nanosecond: at the edge, an arrow would
  /// bind to the neighbour where slices stand back to back.
  mutating func drawArrows(_ trace: Trace) {
    var place = [Int32](repeating: -1, count: trace.operations.count)
    for (index, execution) in executions.enumerated() where execution.track >= 0 {
      place[Int(execution.operation)] = Int32(index)
    }
    trace.operations.withUnsafeBufferPointer { operations in
      for index in operations.indices where place[index] >= 0 && !operations[index].dependencies.isEmpty {
        let target = executions[Int(place[index])]
        for dependency in operations[index].dependencies {
          if let removed = dependency.removed, removed <= target.begin { continue }
          guard let other = trace.index(of: dependency.on), place[other] >= 0 else { continue }
          let source = executions[Int(place[other])]
          var arrow = Arrow(
            from: UInt32(place[other]), to: UInt32(place[index]),
            leaves: source.end - source.begin > 1 ? source.end - 1 : source.begin,
            arrives: target.end - target.begin > 1 ? target.begin + 1 : target.begin)
          if arrow.leaves > arrow.arrives {
            // It did not wait: the dependency came too late. An arrow still leads forward in time.
            arrow.leaves = max(source.begin, min(arrow.leaves, arrow.arrives))
            arrow.arrives = max(arrow.arrives, arrow.leaves)
            let last = target.end - target.begin > 1 ? target.end - 1 : target.begin
            guard arrow.arrives <= last else {
              counts.backwardDependencies += 1
              continue
            }
          }
          arrows.append(arrow)
        }
      }
    }
    arrows.sort { ($0.leaves, $0.to, $0.from) < ($1.leaves, $1.to, $1.from) }
  }
}
