import Foundation
import TestSupport
import Testing

@testable import OpTraceModel

@Suite("Reading a file piece by piece")
struct PieceReaderTests {
  static let samples = SampleTraces.names
  static let folder = SampleTraces.folder

  @Test("pieces of any size give the same events as reading all at once", arguments: samples, [1, 100, 1 << 20])
  func same(_ name: String, piece: Int) throws {
    let bytes = [UInt8](try Data(contentsOf: Self.folder.appendingPathComponent(name)))
    let source = MemorySource(content: bytes)
    let pieces = try #require(try PieceReader.read(source, file: name, piece: piece))
    let whole = TraceBuilder.build(try TraceReader.events(bytes: bytes))
    #expect(pieces == whole)
  }

  @Test("pieces give the names that were added later", arguments: samples, [1, 1 << 20])
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

  /// Counts in storage that is allocated once.
  private struct Counter: PieceTaker {
    private(set) var counts: [Int]
    let address: UInt

    init() {
      counts = []
      counts.reserveCapacity(1 << 10)
      address = Self.address(of: counts)
    }

    static func address(of counts: [Int]) -> UInt {
      counts.withUnsafeBufferPointer { UInt(bitPattern: $0.baseAddress) }
    }

    mutating func add(_ piece: TraceEvents) { counts.append(piece.count) }
  }

  @Test("the value that takes the pieces is moved and never copied", arguments: samples)
  func handedOn(_ name: String) throws {
    let bytes = [UInt8](try Data(contentsOf: Self.folder.appendingPathComponent(name)))
    let reader = try #require(try PieceReader(MemorySource(content: bytes), file: name, piece: 100))
    var counter = Counter()
    #expect(reader.handAll(to: &counter))
    #expect(counter.counts.reduce(0, +) == reader.count)
    #expect(Counter.address(of: counter.counts) == counter.address)
  }

  @Test("there are samples") func thereAreSamples() { #expect(Self.samples.count > 10) }

  @Test("a damaged file is not read in pieces", arguments: [1 << 12, -100])
  func damaged(_ address: Int) throws {
    var bytes = [UInt8](try Data(contentsOf: Self.folder.appendingPathComponent("photo-import.optrace")))
    let whole = try TraceReader.read(bytes: bytes)
    if address < 0 { bytes.removeLast(-address) } else { bytes[address] ^= 0xFF }
    #expect(try PieceReader.read(MemorySource(content: bytes), file: "damaged") == nil)
    let trace = try TraceReader.read(bytes: bytes)
    #expect(trace.loss.isDamaged)
    #expect(trace.eventCount <= whole.eventCount)
  }
}
