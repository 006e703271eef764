import OpTraceKernel

/// Widths of texts, in ems, in the widest font that our pictures name (DejaVu Sans). Whatever fits in it also fits in
/// Helvetica and Arial.
public enum TextMetrics {
  /// Advance widths of U+0020 to U+007E in thousandths of an em.
  private static let regular: [UInt16] = [
    317, 400, 459, 837, 636, 950, 779, 274, 390, 390, 500, 837, 317, 360, 317, 336, 636, 636, 636, 636, 636, 636, 636,
    636, 636, 636, 336, 336, 837, 837, 837, 530, 1000, 684, 686, 698, 770, 631, 575, 774, 751, 294, 294, 655, 557, 862,
    748, 787, 603, 787, 694, 634, 610, 731, 684, 988, 685, 610, 685, 390, 336, 390, 837, 500, 500, 612, 634, 549, 634,
    615, 352, 634, 633, 277, 277, 579, 277, 974, 633, 611, 634, 634, 411, 520, 392, 633, 591, 817, 591, 591, 524, 636,
    336, 636, 837,
  ]
  private static let bold: [UInt16] = [
    348, 456, 520, 837, 695, 1001, 872, 306, 457, 457, 522, 837, 379, 415, 379, 365, 695, 695, 695, 695, 695, 695, 695,
    695, 695, 695, 399, 399, 837, 837, 837, 580, 1000, 773, 762, 733, 830, 683, 683, 820, 836, 372, 372, 774, 637, 995,
    836, 850, 732, 850, 770, 720, 682, 812, 773, 1103, 770, 724, 725, 457, 365, 457, 837, 500, 500, 674, 715, 592, 715,
    678, 435, 715, 711, 342, 342, 665, 342, 1041, 711, 687, 715, 715, 493, 595, 478, 711, 651, 923, 645, 651, 582, 711,
    365, 711, 837,
  ]

  /// - Parameter size: the font size in points, which is also the unit of the result.
  public static func width(of text: some StringProtocol, size: Double, bold isBold: Bool = false) -> Double {
    text.reduce(0) { $0 + width(of: $1, bold: isBold) } * size
  }

  private static func width(of character: Character, bold isBold: Bool) -> Double {
    guard let scalar = character.unicodeScalars.first else { return 0 }
    switch scalar.value {
    case 0x20..<0x7f: return Double((isBold ? bold : regular)[Int(scalar.value) - 0x20]) / 1000
    case 0xb7: return isBold ? 0.379 : 0.317
    case 0x2026: return 1
    case 0..<0x20, 0x7f..<0xa0, 0x200b..<0x2010: return 0
    // Latin, Greek, Cyrillic, Hebrew, Arabic: about the width of the widest letters of each; then ideographs and emoji.
    case 0xa0..<0x370: return isBold ? 0.78 : 0.7
    case 0x370..<0x1100: return isBold ? 0.95 : 0.88
    case 0x1f000...: return 1.4
    default: return 1.05
    }
  }

  /// Cuts `text` in the middle so that it fits, with an ellipsis. O(width), whatever the length of the text.
  public static func fitting(_ text: String, into width: Double, size: Double, bold: Bool = false) -> String {
    let space = width / size
    var used = 0.0
    for character in text {
      used += self.width(of: character, bold: bold)
      if used > space { return NameCut.inside(text, to: space, ellipsis: 1) { self.width(of: $0, bold: bold) } }
    }
    return text
  }
}
