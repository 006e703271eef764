import OpTraceModel

/// Which operation executed on a thread at a time.
struct Executions {
  private struct Interval {
    var began: Nanoseconds
    var ended: Nanoseconds
    /// The index of the operation.
    var operation: Int
    /// The interval around it: code nests on its thread.
    var outer: Int?
  }

  private var intervals: [ThreadID: [Interval]] = [:]

  /// O(n log n).
  init(_ trace: Trace) {
    for (index, operation) in trace.operations.enumerated() {
      if let began = operation.started ?? operation.executionBegan {
        let end = operation.startReturned ?? operation.executionEnded ?? operation.finished
        add(began, end?.time, index)
      }
      for block in operation.blocks { add(Stamp(block.began, block.thread), block.ended, index) }
    }
    for (thread, list) in intervals { intervals[thread] = Self.nested(list) }
  }

  private mutating func add(_ began: Stamp, _ ended: Nanoseconds?, _ operation: Int) {
    intervals[began.thread, default: []].append(Interval(began: began.time, ended: ended ?? .max, operation: operation))
  }

  private static func nested(_ list: [Interval]) -> [Interval] {
    var list = list.sorted { ($0.began, $1.ended) < ($1.began, $0.ended) }
    var open: [Int] = []
    for index in list.indices {
      while let last = open.last, list[last].ended < list[index].began { open.removeLast() }
      list[index].outer = open.last
      open.append(index)
    }
    return list
  }

  /// The index of the operation of the innermost interval, other than `operation` itself.
  func operation(at stamp: Stamp, besides operation: Int) -> Int? {
    guard let list = intervals[stamp.thread] else { return nil }
    var low = 0
    var high = list.count
    while low < high {
      let middle = (low + high) / 2
      if list[middle].began <= stamp.time { low = middle + 1 } else { high = middle }
    }
    var candidate = low > 0 ? low - 1 : nil
    while let index = candidate {
      if list[index].ended >= stamp.time, list[index].operation != operation { return list[index].operation }
      candidate = list[index].outer
    }
    return nil
  }
}
