import OpTraceKernel

/// Makes texts of a traced program safe in our outputs. Names come from anywhere; none may break out.
public enum TextEscaping {
  /// One line, without characters that XML forbids or that reorder the text beside them.
  ///
  /// Line ends and tabs become spaces, other control characters U+FFFD, bidirectional controls go. More than `limit`
  /// characters are cut in the middle. O(limit).
  public static func oneLine(_ text: String, limit: Int = .max) -> String {
    var result = String.UnicodeScalarView()
    for scalar in ends(of: text, limit).unicodeScalars {
      switch scalar.value {
      case 0x09, 0x0a, 0x0d, 0x85, 0x2028, 0x2029: result.append(" ")
      case 0x00..<0x20, 0x7f..<0xa0, 0xfdd0...0xfdef: result.append("\u{fffd}")
      case 0x202a...0x202e, 0x2066...0x2069, 0x200e, 0x200f, 0x061c, 0xfeff: continue
      default: result.append(scalar.value & 0xfffe == 0xfffe ? "\u{fffd}" : scalar)
      }
    }
    let line = String(result)
    return limit < .max ? NameCut.inside(line, limit) : line
  }

  /// Enough of both ends that a cut to `limit` characters sees nothing else, whatever is between them.
  private static func ends(of text: String, _ limit: Int) -> String {
    // Marks that belong to one character count singly.
    let most = limit > 1 << 20 ? Int.max : max(1, limit) * 8
    guard text.utf8.count > most, text.unicodeScalars.count > most else { return text }
    let scalars = text.unicodeScalars
    return String(scalars.prefix(most / 2)) + "…" + String(scalars.suffix(most / 2))
  }

  /// Marks that turn the direction of writing until another one ends it: they make a name look like another, and turn
  /// the words beside it.
  static func turnsWriting(_ scalar: Unicode.Scalar) -> Bool {
    (0x202A...0x202E).contains(scalar.value) || (0x2066...0x2069).contains(scalar.value)
  }

  /// With U+FFFD for control characters, which no viewer shows, and for what turns the direction of writing: what
  /// ``ByteWriter`` makes of them in JSON.
  package static func visible(_ text: String) -> String {
    // U+0080 to U+009F begin with the byte C2, the others with E2.
    guard text.utf8.contains(where: { $0 < 0x20 || $0 == 0x7F || $0 == 0xC2 || $0 == 0xE2 }) else { return text }
    return String(
      String.UnicodeScalarView(
        text.unicodeScalars.map {
          $0.properties.generalCategory == .control || turnsWriting($0) ? "\u{fffd}" : $0
        }))
  }

  /// Whether none of these bytes is in it, which is nearly always so.
  private static func isPlain(_ text: String, besides special: [UInt8]) -> Bool {
    text.utf8.allSatisfy { !special.contains($0) }
  }

  /// For text and for attribute values in either quotes.
  public static func xml(_ text: String) -> String {
    if isPlain(text, besides: [0x26, 0x3C, 0x3E, 0x22, 0x27, 0x0A]) { return text }
    var result = ""
    result.reserveCapacity(text.utf8.count + 16)
    for scalar in text.unicodeScalars {
      switch scalar {
      case "&": result += "&amp;"
      case "<": result += "&lt;"
      case ">": result += "&gt;"
      case "\"": result += "&quot;"
      case "'": result += "&#39;"
      case "\n": result += "&#10;"
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result
  }

  /// For an HTML-like label of the DOT language, whose elements must not be empty.
  public static func htmlLabel(_ text: String) -> String { text.isEmpty ? "&#160;" : xml(text) }

  /// For a quoted string of the DOT language that Graphviz shows as text. It reads escapes *and* XML entities in it.
  public static func dot(_ text: String) -> String {
    if isPlain(text, besides: [0x5C, 0x22, 0x26, 0x0A]) { return text }
    var result = ""
    result.reserveCapacity(text.utf8.count + 16)
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\\": result += "\\\\"
      case "\"": result += "\\\""
      case "&": result += "&amp;"
      case "\n": result += "\\n"
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result
  }

  /// Lower-case letters, digits and single hyphens, to be part of an id or a class. May be empty.
  public static func slug(_ text: String, limit: Int = 40) -> String {
    var result = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "a"..."z", "0"..."9": result.unicodeScalars.append(scalar)
      case "A"..."Z": result += String(scalar).lowercased()
      default: if result.last != "-", !result.isEmpty { result += "-" }
      }
      if result.utf8.count >= limit { break }
    }
    while result.last == "-" { result.removeLast() }
    return result
  }
}
