public import OpTraceModel

extension Comparison {
  /// The operations of each pattern in one of the runs that were compared, by their places in it. O(n).
  public func members(in trace: Trace) -> [WorkPattern: [Int]] {
    let known = Set(graph.operations.map(\.pattern))
    var table = PatternTable()
    let numbers = table.numbers(of: trace)
    var result: [WorkPattern: [Int]] = [:]
    for (place, number) in numbers.enumerated() {
      let pattern = table.patterns[Int(number)]
      // Where another run has no names for functions, functions tell nothing apart.
      let shown = known.contains(pattern) ? pattern : table.patterns[Int(table.functionless[Int(number)])]
      result[shown, default: []].append(place)
    }
    return result
  }
}
