import Foundation
import OpTraceFormat
import Testing

/// `Documentation/format.md` says the same as the code; its table of events is made (`GeneratedFileTests`).
@Suite struct FormatDocumentTests {
  private let path = GeneratedFileTests.package.appendingPathComponent("Documentation/format.md")

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
}
