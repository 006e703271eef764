public import OpTraceModel

extension Trace {
  /// How much there is of each kind of work: `3 operations and 12 blocks`. Without any, `0 operations`.
  public var workAmount: String {
    let kinds = [(operations.count, "operation"), (blocks.count, "block"), (tasks.count, "task")].filter { $0.0 > 0 }
    let parts = kinds.map { counted($0.0, $0.1) }
    return parts.isEmpty ? "0 operations" : listed(parts)
  }
}

/// `a`, `a and b`, `a, b and c`.
package func listed(_ parts: [String]) -> String {
  guard let last = parts.last, parts.count > 1 else { return parts.first ?? "" }
  return parts.dropLast().joined(separator: ", ") + " and " + last
}
