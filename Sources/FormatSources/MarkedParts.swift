extension String {
  /// The text with other lines between two marks; nil: it has no such marks.
  func replacingLines(from begin: String, to end: String, with lines: String) -> String? {
    guard let from = firstRange(of: begin)?.upperBound, let to = self[from...].firstRange(of: end)?.lowerBound
    else { return nil }
    return self[..<from] + lines + self[to...]
  }

  /// The text with the format's version, as `1.10`, behind the first place where these words stand before one; nil: there is none.
  func withFormatVersion(behind words: String) -> String? {
    guard let words = firstRange(of: words) else { return nil }
    let behind = self[words.upperBound...]
    let number = behind.prefix { $0.isNumber || $0 == "." }
    guard !number.isEmpty else { return nil }
    return self[..<words.upperBound] + FormatNumbers.version + behind[number.endIndex...]
  }
}
