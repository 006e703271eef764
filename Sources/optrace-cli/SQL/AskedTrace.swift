import Foundation
import OpTraceModel
import OpTraceSQL
import OpTraceTables
import OpTraceText

/// A trace for one query after another. A query ends at once when its time is over or the user ends it, even while a
/// table is being made, which cannot be interrupted.
final class AskedTrace {
  private let trace: Trace
  private let timeout: Double?
  /// Nil: the last database is still in use by a query that was given up.
  private var database: TraceDatabase?

  init(_ trace: Trace, timeout: Double?) { (self.trace, self.timeout) = (trace, timeout) }

  /// Calls `columns` and `row` on this thread, with rows as they are found. Throws ``SQLError``, ``Failure``, or what
  /// these throw.
  ///
  /// - Parameter signals: any of them ends the query; nil: none does.
  func run(
    _ query: String, endedBy signals: SignalPipe?, columns: ([String]) throws -> Void,
    row: ([TableValue]) throws -> Void
  ) throws {
    let query = try RunningQuery(query, try database ?? opened())
    defer { database = query.freeDatabase }
    try query.rows(until: timeout, endedBy: signals, columns: columns, row: row)
  }

  private func opened() throws -> TraceDatabase {
    do throws(SQLError) { return try TraceDatabase([TableSource(trace)], as: .command) } catch {
      throw Failure(message: printable(error.message), status: .bug)
    }
  }
}
