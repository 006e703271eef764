import OpTraceFormat

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// Adds the names of its code to a trace. They are looked up where the program's files are; after that the trace can be
/// moved.
package enum SymbolWriter {
  /// The result of adding symbols.
  package enum Outcome: Equatable {
    case done
    /// Parts of the trace are damaged: data added after them would hide how much is missing.
    case damaged
    /// The system's error number.
    case cannotWrite(Int32)
  }

  /// The names of a frame's code: the innermost of inlined functions first.
  package typealias Names = (frame: FrameID, symbols: [SymbolRecord])

  /// Adds a chunk after all others, and then sets the end in the header, so that a reader in between sees the trace as
  /// it was. Replaces symbols that the trace has already. The program must no longer write.
  ///
  /// - Throws: ``TraceError`` if the file is no trace.
  package static func append(_ names: [Names], toFile path: String) throws(TraceError) -> Outcome {
    // Read again, even if the caller has read it: a `Trace` knows neither the numbers of strings and chunks nor where
    // its file ends.
    let source = try TraceUnpacker.open(path: path, unpacking: nil)
    guard let addition = try addition(of: names, to: source, file: path) else { return .damaged }
    return write(addition, path)
  }

  /// The bytes to append to a trace, and the new bytes of its header.
  struct Addition {
    var offset: UInt64
    var bytes: [UInt8]
    /// The bytes from ``Layout/Header/state`` on; nil: unchanged, because an open trace ends where nothing follows.
    var header: [UInt8]?
  }

  /// Nil if parts of the trace are damaged. Only definitions are decoded.
  static func addition(
    of names: [Names], to source: any ByteSource, file: String
  ) throws(TraceError) -> Addition? {
    let header = try FileHeader.read(source, file: file)
    var walk = ChunkWalk(source, header: header)
    var decoder = RecordDecoder()
    var sequence: UInt64 = 0
    walk.run { chunk, words in
      sequence = max(sequence, chunk.sequence)
      if chunk.kind == .definitions { decoder.decode(chunk, in: &words) }
    }
    guard header.damage.isEmpty, walk.damage.isEmpty, decoder.damage.isEmpty else { return nil }
    let end = header.isClosed ? header.endOffset : source.size()
    let start = (end + 63) / 64 * 64
    var bytes = [UInt8](repeating: 0, count: Int(start - end))
    var events = TraceEvents(header: header.header)
    events.strings = decoder.strings
    let known = Set(decoder.strings.keys)
    var chunk = ChunkBuffer(thread: 0, kind: .definitions, baseTicks: header.startTicks)
    // A function's full name is long, and its code has many frames, so write it once.
    var written: [[UInt64]: String] = [:]
    for name in names {
      for (level, symbol) in name.symbols.enumerated() {
        var event = event(symbol, level: level, of: name.frame, &events)
        let fields = EventFields.Symbol(event)
        let key = [UInt64(fields.short), UInt64(fields.file), UInt64(fields.module)]
        if written.updateValue(symbol.function, forKey: key) == symbol.function { event.text = "" }
        events.append(event)
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
    return Addition(
      offset: end, bytes: bytes,
      header: header.isClosed ? changingPart(of: source, end: end + UInt64(bytes.count)) : nil)
  }

  private static func changingPart(of source: any ByteSource, end: UInt64) -> [UInt8]? {
    typealias Field = Layout.Header
    var part = source.bytes(at: 0, count: Field.size)
    guard part.count == Field.size else { return nil }
    part.put(end, at: Field.endOffset)
    part.put(part.checksum(of: Field.state..<Field.dynamicChecksum), at: Field.dynamicChecksum)
    return Array(part[Field.state...])
  }

  private static func event(
    _ symbol: SymbolRecord, level: Int, of frame: FrameID, _ events: inout TraceEvents
  ) -> TraceEvent {
    func id(_ text: String?) -> UInt32 { text.flatMap { events.intern($0) } ?? 0 }
    let fields = EventFields.Symbol(
      inlined: UInt8(clamping: level), short: id(symbol.shortName),
      line: min(UInt32(clamping: symbol.line ?? 0), EventFields.Symbol.largestLine), file: id(symbol.file),
      module: id(symbol.module))
    return TraceEvent(
      kind: EventKind.symbol.rawValue, time: 0, thread: ThreadID(0), subject: frame.rawValue, word1: fields.word1,
      word2: fields.word2, text: symbol.function)
  }

  private static func write(_ addition: Addition, _ path: String) -> Outcome {
    guard let file = OwnedDescriptor(open(path.asPath, O_RDWR | O_CLOEXEC)) else { return .cannotWrite(errno) }
    guard put(addition.bytes, at: addition.offset, file.number) else {
      let error = errno
      // Remove what was written in part.
      _ = ftruncate(file.number, off_t(addition.offset))
      return .cannotWrite(error)
    }
    guard let header = addition.header else { return .done }
    return put(header, at: UInt64(Layout.Header.state), file.number) ? .done : .cannotWrite(errno)
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

/// A trace with appended bytes and a matching header. Bytes that the trace has lost meanwhile are zeros.
struct ExtendedSource: ByteSource {
  let base: any ByteSource
  let addition: SymbolWriter.Addition

  func another() -> (any ByteSource)? { base.another().map { ExtendedSource(base: $0, addition: addition) } }
  func size() -> UInt64 { addition.offset + UInt64(addition.bytes.count) }

  func read(at offset: UInt64, into target: UnsafeMutableRawBufferPointer) -> Int {
    guard offset < size() else { return 0 }
    let count = Int(min(UInt64(target.count), size() - offset))
    let all = UnsafeMutableRawBufferPointer(rebasing: target[..<count])
    let old = offset < addition.offset ? Int(min(UInt64(count), addition.offset - offset)) : 0
    if old > 0 {
      let known = base.read(at: offset, into: UnsafeMutableRawBufferPointer(rebasing: all[..<old]))
      UnsafeMutableRawBufferPointer(rebasing: all[known..<old]).initializeMemory(as: UInt8.self, repeating: 0)
    }
    put(addition.bytes, at: addition.offset, into: all, from: offset)
    if let header = addition.header { put(header, at: UInt64(Layout.Header.state), into: all, from: offset) }
    return count
  }

  /// Copies the part of the bytes at `position` that is in the target, which begins at `offset`.
  private func put(
    _ bytes: [UInt8], at position: UInt64, into target: UnsafeMutableRawBufferPointer, from offset: UInt64
  ) {
    let start = max(position, offset)
    let end = min(position + UInt64(bytes.count), offset + UInt64(target.count))
    guard start < end else { return }
    bytes.withUnsafeBytes {
      UnsafeMutableRawBufferPointer(rebasing: target[Int(start - offset)..<Int(end - offset)])
        .copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[Int(start - position)..<Int(end - position)]))
    }
  }
}
