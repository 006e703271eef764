import Foundation
import TestSupport
import Testing

@testable import OpTraceModel

/// Checking a file piece by piece finds the same violations as checking it as a whole.
@Suite struct ValidatorTests {
  private func expectSame(_ bytes: [UInt8], pieces: [Int], _ comment: Comment) throws {
    let events = try TraceReader.events(bytes: bytes)
    let expected = TraceValidator.check(events)
    for piece in pieces {
      for processors in [1, 3] {
        let result = try SideBySide.$processors.withValue(processors) {
          try TraceValidator.check(MemorySource(content: bytes), file: "trace", piece: piece)
        }
        #expect(result.violations == expected, comment)
        #expect(result.eventCount == events.count && result.loss == events.loss, comment)
        #expect(result.header == events.header, comment)
      }
    }
  }

  @Test("samples break the same rules piece by piece", arguments: PieceReaderTests.samples)
  func samples(_ name: String) throws {
    let bytes = [UInt8](try Data(contentsOf: PieceReaderTests.folder.appendingPathComponent(name)))
    try expectSame(bytes, pieces: [1, 100, 1 << 20], "\(name)")
  }

  /// Events of one nanosecond are ordered by thread and by place in the file; a text and its file have the same order.
  @Test("golden texts break the same rules piece by piece", arguments: GoldenTests.names)
  func golden(_ name: String) throws {
    let events = try GoldenTests.events(name)
    try expectSame(TraceWriter.bytes(events), pieces: [1, 1 << 20], "\(name)")
  }

  @Test("random events break the same rules piece by piece", arguments: PropertyTests.seeds)
  func anything(_ seed: UInt64) throws {
    var generator = SeededGenerator(seed)
    for isClosed in [true, false] {
      var events = RandomTraces.anything(&generator, count: 3000)
      events.header.isClosed = isClosed
      try expectSame(TraceWriter.bytes(events), pieces: [1, 64, 1 << 20], "seed \(seed)")
    }
  }

  @Test("damaged traces break the same rules piece by piece", arguments: PropertyTests.seeds.prefix(3))
  func damaged(_ seed: UInt64) throws {
    var generator = SeededGenerator(seed)
    let sound = TraceWriter.bytes(RandomTraces.program(&generator, operations: 3000))
    for _ in 0..<10 {
      var bytes = sound
      bytes[Int.random(in: 4096..<bytes.count, using: &generator)] ^= 0x55
      if Bool.random(using: &generator) { bytes.removeLast(Int.random(in: 1...5000, using: &generator)) }
      try expectSame(bytes, pieces: [64], "seed \(seed)")
    }
  }
}
