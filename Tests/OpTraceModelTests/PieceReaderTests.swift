import Foundation
import TestSupport
import Testing

@testable import OpTraceModel

@Suite("Reading a file piece by piece")
struct PieceReaderTests {
  static let samples = SampleTraces.names
  static let folder = SampleTraces.folder

  @Test("tells the same as all at once, whatever the pieces", arguments: samples, [1, 100, 1 << 20])
  func same(_ name: String, piece: Int) throws {
    let bytes = [UInt8](try Data(contentsOf: Self.folder.appendingPathComponent(name)))
    let source = MemorySource(content: bytes)
    let pieces = try #require(try PieceReader.read(source, file: name, piece: piece))
    let whole = TraceBuilder.build(try TraceReader.events(bytes: bytes))
    #expect(pieces == whole)
  }

  @Test("names that were added later stand at the beginning of the time", arguments: samples, [1, 1 << 20])
  func symbols(_ name: String, piece: Int) throws {
    let scratch = try Scratch()
    let path = try scratch.write(name, [UInt8](try Data(contentsOf: Self.folder.appendingPathComponent(name))))
    for function in ["first()", "second()"] {
      let record = SymbolRecord(function: function, shortName: function, module: "Own")
      #expect(try SymbolWriter.append([(FrameID(1), [record])], toFile: path) == .done)
    }
    let bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
    let pieces = try #require(try PieceReader.read(MemorySource(content: bytes), file: name, piece: piece))
    #expect(pieces == TraceBuilder.build(try TraceReader.events(bytes: bytes)))
  }

  /// Counts, in storage that is made once.
  private struct Counter: PieceTaker {
    private(set) var counts: [Int]
    let place: UInt

    init() {
      counts = []
      counts.reserveCapacity(1 << 10)
      place = Self.place(of: counts)
    }

    static func place(of counts: [Int]) -> UInt { counts.withUnsafeBufferPointer { UInt(bitPattern: $0.baseAddress) } }

    mutating func add(_ piece: TraceEvents) { counts.append(piece.count) }
  }

  @Test("what takes the pieces is handed on and never copied", arguments: samples)
  func handedOn(_ name: String) throws {
    let bytes = [UInt8](try Data(contentsOf: Self.folder.appendingPathComponent(name)))
    let reader = try #require(try PieceReader(MemorySource(content: bytes), file: name, piece: 100))
    var counter = Counter()
    #expect(reader.handAll(to: &counter))
    #expect(counter.counts.reduce(0, +) == reader.count)
    #expect(Counter.place(of: counter.counts) == counter.place)
  }

  @Test("there are samples") func thereAreSamples() { #expect(Self.samples.count > 10) }

  @Test("a damaged file is left to the reader that holds all of it", arguments: [1 << 12, -100])
  func damaged(_ place: Int) throws {
    var bytes = [UInt8](try Data(contentsOf: Self.folder.appendingPathComponent("photo-import.optrace")))
    let whole = try TraceReader.read(bytes: bytes)
    if place < 0 { bytes.removeLast(-place) } else { bytes[place] ^= 0xFF }
    #expect(try PieceReader.read(MemorySource(content: bytes), file: "damaged") == nil)
    let trace = try TraceReader.read(bytes: bytes)
    #expect(trace.loss.isDamaged)
    #expect(trace.eventCount <= whole.eventCount)
  }
}
