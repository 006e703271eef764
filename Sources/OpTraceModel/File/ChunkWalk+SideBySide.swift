import OpTraceFormat

/// Takes note of chunks one after the other. Several may each have a part of a file.
protocol ChunkVisitor: Sendable {
  init()
  /// The words are dropped afterwards.
  mutating func visit(_ chunk: LoadedChunk, _ words: inout [UInt64])
  /// Goes on with what another has seen of the chunks behind.
  mutating func append(_ later: Self)
}

extension ChunkWalk {
  /// Visits all chunks, those that are sound at the beginning on several processors. What is found is what a walk from chunk to chunk finds:
  /// only where each is followed by another is it known where one begins before those in front are read, so from the first
  /// on of which that is not so, it is that walk.
  mutating func visitAll<Visitor: ChunkVisitor>(progress: WorkProgress.Reporter? = nil) -> Visitor {
    var visitor = visitSoundBeginning(Visitor())
    run(progress: progress) { visitor.visit($0, &$1) }
    return visitor
  }

  private mutating func visitSoundBeginning<Visitor: ChunkVisitor>(_ nothing: Visitor) -> Visitor {
    guard SideBySide.processors > 1, damage.isEmpty, source.another() != nil else { return nothing }
    let outline = outline()
    let slices = SideBySide.slices(of: outline.count, atLeast: Self.worthAThread)
    guard slices.count > 1 else { return nothing }
    // One for each thread that uses it.
    nonisolated(unsafe) let sources = slices.compactMap { _ in source.another() }
    guard sources.count == slices.count else { return nothing }
    let header = header
    let parts = SideBySide.map(slices.count) { number in
      Part<Visitor>(outline[slices[number]], ChunkLoader(sources[number], header))
    }
    var visitor = nothing
    for (part, slice) in zip(parts, slices) {
      visitor.append(part.visitor)
      take(part.loaded)
      // The results of later parts are dropped.
      guard part.loaded.count == slice.count else { break }
    }
    return visitor
  }

  /// Chunks that a thread has to have, or one alone is sooner done.
  private static let worthAThread = 16

  private struct Outlined {
    var offset: UInt64
    var bytes: [UInt8]
    var header: ChunkHeader
  }

  /// What some of the chunks are, as far as they are sound.
  private struct Part<Visitor: ChunkVisitor>: Sendable {
    var visitor = Visitor()
    var loaded: [(LoadedChunk, ChunkHeader)] = []

    init(_ outline: ArraySlice<Outlined>, _ loader: consuming ChunkLoader) {
      for outlined in outline {
        guard
          case .good(let chunk, let header) = loader.load(
            outlined.header, headerBytes: outlined.bytes, at: outlined.offset),
          header.sequence == outlined.header.sequence
        else { return }
        loaded.append((chunk, header))
        visitor.visit(chunk, &loader.words)
        loader.words.removeAll(keepingCapacity: true)
      }
    }
  }

  /// The chunks from the beginning on that follow each other without anything odd, by their headers.
  private func outline() -> [Outlined] {
    var outline: [Outlined] = []
    var sequences: Set<UInt64> = []
    var offset = header.headerSize
    let end = end
    while offset < end {
      let bytes = source.bytes(at: offset, count: Layout.Chunk.size)
      guard let chunk = ChunkHeader(bytes), chunk.state != Layout.ChunkState.recycling.rawValue,
        offset + chunk.byteCount <= end, sequences.insert(chunk.sequence).inserted
      else { break }
      outline.append(Outlined(offset: offset, bytes: bytes, header: chunk))
      offset += chunk.byteCount
    }
    // Where a closed file has no chunk behind one, the reason is found out.
    if header.isClosed, offset < end { _ = outline.popLast() }
    return outline
  }
}
