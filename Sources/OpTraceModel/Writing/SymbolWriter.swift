#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

import OpTraceFormat

/// Adds to a trace what its code is called. Where the program's files are, names can be looked up; then the trace travels.
package enum SymbolWriter {
  /// What became of it.
  package enum Outcome: Equatable {
    case done
    /// Parts of the trace are damaged: what is added behind them would hide how much is missing.
    case damaged
    /// The system's error number.
    case cannotWrite(Int32)
  }

  /// What a frame's code is called: the innermost of inlined functions first.
  package typealias Names = (frame: FrameID, symbols: [SymbolRecord])

  /// Adds a chunk behind all others, and then tells the header of it: a reader in between sees the trace as it was. Symbols that
  /// are there already are replaced. The program must write no more.
  ///
  /// - Throws: ``TraceError`` where the file is no trace.
  package static func append(_ names: [Names], toFile path: String) throws(TraceError) -> Outcome {
    // Anew, though who asks has read it: a `Trace` knows neither the numbers of strings and chunks nor where its file ends. Of
    // the records only definitions are decoded.
    let source = try FileSource.openTrace(path: path)
    var header = try FileHeader.read(source, file: path)
    var walk = ChunkWalk(source, header: header)
    var decoder = RecordDecoder()
    var sequence: UInt64 = 0
    walk.run { chunk, words in
      sequence = max(sequence, chunk.sequence)
      if chunk.kind == .definitions { decoder.decode(chunk, in: &words) }
    }
    guard header.damage.isEmpty, walk.damage.isEmpty, decoder.damage.isEmpty else { return .damaged }
    let end = header.isClosed ? header.endOffset : source.size()
    let start = (end + 63) / 64 * 64
    var bytes = [UInt8](repeating: 0, count: Int(start - end))
    var events = TraceEvents(header: header.header)
    events.strings = decoder.strings
    let known = Set(decoder.strings.keys)
    var chunk = ChunkBuffer(thread: 0, kind: .definitions, baseTicks: header.startTicks)
    for name in names {
      for (level, symbol) in name.symbols.enumerated() {
        events.append(event(symbol, level: level, of: name.frame, &events))
      }
    }
    for (id, text) in events.strings.sorted(by: { $0.key < $1.key }) where !known.contains(id) {
      chunk.define(text, as: id, ticks: header.startTicks)
      if chunk.isFull { chunk.seal(behind: &bytes, &sequence) }
    }
    for position in events.indices {
      chunk.add(events.words(at: position), ticks: header.startTicks)
      if chunk.isFull { chunk.seal(behind: &bytes, &sequence) }
    }
    chunk.seal(behind: &bytes, &sequence)
    header.endOffset = end + UInt64(bytes.count)
    return write(bytes, at: end, header, path)
  }

  private static func event(
    _ symbol: SymbolRecord, level: Int, of frame: FrameID, _ events: inout TraceEvents
  ) -> TraceEvent {
    func id(_ text: String?) -> UInt64 { text.flatMap { events.intern($0) }.map(UInt64.init) ?? 0 }
    let first = UInt64(UInt8(clamping: level)) << 32 | id(symbol.shortName) << 40
    let line = UInt64(min(max(0, symbol.line ?? 0), 1 << 24 - 1))
    return TraceEvent(
      kind: EventKind.symbol.rawValue, time: 0, thread: ThreadID(0), subject: frame.rawValue, word1: first,
      word2: line | id(symbol.file) << 24 | id(symbol.module) << 40, text: symbol.function)
  }

  private static func write(_ bytes: [UInt8], at end: UInt64, _ header: FileHeader, _ path: String) -> Outcome {
    guard let file = OwnedDescriptor(open(path.asPath, O_RDWR | O_CLOEXEC)) else { return .cannotWrite(errno) }
    guard put(bytes, at: end, file.number) else {
      let error = errno
      // No part of it stays.
      _ = ftruncate(file.number, off_t(end))
      return .cannotWrite(error)
    }
    // One that is open ends where nothing follows.
    guard header.isClosed else { return .done }
    typealias Place = Layout.Header
    var part = [UInt8](repeating: 0, count: Place.size)
    guard pread(file.number, &part, part.count, 0) == part.count else { return .cannotWrite(errno) }
    part.put(header.endOffset, at: Place.endOffset)
    part.put(part.checksum(of: Place.state..<Place.dynamicChecksum), at: Place.dynamicChecksum)
    return put(Array(part[Place.state...]), at: UInt64(Place.state), file.number) ? .done : .cannotWrite(errno)
  }

  private static func put(_ bytes: [UInt8], at offset: UInt64, _ file: Int32) -> Bool {
    var done = 0
    while done < bytes.count {
      let count = bytes[done...].withUnsafeBytes { pwrite(file, $0.baseAddress, $0.count, off_t(offset) + off_t(done)) }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { return false }
      done += count
    }
    return true
  }
}
