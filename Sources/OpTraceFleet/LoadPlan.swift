package import OpTraceTables

/// The statements that bring one trace into ClickHouse, whatever was there of it before, and however often they are sent.
///
/// The row in `traces` is sent last, so a trace that has one is whole; it has a checksum of all that it was loaded from. Each insertion
/// carries a token: the server treats a second one with the same token as the first. What will be loaded is noted before, in
/// `loads`: where that was another state of the trace, its rows are removed, and what follows is of another generation, with other
/// tokens.
package struct LoadPlan: Sendable {
  /// Whose rows are sent.
  package let trace: ExportedTrace
  /// Changes with what the trace holds: 16 hexadecimal digits.
  package let content: String
  /// On which the trace began, `2026-11-24`.
  package let day: String

  private let tables: TableSet

  /// `content` is a checksum of all parts of the trace, which are these tables.
  package init(_ trace: ExportedTrace, as tables: TableSet, content: String, day: String) {
    (self.trace, self.tables, self.content, self.day) = (trace, tables, content, day)
  }

  /// Asks which version of the tables the server has.
  package static let versionQuery = "SELECT version FROM schema_version FORMAT TabSeparated"

  /// Asks for the checksum of what is there whole; nothing: there is none.
  package var knownQuery: String {
    "SELECT content FROM traces FINAL WHERE trace = '\(trace.hash)' FORMAT TabSeparated"
  }

  /// Asks whether the server would throw the trace away with its next breath, as it began longer ago than traces are kept; nothing: it
  /// would not, or does not say.
  package var ageQuery: String {
    """
    SELECT 1 FROM system.tables WHERE database = currentDatabase() AND name = 'traces' \
    AND addDays(toDate('\(day)'), toUInt32OrNull(extract(engine_full, 'TTL day [+] toIntervalDay[(]([0-9]+)[)]'))) <= today() \
    FORMAT TabSeparated
    """
  }

  /// Asks for what was to be loaded last: its checksum and its generation; nothing: there was none.
  package var noteQuery: String {
    """
    SELECT content, generation FROM loads WHERE trace = '\(trace.hash)' ORDER BY generation DESC LIMIT 1 FORMAT TabSeparated
    """
  }

  /// Notes what will be loaded, or that what is there is being removed: a later load then starts again.
  package func note(generation: Int, isRemoving: Bool = false) -> String {
    let noted = isRemoving ? String(repeating: "0", count: 16) : content
    return """
      INSERT INTO loads (trace, content, generation) \
      SETTINGS insert_deduplication_token = \(token(isRemoving ? "removal" : "loads", generation)) \
      VALUES ('\(trace.hash)', '\(noted)', \(generation))
      """
  }

  /// Asks how many operations there are, each counted once.
  package var countQuery: String {
    "SELECT count() FROM operations FINAL WHERE trace = '\(trace.hash)' FORMAT TabSeparated"
  }

  /// Take away what is there of another state of the trace, so that at no time a part of it seems complete.
  package var deletions: [String] {
    tables.inOrderOfWriting.reversed().map { "DELETE FROM \($0.name) WHERE trace = '\(trace.hash)'" }
  }

  /// Is sent with the table's Parquet file as the request's body.
  package func insertion(into table: TraceTable, generation: Int) -> String {
    let columns = table.columns.dropFirst()
    let names = columns.map { ClickHouseDialect.quoted($0.name) }.joined(separator: ", ")
    let structure = columns.map { "\(ClickHouseDialect.quoted($0.name)) \(Self.inputType($0.type))" }.joined(
      separator: ", ")
    let keys = Set(ClickHouseKeys.columns(of: table))
    let given = columns.map { column in
      let name = ClickHouseDialect.quoted(column.name)
      // Keys are never null; where a damaged file says so, zero replaces it.
      return keys.contains(column.name) ? "coalesce(\(name), \(column.type == .text ? "''" : "0"))" : name
    }
    var targets = "trace, day, \(names)"
    var values = "'\(trace.hash)', toDate('\(day)'), \(given.joined(separator: ", "))"
    if table.isNumbered {
      // Rows come in the order of the file: one thread reads and one inserts.
      targets += ", `\(ClickHouseKeys.row)`"
      values += ", rowNumberInAllBlocks()"
    }
    if table.name == "traces" {
      targets += ", host, version, labels, content"
      values += ", \(label("host")), \(label("version")), \(others), '\(content)'"
    }
    return """
      INSERT INTO \(table.name) (\(targets)) \
      SETTINGS insert_deduplication_token = \(token(table.name, generation)), max_insert_threads = 1, max_threads = 1, \
      input_format_parquet_preserve_order = 1 \
      SELECT \(values) FROM input(\(ClickHouseDialect.text(structure))) FORMAT Parquet
      """
  }

  private func token(_ table: String, _ generation: Int) -> String {
    ClickHouseDialect.text([trace.hash, content, table, String(generation)].joined(separator: "-"))
  }

  private func label(_ key: String) -> String { ClickHouseDialect.text(trace.labels[key] ?? "") }

  private var others: String {
    let rest = trace.labels.filter { $0.key != "host" && $0.key != "version" }.sorted { $0.key < $1.key }
    return "map("
      + rest.map { "\(ClickHouseDialect.text($0.key)), \(ClickHouseDialect.text($0.value))" }.joined(separator: ", ")
      + ")"
  }

  private static func inputType(_ type: ColumnType) -> String {
    switch type {
    case .integer: "Nullable(Int64)"
    case .real: "Nullable(Float64)"
    case .text: "Nullable(String)"
    }
  }
}
