import BenchmarkSupport
import Foundation

/// Where a program's code is in its file, how much of it is loaded, and its build id: of a 64-bit little-endian ELF file, by its program header.
struct ElfCode {
  private(set) var addresses: Range<Int> = 0..<0
  private(set) var buildID = ""
  /// Bytes of the file that are loaded: without what debuggers read.
  private(set) var loadedSize = 0

  init(_ bytes: Data) throws {
    func number<Number: FixedWidthInteger>(_ position: Int, as type: Number.Type) throws -> Int {
      guard position >= 0, position + MemoryLayout<Number>.size <= bytes.count else {
        throw Failed(what: "reading ELF")
      }
      let value = bytes.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: position, as: type) }
      return Int(clamping: Number(littleEndian: value))
    }
    let (table, size, count) = (
      try number(32, as: UInt64.self), try number(54, as: UInt16.self), try number(56, as: UInt16.self)
    )
    for position in (0..<count).map({ table + $0 * size }) {
      let (kind, flags) = (try number(position, as: UInt32.self), try number(position + 4, as: UInt32.self))
      let (offset, length) = (try number(position + 8, as: UInt64.self), try number(position + 32, as: UInt64.self))
      if kind == 1 { loadedSize += length }
      if kind == 1, flags & 1 != 0 {
        let low = try number(position + 16, as: UInt64.self)
        addresses = low..<low + length
      }
      // Notes: the lengths of name and content, the kind, both rounded up to words. A build id is kind 3 of "GNU".
      var note = offset
      while kind == 4, note + 12 <= offset + length {
        let (name, content) = (try number(note, as: UInt32.self), try number(note + 4, as: UInt32.self))
        let start = note + 12 + (name + 3) / 4 * 4
        guard start + content <= bytes.count else { throw Failed(what: "reading notes") }
        if try number(note + 8, as: UInt32.self) == 3, name == 4, bytes[note + 12] == UInt8(ascii: "G") {
          buildID = bytes[start..<start + content].map { String(format: "%02x", $0) }.joined()
        }
        note = start + (content + 3) / 4 * 4
      }
    }
    guard !addresses.isEmpty, !buildID.isEmpty else { throw Failed(what: "finding code and a build id") }
  }
}
