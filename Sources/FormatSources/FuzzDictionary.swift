import OpTraceFormat

/// The part of `Fuzz/text.dict` that the table of events says: the words of events and fields in the text form.
enum FuzzDictionary {
  /// The dictionary with these words as they are now; nil: it has no place for them.
  static func updated(_ text: String) -> String? {
    text.replacingLines(from: "# table of events: begin\n", to: "# table of events: end", with: words)
  }

  private static var words: String {
    let events = EventSpec.table.map { $0.name + " " }
    let fields = EventSpec.table.flatMap { $0.fields.map { $0.meaning == .flag ? $0.name : $0.name + "=" } }
    var seen: Set<String> = []
    return (events + fields).filter { seen.insert($0).inserted }.map { "\"\($0)\"\n" }.joined()
  }
}
