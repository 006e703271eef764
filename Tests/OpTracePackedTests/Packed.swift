import OpTraceFormat
import Testing

@testable import OpTraceModel
@testable import OpTracePacked

/// Packs in memory, for tests.
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

  static func read(_ bytes: [UInt8]) throws -> Trace { try TraceReader.read(bytes: bytes, unpacking: .packed()) }

  /// The damage that a reader reports, or its error.
  static func message(_ bytes: [UInt8]) -> String {
    do {
      let trace = try TraceReader.read(bytes: bytes, file: "x.optracez", unpacking: .packed())
      return trace.loss.damage.map { "byte \($0.offset), \($0.skippedBytes) skipped: \($0.reason)" }.joined(
        separator: "\n")
    } catch {
      return "\(error)"
    }
  }

  /// A block with a valid checksum and any content.
  static func block(_ block: PackedBlock, _ payload: [UInt8] = []) -> [UInt8] { block.bytes(payload) + payload }

  static func header(_ length: UInt64) throws -> [UInt8] {
    var header = Array(try pack(Array("optrace text 1\n".utf8))[..<PackedLayout.Header.size])
    header.put(length, at: PackedLayout.Header.length)
    header.put(header.checksum(of: 0..<PackedLayout.Header.checksum), at: PackedLayout.Header.checksum)
    return header
  }

  static func blocks(of bytes: [UInt8]) throws -> [PackedBlock] {
    let source = MemorySource(content: bytes)
    var index = try PackedIndex(source, file: "x")
    index.scan(source)
    return index.blocks
  }

  /// The block of a trace that has only a header.
  static func firstBlock(_ header: [UInt8]) throws -> [UInt8] { Array(try pack(header)[PackedLayout.Header.size...]) }
}
