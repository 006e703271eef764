import OpTraceFormat

/// The parts of `Documentation/format.md` that the table of events says.
enum FormatDocument {
  private static let begin = "<!-- table of events: begin -->\n"
  private static let end = "<!-- table of events: end -->"

  /// The document with these parts as they are now; nil: it has no place for them.
  static func updated(_ text: String) -> String? {
    guard let from = text.firstRange(of: begin)?.upperBound, let to = text[from...].firstRange(of: end)?.lowerBound
    else { return nil }
    return text.replacingCharacters(from..<to, with: table)
      .replacing(/(?m)^\| \d+ \| u16 \| minor version: \d+/, maxReplacements: 1) { _ in
        "| \(Layout.Header.minorVersion) | u16 | minor version: \(FormatNumbers.minorVersion)"
      }
  }

  private static var table: String {
    var lines = [
      "| kind | word | words | about | fields | text at | since | meaning |", "|---|---|---|---|---|---|---|---|",
    ]
    for spec in EventSpec.table {
      let kind = "0x" + (spec.kind.rawValue < 16 ? "0" : "") + String(spec.kind.rawValue, radix: 16, uppercase: true)
      let words = RecordSize.fixedWords(kind: spec.kind.rawValue).map(String.init) ?? "…"
      let fields = spec.fields.map { field in
        "`\(field.name)` (\(field.word):\(field.shift)+\(field.width)) \(field.meaning.word)"
          + (field.values.words.map { ", " + $0 } ?? "")
      }
      let cells = [
        kind, "`\(spec.name)`", words, spec.subject == .none ? "" : spec.subject.rawValue,
        fields.joined(separator: "; "),
        spec.text.map { String($0.word) } ?? "", "1.\(spec.since)", spec.meaning,
      ]
      lines.append("| " + cells.joined(separator: " | ") + " |")
    }
    return lines.joined(separator: "\n") + "\n"
  }
}

extension String {
  fileprivate func replacingCharacters(_ range: Range<String.Index>, with text: String) -> String {
    self[..<range.lowerBound] + text + self[range.upperBound...]
  }
}
