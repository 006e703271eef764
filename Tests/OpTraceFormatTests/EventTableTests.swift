import COpTrace
import OpTraceFormat
import Testing

@Suite struct EventTableTests {
  @Test func everyKindHasExactlyOneLine() {
    #expect(EventSpec.table.map(\.kind.rawValue).sorted() == EventKind.allCases.map(\.rawValue).sorted())
    #expect(Set(EventSpec.table.map(\.name)).count == EventSpec.table.count)
  }

  /// The format's minor version is that of the newest kind or field, of events or of the header, so no number may be
  /// skipped.
  @Test func noMinorVersionIsSkipped() {
    #expect(Set(EventSpec.versions + [Int(Layout.Header.newestVersion)]) == Set(0...Int(Layout.minorVersion)))
  }

  @Test(arguments: EventSpec.table.map(\.kind)) func fieldsFitTheRecordAndDoNotOverlap(_ kind: EventKind) {
    let spec = kind.spec
    var used: [Int: UInt64] = [:]
    let fixed = RecordSize.fixedWords(kind: spec.kind.rawValue)
    // The low half of the second word of a variable record holds its lengths.
    if fixed == nil { used[1] = 0xFFFF_FFFF }
    for field in spec.fields {
      #expect(field.word >= 1 && field.word < (spec.text?.word ?? fixed ?? 0), "\(spec.name).\(field.name)")
      #expect(field.shift + field.width <= 64)
      let mask = field.bits(-1)
      #expect(used[field.word, default: 0] & mask == 0, "\(spec.name).\(field.name) overlaps")
      used[field.word, default: 0] |= mask
    }
    #expect((spec.text == nil) == (fixed != nil), "texts stand in variable records, and in all of them")
  }

  @Test(arguments: EventSpec.table.map(\.kind)) func fieldsGiveBackWhatWasPutIn(_ kind: EventKind) {
    let spec = kind.spec
    for field in spec.fields {
      let largest: Int64 = field.width == 64 ? .max : Int64(1) << (field.width - (field.isSigned ? 1 : 0)) - 1
      let values = field.isSigned ? [-1, 0, 1, largest, -largest - 1] : [0, 1, largest]
      for value in values {
        let bits = field.bits(value)
        #expect(field.value(field.word == 1 ? bits : 0, field.word == 2 ? bits : 0) == value)
      }
    }
  }

  @Test(arguments: [EventKind.blocked, .signalled, .unblocked]) func fieldsOfWaitsMatchTheTable(_ kind: EventKind) {
    let words: [UInt64] = [0, 0x8182_8384_8586_8788, kind == .unblocked ? 0 : 0x9192_9394_9596_9798]
    let fields = BlockingFields(words[1], words[2])
    let expected: [String: UInt64] = [
      "object": fields.address, "kind": UInt64(fields.kind), "age": fields.age, "thread": UInt64(fields.thread),
    ]
    #expect(fields.object == fields.address | UInt64(fields.kind) << 48)
    #expect(kind.spec.fields.count == (kind == .unblocked ? 2 : 4))
    for field in kind.spec.fields { #expect(expected[field.name] == field.raw(words[1], words[2]), "\(field.name)") }
  }

  @Test("every beginning has an end, and only beginnings are carried until their end") func bounds() {
    for what in EventSpec.Lasting.allCases {
      #expect(EventSpec.table.contains { $0.bound == .begins(what) }, "nothing begins \(what)")
      #expect(EventSpec.table.contains { $0.bound == .ends(what) }, "nothing ends \(what)")
    }
    for spec in EventSpec.table {
      let begins = EventSpec.Lasting.allCases.contains { spec.bound == .begins($0) }
      #expect(spec.carry != .untilEnded || begins, "`\(spec.name)` is carried until what has ended?")
    }
  }

  @Test(
    "each kind is carried and lives as fits its subject",
    arguments: EventSpec.table.map(\.kind))
  func traits(_ kind: EventKind) {
    let spec = kind.spec
    if spec.carry == .whileUnfinished { #expect([.operation, .block, .task].contains(spec.subject)) }
    if spec.carry == .sinceSuspended { #expect(spec.subject == .task) }
    if spec.carry == .whileQueueExists { #expect(spec.subject == .queue) }
    if spec.life == .subject { #expect([.operation, .block, .task, .queue, .span].contains(spec.subject)) }
    if spec.part == .remark { #expect(spec.subject == .operation) }
    if spec.part == .bookkeeping, spec.parts.isEmpty { #expect(spec.life == .nobody && spec.carry == .never) }
  }

  @Test(
    "a packed record is carried, begins, ends and lives like its parts", arguments: EventSpec.table.map(\.kind))
  func packing(_ kind: EventKind) {
    let spec = kind.spec
    guard !spec.parts.isEmpty else { return }
    let parts = spec.parts.map(\.kind.spec)
    #expect(spec.part == .bookkeeping && spec.subject == .operation && spec.since >= 6)
    #expect(parts.allSatisfy { $0.parts.isEmpty && $0.subject == spec.subject && $0.carry == spec.carry })
    #expect(parts.map(\.bound).filter { $0 != .none } == (spec.bound == .none ? [] : [spec.bound]))
    #expect(parts.contains { $0.life == .subject } == (spec.life == .subject))
    // No packed record has a text, and each part finds its words.
    for part in spec.parts {
      let size = RecordSize.fixedWords(kind: part.kind.rawValue)
      #expect(size == 1 || size == 2, "\(part.kind) has no size of its own")
      let needed = size == 1 || part.word == .subjectBefore ? 1 : part.word == .sameWord ? 2 : 3
      #expect(RecordSize.fixedWords(kind: kind.rawValue) ?? 0 >= needed)
    }
    // The words mean the same in both.
    for part in spec.parts where part.word != .subjectBefore {
      for field in part.kind.spec.fields {
        let word = part.word == .secondWord ? 2 : 1
        let same = spec.fields.first { $0.name == field.name }
        // A barrier is never packed.
        guard field.name != "barrier" else { continue }
        #expect(same?.word == word && same?.shift == field.shift && same?.width == field.width, "\(field.name)")
      }
    }
  }

  @Test func sizeClassComesFromTheHighBits() {
    #expect(RecordSize.fixedWords(kind: 0x3F) == 1)
    #expect(RecordSize.fixedWords(kind: 0x40) == 2)
    #expect(RecordSize.fixedWords(kind: 0x80) == 3)
    #expect(RecordSize.fixedWords(kind: 0xC0) == nil)
  }

  @Test func headerHasACountForEveryLossReason() {
    for reason in LossReason.allCases {
      let offset = Layout.Header.lossCounts + 8 * Int(reason.rawValue)
      #expect(offset + 8 <= Layout.Header.overwrittenBytes)
      #expect(!reason.explanation.isEmpty)
    }
  }
}

@Suite struct ChecksumTests {
  private func checksum(_ bytes: [UInt8]) -> UInt64 {
    var checksum = Checksum()
    bytes.withUnsafeBytes { checksum.add($0) }
    return checksum.value
  }

  @Test func recorderAndReaderComputeTheSameChecksum() {
    for count in [0, 1, 7, 8, 9, 64, 1001] {
      let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ 7) }
      let found = bytes.withUnsafeBytes { optrace_checksum(Checksum().value, $0.baseAddress, $0.count) }
      #expect(found == checksum(bytes), "\(count) bytes")
    }
  }

  @Test func everyFlippedBitIsFound() {
    let bytes = (0..<128).map { UInt8(truncatingIfNeeded: $0 &* 13) }
    let sound = checksum(bytes)
    for index in bytes.indices {
      for bit in 0..<8 {
        var changed = bytes
        changed[index] ^= 1 << bit
        #expect(checksum(changed) != sound)
      }
    }
  }
}
