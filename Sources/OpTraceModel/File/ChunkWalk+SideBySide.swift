import OpTraceFormat

/// Visits chunks one after another. Several visitors may each have a part of a file.
protocol ChunkVisitor: Sendable {
  init()
  /// Visits a chunk; its words are dropped afterwards.
  mutating func visit(_ chunk: LoadedChunk, _ words: inout [UInt64])
  /// Appends what another visitor has seen of the chunks that follow.
  mutating func append(_ later: Self)
}

extension ChunkWalk {
  /// Visits all chunks; the sound ones at the beginning of the file on several processors.
  ///
  /// The result is the same as that of a walk from chunk to chunk. Where a chunk begins is known without reading those
  /// before it only as long as each chunk is directly followed by another; from the first chunk on for which that does
  /// not hold, it is an ordinary walk.
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
    // One source for each thread.
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
      // Drop the results of all later parts.
      guard part.loaded.count == slice.count else { break }
    }
    return visitor
  }

  /// The fewest chunks that are worth another thread.
  private static let worthAThread = 16

  private struct Outlined {
    var offset: UInt64
    var bytes: [UInt8]
    var header: ChunkHeader
  }

  /// The result for some of the chunks, as far as they are sound.
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

  /// The headers of chunks at the beginning of the file that directly follow each other and are sound.
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
    // If a closed file has no chunk after this one, leave it to the walk, which finds out why.
    if header.isClosed, offset < end { _ = outline.popLast() }
    return outline
  }
}
