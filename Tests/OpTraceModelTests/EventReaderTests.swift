import Foundation
import OpTrace
import OpTraceFormat
import TestSupport
import Testing

@testable import OpTraceModel

/// Reading event by event gives the events of the whole trace, in the same order, from any input.
@Suite struct EventReaderTests {
  /// Compares all that a reader gives with the whole trace.
  private func expectSame(
    _ reader: consuming EventReader, as whole: TraceEvents, _ comment: Comment? = nil
  ) throws {
    #expect(reader.header == whole.header, comment)
    #expect(reader.loss == whole.loss, comment)
    #expect(reader.heartbeat == whole.heartbeat, comment)
    #expect(reader.count == whole.count, comment)
    for (id, text) in whole.strings { #expect(reader.string(id) == text, comment) }
    #expect(reader.string(0) == nil, comment)
    var index = 0
    while let event = try reader.next() {
      guard index < whole.count, event == whole[index] else {
        Issue.record("event \(index): \(event), not \(index < whole.count ? "\(whole[index])" : "the end")")
        return
      }
      index += 1
    }
    #expect(index == whole.count, comment)
    #expect(try reader.next() == nil, "the end stays the end")
  }

  private func reader(_ bytes: [UInt8], piece: Int = PieceReader.usualPiece) throws -> EventReader {
    try EventReader(MemorySource(content: bytes), file: "trace", piece: piece)
  }

  private func sample(_ name: String) throws -> [UInt8] {
    [UInt8](try Data(contentsOf: PieceReaderTests.folder.appendingPathComponent(name)))
  }

  @Test("samples give the same events with pieces of any size", arguments: PieceReaderTests.samples, [1, 100, 1 << 20])
  func samples(_ name: String, piece: Int) throws {
    let bytes = try sample(name)
    let reader = try reader(bytes, piece: piece)
    #expect(!reader.isInMemory)
    try expectSame(reader, as: TraceReader.events(bytes: bytes))
  }

  @Test(arguments: PropertyTests.seeds) func randomTracesReadTheSameInEveryForm(_ seed: UInt64) throws {
    var generator = SeededGenerator(seed)
    for made in [RandomTraces.anything(&generator, count: 1000), RandomTraces.program(&generator, operations: 1000)] {
      let bytes = TraceWriter.bytes(made)
      let whole = try TraceReader.events(bytes: bytes)
      for piece in [1, 1000, PieceReader.usualPiece] {
        try expectSame(reader(bytes, piece: piece), as: whole, "seed \(seed), pieces of \(piece)")
      }
      let text = Array(TraceText.string(made).utf8)
      let typed = try reader(text)
      #expect(typed.isInMemory)
      try expectSame(typed, as: TraceReader.events(bytes: text), "seed \(seed), as a text")
    }
  }

  /// Events in the same nanosecond are ordered by thread number, even if a finer clock would separate them.
  @Test(arguments: PropertyTests.seeds) func eventsOfOneNanosecondAreOrderedByThread(_ seed: UInt64) throws {
    var generator = SeededGenerator(seed)
    var bytes = TraceWriter.bytes(RandomTraces.program(&generator, operations: 2000))
    bytes.put(Layout.Clock.counter.rawValue, at: Layout.Header.clock)
    bytes.put(20_000_000_000_000 as UInt64, at: Layout.Header.ticksPerSecond)
    bytes.put(bytes.checksum(of: 0..<Layout.Header.staticChecksum), at: Layout.Header.staticChecksum)
    let whole = try TraceReader.events(bytes: bytes)
    #expect(zip(whole, whole.dropFirst()).contains { $0.time == $1.time && $0.thread != $1.thread })
    for piece in [1, 1000] {
      let reader = try reader(bytes, piece: piece)
      #expect(!reader.isInMemory)
      try expectSame(reader, as: whole, "seed \(seed), pieces of \(piece)")
    }
  }

  @Test(arguments: PropertyTests.seeds) func damagedFilesAreReadIntoMemory(_ seed: UInt64) throws {
    var generator = SeededGenerator(seed)
    let bytes = TraceWriter.bytes(RandomTraces.program(&generator, operations: 3000))
    // Inside the first chunk's records, which its checksum covers.
    let fill = Int(bytes.number(at: Layout.Header.size + Layout.Chunk.fill) as UInt32)
    let index = Layout.Header.size + Layout.Chunk.size + Int.random(in: 0..<fill, using: &generator)
    var flipped = bytes
    flipped[index] ^= 0x40
    for damaged in [flipped, Array(bytes.dropLast(1000)), flipped.dropLast(5)] {
      let whole = try TraceReader.events(bytes: damaged)
      let reader = try reader(damaged)
      #expect(whole.loss.isDamaged && reader.isInMemory, "seed \(seed), byte \(index)")
      try expectSame(reader, as: whole, "seed \(seed), byte \(index)")
    }
  }

  @Test func filesThatAreNotTracesGiveTheSameErrors() throws {
    for bytes in [[], Array("{}".utf8), Array("optrace text 1\nnonsense\n".utf8)] {
      let expected = try #require(throws: TraceError.self) { try TraceReader.events(bytes: bytes) }
      #expect(throws: expected) { try EventReader(bytes: bytes) }
    }
    #expect(throws: TraceError(file: "/nowhere", .noSuchFile)) { try EventReader(path: "/nowhere") }
  }

  // MARK: - Piece by piece

  /// Bytes that change while they are read, and a count of what was read.
  private final class Changing: ByteSource {
    var content: [UInt8]
    var bytesRead = 0
    init(_ content: [UInt8]) { self.content = content }
    func another() -> (any ByteSource)? { nil }
    func size() -> UInt64 { UInt64(content.count) }
    func read(at offset: UInt64, into target: UnsafeMutableRawBufferPointer) -> Int {
      let count = MemorySource(content: content).read(at: offset, into: target)
      bytesRead += count
      return count
    }
  }

  /// A large trace, closed or open, and the offsets of its chunks.
  private func large(isClosed: Bool) -> (bytes: [UInt8], chunks: [Int]) {
    var generator = SeededGenerator(1)
    var events = RandomTraces.program(&generator, operations: 6000)
    events.header.isClosed = isClosed
    let bytes = TraceWriter.bytes(events)
    var chunks: [Int] = []
    var offset = Layout.Header.size
    while offset < bytes.count {
      chunks.append(offset)
      offset += Int(bytes.number(at: offset + Layout.Chunk.byteCount) as UInt32)
    }
    return (bytes, chunks)
  }

  @Test func stoppingEarlyReadsLittle() throws {
    let source = Changing(large(isClosed: true).bytes)
    var reader = try EventReader(source, file: "trace", piece: 1000)
    let first = source.bytesRead
    #expect(first >= source.content.count * 9 / 10, "all was checked")
    for _ in 0..<10 { #expect(try reader.next() != nil) }
    #expect((1..<source.content.count / 3).contains(source.bytesRead - first))
  }

  @Test func copyReadsOnIndependently() throws {
    var reader = try reader(large(isClosed: true).bytes, piece: 1000)
    for _ in 0..<5000 { _ = try reader.next() }
    var copy = reader
    for _ in 0..<20_000 {
      let event = try reader.next()
      #expect(try copy.next() == event)
    }
  }

  @Test("cutting a file or overwriting a ring during reading is an error", arguments: [true, false])
  func changed(isCut: Bool) throws {
    let (bytes, chunks) = large(isClosed: isCut)
    let whole = try TraceReader.events(bytes: bytes)
    let source = Changing(bytes)
    var reader = try EventReader(source, file: "run.optrace", piece: 1000)
    #expect(!reader.isInMemory)
    var index = 0
    for _ in 0..<1000 {
      #expect(try reader.next() == whole[index])
      index += 1
    }
    let last = try #require(chunks.last)
    if isCut {
      source.content.removeLast(bytes.count - last - 200)
    } else {
      // The writer of a ring reuses the chunk for newer records.
      source.content.put(Layout.ChunkState.recycling.rawValue, at: last + Layout.Chunk.state)
    }
    let error = #expect(throws: TraceError.self) {
      while let event = try reader.next() {
        #expect(event == whole[index])
        index += 1
      }
    }
    #expect(error?.code == .changed && index < whole.count)
    #expect(error?.description == "run.optrace: the file changed while it was read: read it again")
  }

  @Test("events written during reading are left out")
  func live() throws {
    let url = FileManager.default.temporaryDirectory.appendingPathComponent("events-\(UUID().uuidString).optrace")
    defer { try? FileManager.default.removeItem(at: url) }
    let recorder = try TraceRecorder(writingTo: url)
    for number in 0..<20_000 { recorder.mark("mark \(number)") }
    var reader = try EventReader(FileSource.open(path: url.path), file: url.path, piece: 1000)
    // It may be in memory, if the flusher was at work while it was opened.
    #expect(!reader.header.isClosed)
    let count = reader.count
    var marks: [String] = []
    var times: [Nanoseconds] = []
    for index in 0..<count {
      let event = try #require(try reader.next())
      if event.kind == EventKind.mark.rawValue, let text = event.text { marks.append(text) }
      times.append(event.time)
      if index % 100 == 0 { recorder.mark("later") }
      if index == 10_000 { try recorder.stop() }
    }
    #expect(try reader.next() == nil)
    #expect(marks == (0..<20_000).map { "mark \($0)" })
    #expect(times == times.sorted())
  }

  @Test("a ring with carried records is read into memory") func ring() throws {
    let url = FileManager.default.temporaryDirectory.appendingPathComponent("events-\(UUID().uuidString).optrace")
    defer { try? FileManager.default.removeItem(at: url) }
    let recorder = try TraceRecorder(
      writingTo: url, configuration: .flightRecorder(capacity: TraceRecorder.Configuration.smallestCapacity))
    let queue = TracedOperationQueue(name: "held", recorder: recorder)
    queue.isSuspended = true
    queue.addOperation(named: "waits") {}
    for number in 0..<50_000 { recorder.mark("mark \(number)") }
    try recorder.stop()
    let reader = try EventReader(path: url.path)
    #expect(reader.isInMemory && reader.loss.overwrittenBytes > 0)
    try expectSame(reader, as: TraceReader.events(path: url.path))
    queue.cancelAllOperations()
    queue.isSuspended = false
  }
}
