/// The checksum of headers and sealed chunks: every 64-bit word is mixed in by a bijection, so a change inside a single
/// word is always found. Not cryptographic. `COpTrace` computes the same when a chunk is sealed (a test compares them).
public struct Checksum: Sendable {
  /// The checksum of what was added so far.
  public private(set) var value: UInt64 = 0x9E37_79B9_7F4A_7C15

  /// The checksum of nothing.
  public init() {}

  /// Mixes in one word. O(1).
  @inlinable
  public mutating func add(_ word: UInt64) {
    combine(word)
  }

  @usableFromInline
  mutating func combine(_ word: UInt64) {
    var mixed = (value ^ word) &* 0xFF51_AFD7_ED55_8CCD
    mixed ^= mixed >> 32
    value = mixed
  }

  /// Adds the words of `bytes`; a rest of less than eight bytes is filled up with zeros. O(n).
  public mutating func add(_ bytes: UnsafeRawBufferPointer) {
    var offset = 0
    var hash = value
    while offset + 8 <= bytes.count {
      hash =
        (hash ^ UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self)))
        &* 0xFF51_AFD7_ED55_8CCD
      hash ^= hash >> 32
      offset += 8
    }
    value = hash
    guard offset < bytes.count else { return }
    var rest: UInt64 = 0
    for index in offset..<bytes.count { rest |= UInt64(bytes[index]) << UInt64(8 * (index - offset)) }
    combine(rest)
  }
}
