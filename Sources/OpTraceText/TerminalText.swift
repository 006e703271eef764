import Foundation
import OpTraceKernel
import OpTraceFormat
import OpTraceModel

/// Text for terminals, where a Chinese character or an emoji takes two columns and an accent none.
public enum TerminalText {
  /// The text without anything that would steer a terminal or break a line.
  public static func printable(_ text: String) -> String {
    // Asking for a scalar's category takes long, and nearly every name is plain.
    guard text.utf8.contains(where: { $0 < 0x20 || $0 >= 0x7F }), text.unicodeScalars.contains(where: steersTerminal)
    else { return text }
    var result = String.UnicodeScalarView()
    for scalar in text.unicodeScalars { result.append(steersTerminal(scalar) ? "\u{FFFD}" : scalar) }
    return String(result)
  }

  /// The same of a text of several lines, whose ends are its own.
  public static func printableLines(_ text: String) -> String {
    // By scalars: a carriage return and a line end are one character.
    text.unicodeScalars.split(separator: "\n", omittingEmptySubsequences: false).map { printable(String($0)) }
      .joined(separator: "\n")
  }

  private static func steersTerminal(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .control, .lineSeparator, .paragraphSeparator: true
    case .format: TextEscaping.turnsWriting(scalar)
    case .privateUse: RawPath.isRaw(scalar)
    default: false
    }
  }

  /// How many columns of a terminal a text takes. O(length).
  public static func columns(of text: String) -> Int { text.reduce(0) { $0 + columns(of: $1) } }

  /// Most terminals add up what scalars take, but draw an emoji as one, whatever it is joined of.
  private static func columns(of character: Character) -> Int {
    let scalars = character.unicodeScalars
    guard let first = scalars.first else { return 0 }
    if !first.isASCII, first.properties.isEmojiPresentation || scalars.contains("\u{FE0F}") { return 2 }
    return scalars.reduce(0) { $0 + columns(of: $1) }
  }

  private static func columns(of scalar: Unicode.Scalar) -> Int {
    if scalar.isASCII { return 1 }
    switch scalar.properties.generalCategory {
    case .nonspacingMark, .enclosingMark, .format: return 0
    default: break
    }
    // The blocks that terminals draw wide: Hangul, CJK, kana, full-width forms. Hangul's vowels and finals are in the block before.
    switch scalar.value {
    case 0x1160...0x11FF, 0xD7B0...0xD7FF: return 0
    case 0x1100...0x115F, 0x2E80...0x303E, 0x3041...0xA4CF, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE6F,
      0xFF00...0xFF60, 0xFFE0...0xFFE6, 0x20000...0x3FFFD:
      return 2
    default: return 1
    }
  }

  /// Cut in the middle with an ellipsis if it is wider: the end distinguishes names too.
  public static func fitting(_ text: String, _ widest: Int) -> String {
    guard columns(of: text) > widest else { return text }
    return NameCut.inside(text, to: Double(widest), ellipsis: 1) { Double(columns(of: $0)) }
  }

  package static func padded(_ text: String, _ width: Int, right: Bool = false) -> String {
    let blanks = String(repeating: " ", count: max(0, width - columns(of: text)))
    return right ? blanks + text : text + blanks
  }

  /// Lines of at most `width` columns, broken at spaces; a word that is wider is broken where it has to be. At least
  /// one line.
  public static func wrapped(_ text: String, to width: Int) -> [String] {
    let width = max(8, width)
    var lines: [String] = []
    var line = ""
    var used = 0
    func end() {
      lines.append(line)
      (line, used) = ("", 0)
    }
    for word in text.split(separator: " ") {
      let length = columns(of: String(word))
      if used > 0, used + 1 + length > width { end() }
      if used > 0 {
        line += " "
        used += 1
      }
      for character in word {
        let room = columns(of: character)
        if used + room > width { end() }
        line.append(character)
        used += room
      }
    }
    if used > 0 || lines.isEmpty { end() }
    return lines
  }
}

/// The layout of a text for people: its width, and the style of its parts.
public struct TextStyle: Sendable {
  /// The role of a part of a text, for colouring.
  public enum Role: Sendable {
    /// Something is wrong.
    case error
    /// Something may be wrong.
    case warning
    /// Something to know.
    case note
    /// All is well.
    case good
    /// A heading, or what matters in a line.
    case strong
    /// What can be read over.
    case faint
  }

  /// Columns that a line may take; 40 at least. Without `cutsTexts` tables take what they need.
  public var width: Int
  /// Whether long texts at the end of a line are cut to fit a terminal; nobody else has a reason to.
  public var cutsTexts: Bool
  /// Styles a part by its role; the width of the text must not change.
  public var paint: @Sendable (Role, String) -> String

  /// - Parameters:
  ///   - width: columns that a line may take.
  ///   - cutsTexts: whether long texts are cut, for a terminal.
  ///   - paint: styles a part by its role; without it everything is plain.
  public init(
    width: Int = 100, cutsTexts: Bool = false, paint: @escaping @Sendable (Role, String) -> String = { $1 }
  ) {
    self.width = max(40, width)
    self.cutsTexts = cutsTexts
    self.paint = paint
  }

  /// No colours.
  public static let plain = TextStyle()
}
