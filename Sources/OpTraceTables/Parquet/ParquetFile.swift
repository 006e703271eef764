package import OpTraceText

/// A table as a Parquet file (https://github.com/apache/parquet-format), without a codec: what repeats is stored once by the
/// encodings, and every engine reads those.
///
/// Whole numbers are INT64, other numbers DOUBLE, texts BYTE_ARRAY with the type STRING; all may be null. The file's end describes
/// each part the bounds of its numbers, so that engines leave out what a query cannot want.
package enum ParquetFile {
  /// Engines give each of their threads such a part.
  private static let groupRows = 1 << 17
  private static let magic = Array("PAR1".utf8)

  private struct Group {
    var chunks: [ParquetChunk]
    var rowCount: Int
  }

  /// Writes all columns but `trace`, which is in the file's path. O(cells); memory for a part of a column.
  ///
  /// - Parameters:
  ///   - table: what `rows` are of.
  ///   - facts: for the file's own dictionary, by key.
  /// Throws what `sink` throws.
  package static func write(
    _ table: TraceTable, _ rows: TableRows, facts: KeyValuePairs<String, String> = [:], to sink: ByteSink
  ) throws {
    try ByteWriter.write(to: sink) { writer in
      var offset = 0
      func put(_ bytes: [UInt8]) {
        writer.bytes(bytes)
        offset += bytes.count
      }
      put(magic)
      var groups: [Group] = []
      for start in stride(from: 0, to: rows.count, by: groupRows) {
        let range = start..<min(start + groupRows, rows.count)
        var group = Group(chunks: [], rowCount: range.count)
        for (columnIndex, column) in table.columns.enumerated().dropFirst() {
          let chunk = ParquetChunk(rows, columnIndex, column, range, at: offset, to: writer)
          offset = chunk.end
          group.chunks.append(chunk)
          try writer.check()
        }
        groups.append(group)
      }
      let end = description(table, groups, rowCount: rows.count, facts)
      put(end)
      var length: [UInt8] = []
      length.appendLittle(UInt32(clamping: end.count))
      put(length + magic)
    }
  }

  // MARK: The end of the file

  private static func description(
    _ table: TraceTable, _ groups: [Group], rowCount: Int, _ facts: KeyValuePairs<String, String>
  ) -> [UInt8] {
    let columns = table.columns.dropFirst()
    var writer = ThriftWriter()
    writer.i32(1, 2)
    writer.structures(2, [nil] + columns.map { Optional($0) }) { writer, column in
      guard let column else {
        writer.binary(4, table.name.utf8)
        return writer.i32(5, columns.count)
      }
      element(column, &writer)
    }
    writer.i64(3, rowCount)
    writer.structures(4, groups) { group($1, &$0) }
    writer.structures(5, Array(facts)) { writer, fact in
      writer.binary(1, fact.key.utf8)
      writer.binary(2, fact.value.utf8)
    }
    writer.binary(6, "OpTrace".utf8)
    // Numbers are ordered as numbers, texts by their bytes.
    writer.structures(7, columns) { writer, _ in writer.structure(1) { _ in } }
    writer.end()
    return writer.bytes
  }

  private static func element(_ column: TraceTable.Column, _ writer: inout ThriftWriter) {
    writer.i32(1, column.type.parquet)
    // Optional.
    writer.i32(3, 1)
    writer.binary(4, column.name.utf8)
    guard column.type == .text else { return }
    // UTF8, in the words of old readers and of new ones.
    writer.i32(6, 0)
    writer.structure(10) { $0.structure(1) { _ in } }
  }

  private static func group(_ group: Group, _ writer: inout ThriftWriter) {
    let size = group.chunks.reduce(0) { $0 + $1.size }
    writer.structures(1, group.chunks) { writer, chunk in
      writer.i64(2, chunk.offset)
      writer.structure(3) { self.chunk(chunk, &$0) }
    }
    writer.i64(2, size)
    writer.i64(3, group.rowCount)
    if let first = group.chunks.first { writer.i64(5, first.offset) }
    writer.i64(6, size)
  }

  private static func chunk(_ chunk: ParquetChunk, _ writer: inout ThriftWriter) {
    writer.i32(1, chunk.column.type.parquet)
    var encodings: [ParquetChunk.Encoding] = [.runs, chunk.encoding]
    if chunk.hasDictionary { encodings.append(.plain) }
    writer.numbers(2, encodings.map(\.rawValue))
    writer.texts(3, [chunk.column.name])
    // No codec.
    writer.i32(4, 0)
    writer.i64(5, chunk.count)
    writer.i64(6, chunk.size)
    writer.i64(7, chunk.size)
    writer.i64(9, chunk.dataOffset)
    if chunk.hasDictionary { writer.i64(11, chunk.offset) }
    writer.structure(12) {
      $0.i64(3, chunk.nullCount)
      guard let bounds = chunk.bounds else { return }
      var (most, least): ([UInt8], [UInt8]) = ([], [])
      most.appendLittle(bounds.upperBound)
      least.appendLittle(bounds.lowerBound)
      $0.binary(5, most)
      $0.binary(6, least)
    }
  }
}

extension ColumnType {
  /// Parquet's number of the physical type.
  fileprivate var parquet: Int {
    switch self {
    case .integer: 2
    case .real: 5
    case .text: 6
    }
  }
}
