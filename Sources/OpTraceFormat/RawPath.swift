/// Paths as texts, whatever their bytes: the system takes any, Swift's texts are UTF-8. A byte that belongs to no character
/// becomes a scalar of its own, U+10F700 and its value, in the last plane for private use, and that becomes the byte again.
package enum RawPath {
  private static let first: UInt32 = 0x10F700

  /// The text that stands for these bytes: the same for UTF-8, and another one for other bytes.
  package static func text(_ bytes: some Collection<UInt8>) -> String {
    var result = String.UnicodeScalarView()
    var parser = Unicode.UTF8.ForwardParser()
    var iterator = bytes.makeIterator()
    var rest = bytes[...]
    func append(raw count: Int) {
      for byte in rest.prefix(count) { result.append(Unicode.Scalar(first + UInt32(byte)) ?? "\u{FFFD}") }
      rest = rest.dropFirst(count)
    }
    while true {
      switch parser.parseScalar(from: &iterator) {
      case .valid(let encoded):
        let scalar = UTF8.decode(encoded)
        // What stands for a byte elsewhere is itself such bytes.
        if isRaw(scalar) {
          append(raw: encoded.count)
        } else {
          result.append(scalar)
          rest = rest.dropFirst(encoded.count)
        }
      case .error(let length): append(raw: length)
      case .emptyInput: return String(result)
      }
    }
  }

  /// The bytes that a text stands for.
  package static func bytes(of text: String) -> [UInt8] {
    guard text.unicodeScalars.contains(where: isRaw) else { return Array(text.utf8) }
    var result: [UInt8] = []
    for scalar in text.unicodeScalars {
      if isRaw(scalar) {
        result.append(UInt8(truncatingIfNeeded: scalar.value - first))
      } else {
        result += UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter
      }
    }
    return result
  }

  /// Whether a scalar stands for a byte.
  package static func isRaw(_ scalar: Unicode.Scalar) -> Bool { (first + 0x80...first + 0xFF).contains(scalar.value) }
}

extension String {
  /// As the system takes a path.
  package var asPath: [CChar] { RawPath.bytes(of: self).map { CChar(truncatingIfNeeded: $0) } + [0] }
}
