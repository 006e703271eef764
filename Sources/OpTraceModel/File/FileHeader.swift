import OpTraceFormat

/// The header of a trace file, checked.
struct FileHeader {
  var header = TraceHeader()
  var headerSize: UInt64 = 0
  var isClosed = false
  var endOffset: UInt64 = 0
  var clock = Layout.Clock.counter
  var ticksPerSecond: UInt64 = 0
  var startTicks: UInt64 = 0
  /// Ticks and monotonic nanoseconds; nil: there was none, or it was just being written.
  var heartbeat: (ticks: UInt64, monotonic: UInt64)?
  var lost: [LossReason: UInt64] = [:]
  var overwrittenBytes: UInt64 = 0
  /// The ticks after which no record is missing; nil: none is, or it is not known.
  var completeSince: UInt64?
  var damage: [LossReport.Damage] = []

  /// Reads the header. It throws only if nothing after the header can be read; a wrong checksum is damage.
  static func read(_ source: any ByteSource, file: String) throws(TraceError) -> FileHeader {
    let bytes = source.bytes(at: 0, count: Layout.Header.size)
    guard !bytes.isEmpty else { throw TraceError(file: file, .empty) }
    guard bytes.starts(with: Layout.magic) else {
      if bytes.count >= 20, bytes.number(at: Layout.Header.byteOrderMark) as UInt32 == Layout.byteOrderMark {
        throw TraceError(file: file, .unreadableHeader("the first eight bytes are damaged"))
      }
      throw TraceError(file: file, .notATrace(looksLike: FileGuess.describe(bytes)))
    }
    guard bytes.count == Layout.Header.size else {
      throw TraceError(
        file: file,
        .unreadableHeader("the file is cut after \(grouped(bytes.count)) of \(grouped(Layout.Header.size)) bytes"))
    }
    var result = FileHeader()
    try result.readStaticPart(bytes, file: file)
    result.readChangingPart(bytes)
    return result
  }

  private mutating func readStaticPart(_ bytes: [UInt8], file: String) throws(TraceError) {
    typealias Field = Layout.Header
    let isSound = bytes.checksum(of: 0..<Field.staticChecksum) == bytes.number(at: Field.staticChecksum) as UInt64
    let mark: UInt32 = bytes.number(at: Field.byteOrderMark)
    header.writerVersion = bytes.text(at: Field.writerVersion, size: Field.writerVersionSize)
    let processors: UInt32 = bytes.number(at: Field.processors)
    header.processors = processors == 0 ? nil : Int(processors)
    if isSound {
      let major: UInt16 = bytes.number(at: Field.majorVersion)
      let minor: UInt16 = bytes.number(at: Field.minorVersion)
      guard mark != Layout.byteOrderMark.byteSwapped else {
        throw TraceError(file: file, .unreadableHeader("written on a machine of the other byte order"))
      }
      guard major <= Layout.majorVersion else {
        throw TraceError(file: file, .newerVersion(format: "\(major).\(minor)", writer: header.writerVersion))
      }
    } else {
      damage.append(
        .init(
          offset: 0, skippedBytes: 0,
          reason: "the header's first part does not match its checksum: names and times may be wrong"))
    }
    // If the header's size is wrong, the walk over the chunks still finds what follows.
    headerSize = isSound ? UInt64(bytes.number(at: Field.headerSize) as UInt32) : UInt64(Field.size)
    if headerSize < UInt64(Field.size) || headerSize % 64 != 0 || headerSize > 1 << 20 {
      throw TraceError(file: file, .unreadableHeader("it claims a size of \(grouped(headerSize)) bytes"))
    }
    header.processName = bytes.text(at: Field.processName, size: Field.processNameSize)
    header.processID = bytes.number(at: Field.processID)
    header.mode =
      bytes.number(at: Field.mode) as UInt32 == Layout.Mode.flightRecorder.rawValue ? .flightRecorder : .streaming
    header.capacity = bytes.number(at: Field.capacity)
    header.processStart = bytes.number(at: Field.processStart)
    header.bootID = Array(bytes[Field.bootID..<Field.bootID + 16])
    header.startWall = bytes.number(at: Field.startWall)
    header.startMonotonic = bytes.number(at: Field.startMonotonic)
    let kept: UInt64 = bytes.number(at: Field.keptAt)
    if isSound, kept > 0 {
      let time = Nanoseconds(clamping: kept > header.startMonotonic ? kept - header.startMonotonic : 0)
      header.kept = .init(
        time: TimeBounds.clamp(time), reason: bytes.text(at: Field.keptReason, size: Field.keptReasonSize))
    }
    clock = Layout.Clock(rawValue: bytes.number(at: Field.clock)) ?? .counter
    startTicks = bytes.number(at: Field.startTicks)
    ticksPerSecond = bytes.number(at: Field.ticksPerSecond)
  }

  private mutating func readChangingPart(_ bytes: [UInt8]) {
    typealias Field = Layout.Header
    let state: UInt32 = bytes.number(at: Field.state)
    let range = Field.state..<Field.dynamicChecksum
    endOffset = bytes.number(at: Field.endOffset)
    if state == Layout.FileState.closed.rawValue {
      isClosed = true
      if bytes.checksum(of: range) != bytes.number(at: Field.dynamicChecksum) as UInt64 {
        // Then the trace ends where the file does.
        endOffset = 0
        damage.append(
          .init(
            offset: UInt64(Field.state), skippedBytes: 0,
            reason: "the header's second part does not match its checksum: counts of lost records may be wrong"))
      }
    } else if state != Layout.FileState.open.rawValue {
      damage.append(
        .init(
          offset: UInt64(Field.state), skippedBytes: 0, reason: "the file's state is \(state), which does not exist"))
    }
    header.isClosed = isClosed
    overwrittenBytes = bytes.number(at: Field.overwrittenBytes)
    let completeSinceTicks: UInt64 = bytes.number(at: Field.completeSince)
    completeSince = completeSinceTicks == 0 ? nil : completeSinceTicks
    header.handledSignals = bytes.number(at: Field.handledSignals)
    let stalled: UInt64 = bytes.number(at: Field.stalled)
    if stalled > header.startMonotonic {
      header.stalled = TimeBounds.clamp(Nanoseconds(clamping: stalled - header.startMonotonic))
    }
    for reason in LossReason.allCases {
      let count: UInt64 = bytes.number(at: Field.lossCounts + 8 * Int(reason.rawValue))
      if count > 0 { lost[reason] = count }
    }
    let sequence: UInt64 = bytes.number(at: Field.heartbeatSequence)
    let ticks: UInt64 = bytes.number(at: Field.heartbeatTicks)
    if sequence % 2 == 0, ticks > startTicks {
      heartbeat = (ticks, bytes.number(at: Field.heartbeatMonotonic))
    }
  }
}

/// What a file that is not a trace seems to be.
package enum FileGuess {
  /// File types by their first bytes.
  package static func known(_ bytes: [UInt8]) -> String? {
    let known: [([UInt8], String)] = [
      ([0x1F, 0x8B], "a gzip file: unpack it first"), ([0x28, 0xB5, 0x2F, 0xFD], "a zstd file: unpack it first"),
      (Array("PK".utf8), "a zip file"), (Array("\u{7F}ELF".utf8), "a program"), (Array("\u{89}PNG".utf8), "a picture"),
      (Array("%PDF".utf8), "a PDF file"), (Array("digraph".utf8), "a DOT graph"),
      (Array("SQLite format 3".utf8), "a database"),
    ]
    if let match = known.first(where: { bytes.starts(with: $0.0) }) { return match.1 }
    return bytes.dropFirst(257).starts(with: "ustar".utf8) ? "a tar archive: unpack it first" : nil
  }

  static func describe(_ bytes: [UInt8]) -> String {
    if let known = known(bytes) { return known }
    if bytes.starts(with: Layout.packedMagic) {
      return "a packed trace: unpack it first, or read it with OpTracePacked"
    }
    if bytes.allSatisfy({ $0 == 0 }) { return "nothing but zeros" }
    let isText = bytes.prefix(512).allSatisfy { $0 >= 0x20 || (0x09...0x0D).contains($0) }
    let first = bytes.first { $0 > 0x20 }
    guard isText, let first else { return "unknown binary data" }
    if first == UInt8(ascii: "{") || first == UInt8(ascii: "[") { return "JSON" }
    return first == UInt8(ascii: "<") ? "HTML, XML or SVG" : "text"
  }
}
