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

  static let unknown: UInt8 = 0xFF

  private static func all<Value>(_ value: (UInt8) -> Value) -> [Value] { (0...255).map { value(UInt8($0)) } }
}
