import OpTraceModel

/// An edge, by the places of the operation and of its dependency.
struct DependencyRow {
  var operation: Int32
  var number: Int32

  static func all(_ trace: Trace) -> [DependencyRow] {
    var rows: [DependencyRow] = []
    for place in trace.operations.indices {
      for number in trace.operations[place].dependencies.indices {
        rows.append(DependencyRow(operation: Int32(clamping: place), number: Int32(clamping: number)))
      }
    }
    return rows
  }

  func edge(_ trace: Trace) -> Dependency { trace.operations[Int(operation)].dependencies[Int(number)] }
}

extension TraceTable {
  static let dependencies = TraceTable(
    "dependencies", "one row for each dependency, also those taken away again", sortedBy: "operation",
    of: { $0.dependencies },
    [
      ColumnOf("operation", .integer, "operations.id: who waits") { source, row in
        TableValue(source.trace.operations[Int(row.operation)].id)
      },
      ColumnOf("dependency", .integer, "operations.id: what it waits for") { source, row in
        TableValue(row.edge(source.trace).on)
      },
      ColumnOf("added", .integer, "when it was seen first") { source, row in TableValue(row.edge(source.trace).added) },
      ColumnOf("removed", .integer, "when it was taken away") { source, row in
        TableValue(row.edge(source.trace).removed)
      },
    ])
}
