import OpTraceFormat

/// Takes records apart, or puts them together: each part of a record goes to a stream of its kind, as the difference from the
/// last record of that kind.
///
/// Which way, the coder decides: words are read, coded, and stored as what came out. So the form is written down once for both.
/// It is no copy of the event table, which may grow without a change here.
struct RecordTransform {
  /// A record's ticks, its subject, and the halves of its second and third word.
  static let parts = 6

  /// How many of these a record of a kind has. Of one with a text, what is behind its second word is bytes.
  static func parts(of kind: UInt8) -> Int { 2 * (RecordSize.fixedWords(kind: kind) ?? 2) }

  /// By kind.
  private var subjects = [UInt32](repeating: 0, count: 256)
  /// By kind and half.
  private var halves = [UInt64](repeating: 0, count: 4 * 256)
  /// When the last operation was created, in units of an age.
  private var created: UInt64 = 0
  /// Since the run began, or what the last record of the time said.
  private var ticks: UInt64 = 0

  mutating func beginRun() { ticks = 0 }

  /// Codes the record at `offset`, where there is a word at least. Returns where the next one begins. A decoder may meet
  /// a record that is too long for the block: it is cut.
  mutating func record<Coder: StreamCoder>(
    _ block: UnsafeMutableRawBufferPointer, at offset: Int, _ coder: inout Coder
  ) -> Int {
    let first = block.word(at: offset)
    let kind = coder.kind(UInt8(truncatingIfNeeded: first))
    let number = Int(kind)
    let delta = coder.number(first >> 8 & Layout.largestDelta, part: 0, kind) & Layout.largestDelta
    ticks &+= delta
    let last = UInt64(subjects[number])
    let subject = UInt32(truncatingIfNeeded: difference(first >> 32, from: last, width: 32, part: 1, kind, &coder))
    subjects[number] = subject
    block.setWord(UInt64(kind) | delta << 8 | UInt64(subject) << 32, at: offset)
    let room = (block.count - offset) / 8
    let words = min(room, Self.parts(of: kind) / 2)
    for word in 1..<max(1, words) { self.word(block, at: offset + 8 * word, 2 * word, kind, &coder) }
    guard kind >= 0xC0, words > 1 else { return offset + 8 * words }
    let size = min(room, max(2, Int(block.word(at: offset + 8) & 0xFFFF)))
    coder.bytes(UnsafeMutableRawBufferPointer(rebasing: block[offset + 16..<offset + 8 * size]))
    return offset + 8 * size
  }

  private mutating func word<Coder: StreamCoder>(
    _ block: UnsafeMutableRawBufferPointer, at offset: Int, _ part: Int, _ kind: UInt8, _ coder: inout Coder
  ) {
    let value = block.word(at: offset)
    let index = 4 * Int(kind) + part - 2
    let isCreated = kind == EventKind.operationCreated.rawValue
    // An operation's class and its age: created one after the other, they are recorded in any order.
    let split: UInt64 = isCreated ? 24 : 32
    let low = difference(value & (1 << split - 1), from: halves[index], width: split, part: part, kind, &coder)
    halves[index] = low
    let now = ticks / Layout.ageUnit
    let expected = isCreated ? now &- created : halves[index + 1]
    let high = difference(value >> split, from: expected, width: 64 - split, part: part + 1, kind, &coder)
    halves[index + 1] = high
    if isCreated { created = now &- high }
    block.setWord(low | high << split, at: offset)
    if kind == EventKind.time.rawValue { ticks = low | high << split }
  }

  /// A number of so many bits by its difference from another one, the shorter way round.
  private func difference<Coder: StreamCoder>(
    _ value: UInt64, from expected: UInt64, width: UInt64, part: Int, _ kind: UInt8, _ coder: inout Coder
  ) -> UInt64 {
    let unused = 64 - width
    let difference = Int64(bitPattern: (value &- expected) << unused) >> Int64(unused)
    let number = coder.number(folded(difference), part: part, kind)
    return ((expected &+ unfolded(number)) << unused) >> unused
  }
}

/// Small differences of either sign become small numbers: 0, -1, 1, -2, 2 become 0, 1, 2, 3, 4.
private func folded(_ difference: Int64) -> UInt64 { UInt64(bitPattern: difference << 1 ^ difference >> 63) }
private func unfolded(_ number: UInt64) -> UInt64 { number >> 1 ^ (0 &- (number & 1)) }

extension UnsafeMutableRawBufferPointer {
  fileprivate func word(at offset: Int) -> UInt64 {
    UInt64(littleEndian: loadUnaligned(fromByteOffset: offset, as: UInt64.self))
  }

  fileprivate func setWord(_ word: UInt64, at offset: Int) {
    storeBytes(of: word.littleEndian, toByteOffset: offset, as: UInt64.self)
  }
}
