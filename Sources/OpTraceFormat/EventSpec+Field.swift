extension EventSpec {
  /// A value inside the second or third word.
  public struct Field: Sendable {
    package enum Meaning: Sendable, Hashable {
      /// A number, and which ones make sense; signed ones are two's complement over their width.
      case unsigned(Values), signed(Values)
      /// The serial number of an operation (or of a block or a task, where that may be), the id of a queue.
      case operation, queue
      /// The number of a dispatch queue; 0 is none.
      case dispatch
      /// The number of a thread in the trace; 0 is none.
      case thread
      /// The system's number of a thread. It identifies the machine, so anonymous traces do not have it.
      case systemThread
      /// The id of an interned string, and what that names; 0 is none.
      case string(Text.Role)
      /// Nonzero is true.
      case flag
      /// How long before the record something was, in units of 16 ticks; all ones means at least that.
      case age
      /// Where an object is in memory, and of which kind it is (``WaitedObject``).
      case address
      case objectKind
      /// Where a lock is in memory; 0 is none.
      case lock
      /// The number of a frame or an image; 0 is none.
      case frame, image
      /// The number of a block of memory; 0 is none.
      case allocation

      /// The word of `Documentation/format.md`.
      package var word: String {
        switch self {
        case .unsigned: "unsigned"
        case .signed: "signed"
        case .operation: "operation"
        case .queue: "queue"
        case .dispatch: "dispatch queue"
        case .thread: "thread"
        case .systemThread: "system's thread"
        case .string: "string"
        case .flag: "flag"
        case .age: "age"
        case .address: "address"
        case .objectKind: "object kind"
        case .lock: "address or none"
        case .frame: "frame"
        case .image: "image"
        case .allocation: "allocation"
        }
      }
    }

    /// Which numbers a field may hold: the checks report others.
    package enum Values: Sendable, Hashable {
      case any
      case from(Int64)
      case within(ClosedRange<Int64>)

      @inlinable
      package func contains(_ value: Int64) -> Bool {
        switch self {
        case .any: true
        case .from(let least): value >= least
        case .within(let range): range.contains(value)
        }
      }

      /// `-8 to 8`, `-1 or more`; nil: any.
      package var words: String? {
        switch self {
        case .any: nil
        case .from(let least): "\(least) or more"
        case .within(let range): "\(range.lowerBound) to \(range.upperBound)"
        }
      }
    }

    /// The word of the text form, before the `=`.
    public let name: String
    /// 1 or 2: which word of the record.
    public let word: Int
    /// The lowest bit, from 0.
    public let shift: Int
    /// How many bits: 1 to 64.
    public let width: Int
    package let meaning: Meaning
    package let isSigned: Bool
    /// Its bits. Readers ask for it with every record.
    package let position: Position
    /// The minor version that brought it to a kind that was there before; 0: it came with its kind.
    package let since: Int

    init(_ name: String, _ word: Int, _ shift: Int, _ width: Int, _ meaning: Meaning, since: Int = 0) {
      self.name = name
      self.word = word
      self.shift = shift
      self.width = width
      self.meaning = meaning
      self.since = since
      if case .signed = meaning { isSigned = true } else { isSigned = false }
      position = Position(word: word, shift: shift, width: width, isSigned: isSigned)
    }

    /// Which numbers make sense; any where it is no number.
    package var values: Values {
      switch meaning {
      case .unsigned(let values), .signed(let values): values
      default: .any
      }
    }

    /// The field's bits, taken out of the record's second and third word.
    public func raw(_ word1: UInt64, _ word2: UInt64) -> UInt64 { position.raw(word == 1 ? word1 : word2) }

    /// The field as a number with its sign.
    public func value(_ word1: UInt64, _ word2: UInt64) -> Int64 { position.value(word == 1 ? word1 : word2) }

    /// The bits of `value` where the field has them; what does not fit is cut off.
    package func bits(_ value: Int64) -> UInt64 { position.bits(UInt64(bitPattern: value)) }

    /// Whether a number fits the field.
    package func holds(_ value: UInt64) -> Bool { position.raw(position.bits(value)) == value }
  }

  /// Which bits a field has, without what they mean: small, for readers that ask the table of millions of records. Whoever knows
  /// the kind of a record uses ``EventFields``.
  package struct Position: Sendable {
    /// 1 or 2; 0: a record without this field.
    package let word: UInt8
    @usableFromInline let shift: UInt8
    /// Bits of a word above the field, when it is shifted to the bottom.
    @usableFromInline let unused: UInt8
    @usableFromInline let isSigned: Bool
    /// The field's bits, when it is shifted to the bottom.
    @usableFromInline let mask: UInt64

    package static let none = Position(word: 0, shift: 0, width: 64, isSigned: false)

    init(word: Int, shift: Int, width: Int, isSigned: Bool) {
      self.word = UInt8(word)
      self.shift = UInt8(shift)
      unused = UInt8(64 - width)
      self.isSigned = isSigned
      mask = .max >> UInt64(64 - width)
    }

    /// The field's bits, out of its word.
    @inlinable package func raw(_ word: UInt64) -> UInt64 { word &>> UInt64(shift) & mask }

    /// The field as a number with its sign.
    @inlinable package func value(_ word: UInt64) -> Int64 {
      let bits = raw(word)
      return isSigned ? Int64(bitPattern: bits &<< UInt64(unused)) &>> Int64(unused) : Int64(bitPattern: bits)
    }

    /// The bits of `value` where the field has them; what does not fit is cut off.
    @inlinable package func bits(_ value: UInt64) -> UInt64 { (value & mask) &<< UInt64(shift) }

    /// The word with another value in the field.
    @inlinable package func replacing(_ word: UInt64, by value: UInt64) -> UInt64 { word & ~bits(.max) | bits(value) }
  }

  /// The UTF-8 text of a variable record. Its length in bytes is in bits 16 to 31 of the second word.
  package struct Text: Sendable {
    /// What a text names. Equal texts of one role become equal numbers when a trace is made anonymous; the raw value is
    /// the word before the number.
    package enum Role: String, Sendable, CaseIterable {
      case name, `class`, module, function, image, build, queue, thread, object, mark, span, error, attribute, context,
        missing
      /// Its word in anonymous traces is older than its name, and stays.
      case location = "place"
      /// What the fields that name it say.
      case interned
    }

    /// The word at which it begins.
    package let word: Int
    package let role: Role

    init(_ role: Role, at word: Int) {
      self.role = role
      self.word = word
    }
  }
}
