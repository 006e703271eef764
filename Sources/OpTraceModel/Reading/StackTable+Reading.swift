import OpTraceFormat

extension StackTable {
  /// Images, frames and names alone, of a trace of any size: no more than these and a chunk is kept in memory. Nil where parts
  /// of the trace are damaged. O(file).
  static func read(_ source: any ByteSource, _ header: FileHeader) -> StackTable? {
    var walk = ChunkWalk(source, header: header)
    var decoder = RecordDecoder()
    // Texts first: in a trace that was made of a text they need not come before what names them.
    var kept: [TraceEvent] = []
    walk.run(progress: WorkProgress.reporter(to: 0.5)) { chunk, words in
      decoder.decode(chunk, in: &words)
      var part = TraceEvents(header: header.header)
      part.entries = decoder.takeEntries().filter {
        KindTables.parts[Int(RecordHead(words[Int($0.place)]).kind)] == .definition
      }
      guard !part.entries.isEmpty else { return }
      part.words = words
      kept += part
    }
    guard header.damage.isEmpty, walk.damage.isEmpty, decoder.damage.isEmpty else { return nil }
    var definitions = Definitions()
    for event in kept { definitions.add(event, decoder.strings) }
    var none: [OperationRecord] = []
    definitions.finish(&none)
    return definitions.stacks
  }
}
