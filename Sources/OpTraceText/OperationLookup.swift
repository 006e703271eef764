public import OpTraceModel

/// Finds operations by what a person types.
public enum OperationLookup {
  /// Nothing is called so; what comes near.
  public struct Unknown: Error, Sendable, Equatable {
    /// What was asked for.
    public var name: String
    /// The nearest first; at most three.
    public var suggestions: [String]
  }

  /// All operations with this name (or class, for those without a name); else the one with this number (`5`, `#5`).
  /// O(n) for a name that is found, else O(n) edit distances over the different names.
  public static func find(_ text: String, in trace: Trace) throws(Unknown) -> [OperationID] {
    try find(text, Titles(trace.operations)) { trace.operation($0) != nil }
  }

  /// The same among all work: operations, blocks of dispatch queues by the function that they run, tasks by their name or function.
  public static func findWork(_ text: String, in trace: Trace) throws(Unknown) -> [WorkID] {
    var titles = Titles(trace.operations)
    titles.add(trace.blocks)
    titles.add(trace.tasks)
    return try find(text, titles) { trace.work($0) != nil }
  }

  private struct Titles {
    var all: [(id: WorkID, title: String)] = []
    init(_ works: [some Work]) { add(works) }
    mutating func add(_ works: [some Work]) { for work in works { all.append((work.id, work.title)) } }
  }

  private static func find(
    _ text: String, _ titles: Titles, isThere: (WorkID) -> Bool
  ) throws(Unknown) -> [WorkID] {
    let named = titles.all.filter { $0.title == text }.map(\.id)
    if !named.isEmpty { return named }
    let digits = text.hasPrefix("#") ? text.dropFirst() : text[...]
    if let number = UInt32(digits), isThere(WorkID(number)) { return [WorkID(number)] }
    let known = Set(titles.all.map { TextEscaping.oneLine($0.title, limit: 80) })
    throw Unknown(name: text, suggestions: near(text, among: known))
  }

  /// Those of `names` that come near, the nearest first; at most three.
  public static func near(_ text: String, among names: Set<String>) -> [String] {
    let wanted = Array(text.lowercased().unicodeScalars.prefix(80))
    let most = max(2, wanted.count / 3)
    let scored: [(score: Int, name: String)] = names.compactMap { name in
      let scalars = Array(name.lowercased().unicodeScalars)
      if scalars.isEmpty { return nil }
      if !wanted.isEmpty, scalars.starts(with: wanted) { return (0, name) }
      let distance = distance(wanted, scalars, most: most)
      return distance <= most ? (distance, name) : nil
    }
    return scored.sorted { ($0.score, $0.name) < ($1.score, $1.name) }.prefix(3).map(\.name)
  }

  /// How many letters to insert, delete, replace or swap with their neighbour (Damerau's distance, each letter touched
  /// once); `most + 1` for anything above `most`.
  private static func distance(_ one: [Unicode.Scalar], _ other: [Unicode.Scalar], most: Int) -> Int {
    if abs(one.count - other.count) > most { return most + 1 }
    var beforeLast: [Int] = []
    var last = Array(0...other.count)
    for (row, scalar) in one.enumerated() {
      var line = [row + 1]
      for (column, candidate) in other.enumerated() {
        var best = min(last[column] + (scalar == candidate ? 0 : 1), line[column] + 1, last[column + 1] + 1)
        if row > 0, column > 0, scalar == other[column - 1], one[row - 1] == candidate {
          best = min(best, beforeLast[column - 1] + 1)
        }
        line.append(best)
      }
      if (line.min() ?? 0) > most { return most + 1 }
      beforeLast = last
      last = line
    }
    return last[other.count]
  }
}
