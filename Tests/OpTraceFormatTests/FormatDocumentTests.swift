import Foundation
import OpTraceFormat
import Testing

/// `Documentation/format.md` says the same as the code. After a change of the event table, run
///
///     OPTRACE_UPDATE_FORMAT=1 swift test --filter FormatDocumentTests
@Suite struct FormatDocumentTests {
  private let path = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    .appendingPathComponent("Documentation/format.md")
  private let begin = "<!-- table of events: begin -->\n"
  private let end = "<!-- table of events: end -->"

  @Test func eventTableInTheDocumentMatchesTheCode() throws {
    let text = try String(contentsOf: path, encoding: .utf8)
    let from = try #require(text.range(of: begin)).upperBound
    let to = try #require(text.range(of: end)).lowerBound
    let table = makeTable()
    if ProcessInfo.processInfo.environment["OPTRACE_UPDATE_FORMAT"] != nil {
      try text.replacingCharacters(in: from..<to, with: table)
        .replacing(/(?m)^\| \d+ \| u16 \| minor version: \d+/, maxReplacements: 1) { _ in
          "| \(Layout.Header.minorVersion) | u16 | minor version: \(Layout.minorVersion)"
        }
        .write(to: path, atomically: true, encoding: .utf8)
      return
    }
    #expect(
      String(text[from..<to]) == table,
      "the event table has changed: run OPTRACE_UPDATE_FORMAT=1 swift test --filter FormatDocumentTests")
  }

  @Test func headerOffsetsInTheDocumentMatchTheCode() throws {
    let text = try String(contentsOf: path, encoding: .utf8)
    typealias Header = Layout.Header
    let offsets: [(Int, String)] = [
      (Header.majorVersion, "major version: \(Layout.majorVersion)."),
      (Header.minorVersion, "minor version: \(Layout.minorVersion)."),
      (Header.headerSize, "header size: \(Header.size)"), (Header.byteOrderMark, "byte order mark"),
      (Header.mode, "mode"),
      (Header.capacity, "capacity"), (Header.processID, "process id"), (Header.clock, "clock"),
      (Header.processStart, "when the process began"), (Header.bootID, "boot id"),
      (Header.startTicks, "ticks at the start"),
      (Header.startMonotonic, "monotonic clock"), (Header.startWall, "wall clock"),
      (Header.ticksPerSecond, "ticks per second"),
      (Header.processName, "the process's name"), (Header.writerVersion, "the version of OpTrace"),
      (Header.processors, "on how many processors"),
      (Header.keptAt, "the monotonic clock when this copy"), (Header.keptReason, "why it was kept"),
      (Header.staticChecksum, "checksum"), (Header.state, "state"), (Header.heartbeatSequence, "heartbeat sequence"),
      (Header.heartbeatTicks, "heartbeat: ticks"), (Header.heartbeatMonotonic, "heartbeat: monotonic"),
      (Header.heartbeatWall, "heartbeat: wall"), (Header.endOffset, "end offset"), (Header.lossCounts, "records lost"),
      (Header.overwrittenBytes, "flight recorder: bytes"), (Header.stalled, "the monotonic clock when"),
      (Header.handledSignals, "signals for which"),
      (Header.dynamicChecksum, "checksum"),
      (Layout.Chunk.byteCount, "bytes, this header included"), (Layout.Chunk.sequence, "sequence"),
      (Layout.Chunk.baseTicks, "base ticks"), (Layout.Chunk.thread, "thread"), (Layout.Chunk.kind, "kind"),
      (Layout.Chunk.fill, "fill"), (Layout.Chunk.state, "state"), (Layout.Chunk.checksum, "checksum"),
    ]
    let rows = text.split(separator: "\n").map {
      $0.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
    }
    for (offset, what) in offsets {
      #expect(rows.contains { $0.count == 3 && $0[0] == "\(offset)" && $0[2].hasPrefix(what) }, "\(offset): \(what)")
    }
    #expect(text.contains("0x" + String(Layout.Chunk.magic, radix: 16, uppercase: true)))
  }

  private func makeTable() -> String {
    var lines = [
      "| kind | word | words | about | fields | text at | since | meaning |", "|---|---|---|---|---|---|---|---|",
    ]
    for spec in EventSpec.table {
      let kind = "0x" + (spec.kind.rawValue < 16 ? "0" : "") + String(spec.kind.rawValue, radix: 16, uppercase: true)
      let words = RecordSize.fixedWords(kind: spec.kind.rawValue).map(String.init) ?? "…"
      let fields = spec.fields.map { field in
        "`\(field.name)` (\(field.word):\(field.shift)+\(field.width)) \(field.meaning.word)"
          + (field.values.words.map { ", " + $0 } ?? "")
      }
      let cells = [
        kind, "`\(spec.name)`", words, spec.subject == .none ? "" : spec.subject.rawValue,
        fields.joined(separator: "; "),
        spec.text.map { String($0.word) } ?? "", "1.\(spec.since)", spec.meaning,
      ]
      lines.append("| " + cells.joined(separator: " | ") + " |")
    }
    return lines.joined(separator: "\n") + "\n"
  }
}
