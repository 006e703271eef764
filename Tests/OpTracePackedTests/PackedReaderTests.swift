import TestSupport
import Testing

@testable import OpTraceModel
@testable import OpTracePacked

/// Each reader reads a packed trace like the original.
@Suite struct PackedReaderTests {
  private func checkReaders(_ bytes: [UInt8], _ comment: Comment) throws {
    let packed = try Packed.pack(bytes)
    let whole = try TraceReader.events(bytes: bytes)
    #expect(try Packed.read(packed) == TraceReader.read(bytes: bytes), comment)
    #expect(try events(EventReader(bytes: packed, unpacking: .packed())) == Array(whole), comment)
    let source = try #require(try PackedSource.ifPacked(MemorySource(content: packed), file: "x", limit: nil))
    for piece in [100, 1 << 20] {
      #expect(try events(EventReader(source, file: "x", piece: piece)) == Array(whole), comment)
      let result = try TraceValidator.check(source, file: "x", piece: piece)
      #expect(result.violations == TraceValidator.check(whole) && result.eventCount == whole.count, comment)
      #expect(result.header == whole.header && result.loss == whole.loss, comment)
    }
  }

  private func events(_ reader: consuming EventReader) throws -> [TraceEvent] {
    var events: [TraceEvent] = []
    while let event = try reader.next() { events.append(event) }
    return events
  }

  @Test("packed samples are read like the originals", arguments: SampleTraces.names)
  func samples(_ name: String) throws {
    try checkReaders(SampleTraces.bytes(name), "\(name)")
  }

  @Test("packed random traces are read like the originals", arguments: 0..<3) func madeUp(_ seed: UInt64) throws {
    var generator = SeededGenerator(seed)
    for made in [RandomTraces.anything(&generator, count: 1000), RandomTraces.program(&generator, operations: 1000)] {
      try checkReaders(TraceWriter.bytes(made), "seed \(seed)")
    }
  }

  @Test("each reader reads a packed file by its path") func paths() throws {
    let scratch = try Scratch()
    let plain = try SampleTraces.bytes("tickets.optrace")
    let path = try scratch.write("run.optracez", Packed.pack(plain))
    #expect(try TraceReader.read(path: path, unpacking: .packed()) == TraceReader.read(bytes: plain))
    #expect(try TraceReader.header(path: path, unpacking: .packed()) == TraceReader.read(bytes: plain).header)
    #expect(try TraceReader.events(path: path, unpacking: .packed()).count == TraceReader.events(bytes: plain).count)
    #expect(try EventReader(path: path, unpacking: .packed()).count == EventReader(bytes: plain).count)
    #expect(try TraceValidator.check(path: path, unpacking: .packed()).violations.isEmpty)
    let error = try #require(throws: TraceError.self) { try TraceReader.read(path: path) }
    #expect(error.code == .notATrace)
  }

  @Test("the number of processors changes neither the packed bytes nor the trace") func sideBySide() throws {
    var generator = SeededGenerator(7)
    let bytes = TraceWriter.bytes(RandomTraces.program(&generator, operations: 25_000))
    #expect(bytes.count > 2 * BlockCodec.longest)
    let packed = try SideBySide.$processors.withValue(1) { try Packed.pack(bytes) }
    let whole = try TraceReader.read(bytes: bytes)
    for processors in [1, 2, 5] {
      try SideBySide.$processors.withValue(processors) { () throws in
        #expect(try Packed.pack(bytes) == packed)
        #expect(try Packed.unpack(packed) == bytes)
        #expect(try Packed.read(packed) == whole)
      }
    }
  }
}
