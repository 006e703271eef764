import ArgumentParser
import OpTraceTimeline
import OpTraceModel
import OpTraceSQL
import OpTraceTables
import OpTraceText

/// The formats that `optrace export` writes.
enum ExportFormat: String, CaseIterable, ExpressibleByArgument {
  case parquet, csv, otlp, sqlite

  /// The paths of a trace's parts below the folder, in the order in which they are written: when the last one is there,
  /// all are. With the table, if each table is a file.
  func parts(of hash: String) -> [(path: String, table: TraceTable?)] {
    switch self {
    case .parquet, .csv:
      TableSet.command.inOrderOfWriting.map { ("\($0.name)/trace=\(hash)/part-0.\(rawValue)", $0) }
    case .otlp: [("\(hash).jsonl", nil)]
    case .sqlite: [("\(hash).sqlite", nil)]
    }
  }

  /// Writes a part. Returns what was left out of it, in words.
  func write(_ source: TableSource, _ table: TraceTable?, to output: Output) throws -> String? {
    switch (self, table) {
    case (.parquet, .some(let table)):
      let facts: KeyValuePairs = [
        "optrace.schema": String(TraceTable.schemaVersion), "optrace.table": table.name, "optrace.trace": source.hash,
        "optrace.started_at": String(source.trace.header.startWall),
      ]
      try output.write { try ParquetFile.write(table, table.rows(of: source), facts: facts, to: $0) }
    case (.csv, .some(let table)):
      try output.write { sink in
        try withoutActuallyEscaping(sink) { sink in
          var rows = CSVRows(sink)
          try table.write(table.rows(of: source), withTrace: false, to: &rows)
        }
      }
    case (.sqlite, _):
      try output.writeNamed { path in
        do throws(SQLError) { try SQLiteFile.write([source], as: .command, to: path) } catch {
          throw Failure.cannotWrite(output.path ?? "-", printable(error.message))
        }
      }
    case (.otlp, _), (_, nil):
      var written = OTLPExporter.Written()
      try output.write { written = try OTLPExporter(source.trace).write(to: $0) }
      if written.droppedLinks > 0 {
        return "\(counted(written.droppedLinks, "link")) left out: a span has at most 1,000"
      }
    }
    return nil
  }
}
