/// A demangled name with the depth of brackets at each byte, so that its parts can be found.
struct NameText {
  let bytes: [UInt8]
  /// How many brackets are open before the byte; a closing one has the depth of its content less one.
  private(set) var depths: [Int32]

  /// - Parameter hidden: positions whose bytes are part of a name and no brackets.
  init(_ bytes: [UInt8], hidden: [Range<Int>] = []) {
    self.bytes = bytes
    depths = []
    depths.reserveCapacity(bytes.count)
    var depth: Int32 = 0
    var next = hidden[...]
    for (index, byte) in bytes.enumerated() {
      while let range = next.first, range.upperBound <= index { next = next.dropFirst() }
      if let range = next.first, range.contains(index) {
        depths.append(max(depth, 0) + 1)
        continue
      }
      switch byte {
      case UInt8(ascii: "("), UInt8(ascii: "<"), UInt8(ascii: "["), UInt8(ascii: "{"):
        depths.append(depth)
        depth += 1
      case UInt8(ascii: ">") where index > 0 && bytes[index - 1] == UInt8(ascii: "-"): depths.append(depth)
      case UInt8(ascii: ")"), UInt8(ascii: ">"), UInt8(ascii: "]"), UInt8(ascii: "}"):
        depth = max(depth - 1, 0)
        depths.append(depth)
      default: depths.append(depth)
      }
    }
  }

  func hasPrefix(_ text: StaticString, at position: Int) -> Bool {
    text.withUTF8Buffer { bytes[min(position, bytes.count)...].starts(with: $0) }
  }

  /// The first position of `text` in the range where no bracket is open but those open at its beginning.
  func find(_ text: StaticString, in range: Range<Int>) -> Int? {
    guard let base = range.first.map({ depths[$0] }), let first = text.withUTF8Buffer({ $0.first }) else { return nil }
    return range.first {
      bytes[$0] == first && depths[$0] <= base && $0 + text.utf8CodeUnitCount <= range.upperBound
        && hasPrefix(text, at: $0)
    }
  }

  /// The bracket that closes the one at `position`, or the end.
  func closing(_ position: Int, before end: Int) -> Int {
    var index = position + 1
    while index < end, depths[index] > depths[position] { index += 1 }
    return index
  }

  func string(_ range: Range<Int>) -> String { String(decoding: bytes[range], as: UTF8.self) }
}
