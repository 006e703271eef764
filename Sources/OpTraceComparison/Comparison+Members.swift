package import OpTraceModel

extension Comparison {
  /// The operations of each pattern in one of the runs that were compared, by their indexes in it. O(n).
  package func members(in trace: Trace) -> [WorkPattern: [Int]] {
    let known = Set(graph.operations.map(\.pattern))
    var table = PatternTable()
    let numbers = table.numbers(of: trace)
    var result: [WorkPattern: [Int]] = [:]
    for (index, number) in numbers.enumerated() {
      let pattern = table.patterns[Int(number)]
      // Where another run has no names for functions, functions do not distinguish anything.
      let shown = known.contains(pattern) ? pattern : table.patterns[Int(table.functionless[Int(number)])]
      result[shown, default: []].append(index)
    }
    return result
  }
}
