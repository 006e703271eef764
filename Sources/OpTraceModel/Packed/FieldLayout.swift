import OpTraceFormat

/// How a packed trace divides the words of a record behind the first, and what it compares each part with. This is a
/// part of the packed format and no copy of the event table: a newer table changes nothing here.
struct FieldLayout {
  enum Reference {
    /// The same part of the last record of this kind.
    case last
    /// The record's subject.
    case subject
    /// The record's ticks.
    case ticks
    /// The moment that an age tells, of the last record of this kind: in units of 16 ticks.
    case moment
  }

  var word: Int
  var shift: UInt64
  var width: UInt64
  var reference: Reference

  private init(_ word: Int, _ shift: UInt64, _ width: UInt64, _ reference: Reference = .last) {
    self.word = word
    self.shift = shift
    self.width = width
    self.reference = reference
  }

  /// At most this many in a record.
  static let most = 4

  /// The parts of each raw kind, at `kind * most`; those that a kind does not have are of width 0.
  static let table: [FieldLayout] = (0...255).flatMap { kind in
    let fields = fields(of: UInt8(kind))
    return fields + repeatElement(FieldLayout(0, 0, 0), count: most - fields.count)
  }

  private static func fields(of kind: UInt8) -> [FieldLayout] {
    switch kind {
    case EventKind.time.rawValue: return [.init(1, 0, 64, .ticks)]
    case EventKind.operationCreated.rawValue: return [.init(1, 0, 24), .init(1, 24, 40, .moment)]
    case EventKind.dependencyAdded.rawValue, EventKind.dependencyRemoved.rawValue:
      return [.init(1, 0, 32, .subject), .init(1, 32, 32)]
    case EventKind.unblocked.rawValue: return [.init(1, 0, 48), .init(1, 48, 16)]
    case EventKind.calibration.rawValue: return [.init(1, 0, 64), .init(2, 0, 64)]
    case EventKind.blocked.rawValue, EventKind.signalled.rawValue:
      return [.init(1, 0, 48), .init(1, 48, 16), .init(2, 0, 40), .init(2, 40, 24)]
    case 0..<0x40: return []
    case 0x40..<0x80: return [.init(1, 0, 32), .init(1, 32, 32)]
    case 0x80..<0xC0: return [.init(1, 0, 32), .init(1, 32, 32), .init(2, 0, 32), .init(2, 32, 32)]
    // Its words, the bytes of its text, and what else stands there; the other words are coded as bytes.
    default: return [.init(1, 0, 16), .init(1, 16, 16), .init(1, 32, 32)]
    }
  }
}
