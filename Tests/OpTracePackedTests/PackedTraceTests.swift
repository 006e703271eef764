import Foundation
import OpTraceFormat
import TestSupport
import Testing

@testable import OpTraceModel
@testable import OpTracePacked

@Suite("Packing keeps the trace")
struct PackedTraceTests {
  private func check(_ bytes: [UInt8], _ comment: Comment? = nil) throws {
    let packed = try Packed.pack(bytes)
    #expect(try Packed.unpack(packed) == bytes, comment)
    let plain = try TraceReader.events(bytes: bytes)
    let read = try TraceReader.events(bytes: packed, unpacking: .packed())
    #expect(TraceText.string(read) == TraceText.string(plain), comment)
    #expect(read.loss == plain.loss, comment)
  }

  @Test("packing a packed trace changes nothing, and it is read like the original") func again() throws {
    let bytes = try SampleTraces.bytes("photo-import.optrace")
    let packed = try Packed.pack(bytes)
    #expect(try Packed.pack(packed) == packed)
    #expect(try Packed.read(packed) == TraceReader.read(bytes: bytes))
  }

  @Test("samples are the same after unpacking", arguments: SampleTraces.names)
  func samples(_ name: String) throws {
    let bytes = try SampleTraces.bytes(name)
    try check(bytes)
    #expect(try Packed.pack(bytes).count < bytes.count / 3)
  }

  @Test("text traces and their binary traces are the same after unpacking", arguments: SampleTraces.textNames)
  func texts(_ name: String) throws {
    let text = [UInt8](try Data(contentsOf: SampleTraces.textFolder.appendingPathComponent(name + ".txt")))
    try check(text)
    try check(TraceWriter.bytes(try TraceReader.events(bytes: text)))
  }

  @Test("random records are the same after unpacking", arguments: 0..<12)
  func anything(_ seed: UInt64) throws {
    var generator = SeededGenerator(seed)
    try check(TraceWriter.bytes(RandomTraces.anything(&generator, count: 300)), "seed \(seed)")
  }

  @Test("damaged traces are the same after unpacking", arguments: 0..<20)
  func damaged(_ seed: UInt64) throws {
    var generator = SeededGenerator(seed)
    var bytes = try SampleTraces.bytes("photo-import.optrace")
    for _ in 0..<Int.random(in: 1...4, using: &generator) {
      // The file's header stays, or nothing could be read.
      let offset = Int.random(in: Layout.Header.size..<bytes.count, using: &generator)
      let count = min(bytes.count - offset, Int.random(in: 1...3000, using: &generator))
      switch Int.random(in: 0..<5, using: &generator) {
      case 0: bytes[offset] ^= 1 << UInt8.random(in: 0..<8, using: &generator)
      case 1: bytes.replaceSubrange(offset..<offset + count, with: repeatElement(0, count: count))
      case 2: bytes.removeSubrange(offset..<offset + count)
      case 3:
        bytes.insert(contentsOf: (0..<count).map { _ in UInt8.random(in: 0...255, using: &generator) }, at: offset)
      default: bytes.removeLast(min(count, bytes.count - Layout.Header.size - 1))
      }
    }
    try check(bytes, "seed \(seed)")
  }

  @Test("an open trace with unused space is the same after unpacking")
  func open() throws {
    var events = try TraceReader.events(bytes: SampleTraces.bytes("photo-import.optrace"))
    events.header.isClosed = false
    let bytes = TraceWriter.bytes(events)
    try check(bytes + [UInt8](repeating: 0, count: 100_003))
    // Whole blocks of zeros, then a chunk.
    let hole = [UInt8](repeating: 0, count: 3 * BlockCodec.longest + 64)
    let last = Array(bytes[Layout.Header.size...])
    try check(bytes + hole + last)
    #expect(try Packed.pack(bytes + hole + last).count < bytes.count)
  }

  /// A trace of several blocks.
  private static let large: [UInt8] = {
    var generator = SeededGenerator(7)
    return TraceWriter.bytes(RandomTraces.program(&generator, operations: 8000))
  }()

  @Test("a packed trace of several blocks is the same, and can be read in pieces") func severalBlocks() throws {
    let packed = try Packed.pack(Self.large)
    #expect(Self.large.count > BlockCodec.longest)
    #expect(try Packed.unpack(packed) == Self.large)
    let source = try #require(try PackedSource.ifPacked(MemorySource(content: packed), file: "large", limit: nil))
    let pieces = try #require(try PieceReader.read(source, file: "large"))
    #expect(try pieces == TraceReader.read(bytes: Self.large))
  }

  @Test("a damaged block is skipped and reported, and the rest is read") func damagedBlock() throws {
    var packed = try Packed.pack(Self.large)
    let blocks = try Packed.blocks(of: packed)
    let whole = try Packed.read(packed)
    // The block after the header's block and the first block of records.
    try #require(blocks.count > 2)
    let second = blocks[2]
    packed[Int(second.fileOffset) + 100] ^= 4
    let trace = try Packed.read(packed)
    let isLast = blocks.count == 3
    let size = second.next - second.fileOffset
    let lost = grouped(second.length)
    let first = "byte \(second.fileOffset), \(size) skipped: a block of the packed trace does not match its checksum"
    #expect(
      Packed.message(packed)
        == (isLast
          ? "\(first)\nbyte \(packed.count), 0 skipped: the packed trace is cut: \(lost) bytes of the trace are missing"
          : "\(first): \(lost) bytes of the trace are missing"))
    #expect(trace.eventCount < whole.eventCount && trace.eventCount > 0)
    // Unpacking gives zeros for it.
    var report = TracePacker.Report()
    var unpacked: [UInt8] = []
    report = try TracePacker.unpack(bytes: packed) { unpacked += $0 }
    #expect(report.damage.count == (isLast ? 2 : 1))
    #expect(unpacked.starts(with: Self.large[..<Int(second.offset)]))
  }

  @Test("a file packs like its bytes in memory, and a missing file is an error") func files() throws {
    let path = SampleTraces.folder.appendingPathComponent("deadlock.optrace").path
    var packed: [UInt8] = []
    let report = try TracePacker.pack(path: path) { packed += $0 }
    let bytes = try SampleTraces.bytes("deadlock.optrace")
    #expect(try packed == Packed.pack(bytes))
    #expect(report.unpacked == UInt64(bytes.count) && report.damage.isEmpty)
    #expect(throws: TraceError(file: "/nowhere", .noSuchFile)) { try TracePacker.pack(path: "/nowhere") { _ in } }
    #expect(throws: TraceError(file: "trace", .notATrace(looksLike: "text"))) { try Packed.pack(Array("hello".utf8)) }
    #expect(throws: TraceError(file: "trace", .empty)) { try Packed.pack([]) }
  }
}
