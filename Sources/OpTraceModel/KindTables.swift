import OpTraceFormat

/// What the event table says, by raw kind: a line of the table is a large value, too large to be copied for each of
/// millions of events.
enum KindTables {
  /// Words of a record; 0: the record tells.
  static let sizes: [UInt8] = all { UInt8(RecordSize.fixedWords(kind: $0) ?? 0) }
  /// Where the text begins; 0: no text; ``unknown``: a kind that this version does not have.
  static let textWords: [UInt8] = all { kind in EventSpec.of(raw: kind).map { UInt8($0.textWord ?? 0) } ?? unknown }
  static let subjects: [EventSpec.Subject] = all { EventSpec.of(raw: $0)?.subject ?? .none }
  static let hasFields: [Bool] = all { EventSpec.of(raw: $0)?.fields.isEmpty == false }

  /// Where a record tells an age; word 0: nowhere.
  static let ages: [Age.Place] = all { kind in
    let field = EventSpec.of(raw: kind)?.fields.first { $0.meaning == .age }
    return Age.Place(word: UInt8(field?.word ?? 0), shift: UInt8(field?.shift ?? 0))
  }

  static let unknown: UInt8 = 0xFF

  private static func all<Value>(_ value: (UInt8) -> Value) -> [Value] { (0...255).map { value(UInt8($0)) } }
}
