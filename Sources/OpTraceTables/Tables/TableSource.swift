package import OpTraceModel

/// A trace that tables are made of. What takes an analysis is found when a table first needs it, and kept. Not for several
/// threads at once.
package final class TableSource {
  /// The trace.
  package let trace: Trace
  /// Names the trace in every table: `TraceHeader.hash`.
  package let hash: String

  /// By their keys, which stay alive with them: another key never has the same identity.
  private var kept: [ObjectIdentifier: (key: AnyObject, facts: Any)] = [:]

  /// O(1).
  package init(_ trace: Trace) {
    self.trace = trace
    hash = trace.header.hash
  }

  /// Found when they are first asked for.
  package subscript<Facts>(_ key: TableFacts<Facts>) -> Facts {
    if let known = kept[ObjectIdentifier(key)]?.facts as? Facts { return known }
    let found = key.find(self)
    kept[ObjectIdentifier(key)] = (key, found)
    return found
  }

  /// What kind of work has this number: numbers are given to all kinds together. O(log n).
  package func kind(of id: WorkID) -> String? {
    trace.workIndex(of: id).map { trace.kind(ofWorkAt: $0).word }
  }
}

/// What rows are made of, such as an analysis that several tables share: the key by which a ``TableSource`` keeps it.
package final class TableFacts<Facts>: Sendable {
  fileprivate let find: @Sendable (TableSource) -> Facts

  /// - Parameter find: of a trace; it is called once for each.
  package init(_ find: @escaping @Sendable (TableSource) -> Facts) { self.find = find }
}
