/// One line of the event table (``table``): the source of the reader, the text form, the checks and `Documentation/format.md`.
public struct EventSpec: Sendable {
  /// What the high 32 bits of the first word name.
  public enum Subject: String, Sendable {
    /// Nothing: 0.
    case none
    /// The serial number of an operation. Blocks of dispatch queues and tasks have their numbers from the same sequence, so
    /// records about operations may be about one of those.
    case operation
    /// The serial number of a block of a dispatch queue.
    case block
    /// The serial number of a task.
    case task
    /// The number of a dispatch queue.
    case dispatch
    /// The number of a queue.
    case queue
    /// The number of a thread.
    case thread
    /// The id of an interned text.
    case string
    /// The number of a span.
    case span
    /// A ``LossReason``.
    case reason
    /// The number of an image: a file whose code is in the process.
    case image
    /// The number of a frame.
    case frame
    /// The number of a block of memory whose allocation was sampled.
    case allocation
  }

  /// The kind that this line is of.
  public let kind: EventKind
  /// The word of the text form.
  public let name: String
  /// What the record is about.
  public let subject: Subject
  /// The values in its second and third word, in the order of the text form.
  public let fields: [Field]
  /// Nil: the record carries no text.
  package let text: Text?
  package let part: Part
  package let carry: Carry
  package let bound: Bound
  package let life: Life
  /// What a record of several events in one stands for, in their order; empty: for itself. Readers take it apart, so nobody
  /// behind them sees one.
  package let parts: [EventSpec.PackedPart]
  /// The minor version of the format that brought this kind.
  public let since: Int
  /// What it says, in words, with what its fields hold.
  public let meaning: String

  /// What would be forgotten in silence has no default.
  init(
    _ kind: EventKind, _ name: String, _ subject: Subject, _ fields: [Field] = [], text: Text? = nil,
    part: Part = .event, carry: Carry, bound: Bound = .none, life: Life, packing parts: [PackedPart] = [],
    since: Int = 0, meaning: String
  ) {
    self.kind = kind
    self.name = name
    self.subject = subject
    self.fields = fields
    self.text = text
    self.part = part
    self.carry = carry
    self.bound = bound
    self.life = life
    self.parts = parts
    self.since = since
    self.meaning = meaning
  }

  private static let byKind: [EventSpec?] = {
    var result = [EventSpec?](repeating: nil, count: 256)
    for spec in table { result[Int(spec.kind.rawValue)] = spec }
    return result
  }()

  private static let byName = Dictionary(table.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })

  /// The line of a raw kind; nil when this version does not know it.
  public static func of(raw: UInt8) -> EventSpec? { byKind[Int(raw)] }

  /// The line with this word of the text form.
  public static func of(name: String) -> EventSpec? { byName[name] }

  /// What every raw kind has, by its number; nil: this version does not know it. For those who see millions of records: a
  /// line of the table is a large value.
  public static func column<Value>(_ value: (EventSpec?) -> Value) -> [Value] {
    (0...255).map { value(of(raw: UInt8($0))) }
  }

  /// The minor versions that brought something.
  package static var versions: [Int] { table.flatMap { [$0.since] + $0.fields.map(\.since) } }

  static func of(_ kind: EventKind) -> EventSpec {
    // Every kind has its line: a test compares the table with `EventKind.allCases`.
    byKind[Int(kind.rawValue)]
      ?? EventSpec(kind, "unlisted", .none, carry: .never, life: .nobody, meaning: "")
  }
}
