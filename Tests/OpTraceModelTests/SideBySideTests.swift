import Foundation
import OpTraceFormat
import TestSupport
import Testing

@testable import OpTraceModel

/// Reading on several processors gives the same trace as on one.
@Suite struct SideBySideTests {
  @Test(arguments: [0, 1, 2, 7, 1000], [1, 2, 4]) func resultsAreInOrder(_ count: Int, processors: Int) {
    SideBySide.$processors.withValue(processors) {
      #expect(SideBySide.map(count) { String($0) } == (0..<count).map(String.init))
      let (one, other) = SideBySide.both({ count }, { "\(count)" })
      #expect(one == count && other == "\(count)")
      for least in [1, 3, 100] {
        let slices = SideBySide.slices(of: count, atLeast: least)
        #expect(slices.flatMap(Array.init) == Array(0..<count))
        #expect(slices.count <= max(1, count / least))
      }
    }
  }

  /// What a reader says of these bytes: the trace, or the error.
  private func outcome(_ bytes: [UInt8], processors: Int) -> Result<Trace, TraceError> {
    SideBySide.$processors.withValue(processors) {
      do throws(TraceError) { return .success(try TraceReader.read(bytes: bytes)) } catch { return .failure(error) }
    }
  }

  private func expectSame(_ bytes: [UInt8], _ comment: Comment) {
    let serial = outcome(bytes, processors: 1)
    for processors in [2, 5] { #expect(outcome(bytes, processors: processors) == serial, comment) }
  }

  /// A trace of enough chunks for several threads.
  private func large(_ generator: inout SeededGenerator, isClosed: Bool) -> [UInt8] {
    var events = RandomTraces.program(&generator, operations: 25_000)
    events.header.isClosed = isClosed
    return TraceWriter.bytes(events)
  }

  @Test("samples read the same in parallel", arguments: PieceReaderTests.samples) func samples(_ name: String) throws {
    let bytes = [UInt8](try Data(contentsOf: PieceReaderTests.folder.appendingPathComponent(name)))
    expectSame(bytes, "\(name)")
  }

  @Test("a large sound trace reads the same in parallel", arguments: [true, false]) func large(isClosed: Bool) throws {
    var generator = SeededGenerator(7)
    let bytes = large(&generator, isClosed: isClosed)
    let header = try FileHeader.read(MemorySource(content: bytes), file: "large")
    // With fewer chunks nothing is done side by side.
    var walk = ChunkWalk(MemorySource(content: bytes), header: header)
    walk.run { _, _ in }
    #expect(walk.chunks.count > 40)
    expectSame(bytes, "sound")
  }

  /// Bytes are changed, removed, inserted and cut off, also in headers of chunks.
  @Test("damaged traces read the same in parallel", arguments: [true, false], PropertyTests.seeds.prefix(3))
  func damaged(
    isClosed: Bool, seed: UInt64
  ) throws {
    var generator = SeededGenerator(seed)
    let sound = large(&generator, isClosed: isClosed)
    for round in 0..<12 {
      var bytes = sound
      for _ in 0..<Int.random(in: 1...3, using: &generator) {
        var offset = Int.random(in: Layout.Header.size..<bytes.count, using: &generator)
        if Bool.random(using: &generator), let chunk = chunkStart(bytes, from: offset) {
          offset = chunk + Int.random(in: 0..<Layout.Chunk.size, using: &generator)
        }
        let length = min(Int.random(in: 1...200, using: &generator), bytes.count - offset)
        switch Int.random(in: 0..<5, using: &generator) {
        case 0: bytes[offset] ^= UInt8.random(in: 1...255, using: &generator)
        case 1: bytes.removeSubrange(offset..<offset + length)
        case 2: bytes.insert(contentsOf: repeatElement(0x5A, count: length), at: offset)
        case 3: for index in offset..<offset + length { bytes[index] = 0 }
        default: bytes.removeSubrange(max(offset, bytes.count - 100_000)...)
        }
      }
      expectSame(bytes, "seed \(seed), round \(round)")
    }
  }

  /// Where the next chunk begins.
  private func chunkStart(_ bytes: [UInt8], from offset: Int) -> Int? {
    let magic = withUnsafeBytes(of: Layout.Chunk.magic.littleEndian) { Array($0) }
    return (offset..<max(offset, bytes.count - 64)).first {
      bytes[$0] == magic[0] && bytes[$0..<$0 + 4].elementsEqual(magic)
    }
  }
}
