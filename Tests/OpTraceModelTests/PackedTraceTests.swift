import Foundation
import OpTraceFormat
import TestSupport
import Testing

@testable import OpTraceModel

/// Packing for tests: in memory.
enum Packed {
  static func pack(_ bytes: [UInt8]) throws -> [UInt8] {
    var result: [UInt8] = []
    let report = try TracePacker.pack(bytes: bytes) { result += $0 }
    #expect(report.packed == UInt64(result.count))
    return result
  }

  static func unpack(_ bytes: [UInt8]) throws -> [UInt8] {
    var result: [UInt8] = []
    let report = try TracePacker.unpack(bytes: bytes) { result += $0 }
    #expect(report.unpacked == UInt64(result.count))
    return result
  }

  /// The damage that a reader tells of, or its error.
  static func message(_ bytes: [UInt8]) -> String {
    do {
      let trace = try TraceReader.read(bytes: bytes, file: "x.optracez")
      return trace.loss.damage.map { "byte \($0.offset), \($0.skippedBytes) skipped: \($0.reason)" }.joined(
        separator: "\n")
    } catch {
      return "\(error)"
    }
  }

  /// A block with a checksum that holds, whatever it says.
  static func block(_ block: PackedBlock, _ payload: [UInt8] = []) -> [UInt8] { block.bytes(payload) + payload }

  static func header(_ length: UInt64) throws -> [UInt8] {
    var header = Array(try pack(Array("optrace text 1\n".utf8))[..<PackedLayout.Header.size])
    header.put(length, at: PackedLayout.Header.length)
    header.put(header.checksum(of: 0..<PackedLayout.Header.checksum), at: PackedLayout.Header.checksum)
    return header
  }
}

@Suite("A packed trace is the trace that it was")
struct PackedTraceTests {
  private func check(_ bytes: [UInt8], _ comment: Comment? = nil) throws {
    let packed = try Packed.pack(bytes)
    #expect(try Packed.unpack(packed) == bytes, comment)
    let plain = try TraceReader.events(bytes: bytes)
    let read = try TraceReader.events(bytes: packed)
    #expect(TraceText.string(read) == TraceText.string(plain), comment)
    #expect(read.loss == plain.loss, comment)
  }

  @Test("what is packed already is packed as what it was; values are read as from the plain one") func again() throws {
    let bytes = try Self.sample("photo-import.optrace")
    let packed = try Packed.pack(bytes)
    #expect(try Packed.pack(packed) == packed)
    #expect(try TraceReader.read(bytes: packed) == TraceReader.read(bytes: bytes))
  }

  private static func sample(_ name: String) throws -> [UInt8] {
    [UInt8](try Data(contentsOf: PieceReaderTests.folder.appendingPathComponent(name)))
  }

  @Test("byte for byte: samples", arguments: PieceReaderTests.samples)
  func samples(_ name: String) throws {
    let bytes = try Self.sample(name)
    try check(bytes)
    #expect(try Packed.pack(bytes).count < bytes.count / 3)
  }

  @Test("byte for byte: texts, and the binaries made of them", arguments: GoldenTests.names)
  func texts(_ name: String) throws {
    let text = [UInt8](try Data(contentsOf: GoldenTests.folder.appendingPathComponent(name + ".txt")))
    try check(text)
    try check(TraceWriter.bytes(try TraceReader.events(bytes: text)))
  }

  @Test("byte for byte: any records", arguments: 0..<12)
  func anything(_ seed: UInt64) throws {
    var generator = SeededGenerator(seed)
    try check(TraceWriter.bytes(RandomTraces.anything(&generator, count: 300)), "seed \(seed)")
  }

  @Test("byte for byte: cut, flipped, with holes and with bytes that do not belong there", arguments: 0..<20)
  func damaged(_ seed: UInt64) throws {
    var generator = SeededGenerator(seed)
    var bytes = try Self.sample("photo-import.optrace")
    for _ in 0..<Int.random(in: 1...4, using: &generator) {
      // The first header stays, or there would be nothing to read.
      let place = Int.random(in: Layout.Header.size..<bytes.count, using: &generator)
      let count = min(bytes.count - place, Int.random(in: 1...3000, using: &generator))
      switch Int.random(in: 0..<5, using: &generator) {
      case 0: bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &generator)
      case 1: bytes.replaceSubrange(place..<place + count, with: repeatElement(0, count: count))
      case 2: bytes.removeSubrange(place..<place + count)
      case 3: bytes.insert(contentsOf: (0..<count).map { _ in UInt8.random(in: 0...255, using: &generator) }, at: place)
      default: bytes.removeLast(min(count, bytes.count - Layout.Header.size - 1))
      }
    }
    try check(bytes, "seed \(seed)")
  }

  @Test("byte for byte: an open trace with space that was not handed out")
  func open() throws {
    var events = try TraceReader.events(bytes: Self.sample("photo-import.optrace"))
    events.header.isClosed = false
    let bytes = TraceWriter.bytes(events)
    try check(bytes + [UInt8](repeating: 0, count: 100_003))
    // Whole blocks of nothing, and a chunk behind them.
    let hole = [UInt8](repeating: 0, count: 3 * BlockCodec.longest + 64)
    let last = Array(bytes[Layout.Header.size...])
    try check(bytes + hole + last)
    #expect(try Packed.pack(bytes + hole + last).count < bytes.count)
  }

  /// Of several blocks.
  private static let large: [UInt8] = {
    var generator = SeededGenerator(7)
    return TraceWriter.bytes(RandomTraces.program(&generator, operations: 8000))
  }()

  @Test("of several blocks: the same trace, read piece by piece") func severalBlocks() throws {
    let packed = try Packed.pack(Self.large)
    #expect(Self.large.count > BlockCodec.longest)
    #expect(try Packed.unpack(packed) == Self.large)
    let source = try PackedSource.unpacking(MemorySource(content: packed), file: "large")
    let pieces = try #require(try PieceReader.read(source, file: "large"))
    #expect(try pieces == TraceReader.read(bytes: Self.large))
  }

  @Test("a damaged block is left out and told, and the rest is read") func damagedBlock() throws {
    var packed = try Packed.pack(Self.large)
    var index = try PackedIndex(MemorySource(content: packed), file: "large")
    index.scan(MemorySource(content: packed))
    let whole = try TraceReader.read(bytes: packed)
    // Behind the header's block and the first one of records.
    try #require(index.blocks.count > 2)
    let second = index.blocks[2]
    packed[Int(second.place) + 100] ^= 4
    let trace = try TraceReader.read(bytes: packed)
    let isLast = index.blocks.count == 3
    let size = second.next - second.place
    let lost = grouped(second.length)
    let first = "byte \(second.place), \(size) skipped: a block of the packed trace does not match its checksum"
    #expect(
      Packed.message(packed)
        == (isLast
          ? "\(first)\nbyte \(packed.count), 0 skipped: the packed trace is cut: \(lost) bytes of the trace are missing"
          : "\(first): \(lost) bytes of the trace are missing"))
    #expect(trace.eventCount < whole.eventCount && trace.eventCount > 0)
    // Unpacked, there are zeros.
    var report = TracePacker.Report()
    var unpacked: [UInt8] = []
    report = try TracePacker.unpack(bytes: packed) { unpacked += $0 }
    #expect(report.damage.count == (isLast ? 2 : 1))
    #expect(unpacked.starts(with: Self.large[..<Int(second.offset)]))
  }

  @Test("a file is packed as it is in memory, and one that is not there is told of") func files() throws {
    let path = PieceReaderTests.folder.appendingPathComponent("deadlock.optrace").path
    var packed: [UInt8] = []
    let report = try TracePacker.pack(path: path) { packed += $0 }
    let bytes = try Self.sample("deadlock.optrace")
    #expect(try packed == Packed.pack(bytes))
    #expect(report.unpacked == UInt64(bytes.count) && report.damage.isEmpty)
    #expect(throws: TraceError(file: "/nowhere", .noSuchFile)) { try TracePacker.pack(path: "/nowhere") { _ in } }
    #expect(throws: TraceError(file: "trace", .notATrace(looksLike: "text"))) { try Packed.pack(Array("hello".utf8)) }
    #expect(throws: TraceError(file: "trace", .empty)) { try Packed.pack([]) }
  }
}

@Suite("Packed traces that are cut, flipped or made up")
struct PackedDamageTests {
  private let packed: [UInt8]

  init() throws {
    var generator = SeededGenerator(3)
    packed = try Packed.pack(TraceWriter.bytes(RandomTraces.program(&generator, operations: 10)))
  }

  @Test("a sound one has no damage") func sound() { #expect(Packed.message(packed) == "") }

  @Test("cut at every byte: an error or damage, never silence") func cuts() throws {
    for count in 0..<packed.count { #expect(Packed.message(Array(packed[..<count])) != "", "cut to \(count)") }
    let error = "x.optracez: the header cannot be read: "
    #expect(
      Packed.message([]) == "x.optracez: the file is empty: the program that should have written it recorded nothing")
    #expect(Packed.message(Array(packed[..<40])) == error + "the packed file is cut after 40 of 64 bytes")
    #expect(
      Packed.message(Array(packed[..<500]))
        == "byte \(try blocks()[1].place), \(500 - (try blocks()[1].place)) skipped: the packed file ends inside a block\n"
        + "byte 500, 0 skipped: the packed trace is cut: \(grouped(try Packed.unpack(packed).count - 1024)) bytes of the trace are missing"
    )
    #expect(
      Packed.message(Array(packed[..<80]))
        == error + "the packed trace is damaged from byte 64 on: the packed file ends inside a block")
    #expect(
      Packed.message(Array(packed[..<64]))
        == error + "the packed trace is damaged from byte 64 on: "
        + "the packed trace is cut: \(grouped(try Packed.unpack(packed).count)) bytes of the trace are missing")
  }

  private func blocks(of bytes: [UInt8]? = nil) throws -> [PackedBlock] {
    let source = MemorySource(content: bytes ?? packed)
    var index = try PackedIndex(source, file: "x")
    index.scan(source)
    return index.blocks
  }

  @Test("every flipped bit costs its block alone, and at the beginning nothing") func flipsCostTheirBlock() throws {
    var generator = SeededGenerator(11)
    let packed = try Packed.pack(TraceWriter.bytes(RandomTraces.program(&generator, operations: 8000)))
    let blocks = try blocks(of: packed)
    try #require(blocks.count > 2)
    let whole = try TraceReader.read(bytes: packed)
    let copy = try #require(blocks.last).next
    // Each takes as long as reading the whole: one in some, another bit of each.
    for place in Array(0..<Int(blocks[1].place)) + Array(Int(copy)..<packed.count) where place % 23 == 4 {
      var damaged = packed
      damaged[place] ^= 1 << UInt8(place % 8)
      let trace = try TraceReader.read(bytes: damaged)
      #expect(trace.eventCount == whole.eventCount && trace.header == whole.header, "flipped at \(place)")
      #expect(trace.loss.isDamaged, "flipped at \(place)")
    }
    // In the first block of records, too, what is behind it is there.
    for place in [0, 4, 8, 16, 24, 28, 32, 40, 1000] {
      var damaged = packed
      damaged[Int(blocks[1].place) + place] ^= 1
      let trace = try TraceReader.read(bytes: damaged)
      let lost = Double(whole.eventCount - trace.eventCount) / Double(whole.eventCount)
      let share = Double(blocks[1].length) / Double(try #require(blocks.last).end)
      #expect(trace.header == whole.header && lost < share * 1.2, "flipped at \(place)")
    }
  }

  @Test("where the beginning is damaged, its copy serves") func copyServes() throws {
    var damaged = packed
    damaged[100] ^= 1
    let size = try blocks()[0].next - 64
    #expect(
      Packed.message(damaged)
        == "byte 64, \(size) skipped: a block of the packed trace does not match its checksum; its copy serves")
    #expect(try Packed.unpack(damaged) == Packed.unpack(packed))
  }

  /// What a file has lost at its beginning and at its end, and whether its own header is sound.
  private func lost() throws -> [(what: String, bytes: [UInt8])] {
    let copy = Int(try #require(try blocks().last).next)
    func without(_ ranges: Range<Int>...) -> [UInt8] {
      var bytes = packed
      for range in ranges { for place in range { bytes[place] = UInt8(truncatingIfNeeded: place * 7 + 1) } }
      return bytes
    }
    return [
      ("both magic numbers at its beginning", without(0..<8, 64..<68)),
      ("its header and its first block", without(0..<Int(try blocks()[1].place))),
      ("its header and its last block", without(0..<64, copy..<packed.count)),
      ("the magic numbers at both ends", without(0..<8, copy..<copy + 4)),
      ("its first bytes altogether", Array(packed[Int(try blocks()[1].place - 3)...])),
    ]
  }

  @Test("what has lost its magic numbers is known by its blocks, at both ends") func knownByItsBlocks() throws {
    let whole = try TraceReader.read(bytes: packed)
    for (what, bytes) in try lost() {
      let trace = try TraceReader.read(bytes: bytes)
      #expect(trace.loss.isDamaged && trace.operations.count == whole.operations.count, "without \(what)")
      #expect(trace.header == whole.header && trace.eventCount == whole.eventCount, "without \(what)")
      #expect(try Packed.unpack(bytes) == Packed.unpack(packed), "without \(what)")
      #expect(try EventReader(bytes: bytes).count == EventReader(bytes: packed).count, "without \(what)")
      #expect(try Packed.pack(bytes) == packed, "without \(what): packed again it is sound")
    }
    // Neither the first block nor its copy: of a packed trace, but nothing that could be read.
    var hopeless = packed
    for place in Array(0..<Int(try blocks()[1].place)) + Array(Int(try #require(try blocks().last).next)..<packed.count)
    {
      hopeless[place] = 1
    }
    #expect(Packed.message(hopeless).hasPrefix("x.optracez: the header cannot be read: the packed trace is damaged"))
  }

  @Test("what only holds a packed trace is none, and may not become more than others") func isNotFooled() throws {
    var archive = [UInt8](repeating: 0, count: 512)
    archive.replaceSubrange(257..<262, with: Array("ustar".utf8))
    for (start, looks) in [
      (archive, "a tar archive: unpack it first"), (Array("PK".utf8) + [UInt8](repeating: 3, count: 40), "a zip file"),
    ] {
      #expect(throws: TraceError(file: "trace", .notATrace(looksLike: looks))) {
        try TraceReader.read(bytes: start + packed)
      }
    }
    // A magic number alone is no block.
    let noise = [1, 2, 3] + Array("OPKB".utf8) + [UInt8](repeating: 1, count: 100)
    #expect(throws: TraceError(file: "trace", .notATrace(looksLike: "unknown binary data"))) {
      try TraceReader.read(bytes: noise)
    }
    var small = try Packed.pack(try Packed.unpack(packed) + [UInt8](repeating: 0, count: 80 << 20))
    for place in 0..<68 { small[place] = 1 }
    #expect { try TraceReader.read(bytes: small) } throws: {
      if case .tooLarge = ($0 as? TraceError)?.reason { true } else { false }
    }
  }

  @Test("a file of the form's first version has no copy") func firstVersion() throws {
    var old = Array(packed[..<Int(try #require(try blocks().last).next)])
    #expect(Packed.message(old) == "byte \(old.count), 0 skipped: the packed file is cut: its last block is missing")
    old.put(UInt16(0), at: PackedLayout.Header.minorVersion)
    old.put(old.checksum(of: 0..<PackedLayout.Header.checksum), at: PackedLayout.Header.checksum)
    #expect(Packed.message(old) == "")
    #expect(Packed.message(old + [1]) == "byte \(old.count), 1 skipped: bytes after the end of the packed trace")
  }

  @Test("few bytes that become many are refused, unless they are asked for") func limit() throws {
    let plain = try Packed.unpack(packed) + [UInt8](repeating: 0, count: 80 << 20)
    let small = try Packed.pack(plain)
    let most = UInt64(small.count) * 32 + (64 << 20)
    let error = TraceError(file: "x", .tooLarge(unpacked: UInt64(plain.count), limit: most))
    #expect(throws: error) { try TraceReader.read(bytes: small, file: "x") }
    #expect(throws: error) { try TraceReader.events(bytes: small, file: "x") }
    #expect(throws: error) { try EventReader(bytes: small, file: "x") }
    #expect(throws: error) { try TracePacker.unpack(bytes: small, file: "x") { _ in } }
    let limit = UInt64(plain.count)
    #expect(try EventReader(bytes: small, unpackingAtMost: limit).count > 0)
    #expect(try TraceReader.read(bytes: small, unpackingAtMost: limit).eventCount > 0)
    #expect(try TracePacker.unpack(bytes: small, unpackingAtMost: limit) { _ in }.unpacked == limit)
    #expect(throws: TraceError(file: "x", .tooLarge(unpacked: limit, limit: limit - 1))) {
      try TraceReader.events(bytes: small, file: "x", unpackingAtMost: limit - 1)
    }
  }

  @Test("what was never packed is not unpacked") func notPacked() throws {
    let plain = try Packed.unpack(packed)
    #expect(throws: TraceError(file: "trace", .notPacked)) { try Packed.unpack(plain) }
    #expect(throws: TraceError(file: "trace", .notPacked)) { try Packed.unpack(Array("optrace text 1\n".utf8)) }
    #expect(throws: TraceError(file: "trace", .notATrace(looksLike: "text"))) { try Packed.unpack(Array("hi".utf8)) }
    #expect(throws: TraceError(file: "trace", .empty)) { try Packed.unpack([]) }
  }

  @Test("every flipped byte is noticed") func flips() {
    for place in packed.indices {
      var damaged = packed
      damaged[place] ^= 0x10
      #expect(Packed.message(damaged) != "", "flipped at \(place)")
    }
  }

  @Test("a header with a wrong checksum is told, and the blocks are read") func header() throws {
    var damaged = packed
    damaged[PackedLayout.Header.length] ^= 1
    #expect(
      Packed.message(damaged) == "byte 0, 0 skipped: the header of the packed trace does not match its checksum")
    #expect(try TraceReader.read(bytes: damaged).eventCount == TraceReader.read(bytes: packed).eventCount)
  }

  @Test("a newer version is told apart from damage") func version() throws {
    var newer = packed
    newer.put(UInt16(2), at: PackedLayout.Header.majorVersion)
    newer.put(newer.checksum(of: 0..<PackedLayout.Header.checksum), at: PackedLayout.Header.checksum)
    #expect(throws: TraceError(file: "trace", .newerVersion(format: "2.1, packed", writer: "which is not told"))) {
      try TraceReader.read(bytes: newer)
    }
  }

  @Test("bytes behind the end are told") func trailing() {
    #expect(
      Packed.message(packed + [1, 2, 3])
        == "byte \(packed.count), 3 skipped: bytes after the end of the packed trace")
  }

  @Test("lengths that nothing can have are not believed") func hostileLengths() throws {
    typealias Block = PackedBlock
    let error = "x.optracez: the header cannot be read: the packed trace is damaged from byte 64 on: "
    let none = error + "no block of the packed trace begins here"
    let payload = [UInt8](repeating: 0, count: 8)
    // More than 64 times its size, more than a block's size, more zeros than a file may have, past the end of numbers.
    for block in [
      Block(kind: .coded, offset: 0, length: 513, payload: 8),
      Block(kind: .coded, offset: 0, length: 1 << 40, payload: 8),
      Block(kind: .coded, offset: .max - 5, length: 10, payload: 8),
      Block(kind: .coded, offset: 0, length: 0, payload: 8),
    ] {
      #expect(Packed.message(try Packed.header(max(64, block.length)) + Packed.block(block, payload)) == none)
    }
    let zeros = try Packed.header(1 << 62) + Packed.block(Block(kind: .zeros, offset: 0, length: 1 << 62))
    #expect(Packed.message(zeros) == none)
  }

  @Test("what a file claims behind its end costs nothing") func hostileClaim() throws {
    var claim = packed
    claim.put(UInt64(1) << 62, at: PackedLayout.Header.length)
    claim.put(claim.checksum(of: 0..<PackedLayout.Header.checksum), at: PackedLayout.Header.checksum)
    let length = UInt64(try Packed.unpack(packed).count)
    #expect(
      Packed.message(claim) == "byte \(packed.count), 0 skipped: the packed trace is cut: "
        + "\(grouped((1 << 62) - length)) bytes of the trace are missing")
    // Nor does a gap that nothing can have filled.
    let far = PackedBlock(kind: .coded, offset: 1 << 50, length: 64, payload: 8)
    #expect(
      Packed.message(claim + Packed.block(far, [UInt8](repeating: 0, count: 8))).hasPrefix(
        "byte \(packed.count), 48 skipped: a block of the packed trace does not belong behind the one before it\n"))
  }

  @Test("blocks of any bytes become as many bytes as they say", arguments: 0..<40)
  func hostileBlocks(_ seed: UInt64) throws {
    var generator = SeededGenerator(seed)
    let payload = (0..<800).map { _ in UInt8.random(in: 0...255, using: &generator) }
    var codec = BlockCodec()
    for length in [1, 7, 64, 5000, 51_200] {
      let coded = Int.random(in: 0...payload.count, using: &generator)
      let bytes = payload.withUnsafeBytes { codec.decode($0, coded: coded, count: length) }
      #expect(bytes.count == length, "seed \(seed)")
    }
    // And the reader takes whatever came out for what it is.
    let head = try Packed.unpack(packed).prefix(Layout.Header.size)
    let start = UInt64(head.count)
    let block = PackedBlock(kind: .coded, offset: start, length: 51_200, payload: payload.count, coded: 700)
    let first = try TracePackerFixture.firstBlock(Array(head))
    let file = try Packed.header(start + 51_200) + first + Packed.block(block, payload)
    #expect(Packed.message(file) != "", "seed \(seed)")
  }
}

private enum TracePackerFixture {
  /// The block of a trace that is a header alone.
  static func firstBlock(_ header: [UInt8]) throws -> [UInt8] {
    Array(try Packed.pack(header)[PackedLayout.Header.size...])
  }
}
