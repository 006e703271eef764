import Foundation
import OpTraceFormat
import TestSupport
import Testing

@testable import OpTraceModel

/// The exact messages for files that are not traces, or are damaged.
@Suite struct BadInputTests {
  private func message(_ bytes: [UInt8]) -> String {
    do {
      let trace = try TraceReader.read(bytes: bytes, file: "x.optrace")
      return trace.loss.damage.map { "byte \($0.offset), \($0.skippedBytes) skipped: \($0.reason)" }.joined(
        separator: "\n")
    } catch {
      return "\(error)"
    }
  }

  /// A sound trace: a chunk of definitions, then one for each thread.
  private func sample() -> [UInt8] {
    var generator = SeededGenerator(42)
    return TraceWriter.bytes(RandomTraces.program(&generator, operations: 20))
  }

  private struct Chunk {
    var offset: Int
    var size: Int
    var fill: Int
  }

  private func chunks(_ bytes: [UInt8]) -> [Chunk] {
    var result: [Chunk] = []
    var offset = Layout.Header.size
    while offset < bytes.count {
      let size = Int(bytes.number(at: offset + Layout.Chunk.byteCount) as UInt32)
      result.append(
        Chunk(offset: offset, size: size, fill: Int(bytes.number(at: offset + Layout.Chunk.fill) as UInt32)))
      offset += size
    }
    return result
  }

  /// Changes the bytes and makes the header's and the chunks' checksums fit again.
  private func change(_ bytes: inout [UInt8], sealing: Bool = true, _ body: (inout [UInt8]) -> Void) {
    body(&bytes)
    guard sealing else { return }
    store(bytes.checksum(of: 0..<Layout.Header.staticChecksum), at: Layout.Header.staticChecksum, in: &bytes)
    store(bytes.checksum(of: 512..<Layout.Header.dynamicChecksum), at: Layout.Header.dynamicChecksum, in: &bytes)
    for chunk in chunks(bytes) {
      let header = Array(bytes[chunk.offset..<chunk.offset + 64])
      let records = Array(bytes[chunk.offset + 64..<chunk.offset + 64 + chunk.fill])
      let checksum = records.withUnsafeBytes { ChunkHeader.checksum(header: header, records: $0) }
      store(checksum, at: chunk.offset + Layout.Chunk.checksum, in: &bytes)
    }
  }

  private func store<Number: FixedWidthInteger>(_ number: Number, at offset: Int, in bytes: inout [UInt8]) {
    withUnsafeBytes(of: number.littleEndian) { bytes.replaceSubrange(offset..<offset + $0.count, with: $0) }
  }

  // MARK: - Nothing to read

  @Test func noSuchFile() {
    #expect(throws: TraceError(file: "/nowhere/x.optrace", .noSuchFile)) {
      try TraceReader.read(path: "/nowhere/x.optrace")
    }
    let error = TraceError(file: "/nowhere/x.optrace", .noSuchFile)
    #expect("\(error)" == "/nowhere/x.optrace: no such file")
    #expect(error.isMissingInput)
  }

  /// Programs switch over the code; people read the message.
  @Test func eachErrorHasACodeAndAMessage() throws {
    func error(_ bytes: [UInt8]) throws -> TraceError {
      try #require(throws: TraceError.self) { try TraceReader.read(bytes: bytes, file: "x.optrace") }
    }
    let sound = sample()
    var future = sound
    change(&future) { store(UInt16(9), at: Layout.Header.majorVersion, in: &$0) }
    let newer = try error(future)
    let text = try error(Array("optrace text 1\n\nnonsense\n".utf8))
    let errors = [try error([]), try error(Array("{}".utf8)), newer, try error(Array(sound.prefix(100))), text]
    #expect(errors.map(\.code) == [.empty, .notATrace, .newerVersion, .unreadableHeader, .invalidText])
    #expect(errors.map(\.line) == [nil, nil, nil, nil, 3])
    #expect(errors.allSatisfy { !$0.isMissingInput && $0.file == "x.optrace" })
    for error in errors.dropLast() { #expect(error.description == "x.optrace: \(error.message)") }
    #expect(text.description == "x.optrace:3: \(text.message)")
    #expect("\(text.code)" == "invalidText")
  }

  @Test func folderIsRefused() {
    #expect(throws: TraceError(file: "/", .cannotRead("it is a folder"))) { try TraceReader.read(path: "/") }
  }

  @Test(.timeLimit(.minutes(10))) func endlessDeviceIsRefused() {
    #expect(throws: TraceError(file: "/dev/zero", .notATrace(looksLike: "nothing but zeros"))) {
      try TraceReader.read(path: "/dev/zero")
    }
  }

  @Test func textOfMoreThanOneGiBIsRefused() throws {
    let path = NSTemporaryDirectory() + "optrace-\(UUID().uuidString)"
    defer { try? FileManager.default.removeItem(atPath: path) }
    try Data("optrace text 1\n".utf8).write(to: URL(fileURLWithPath: path))
    // A hole: it takes no space.
    #expect(truncate(path, 1 << 40) == 0)
    let error = #expect(throws: TraceError.self) { try TraceReader.read(path: path) }
    #expect(
      error?.reason == .cannotRead("a text of more than 1 GiB: turn it into a binary trace where it was made"))
  }

  @Test func emptyFileIsRefused() {
    #expect(message([]) == "x.optrace: the file is empty: the program that should have written it recorded nothing")
  }

  @Test func otherFileTypesAreNamed() {
    #expect(message(Array("{\"traceEvents\":[]}".utf8)) == "x.optrace: not a trace: it looks like JSON")
    #expect(message(Array(" [\n1]".utf8)) == "x.optrace: not a trace: it looks like JSON")
    #expect(message(Array("<svg/>".utf8)) == "x.optrace: not a trace: it looks like HTML, XML or SVG")
    #expect(message(Array("digraph {}".utf8)) == "x.optrace: not a trace: it looks like a DOT graph")
    #expect(message(Array("hello\n".utf8)) == "x.optrace: not a trace: it looks like text")
    #expect(message([0x1F, 0x8B, 8, 0]) == "x.optrace: not a trace: it looks like a gzip file: unpack it first")
    #expect(
      message(Array("OPTRACZ\n".utf8))
        == "x.optrace: not a trace: it looks like a packed trace: unpack it first, or read it with OpTracePacked")
    #expect(message([1, 2, 3, 4]) == "x.optrace: not a trace: it looks like unknown binary data")
    #expect(message([UInt8](repeating: 0, count: 2000)) == "x.optrace: not a trace: it looks like nothing but zeros")
  }

  @Test func truncatedHeaderIsRefused() {
    #expect(
      message(Array(sample()[..<700]))
        == "x.optrace: the header cannot be read: the file is cut after 700 of 1,024 bytes")
  }

  @Test func newerVersionIsNotReportedAsDamage() {
    var bytes = sample()
    change(&bytes) { bytes in
      store(UInt16(2), at: Layout.Header.majorVersion, in: &bytes)
      store(UInt16(7), at: Layout.Header.minorVersion, in: &bytes)
    }
    #expect(
      message(bytes)
        == "x.optrace: written by a newer version of OpTrace (1.0.0, format 2.7): update optrace to read it")
  }

  @Test func newerMinorVersionIsRead() throws {
    var bytes = sample()
    change(&bytes) { store(UInt16(9), at: Layout.Header.minorVersion, in: &$0) }
    #expect(try TraceReader.read(bytes: bytes).loss.isComplete)
  }

  @Test func otherByteOrderIsRefused() {
    var bytes = sample()
    change(&bytes) { store(Layout.byteOrderMark.byteSwapped, at: Layout.Header.byteOrderMark, in: &$0) }
    #expect(message(bytes) == "x.optrace: the header cannot be read: written on a machine of the other byte order")
  }

  @Test func flippedByteInTheMagicNumberIsReported() {
    var bytes = sample()
    bytes[3] ^= 1
    #expect(message(bytes) == "x.optrace: the header cannot be read: the first eight bytes are damaged")
  }

  // MARK: - Damage

  @Test func flippedByteIsReportedInEachRegion() throws {
    let bytes = sample()
    let chunks = chunks(bytes)
    let second = chunks[1]
    func flipped(_ offset: Int) -> String {
      var damaged = bytes
      damaged[offset] ^= 0x10
      return message(damaged)
    }
    #expect(
      flipped(Layout.Header.processName)
        == "byte 0, 0 skipped: the header's first part does not match its checksum: names and times may be wrong")
    #expect(
      flipped(Layout.Header.staticChecksum)
        == "byte 0, 0 skipped: the header's first part does not match its checksum: names and times may be wrong")
    #expect(
      flipped(Layout.Header.lossCounts)
        == "byte 512, 0 skipped: the header's second part does not match its checksum: counts of lost records may be wrong"
    )
    let whole = "byte \(second.offset), \(second.size) skipped: "
    #expect(flipped(second.offset) == whole + "no chunk begins here")
    #expect(flipped(second.offset + Layout.Chunk.thread) == whole + "a chunk does not match its checksum")
    #expect(flipped(second.offset + Layout.Chunk.checksum) == whole + "a chunk does not match its checksum")
    #expect(flipped(second.offset + 64 + 9) == whole + "a chunk does not match its checksum")
    #expect(flipped(second.offset + Layout.Chunk.kind) == whole + "a chunk's header contradicts itself")
    // The other chunks are still read.
    var damaged = bytes
    damaged[second.offset + 70] ^= 1
    let trace = try TraceReader.read(bytes: damaged)
    #expect(trace.operations.contains { $0.started != nil })
    #expect(trace.eventCount < (try TraceReader.read(bytes: bytes)).eventCount)
  }

  @Test func truncatedTraceIsReported() {
    let bytes = sample()
    let last = chunks(bytes)[2]
    let length = last.offset + 64 + 40
    #expect(
      message(Array(bytes[..<length]))
        == "byte \(length), \(bytes.count - length) skipped: the file is cut: \(grouped(bytes.count - length)) bytes are missing"
    )
  }

  @Test func cutInsideAChunkKeepsTheRecordsBeforeIt() throws {
    let bytes = sample()
    let thread = chunks(bytes)[1]
    let trace = try TraceReader.read(bytes: Array(bytes[..<(thread.offset + 64 + 400)]))
    #expect(trace.eventCount > 10)
  }

  @Test func bytesAfterTheEndAreReported() {
    let bytes = sample()
    #expect(message(bytes + [0, 0, 7]) == "byte \(bytes.count + 2), 1 skipped: bytes after the end of the trace")
    #expect(message(bytes + [UInt8](repeating: 0, count: 4096)) == "")
  }

  @Test func repeatedChunkIsReported() {
    let bytes = sample()
    let second = chunks(bytes)[1]
    var twice = bytes + bytes[second.offset..<second.offset + second.size]
    change(&twice) { store(UInt64($0.count), at: Layout.Header.endOffset, in: &$0) }
    #expect(message(twice) == "byte \(bytes.count), \(second.size) skipped: chunk 2 is there twice")
  }

  @Test func hugeChunkLengthIsReported() {
    let bytes = sample()
    let second = chunks(bytes)[1]
    var huge = bytes
    store(UInt32.max - 63, at: second.offset + Layout.Chunk.byteCount, in: &huge)
    #expect(message(huge) == "byte \(second.offset), \(second.size) skipped: a chunk's header contradicts itself")
    huge = bytes
    store(UInt32(1 << 28), at: second.offset + Layout.Chunk.byteCount, in: &huge)
    #expect(message(huge) == "byte \(second.offset), \(second.size) skipped: a chunk does not match its checksum")
  }

  @Test func oversizedChunkDoesNotHideTheNext() throws {
    let whole = sample()
    let second = chunks(whole)[1], third = chunks(whole)[2]
    var bytes = whole
    bytes[second.offset + Layout.Chunk.state] = UInt8(Layout.ChunkState.open.rawValue)
    store(UInt32(second.size + 128), at: second.offset + Layout.Chunk.byteCount, in: &bytes)
    #expect(message(bytes) == "byte \(third.offset), 0 skipped: a chunk begins before the one in front of it ends")
    #expect(try TraceReader.read(bytes: bytes).eventCount == TraceReader.read(bytes: whole).eventCount)
  }

  @Test func chunkWithMissingBytesDoesNotHideTheNext() throws {
    // Where the damaged chunk should end, the next chunk has zeros.
    let bytes = sample()
    let second = chunks(bytes)[1], third = chunks(bytes)[2]
    var cut = bytes
    cut.replaceSubrange(third.offset + 64..<third.offset + 64 + 256, with: repeatElement(0, count: 256))
    cut[third.offset + Layout.Chunk.state] = UInt8(Layout.ChunkState.open.rawValue)
    store(UInt32(0), at: third.offset + Layout.Chunk.fill, in: &cut)
    cut.removeSubrange(second.offset + 64..<second.offset + 64 + 72)
    #expect(
      message(cut).hasPrefix("byte \(second.offset), \(second.size - 72) skipped: a chunk does not match its checksum"))
  }

  @Test func recordLongerThanItsChunkIsReported() {
    var bytes = sample()
    let first = chunks(bytes)[0]
    // The first definition claims 65,535 words.
    change(&bytes) { store(UInt16.max, at: first.offset + 64 + 8, in: &$0) }
    #expect(
      message(bytes)
        == "byte \(first.offset + 64), \(first.fill) skipped: a record (kind 192) of 65535 words does not fit its chunk or its text"
    )
  }

  @Test func textLongerThanItsRecordIsReported() {
    var bytes = sample()
    let first = chunks(bytes)[0]
    change(&bytes) { store(UInt16(1000), at: first.offset + 64 + 10, in: &$0) }
    #expect(message(bytes).contains("does not fit its chunk or its text"))
  }

  @Test func recordOfKindZeroIsReported() {
    var bytes = sample()
    let second = chunks(bytes)[1]
    change(&bytes) { $0[second.offset + 64] = 0 }
    #expect(
      message(bytes)
        == "byte \(second.offset + 64), \(second.fill) skipped: a record of kind 0, which does not exist")
  }

  // MARK: - Not damage

  @Test func openFileIsNotDamaged() throws {
    var generator = SeededGenerator(7)
    var events = RandomTraces.program(&generator, operations: 20)
    events.header.isClosed = false
    var bytes = TraceWriter.bytes(events)
    // Space that was reserved and never used; an outdated end mark.
    bytes += [UInt8](repeating: 0, count: 100_000)
    store(UInt64(2048), at: Layout.Header.endOffset, in: &bytes)
    let trace = try TraceReader.read(bytes: bytes)
    #expect(trace.loss.isComplete)
    #expect(!trace.header.isClosed)
    #expect(trace.eventCount == events.count)
  }

  @Test func holeLeftByAKilledWriterIsNotTheEnd() throws {
    var generator = SeededGenerator(8)
    var events = RandomTraces.program(&generator, operations: 20)
    events.header.isClosed = false
    let bytes = TraceWriter.bytes(events)
    let second = chunks(bytes)[1]
    let holed = Array(bytes[..<second.offset]) + [UInt8](repeating: 0, count: 2048) + Array(bytes[second.offset...])
    let trace = try TraceReader.read(bytes: holed)
    #expect(trace.loss.isComplete)
    #expect(trace.eventCount == events.count)
  }

  @Test func hostileNamesAreRepairedAndKept() throws {
    var bytes = TraceWriter.bytes(
      try TraceText.parse(
        """
        optrace text 1
        process 1 "p"
        0 t1 thread t1 tid=1 "main"
        5 t1 created #1 class="C"
        6 t1 named #1 "</title><script>\\"\\n--tail"
        """))
    // Invalid UTF-8 in the middle.
    let needle = Array("--tail".utf8)
    let offset = try #require(bytes.indices.first { bytes[$0...].starts(with: needle) })
    change(&bytes) { bytes in
      bytes[offset] = 0xFF
      bytes[offset + 1] = 0xC3
    }
    let trace = try TraceReader.read(bytes: bytes)
    #expect(trace.operations.first?.name == "</title><script>\"\n\u{FFFD}\u{FFFD}tail")
    let text = TraceText.string(try TraceReader.events(bytes: bytes))
    #expect(text.contains(#"named #1 "</title><script>\"\n\#u{FFFD}\#u{FFFD}tail""#))
  }

  @Test func recordsOfUnknownKindsAreSkippedAndCounted() throws {
    let trace = TraceBuilder.build(
      try TraceText.parse(
        """
        optrace text 1
        1 t1 0x3e #1
        2 t1 0x7e #1 0x5
        3 t1 0xbe #1 0x5 0x6
        4 t1 0xfe #1 0x4 0x1 0x2
        5 t1 mark #0 "here"
        """))
    #expect(trace.loss.damage.isEmpty)
    let bytes = TraceWriter.bytes(
      try TraceText.parse("optrace text 1\n4 t1 0xfe #1 0x4 0x1 0x2\n5 t1 mark #0 \"here\""))
    let again = try TraceReader.read(bytes: bytes)
    #expect(again.loss.unknownKinds == [0xFE: 1])
    #expect(again.loss.damage.isEmpty)
    #expect(again.marks.map(\.name) == ["here"])
  }

  // MARK: - Texts

  @Test func errorsInATextNameLineAndExpectation() {
    let cases: [(String, String)] = [
      (
        "optrace text 2\n",
        "x.txt:1: this optrace reads `optrace text 1`, the first line is `optrace text 2`: update optrace"
      ),
      (
        "optrace text 1\nfoo 1",
        "x.txt:2: expected an event, which begins with its time in nanoseconds, or a line of the header, found `foo`"
      ),
      ("optrace text 1\n\n5 x1 ready #1", "x.txt:3: expected a thread such as `t1`, found `x1`"),
      ("optrace text 1\n5 t1 redy #1", "x.txt:2: expected a word of the event table, found `redy`"),
      ("optrace text 1\n5 t1 ready", "x.txt:2: expected an operation such as `#1`, found `the end of the line`"),
      ("optrace text 1\n5 t1 ready #1 x=3", "x.txt:2: `x` is no field of `ready`, which has none"),
      ("optrace text 1\n5 t1 depends #1 of=#3", "x.txt:2: `of` is no field of `depends`, which has `on`"),
      ("optrace text 1\n5 t1 depends #1 on", "x.txt:2: expected `=` and a value after `on`"),
      ("optrace text 1\n5 t1 depends #1 on=3", "x.txt:2: expected an operation such as `#1`, found `3`"),
      (
        "optrace text 1\n5 t1 enqueued #1 queue=q1 priority=300",
        "x.txt:2: 300 does not fit `priority`, which has 8 bits"
      ),
      ("optrace text 1\n5 t1 mark #1 \"a", "x.txt:2: the quote is not closed on this line"),
      ("optrace text 1\n5 t1 mark #1 \"\\q\"", "x.txt:2: expected one of the escapes \\\" \\\\ \\n \\r \\t \\u{…}"),
      ("optrace text 1\n5 t1 mark #1", "x.txt:2: expected the text of `mark` in quotes, found `the end of the line`"),
      ("optrace text 1\n5 t1 ready #1 \"a\"", "x.txt:2: expected the end of the line, found `\"a\"`"),
      (
        "optrace text 1\n5 t1 time ticks=4",
        "x.txt:2: `time` belongs to the file's bookkeeping: the text form does not have it"
      ),
      ("optrace text 1\n5 t1 0x43 #1 0x0", "x.txt:2: `0x43` is `created`: use the word"),
      ("optrace text 1\n5 t1 0x7e #1", "x.txt:2: a record of kind 0x7e has 2 words, this one 1"),
      ("optrace text 1\nstate half", "x.txt:2: expected `closed` or `open`, found `half`"),
      ("optrace text 1\nwall 1\nwall 2", "x.txt:3: `wall` is given twice"),
      ("optrace text 1\n99999999999999999 t1 ready #1", "x.txt:2: the time 99999999999999999 is more than a year off"),
    ]
    for (text, expected) in cases {
      do {
        _ = try TraceText.parse(text, file: "x.txt")
        Issue.record("no error for \(text)")
      } catch {
        #expect("\(error)" == expected)
      }
    }
  }

  @Test func recycledChunkOutsideARingIsReported() {
    var bytes = sample()
    let chunk = chunks(bytes)[1]
    bytes[chunk.offset + Layout.Chunk.state] = UInt8(Layout.ChunkState.recycling.rawValue)
    #expect(message(bytes) == "byte \(chunk.offset), \(chunk.size) skipped: a chunk is marked as being used again")
  }
}
