import OpTraceFormat

/// Codes records, each in view of those before it: which kind follows which two, how long after, about what.
///
/// Whether it encodes or decodes is the coder's matter: words are read, coded, and stored as what came out.
struct RecordModel {
  private let contexts: Contexts
  private let fieldLayouts = FieldLayout.table

  /// What is known of two kinds that follow each other. There are up to this many; other pairs share the last one.
  private struct Slot {
    /// The kind that came after these two the last time.
    var next: UInt8 = 0
    let nextTree: Int
    let delta: Int
    let subject: Int
    /// How long differences have been of late, in bits: from the subject before, and from the last one of the kind.
    var fromBefore = 0
    var fromKind = 0
  }
  private static let mostSlots = 255
  private var slots: [Slot] = []
  /// By the two kinds, from 1 on; 0: none yet.
  private var slotsByKinds = Self.noSlots
  private static let noSlots = [UInt8](repeating: 0, count: 1 << 16)

  /// By kind: its last subject, the first of its fields' numbers (-1: none yet), those fields' last values, and where
  /// its last record's bytes are.
  private var subjects = Self.noSubjects
  private var fieldNumbers = Self.noNumbers
  private var fieldValues = Self.noValues
  private var texts = Self.noTexts
  private static let noSubjects = [UInt32](repeating: 0, count: 256)
  private static let noNumbers = [Int](repeating: -1, count: 256)
  private static let noValues = [UInt64](repeating: 0, count: 256 * FieldLayout.most)
  private static let noTexts = [Range<Int>](repeating: 0..<0, count: 256)

  /// The record before this one in the chunk.
  private var ticks: UInt64 = 0
  private var kind: UInt8 = 0
  private var subject: UInt32 = 0
  private var slot = 0

  init(_ contexts: Contexts) { self.contexts = contexts }

  /// Forgets all; the contexts are reset already.
  mutating func reset() {
    slots.removeAll(keepingCapacity: true)
    slotsByKinds = Self.noSlots
    subjects = Self.noSubjects
    fieldNumbers = Self.noNumbers
    fieldValues = Self.noValues
    texts = Self.noTexts
    beginChunk(baseTicks: 0)
  }

  /// The first record of a chunk stands behind kind 0 after kind 0.
  mutating func beginChunk(baseTicks: UInt64) {
    ticks = baseTicks
    kind = 0
    subject = 0
    slot = slot(of: 0, after: 0)
  }

  private mutating func slot(of kind: UInt8, after before: UInt8) -> Int {
    let key = Int(before) << 8 | Int(kind)
    let known = Int(slotsByKinds[key])
    if known > 0 { return known - 1 }
    if slots.count < Self.mostSlots {
      slots.append(Slot(nextTree: contexts.addTree(), delta: contexts.addNumber(), subject: contexts.addNumber()))
    }
    slotsByKinds[key] = UInt8(truncatingIfNeeded: slots.count)
    return slots.count - 1
  }

  /// Codes the record at `place`, where there is at least a word before `end`. Returns where the next one begins. A
  /// decoder may meet a record that is too long for its place: it is cut.
  mutating func record<Coder: EntropyCoder>(
    _ bytes: UnsafeMutableRawBufferPointer, at place: Int, end: Int, _ coder: inout Coder
  ) -> Int {
    let first = bytes.word(at: place)
    let kind = contexts.expected(UInt8(truncatingIfNeeded: first), slots[slot].next, slots[slot].nextTree, &coder)
    slots[slot].next = kind
    slot = slot(of: kind, after: self.kind)
    self.kind = kind
    let delta = contexts.number(first >> 8 & Layout.largestDelta, slots[slot].delta, &coder) & Layout.largestDelta
    ticks &+= delta
    subject = subject(UInt32(truncatingIfNeeded: first >> 32), &coder)
    bytes.setWord(UInt64(kind) | delta << 8 | UInt64(subject) << 32, at: place)
    guard kind >= 0x40 else { return place + 8 }

    let room = (end - place) / 8
    let fixed = min(room, Int(kind >> 6) + 1)
    if fixed > 1 { fields(bytes, at: place, words: kind >= 0xC0 ? 2 : fixed, &coder) }
    guard kind >= 0xC0, room > 1 else { return place + fixed * 8 }
    let size = min(room, max(2, Int(bytes.word(at: place + 8) & 0xFFFF)))
    text(bytes, place + 16..<place + size * 8, &coder)
    return place + size * 8
  }

  /// A subject is told by its difference from that of the record before, or from that of the last record of its kind:
  /// by what was shorter of late.
  private mutating func subject<Coder: EntropyCoder>(_ value: UInt32, _ coder: inout Coder) -> UInt32 {
    let ofKind = subjects[Int(kind)]
    let reference = slots[slot].fromKind < slots[slot].fromBefore ? ofKind : subject
    let number = contexts.number(UInt64(folded(value &- reference)), slots[slot].subject, &coder)
    let result = reference &+ unfolded(UInt32(truncatingIfNeeded: number))
    slots[slot].fromBefore = cost(slots[slot].fromBefore, result &- subject)
    slots[slot].fromKind = cost(slots[slot].fromKind, result &- ofKind)
    subjects[Int(kind)] = result
    return result
  }

  /// A running mean, times eight.
  private func cost(_ before: Int, _ difference: UInt32) -> Int {
    before - before / 8 + 32 - folded(difference).leadingZeroBitCount
  }

  private mutating func fields<Coder: EntropyCoder>(
    _ bytes: UnsafeMutableRawBufferPointer, at place: Int, words: Int, _ coder: inout Coder
  ) {
    if fieldNumbers[Int(kind)] < 0 {
      fieldNumbers[Int(kind)] = contexts.addNumber()
      for _ in 1..<FieldLayout.most { _ = contexts.addNumber() }
    }
    var results: (UInt64, UInt64) = (0, 0)
    for index in 0..<FieldLayout.most {
      let field = fieldLayouts[Int(kind) * FieldLayout.most + index]
      guard field.width > 0, field.word < words else { break }
      let last = fieldValues[Int(kind) * FieldLayout.most + index]
      let expected =
        switch field.reference {
        case .last: last
        case .subject: UInt64(subject)
        case .ticks: ticks
        case .moment: (ticks >> 4) &- last
        }
      let unused = 64 - field.width
      let value = bytes.word(at: place + field.word * 8) >> field.shift
      // The difference within the field's width, with its sign.
      let difference = Int64(bitPattern: (value &- expected) << unused) >> Int64(unused)
      let number = contexts.number(folded(difference), fieldNumbers[Int(kind)] + index, &coder)
      let result = ((expected &+ unfolded(number)) << unused) >> unused
      fieldValues[Int(kind) * FieldLayout.most + index] = field.reference == .moment ? (ticks >> 4) &- result : result
      if field.word == 1 { results.0 |= result << field.shift } else { results.1 |= result << field.shift }
    }
    bytes.setWord(results.0, at: place + 8)
    if words > 2 { bytes.setWord(results.1, at: place + 16) }
    if kind == EventKind.time.rawValue { ticks = results.0 }
  }

  /// Each byte in view of the one before it, and of the one at this place of the kind's last record.
  private mutating func text<Coder: EntropyCoder>(
    _ bytes: UnsafeMutableRawBufferPointer, _ range: Range<Int>, _ coder: inout Coder
  ) {
    let last = texts[Int(kind)]
    var before: UInt8 = 0
    for place in range {
      let above = last.lowerBound + (place - range.lowerBound)
      let known = UInt32(kind) << 16 | UInt32(above < last.upperBound ? bytes[above] : 0) << 8 | UInt32(before)
      before = contexts.text(bytes[place], known: known, &coder)
      bytes[place] = before
    }
    texts[Int(kind)] = range
  }
}

/// Small differences of either sign become small numbers: 0, -1, 1, -2, 2 become 0, 1, 2, 3, 4.
func folded(_ difference: Int64) -> UInt64 { UInt64(bitPattern: difference << 1 ^ difference >> 63) }
func unfolded(_ number: UInt64) -> UInt64 { number >> 1 ^ (0 &- (number & 1)) }
func folded(_ difference: UInt32) -> UInt32 {
  difference << 1 ^ UInt32(bitPattern: Int32(bitPattern: difference) >> 31)
}
func unfolded(_ number: UInt32) -> UInt32 { number >> 1 ^ (0 &- (number & 1)) }

extension UnsafeMutableRawBufferPointer {
  func word(at place: Int) -> UInt64 { UInt64(littleEndian: loadUnaligned(fromByteOffset: place, as: UInt64.self)) }
  func setWord(_ word: UInt64, at place: Int) {
    storeBytes(of: word.littleEndian, toByteOffset: place, as: UInt64.self)
  }
}
