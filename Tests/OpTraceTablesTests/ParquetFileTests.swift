import OpTraceTables
import TestSupport
import Testing

@Suite("Parquet files")
struct ParquetFileTests {
  private static func file(_ table: String) throws -> [UInt8] {
    let source = TableSource(Zoo.trace())
    let table = try #require(TableSet.recorded[table])
    var bytes: [UInt8] = []
    try ParquetFile.write(
      table, table.rows(of: source), facts: ["optrace.table": table.name, "optrace.trace": source.hash]
    ) { bytes.append(contentsOf: $0) }
    return bytes
  }

  private static func description(_ file: [UInt8]) -> [UInt8]? {
    guard let size = ParquetFacts.descriptionSize(tail: Array(file.suffix(ParquetFacts.tailSize))),
      size <= file.count - ParquetFacts.tailSize
    else { return nil }
    return Array(file.dropLast(ParquetFacts.tailSize).suffix(size))
  }

  @Test("a file has its number of rows and its metadata", arguments: ["operations", "traces", "marks"])
  func facts(table: String) throws {
    let source = TableSource(Zoo.trace())
    let description = try #require(Self.description(try Self.file(table)))
    let facts = try #require(ParquetFacts(description: description))
    #expect(facts.rowCount == TableSet.recorded[table]?.rows(of: source).count)
    #expect(facts.facts == ["optrace.table": table, "optrace.trace": source.hash])
  }

  @Test("a trace always gives the same bytes")
  func repeatable() throws {
    #expect(try Self.file("operations") == Self.file("operations"))
  }

  @Test("a cut file has no facts")
  func cut() throws {
    let file = try Self.file("threads")
    let whole = try #require(Self.description(file))
    for length in whole.indices { #expect(ParquetFacts(description: Array(whole.prefix(length))) == nil, "\(length)") }
    for length in file.indices { #expect(Self.description(Array(file.prefix(length))) == nil, "\(length)") }
  }

  @Test("reading a file with random bytes at its end ends", arguments: 0..<50)
  func hostile(seed: Int) throws {
    var random = SeededGenerator(seed)
    let file = try Self.file("operations")
    var bytes = try #require(Self.description(file))
    for _ in 0..<200 {
      for _ in 0..<random.number(1..<6) {
        bytes[random.number(0..<bytes.count)] = UInt8(truncatingIfNeeded: random.next())
      }
      _ = ParquetFacts(description: bytes)
    }
    _ = ParquetFacts(description: (0..<2000).map { _ in UInt8(truncatingIfNeeded: random.next()) })
    _ = ParquetFacts(description: [UInt8](repeating: 0x1C, count: 5000))
    _ = ParquetFacts(description: [UInt8](repeating: 0x19, count: 5000))
  }
}
