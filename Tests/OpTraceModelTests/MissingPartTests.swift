import Foundation
import OpTraceFormat
import TestSupport
import Testing

@testable import OpTraceModel

/// A trace with a missing part is not taken for a complete one.
@Suite struct MissingPartTests {
  /// Enough events for more than one chunk.
  private func events() -> TraceEvents {
    var generator = SeededGenerator(7)
    return RandomTraces.program(&generator, operations: 2000)
  }

  private func damage(_ text: String) throws -> [String] { try TraceText.parse(text).loss.damage.map(\.reason) }

  @Test func textHasTheCountOfItsEvents() throws {
    let events = events()
    let text = TraceText.string(events)
    let count = "events \(events.count)"
    #expect(text.contains("\n\(count)\n"))
    #expect(try damage(text) == [])

    var lines = text.components(separatedBy: "\n")
    lines.remove(at: lines.count / 2)
    let shorter = try TraceText.parse(lines.joined(separator: "\n"))
    let reason = "1 event is missing: there are \(events.count - 1) of \(events.count)"
    let offset = try #require(text.range(of: count)).lowerBound.utf16Offset(in: text)
    #expect(shorter.loss.damage == [.init(offset: UInt64(offset), skippedBytes: 0, reason: reason)])
    #expect(!shorter.loss.isComplete)

    lines.remove(at: lines.count / 3)
    lines.remove(at: lines.count / 4)
    #expect(
      try damage(lines.joined(separator: "\n")) == [
        "3 events are missing: there are \(events.count - 3) of \(events.count)"
      ])
    #expect(
      try damage(text.replacing(count, with: "events 0")) == [
        "\(events.count) events are too many: there are \(events.count) of 0"
      ])
  }

  @Test func textWithoutACountIsAccepted() throws {
    let text = TraceText.string(events()).split(separator: "\n").filter { !$0.hasPrefix("events ") }
    #expect(try damage(text.joined(separator: "\n")) == [])
  }

  @Test func damageStaysTheSameWhenPrintedAgain() throws {
    let text = TraceText.string(events())
    let cut = text.split(separator: "\n", omittingEmptySubsequences: false).dropLast(5).joined(separator: "\n")
    let first = try TraceText.parse(cut)
    #expect(first.loss.damage.count == 1)
    let again = try TraceText.parse(TraceText.string(first))
    #expect(again.loss == first.loss)
  }

  /// Offsets and sizes of the chunks of a file.
  private func chunks(_ bytes: [UInt8]) -> [Range<Int>] {
    var result: [Range<Int>] = []
    var offset = Layout.Header.size
    while offset < bytes.count {
      let size: UInt32 = bytes.number(at: offset + Layout.Chunk.byteCount)
      guard size > 0 else { break }
      result.append(offset..<offset + Int(size))
      offset += Int(size)
    }
    return result
  }

  /// The file of a process that was killed: only its contents show where it ends.
  private func open() -> [UInt8] {
    var events = events()
    events.header.isClosed = false
    return TraceWriter.bytes(events)
  }

  @Test(arguments: [true, false]) func lostChunkIsDamage(isClosed: Bool) throws {
    let whole = isClosed ? TraceWriter.bytes(events()) : open()
    let ranges = chunks(whole)
    try #require(ranges.count >= 3)
    #expect(try TraceReader.read(bytes: whole).loss.isComplete)
    for range in ranges.dropLast() {
      // Removed, with as many zeros at the end, as in reserved space; and overwritten by zeros, as after a crash of the
      // system.
      var removed = whole
      removed.removeSubrange(range)
      removed += [UInt8](repeating: 0, count: range.count)
      var erased = whole
      erased.replaceSubrange(range, with: [UInt8](repeating: 0, count: range.count))
      for bytes in [removed, erased] {
        let loss = try TraceReader.read(bytes: bytes).loss
        #expect(!loss.isComplete && loss.isDamaged, "chunk at \(range)")
      }
      if !isClosed {
        let loss = try TraceReader.read(bytes: removed).loss
        #expect(
          loss.damage == [
            .init(offset: UInt64(range.lowerBound), skippedBytes: 0, reason: "a chunk is missing before this one")
          ])
      }
    }
  }

  /// The rest of a chunk may be shorter than its header: the next chunk begins inside of it, and is found.
  @Test func chunkCutNearItsStartLosesOnlyItself() throws {
    let whole = TraceWriter.bytes(events())
    let ranges = chunks(whole)
    try #require(ranges.count >= 3)
    let rest = try TraceReader.events(bytes: whole).count - countOfEvents(in: whole, ranges[1])
    for left in 1...Layout.Chunk.size {
      var bytes = whole
      bytes.removeSubrange(ranges[1].lowerBound + left..<ranges[1].upperBound)
      let events = try TraceReader.events(bytes: bytes)
      #expect(events.loss.isDamaged && events.count == rest, "\(left) bytes are left")
    }
  }

  /// The same if the next chunk is shorter than the size that the cut chunk claims.
  @Test func chunkBeforeAShorterOneLosesOnlyItself() throws {
    let whole = TraceWriter.bytes(events())
    let ranges = chunks(whole)
    let last = try #require(ranges.last), before = try #require(ranges.dropLast().last)
    let rest = try TraceReader.events(bytes: whole).count - countOfEvents(in: whole, before)
    for left in 1...Layout.Chunk.size {
      var bytes = whole
      bytes.removeSubrange(before.lowerBound + left..<last.lowerBound)
      let events = try TraceReader.events(bytes: bytes)
      #expect(events.loss.isDamaged && events.count >= rest, "\(left) bytes are left")
    }
  }

  /// How many events are missing without the chunk.
  private func countOfEvents(in whole: [UInt8], _ range: Range<Int>) throws -> Int {
    var bytes = whole
    bytes.removeSubrange(range)
    return try TraceReader.events(bytes: whole).count - TraceReader.events(bytes: bytes).count
  }

  @Test(arguments: [true, false]) func cutFileIsDamaged(isClosed: Bool) throws {
    let whole = isClosed ? TraceWriter.bytes(events()) : open()
    for range in chunks(whole) {
      for end in [range.lowerBound, range.lowerBound + 40, range.lowerBound + 64, range.upperBound - 8] {
        let loss = try TraceReader.read(bytes: Array(whole[..<end])).loss
        #expect(loss.isDamaged, "cut at \(end)")
      }
    }
  }
}
