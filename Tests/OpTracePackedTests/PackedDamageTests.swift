import OpTraceFormat
import TestSupport
import Testing

@testable import OpTraceModel
@testable import OpTracePacked

@Suite("Damaged packed traces")
struct PackedDamageTests {
  private let packed: [UInt8]

  init() throws {
    var generator = SeededGenerator(3)
    packed = try Packed.pack(TraceWriter.bytes(RandomTraces.program(&generator, operations: 10)))
  }

  @Test("a sound packed trace has no damage") func sound() { #expect(Packed.message(packed) == "") }

  @Test("a cut at any byte gives an error or damage") func cuts() throws {
    for count in 0..<packed.count { #expect(Packed.message(Array(packed[..<count])) != "", "cut to \(count)") }
    let error = "x.optracez: the header cannot be read: "
    #expect(
      Packed.message([]) == "x.optracez: the file is empty: the program that should have written it recorded nothing")
    #expect(Packed.message(Array(packed[..<40])) == error + "the packed file is cut after 40 of 64 bytes")
    #expect(
      Packed.message(Array(packed[..<500]))
        == "byte \(try blocks()[1].fileOffset), \(500 - (try blocks()[1].fileOffset)) skipped: the packed file ends inside a block\n"
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

  private func blocks() throws -> [PackedBlock] { try Packed.blocks(of: packed) }

  @Test("a flipped bit loses only its own block, and nothing in the header or first block")
  func flipsCostTheirBlock() throws {
    var generator = SeededGenerator(11)
    let packed = try Packed.pack(TraceWriter.bytes(RandomTraces.program(&generator, operations: 8000)))
    let blocks = try Packed.blocks(of: packed)
    try #require(blocks.count > 2)
    let whole = try Packed.read(packed)
    let copy = try #require(blocks.last).next
    // Each check reads the whole trace, so flip one bit in every 23rd byte only.
    for offset in Array(0..<Int(blocks[1].fileOffset)) + Array(Int(copy)..<packed.count) where offset % 23 == 4 {
      var damaged = packed
      damaged[offset] ^= 1 << UInt8(offset % 8)
      let trace = try Packed.read(damaged)
      #expect(trace.eventCount == whole.eventCount && trace.header == whole.header, "flipped at \(offset)")
      #expect(trace.loss.isDamaged, "flipped at \(offset)")
    }
    // A flip in the first block of records keeps the blocks after it.
    for offset in [0, 4, 8, 16, 24, 28, 32, 40, 1000] {
      var damaged = packed
      damaged[Int(blocks[1].fileOffset) + offset] ^= 1
      let trace = try Packed.read(damaged)
      let lost = Double(whole.eventCount - trace.eventCount) / Double(whole.eventCount)
      let share = Double(blocks[1].length) / Double(try #require(blocks.last).end)
      #expect(trace.header == whole.header && lost < share * 1.2, "flipped at \(offset)")
    }
  }

  @Test("the copy of the first block is used if the first block is damaged") func copyServes() throws {
    var damaged = packed
    damaged[100] ^= 1
    let size = try blocks()[0].next - 64
    #expect(
      Packed.message(damaged)
        == "byte 64, \(size) skipped: a block of the packed trace does not match its checksum; its copy serves")
    #expect(try Packed.unpack(damaged) == Packed.unpack(packed))
  }

  /// Files that have lost parts of their beginning and end.
  private func lost() throws -> [(what: String, bytes: [UInt8])] {
    let copy = Int(try #require(try blocks().last).next)
    func without(_ ranges: Range<Int>...) -> [UInt8] {
      var bytes = packed
      for range in ranges { for offset in range { bytes[offset] = UInt8(truncatingIfNeeded: offset * 7 + 1) } }
      return bytes
    }
    return [
      ("both magic numbers at its beginning", without(0..<8, 64..<68)),
      ("its header and its first block", without(0..<Int(try blocks()[1].fileOffset))),
      ("its header and its last block", without(0..<64, copy..<packed.count)),
      ("the magic numbers at both ends", without(0..<8, copy..<copy + 4)),
      ("its first bytes altogether", Array(packed[Int(try blocks()[1].fileOffset - 3)...])),
    ]
  }

  @Test("a file without magic numbers is recognised by the blocks at both ends") func knownByItsBlocks() throws {
    let whole = try Packed.read(packed)
    for (what, bytes) in try lost() {
      let trace = try Packed.read(bytes)
      #expect(trace.loss.isDamaged && trace.operations.count == whole.operations.count, "without \(what)")
      #expect(trace.header == whole.header && trace.eventCount == whole.eventCount, "without \(what)")
      #expect(try Packed.unpack(bytes) == Packed.unpack(packed), "without \(what)")
      #expect(
        try EventReader(bytes: bytes, unpacking: .packed()).count
          == EventReader(bytes: packed, unpacking: .packed()).count, "without \(what)")
      #expect(try Packed.pack(bytes) == packed, "without \(what): packed again it is sound")
    }
    // Without the first block and its copy the file is a packed trace that cannot be read.
    var hopeless = packed
    let first = 0..<Int(try blocks()[1].fileOffset)
    let copy = Int(try #require(try blocks().last).next)..<packed.count
    for range in [first, copy] { hopeless.replaceSubrange(range, with: repeatElement(1, count: range.count)) }
    #expect(Packed.message(hopeless).hasPrefix("x.optracez: the header cannot be read: the packed trace is damaged"))
  }

  @Test("a file that contains a packed trace is not one, and damaged files have a size limit")
  func isNotFooled() throws {
    var archive = [UInt8](repeating: 0, count: 512)
    archive.replaceSubrange(257..<262, with: Array("ustar".utf8))
    for (start, looks) in [
      (archive, "a tar archive: unpack it first"), (Array("PK".utf8) + [UInt8](repeating: 3, count: 40), "a zip file"),
    ] {
      #expect(throws: TraceError(file: "trace", .notATrace(looksLike: looks))) {
        try Packed.read(start + packed)
      }
    }
    // A magic number alone is not a block.
    let noise = [1, 2, 3] + Array("OPKB".utf8) + [UInt8](repeating: 1, count: 100)
    #expect(throws: TraceError(file: "trace", .notATrace(looksLike: "unknown binary data"))) {
      try Packed.read(noise)
    }
    var small = try Packed.pack(try Packed.unpack(packed) + [UInt8](repeating: 0, count: 80 << 20))
    for offset in 0..<68 { small[offset] = 1 }
    #expect { try Packed.read(small) } throws: {
      if case .tooLarge = ($0 as? TraceError)?.reason { true } else { false }
    }
  }

  @Test("a missing last block and an older format are reported") func lastBlockAndOlderForm() throws {
    let cut = Array(packed[..<Int(try #require(try blocks().last).next)])
    #expect(Packed.message(cut) == "byte \(cut.count), 0 skipped: the packed file is cut: its last block is missing")
    var old = packed
    old.put(UInt16(1), at: PackedLayout.Header.majorVersion)
    old.put(old.checksum(of: 0..<PackedLayout.Header.checksum), at: PackedLayout.Header.checksum)
    #expect(
      Packed.message(old) == "x.optracez: the header cannot be read: it was packed in an older form that is no longer "
        + "read: unpack it with the version that packed it, then pack it again")
  }

  @Test("a file that unpacks to many times its size is refused, unless the caller allows it") func limit() throws {
    let plain = try Packed.unpack(packed) + [UInt8](repeating: 0, count: 80 << 20)
    let small = try Packed.pack(plain)
    let most = UInt64(small.count) * 32 + (64 << 20)
    let error = TraceError(file: "x", .tooLarge(unpacked: UInt64(plain.count), limit: most))
    #expect(throws: error) { try TraceReader.read(bytes: small, file: "x", unpacking: .packed()) }
    #expect(throws: error) { try TraceReader.events(bytes: small, file: "x", unpacking: .packed()) }
    #expect(throws: error) { try EventReader(bytes: small, file: "x", unpacking: .packed()) }
    #expect(throws: error) { try TracePacker.unpack(bytes: small, file: "x") { _ in } }
    let limit = UInt64(plain.count)
    #expect(try EventReader(bytes: small, unpacking: .packed(atMost: limit)).count > 0)
    #expect(try TraceReader.read(bytes: small, unpacking: .packed(atMost: limit)).eventCount > 0)
    #expect(try TracePacker.unpack(bytes: small, unpackingAtMost: limit) { _ in }.unpacked == limit)
    #expect(throws: TraceError(file: "x", .tooLarge(unpacked: limit, limit: limit - 1))) {
      try TraceReader.events(bytes: small, file: "x", unpacking: .packed(atMost: limit - 1))
    }
  }

  @Test("files that are not packed cannot be unpacked") func notPacked() throws {
    let plain = try Packed.unpack(packed)
    #expect(throws: TraceError(file: "trace", .notPacked)) { try Packed.unpack(plain) }
    #expect(throws: TraceError(file: "trace", .notPacked)) { try Packed.unpack(Array("optrace text 1\n".utf8)) }
    #expect(throws: TraceError(file: "trace", .notATrace(looksLike: "text"))) { try Packed.unpack(Array("hi".utf8)) }
    #expect(throws: TraceError(file: "trace", .empty)) { try Packed.unpack([]) }
  }

  @Test("each flipped byte is detected") func flips() {
    for offset in packed.indices {
      var damaged = packed
      damaged[offset] ^= 0x10
      #expect(Packed.message(damaged) != "", "flipped at \(offset)")
    }
  }

  @Test("a wrong checksum of the header is reported, and the blocks are read") func header() throws {
    var damaged = packed
    damaged[PackedLayout.Header.length] ^= 1
    #expect(
      Packed.message(damaged) == "byte 0, 0 skipped: the header of the packed trace does not match its checksum")
    #expect(try Packed.read(damaged).eventCount == Packed.read(packed).eventCount)
  }

  @Test("a newer version is not reported as damage") func version() throws {
    var newer = packed
    newer.put(UInt16(3), at: PackedLayout.Header.majorVersion)
    newer.put(newer.checksum(of: 0..<PackedLayout.Header.checksum), at: PackedLayout.Header.checksum)
    #expect(throws: TraceError(file: "trace", .newerVersion(format: "3.0, packed", writer: "version not known"))) {
      try Packed.read(newer)
    }
  }

  @Test("bytes after the end are reported") func trailing() {
    #expect(
      Packed.message(packed + [1, 2, 3])
        == "byte \(packed.count), 3 skipped: bytes after the end of the packed trace")
  }

  @Test("impossible lengths of blocks are refused") func hostileLengths() throws {
    typealias Block = PackedBlock
    let error = "x.optracez: the header cannot be read: the packed trace is damaged from byte 64 on: "
    let none = error + "no block of the packed trace begins here"
    let payload = [UInt8](repeating: 0, count: 8)
    // More than 64 times its size, more than a block's size, an offset that overflows, nothing, no streams, and more
    // streams than records can have.
    for block in [
      Block(kind: .coded, offset: 0, length: 513, payload: 8, streams: 8),
      Block(kind: .coded, offset: 0, length: 1 << 40, payload: 8, streams: 8),
      Block(kind: .coded, offset: .max - 5, length: 10, payload: 8, streams: 8),
      Block(kind: .coded, offset: 0, length: 0, payload: 8, streams: 8),
      Block(kind: .coded, offset: 0, length: 64, payload: 8, streams: 0),
      Block(kind: .coded, offset: 0, length: 64, payload: 8, streams: 2 * 64 + 65),
      Block(kind: .coded, offset: 0, length: 64, payload: 8, streams: 1 << 31),
    ] {
      #expect(Packed.message(try Packed.header(max(64, block.length)) + Packed.block(block, payload)) == none)
    }
    let zeros = try Packed.header(1 << 62) + Packed.block(Block(kind: .zeros, offset: 0, length: 1 << 62))
    #expect(Packed.message(zeros) == none)
  }

  @Test("a sound block that liblzma refuses is reported as damage and read as zeros") func refusedBlock() throws {
    let head = Array(try Packed.unpack(packed).prefix(Layout.Header.size))
    // No LZMA2 chunk begins with 3.
    let payload = [UInt8](repeating: 3, count: 8)
    let block = PackedBlock(
      kind: .coded, offset: UInt64(head.count), length: 64, payload: payload.count, streams: 8)
    let first = try Packed.firstBlock(head)
    let file = try Packed.header(UInt64(head.count) + 64) + first + Packed.block(block, payload)
    var unpacked: [UInt8] = []
    let report = try TracePacker.unpack(bytes: file) { unpacked += $0 }
    #expect(unpacked == head + [UInt8](repeating: 0, count: 64))
    #expect(report.damage.contains { $0.reason == "a block of the packed trace cannot be unpacked" })
    #expect(report.damage.count { $0.skippedBytes == 8 } == 1)
  }

  @Test("a header or a block that claims a huge length or offset is reported") func hostileClaim() throws {
    var claim = packed
    claim.put(UInt64(1) << 62, at: PackedLayout.Header.length)
    claim.put(claim.checksum(of: 0..<PackedLayout.Header.checksum), at: PackedLayout.Header.checksum)
    let length = UInt64(try Packed.unpack(packed).count)
    #expect(
      Packed.message(claim) == "byte \(packed.count), 0 skipped: the packed trace is cut: "
        + "\(grouped((1 << 62) - length)) bytes of the trace are missing")
    // A block after an impossible gap is reported, too.
    let far = PackedBlock(kind: .coded, offset: 1 << 50, length: 64, payload: 8, streams: 8)
    #expect(
      Packed.message(claim + Packed.block(far, [UInt8](repeating: 0, count: 8))).hasPrefix(
        "byte \(packed.count), 48 skipped: a block of the packed trace does not belong behind the one before it\n"))
  }

  @Test("blocks of random bytes decode to their length or are refused", arguments: 0..<40)
  func hostileBlocks(_ seed: UInt64) throws {
    var generator = SeededGenerator(seed)
    let noise = (0..<800).map { _ in UInt8.random(in: 0...255, using: &generator) }
    // Random bytes, and random bytes that liblzma has packed.
    for (payload, streams) in [(noise, 800), (try LZMA.compress(noise), noise.count)] {
      for length in [1, 7, 64, 5000, 51_200] {
        let decoded = BlockCodec.decode(payload, streams: streams, count: length)
        #expect(decoded.map { $0.count == length } ?? (payload == noise), "seed \(seed)")
      }
    }
    // The reader reports damage in the decoded bytes.
    let head = try Packed.unpack(packed).prefix(Layout.Header.size)
    let start = UInt64(head.count)
    let payload = try LZMA.compress(noise)
    let block = PackedBlock(
      kind: .coded, offset: start, length: 51_200, payload: payload.count, streams: noise.count)
    let first = try Packed.firstBlock(Array(head))
    let file = try Packed.header(start + 51_200) + first + Packed.block(block, payload)
    #expect(Packed.message(file) != "", "seed \(seed)")
  }
}
