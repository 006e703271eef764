/// The bytes of a trace that are worth copying: one consistent moment, with the names of its code.
package enum SettledTrace {
  /// How names are looked up.
  package struct Naming {
    /// Looks up names of code that has none yet.
    package var names: (StackTable) -> [SymbolWriter.Names]
    /// Whether a program may still write to the trace.
    package var isLive: (TraceHeader) -> Bool

    package init(isLive: @escaping (TraceHeader) -> Bool, names: @escaping (StackTable) -> [SymbolWriter.Names]) {
      (self.isLive, self.names) = (isLive, names)
    }
  }

  /// The bytes to copy. If the program still writes, they show one moment for all threads; otherwise the trace is left
  /// as it is. Names are added if the trace has none, some are found, nothing is damaged, and it is no text.
  package static func source(
    of source: any ByteSource, file: String, naming: Naming?
  ) throws(TraceError) -> any ByteSource {
    if TraceText.isText(source.bytes(at: 0, count: 64)) { return source }
    let isMoment = try isMoving(source, file: file)
    let settled = isMoment ? try moment(of: source, file: file) : source
    guard let naming else { return settled }
    let header = try FileHeader.read(settled, file: file)
    guard let stacks = StackTable.read(settled, header), !stacks.hasNames else { return settled }
    let names = naming.names(stacks)
    guard !names.isEmpty else { return settled }
    // What is added after a file must not collide with what its program writes there.
    let mayGrow = !isMoment && naming.isLive(header.header)
    let base = mayGrow ? try moment(of: source, file: file) : settled
    guard let addition = try SymbolWriter.addition(of: names, to: base, file: file) else { return base }
    return ExtendedSource(base: base, addition: addition)
  }

  private static func moment(of source: any ByteSource, file: String) throws(TraceError) -> any ByteSource {
    MemorySource(content: TraceWriter.bytes(try TraceReader.events(source, file: file)))
  }

  /// Whether a program writes to it just now: then the records of its threads do not end at the same moment.
  private static func isMoving(_ source: any ByteSource, file: String) throws(TraceError) -> Bool {
    let header = try FileHeader.read(source, file: file)
    guard !header.isClosed else { return false }
    var walk = ChunkWalk(source, header: header)
    walk.run { _, _ in }
    return walk.hasMoved()
  }
}
