/// What is wrong with a text, and where.
struct TextProblem: Error {
  var line: Int
  var message: String
}

/// Reads words, numbers and quoted texts off a line.
struct TextScanner {
  private let bytes: [UInt8]
  private var position = 0
  /// The number of all bytes.
  var count: Int { bytes.count }
  private(set) var line = 1
  /// The number of bytes before the next one.
  var offset: Int { position }

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  var isAtEnd: Bool { position >= bytes.count }
  private var next: UInt8? { position < bytes.count ? bytes[position] : nil }

  func problem(_ message: String) -> TextProblem { TextProblem(line: line, message: message) }

  mutating func skipSpaces() {
    while let byte = next, byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") { position += 1 }
  }

  /// Whether nothing but spaces follows on this line.
  mutating func isAtLineEnd() -> Bool {
    skipSpaces()
    guard let next else { return true }
    return next == UInt8(ascii: "\n") || next == UInt8(ascii: "\r")
  }

  /// Goes to the next line; an error if something is left on this one.
  mutating func endLine() throws(TextProblem) {
    guard isAtLineEnd() else { throw problem("expected the end of the line, found `\(rest())`") }
    skipLine()
  }

  mutating func skipLine() {
    while let byte = next {
      position += 1
      if byte == UInt8(ascii: "\n") { break }
    }
    line += 1
  }

  /// Whether the next character is this one; it is not consumed.
  mutating func sees(_ character: Unicode.Scalar) -> Bool {
    skipSpaces()
    return next.map { UInt32($0) == character.value } ?? false
  }

  /// Consumes the character if it is next, without spaces before it.
  mutating func take(_ character: Unicode.Scalar) -> Bool {
    guard let next, UInt32(next) == character.value else { return false }
    position += 1
    return true
  }

  /// The characters up to a space, an equals sign, a quote or the end of the line; may be empty.
  mutating func word() -> String {
    skipSpaces()
    let start = position
    while let byte = next, byte > 0x20, byte != UInt8(ascii: "="), byte != UInt8(ascii: "\"") { position += 1 }
    return String(decoding: bytes[start..<position], as: UTF8.self)
  }

  mutating func number<Number: FixedWidthInteger>(_ what: String, _ type: Number.Type) throws(TextProblem) -> Number {
    let text = word()
    guard let number = Number(text) else {
      throw problem(
        "expected \(what) (a number from \(Number.min) to \(Number.max)), found `\(text.isEmpty ? rest() : text)`")
    }
    return number
  }

  /// A number behind its sigil, such as `#5`.
  mutating func id(_ sigil: String, _ what: String) throws(TextProblem) -> UInt32 {
    let text = word()
    guard text.hasPrefix(sigil), let number = UInt32(text.dropFirst(sigil.count)) else {
      throw problem("expected \(what) such as `\(sigil)1`, found `\(text.isEmpty ? rest() : text)`")
    }
    return number
  }

  /// A text in quotes, of any length: what does not fit into a record is cut when it is written.
  mutating func quoted(_ what: String) throws(TextProblem) -> String {
    skipSpaces()
    guard take("\"") else { throw problem("expected \(what) in quotes, found `\(rest())`") }
    var text: [UInt8] = []
    while true {
      guard let byte = next, byte != UInt8(ascii: "\n") else { throw problem("the quote is not closed on this line") }
      position += 1
      if byte == UInt8(ascii: "\"") { break }
      if byte == UInt8(ascii: "\\") { text += try escape() } else { text.append(byte) }
    }
    return String(decoding: text, as: UTF8.self)
  }

  private mutating func escape() throws(TextProblem) -> [UInt8] {
    let byte = next
    position += 1
    switch byte {
    case UInt8(ascii: "n"): return [0x0A]
    case UInt8(ascii: "r"): return [0x0D]
    case UInt8(ascii: "t"): return [0x09]
    case UInt8(ascii: "\""), UInt8(ascii: "\\"): return [byte ?? 0]
    case UInt8(ascii: "u"):
      if take("{") {
        let start = position
        while let digit = next, digit > 0x20, digit != UInt8(ascii: "}") { position += 1 }
        let digits = String(decoding: bytes[start..<position], as: UTF8.self)
        if take("}"), let value = UInt32(digits, radix: 16), let scalar = Unicode.Scalar(value) {
          return Array(String(Character(scalar)).utf8)
        }
      }
    default: break
    }
    throw problem("expected one of the escapes \\\" \\\\ \\n \\r \\t \\u{…}")
  }

  /// What is left of the line, shortened, for an error.
  func rest() -> String {
    let end = bytes[position...].prefix(40).prefix { $0 != UInt8(ascii: "\n") && $0 != UInt8(ascii: "\r") }
    return end.isEmpty ? "the end of the line" : String(decoding: end, as: UTF8.self)
  }
}
