// How a record is packed: its first word, and the lengths in the second word of one with a text. What the other bits hold
// is in `EventSpec.table`; `EventFields.swift` is made from there. C has the same in `records/words.h`.

/// The first word of a record.
package struct RecordHead: Sendable {
  package let word: UInt64

  @inlinable @inline(__always)
  package init(_ word: UInt64) { self.word = word }

  /// - Parameter delta: at most ``Layout/largestDelta``.
  @inlinable @inline(__always)
  package init(kind: UInt8, delta: UInt64 = 0, subject: UInt32) {
    word = UInt64(kind) | delta << 8 | UInt64(subject) << 32
  }

  /// An ``EventKind``'s raw value, or a number that this version does not know.
  @inlinable package var kind: UInt8 { UInt8(truncatingIfNeeded: word) }
  /// Ticks since the record before.
  @inlinable package var delta: UInt64 { word >> 8 & 0xFF_FFFF }
  /// What the record is about.
  @inlinable package var subject: UInt32 { UInt32(truncatingIfNeeded: word >> 32) }

  /// The same without the time, so that equal records are equal.
  @inlinable package var timeless: RecordHead { RecordHead(kind: kind, subject: subject) }
}

/// The low half of the second word of a record of variable size.
package struct RecordLengths: Sendable {
  package let word: UInt64

  @inlinable @inline(__always)
  package init(_ word: UInt64) { self.word = word }

  /// - Parameter fields: the record's second word, of which only the high half is taken.
  @inlinable @inline(__always)
  package init(words: Int, textBytes: Int, fields: UInt64 = 0) {
    word =
      UInt64(UInt16(truncatingIfNeeded: words)) | UInt64(UInt16(truncatingIfNeeded: textBytes)) << 16
      | Self.fields(of: fields)
  }

  /// How many words the record has, the first two included.
  @inlinable package var words: Int { Int(word & 0xFFFF) }
  /// How many bytes its text has.
  @inlinable package var textBytes: Int { Int(word >> 16 & 0xFFFF) }

  /// The second word without its lengths: the high half, which holds fields.
  @inlinable
  package static func fields(of word: UInt64) -> UInt64 { word & ~0xFFFF_FFFF }
}

/// The size class in the two high bits of a record's first byte.
public enum RecordSize {
  /// Words in the record, or nil when the second word says how many.
  @inlinable
  public static func fixedWords(kind: UInt8) -> Int? {
    let sizeClass = Int(kind >> 6)
    return sizeClass == 3 ? nil : sizeClass + 1
  }
}

/// The second and third word of a record, as the fields that its kind has; ``EventFields`` has a type for each.
package protocol EventWords: Sendable {
  static var kind: EventKind { get }
  /// - Parameter word2: 0 where the record has no third word.
  init(_ word1: UInt64, _ word2: UInt64)
  var word1: UInt64 { get }
  var word2: UInt64 { get }
}
