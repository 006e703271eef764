/// Keeps texts of a traced program from being taken for commands by the service that runs a job.
///
/// Such services read a job's output line by line, standard error too, and obey what looks like a command: GitHub Actions a
/// line that begins with `::`, after any white space, and `##[` anywhere in a line; Azure Pipelines `##vso[` and `##[`,
/// TeamCity `##teamcity[`. A program's names come from anywhere, and must not set variables or fail a job.
extension TerminalText {
  /// The text with U+FFFD in place of the first character of what such a service would obey. It stays as wide as it was. A
  /// text that was made harmless stays as it is. O(length).
  public static func harmless(_ text: String) -> String {
    guard mayHaveCommands(text) else { return text }
    let scalars = Array(text.unicodeScalars)
    var result = String.UnicodeScalarView()
    var isAtBegin = true
    var index = 0
    while index < scalars.count {
      let scalar = scalars[index]
      if isAtBegin, let end = endOfStyle(scalars, index) {
        result.append(contentsOf: scalars[index..<end])
        index = end
        continue
      }
      let isCommand = scalar == ":" ? isAtBegin && beginsCommand(scalars, index) : beginsMarker(scalars, index)
      result.append(isCommand ? "\u{FFFD}" : scalar)
      let isBlank = scalar.properties.isWhitespace || scalar.properties.isDefaultIgnorableCodePoint
      isAtBegin = endsLine(scalar) || isAtBegin && isBlank
      index += 1
    }
    return String(result)
  }

  /// Whether the slow way is needed: nearly no text has two of these beside each other, or one beside a character that
  /// services may step over.
  private static func mayHaveCommands(_ text: String) -> Bool {
    var last: UInt8 = 0
    for byte in text.utf8 {
      if last == UInt8(ascii: ":") || last == UInt8(ascii: "#"), byte == last || byte >= 0x80 { return true }
      last = byte
    }
    return false
  }

  /// A single carriage return ends a line, too.
  private static func endsLine(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0x0A...0x0D, 0x85, 0x2028, 0x2029: true
    default: false
    }
  }

  /// The index behind the sequence that sets a terminal's style, if one begins here.
  private static func endOfStyle(_ scalars: [Unicode.Scalar], _ begin: Int) -> Int? {
    guard scalars[begin] == "\u{1B}", begin + 1 < scalars.count, scalars[begin + 1] == "[" else { return nil }
    var index = begin + 2
    while index < scalars.count, scalars[index] == ";" || ("0"..."9").contains(scalars[index]) { index += 1 }
    return index < scalars.count && scalars[index] == "m" ? index + 1 : nil
  }

  /// Comparisons by a language's rules ignore characters without a width.
  private static func next(_ scalars: [Unicode.Scalar], behind index: Int) -> Int? {
    var next = index + 1
    while next < scalars.count, scalars[next].properties.isDefaultIgnorableCodePoint { next += 1 }
    return next < scalars.count ? next : nil
  }

  private static func beginsCommand(_ scalars: [Unicode.Scalar], _ index: Int) -> Bool {
    next(scalars, behind: index).map { scalars[$0] == ":" } ?? false
  }

  /// `##[`, or with a name before the bracket.
  private static func beginsMarker(_ scalars: [Unicode.Scalar], _ index: Int) -> Bool {
    let longestName = 32
    guard scalars[index] == "#", var at = next(scalars, behind: index), scalars[at] == "#" else { return false }
    for _ in 0...longestName {
      guard let behind = next(scalars, behind: at) else { return false }
      if scalars[behind] == "[" { return true }
      guard scalars[behind].properties.isAlphabetic else { return false }
      at = behind
    }
    return false
  }
}
