public import OpTraceModel

/// A JSON document in the making: keys stay in the order in which they are written, numbers are exact.
public indirect enum JSONValue: Sendable, Equatable {
  /// `null`.
  case null
  /// `true` or `false`.
  case bool(Bool)
  /// A whole number, all its digits.
  case integer(Int)
  /// A number as the shortest text that reads back as it; `null` where JSON has none for it.
  case number(Double)
  /// A duration or a time, written in seconds.
  case seconds(Nanoseconds)
  /// A text, escaped when it is written.
  case string(String)
  /// Values in their order.
  case array([JSONValue])
  /// Members in the order in which they are written.
  case object([Member])

  /// A key of an object, and its value.
  public struct Member: Sendable, Equatable {
    /// Written as it is given; nobody checks that it comes once.
    public var key: String
    /// The value.
    public var value: JSONValue

    /// A key and its value.
    public init(_ key: String, _ value: JSONValue) {
      self.key = key
      self.value = value
    }
  }

  /// Members as a literal keeps them; a dictionary would lose their order.
  public static func members(_ members: KeyValuePairs<String, JSONValue>) -> JSONValue {
    .object(members.map { Member($0.key, $0.value) })
  }

  /// The same with more members behind them.
  package static func members(_ members: KeyValuePairs<String, JSONValue>, and more: [Member]) -> JSONValue {
    .object(members.map { Member($0.key, $0.value) } + more)
  }

  /// Nil is `null`.
  public static func optional<Value>(_ value: Value?, _ make: (Value) -> JSONValue) -> JSONValue {
    value.map(make) ?? .null
  }

  /// UTF-8, indented by two spaces a level; ends with a line break.
  public var bytes: [UInt8] { bytes(isExact: false) }

  /// The same with texts that read back as they were: for programs.
  package var exactBytes: [UInt8] { bytes(isExact: true) }

  private func bytes(isExact: Bool) -> [UInt8] {
    var result: [UInt8] = []
    let writer = ByteWriter { result += $0 }
    write(to: writer, level: 0, isExact: isExact)
    writer.byte(UInt8(ascii: "\n"))
    // The sink throws nothing.
    try? writer.finish()
    return result
  }

  /// Nil writes everything in one line, without spaces.
  /// - Parameter isExact: texts read back as they were, by escapes where it takes these: for programs.
  package func write(to writer: ByteWriter, level: Int?, isExact: Bool = false) {
    switch self {
    case .null: writer.text("null")
    case .bool(let value): writer.text(value ? "true" : "false")
    case .integer(let value): writer.number(value)
    case .number(let value): writer.string(value.isFinite ? value.description : "null")
    case .seconds(let value): Self.writeSeconds(value, to: writer)
    case .string(let value): Self.writeText(value, to: writer, isExact)
    case .array(let values):
      Self.writeList("[", "]", values.count, writer, level) {
        values[$0].write(to: writer, level: level.map { $0 + 1 }, isExact: isExact)
      }
    case .object(let members):
      Self.writeList("{", "}", members.count, writer, level) { index in
        Self.writeText(members[index].key, to: writer, isExact)
        writer.text(level == nil ? ":" : ": ")
        members[index].value.write(to: writer, level: level.map { $0 + 1 }, isExact: isExact)
      }
    }
  }

  private static func writeText(_ text: String, to writer: ByteWriter, _ isExact: Bool) {
    if isExact { writer.exactJSON(text) } else { writer.json(text) }
  }

  private static func writeList(
    _ open: StaticString, _ close: StaticString, _ count: Int, _ writer: ByteWriter, _ level: Int?,
    _ element: (Int) -> Void
  ) {
    writer.text(open)
    for index in 0..<count {
      if index > 0 { writer.byte(UInt8(ascii: ",")) }
      if let level {
        writer.byte(UInt8(ascii: "\n"))
        for _ in 0...level { writer.text("  ") }
      }
      element(index)
    }
    if let level, count > 0 {
      writer.byte(UInt8(ascii: "\n"))
      for _ in 0..<level { writer.text("  ") }
    }
    writer.text(close)
  }

  /// Decimal digits of the nanoseconds, so that nothing is rounded; without the zeros that say nothing.
  private static func writeSeconds(_ value: Nanoseconds, to writer: ByteWriter) {
    if TraceOrigin.isUnknown(value) { return writer.text("null") }
    if value < 0 { writer.byte(UInt8(ascii: "-")) }
    let (whole, rest) = value.magnitude.quotientAndRemainder(dividingBy: 1_000_000_000)
    writer.number(UInt(whole))
    guard rest > 0 else { return }
    var digits = String(rest)
    digits = "." + String(repeating: "0", count: 9 - digits.count) + digits
    while digits.hasSuffix("0") { digits.removeLast() }
    writer.string(digits)
  }
}

extension JSONValue {
  /// UTF-8 on one line, without spaces; ends with a line break.
  public var line: [UInt8] {
    var result: [UInt8] = []
    let writer = ByteWriter { result += $0 }
    write(to: writer, level: nil)
    writer.byte(UInt8(ascii: "\n"))
    // The sink throws nothing.
    try? writer.finish()
    return result
  }
}

extension CodeLocation {
  /// The keys of an operation's source location in every JSON output.
  package var members: [JSONValue.Member] {
    [
      .init("function", .optional(function) { .string($0) }),
      .init("file", .optional(file) { .string($0) }),
      .init("line", .optional(line) { .integer($0) }),
      .init("module", .optional(module) { .string($0) }),
    ]
  }
}
