import OpTraceFormat

/// The parts of `Documentation/format.md` that the table of events says.
enum FormatDocument {
  /// The document with these parts as they are now; nil: it has no place for them.
  static func updated(_ text: String) -> String? {
    text.withFormatVersion(behind: "# The trace format, version ")?
      .replacingLines(
        from: "<!-- table of events: begin -->\n", to: "<!-- table of events: end -->", with: table)?
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
