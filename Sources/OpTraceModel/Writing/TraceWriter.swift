import OpTraceFormat

/// Writes events as a trace file. Its clock is the monotonic one, with a tick of a nanosecond; every chunk is sealed.
///
/// For traces made from texts. The recorder has its own writer, which writes to the mapped file while the program runs.
public enum TraceWriter {
  /// The bytes of a trace file. Damage is not written to the file; the caller has to report it.
  public static func bytes(_ events: TraceEvents) -> [UInt8] {
    var file = [UInt8](repeating: 0, count: Layout.Header.size)
    let start = events.header.startMonotonic
    var sequence: UInt64 = 0
    var definitions = ChunkBuffer(thread: 0, kind: .definitions, baseTicks: start)
    for (id, text) in events.strings.sorted(by: { $0.key < $1.key }) {
      definitions.define(text, as: id, ticks: start)
      if definitions.isFull { definitions.seal(behind: &file, &sequence) }
    }
    definitions.seal(behind: &file, &sequence)
    let progress = WorkProgress.reporter()
    var written = 0
    for (thread, positions) in positionsByThread(events) {
      var chunk = ChunkBuffer(thread: thread, kind: .events, baseTicks: 0)
      for position in positions {
        progress.reportSometimes(written, of: events.count)
        written += 1
        let ticks = start &+ UInt64(bitPattern: events.entries[position].time)
        chunk.add(events.words(at: position), ticks: ticks)
        if chunk.isFull { chunk.seal(behind: &file, &sequence) }
      }
      chunk.seal(behind: &file, &sequence)
    }
    writeHeader(of: events, to: &file)
    return file
  }

  private static func positionsByThread(_ events: TraceEvents) -> [(thread: UInt32, positions: [Int])] {
    var positions: [UInt32: [Int]] = [:]
    for index in events.entries.indices { positions[events.entries[index].thread, default: []].append(index) }
    return positions.sorted { $0.key < $1.key }.map { (thread: $0.key, positions: $0.value) }
  }

  private static func writeHeader(of events: TraceEvents, to file: inout [UInt8]) {
    typealias Field = Layout.Header
    let header = events.header
    file.replaceSubrange(0..<Layout.magic.count, with: Layout.magic)
    file.put(Layout.majorVersion, at: Field.majorVersion)
    file.put(Layout.minorVersion, at: Field.minorVersion)
    file.put(UInt32(Field.size), at: Field.headerSize)
    file.put(Layout.byteOrderMark, at: Field.byteOrderMark)
    let mode: Layout.Mode = header.mode == .streaming ? .streaming : .flightRecorder
    file.put(mode.rawValue, at: Field.mode)
    file.put(header.capacity, at: Field.capacity)
    file.put(header.processID, at: Field.processID)
    file.put(Layout.Clock.monotonic.rawValue, at: Field.clock)
    file.put(header.processStart, at: Field.processStart)
    for (index, byte) in header.bootID.prefix(16).enumerated() { file[Field.bootID + index] = byte }
    file.put(header.startMonotonic, at: Field.startTicks)
    file.put(header.startMonotonic, at: Field.startMonotonic)
    file.put(header.startWall, at: Field.startWall)
    file.put(UInt64(1_000_000_000), at: Field.ticksPerSecond)
    file.put(header.processName, at: Field.processName, size: Field.processNameSize)
    file.put(header.writerVersion, at: Field.writerVersion, size: Field.writerVersionSize)
    file.put(UInt32(clamping: header.processors ?? 0), at: Field.processors)
    if let kept = header.kept {
      file.put(max(1, header.startMonotonic &+ UInt64(max(0, kept.time))), at: Field.keptAt)
      file.put(kept.reason, at: Field.keptReason, size: Field.keptReasonSize)
    }
    file.put(file.checksum(of: 0..<Field.staticChecksum), at: Field.staticChecksum)

    let state: Layout.FileState = header.isClosed ? .closed : .open
    file.put(state.rawValue, at: Field.state)
    if let heartbeat = events.heartbeat, heartbeat > 0 {
      file.put(UInt64(2), at: Field.heartbeatSequence)
      file.put(header.startMonotonic &+ UInt64(heartbeat), at: Field.heartbeatTicks)
      file.put(header.startMonotonic &+ UInt64(heartbeat), at: Field.heartbeatMonotonic)
      file.put(header.startWall &+ UInt64(heartbeat), at: Field.heartbeatWall)
    }
    file.put(UInt64(file.count), at: Field.endOffset)
    for (reason, count) in events.loss.lost { file.put(count, at: Field.lossCounts + 8 * Int(reason.rawValue)) }
    file.put(events.loss.overwrittenBytes, at: Field.overwrittenBytes)
    file.put(header.handledSignals, at: Field.handledSignals)
    if let since = events.loss.completeSince {
      file.put(header.startMonotonic &+ UInt64(max(0, since)), at: Field.completeSince)
    }
    if let stalled = header.stalled { file.put(header.startMonotonic &+ UInt64(max(0, stalled)), at: Field.stalled) }
    if header.isClosed { file.put(file.checksum(of: Field.state..<Field.dynamicChecksum), at: Field.dynamicChecksum) }
  }
}

extension [UInt8] {
  /// Writes at most `size` bytes, cut at a character's boundary.
  mutating func put(_ text: String, at offset: Int, size: Int) {
    var position = offset
    for character in text {
      guard position + character.utf8.count <= offset + size else { return }
      for byte in character.utf8 {
        self[position] = byte
        position += 1
      }
    }
  }
}
