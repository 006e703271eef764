extension TraceValidator {
  /// The result of checking a file.
  public struct Result: Sendable {
    /// Who wrote the trace, when and how.
    public let header: TraceHeader
    /// What is missing from the trace, and where it is damaged.
    public let loss: LossReport
    /// How many events there are.
    public let eventCount: Int
    /// Every violation, in the order of events.
    public let violations: [Violation]
    /// How many operations, blocks and tasks have lost their end to the ring: it is not known whether they are open.
    public internal(set) var lostEnds = 0
    /// When a ring ends; nil: it is no ring, or nothing of it was replaced.
    public internal(set) var end: Nanoseconds?
  }

  /// Checks a trace file or a text. A sound file is read piece by piece, like ``EventReader`` does, and one piece is
  /// read while the one before it is checked: memory is about 200 bytes per operation. All other files are read as a
  /// whole.
  ///
  /// - Parameter unpacker: reads packed traces, which are refused without it.
  /// - Throws: ``TraceError`` if nothing of it can be read.
  public static func check(path: String, unpacking unpacker: TraceUnpacker? = nil) throws(TraceError) -> Result {
    let source = try TraceUnpacker.open(path: path, unpacking: unpacker)
    var result = try check(source, file: path)
    // A ring is small, so it may be read as a whole.
    if result.loss.overwrittenBytes > 0 {
      let trace = try TraceReader.readUnpacked(source, file: path)
      result.lostEnds = trace.lostEnds
      result.end = trace.end
    }
    return result
  }

  static func check(
    _ source: any ByteSource, file: String, piece: Int = PieceReader.usualPiece
  ) throws(TraceError) -> Result {
    if !TraceText.isText(source.bytes(at: 0, count: 64)), let result = try pieces(source, file, piece) { return result }
    let events = try TraceReader.events(source, file: file)
    return Result(header: events.header, loss: events.loss, eventCount: events.count, violations: check(events))
  }

  /// Nil: the file cannot be read in this way, or not any more.
  private static func pieces(_ source: any ByteSource, _ file: String, _ piece: Int) throws(TraceError) -> Result? {
    var facts = ValidationFacts()
    guard let reader = try PieceReader(source, file: file, piece: piece, facts: &facts) else { return nil }
    var clock = reader.clock
    facts.resolve { clock.time($0) }
    facts.add(threads: reader.unnamed.map(\.subject))
    let whole = reader.whole
    var validator = TraceValidator(whole, eventCount: reader.count, facts)
    guard reader.handAll(to: &validator) else { return nil }
    return Result(
      header: whole.header, loss: whole.loss, eventCount: reader.count, violations: validator.finish())
  }
}

extension TraceValidator: PieceTaker {
  // The reader reports the progress.
  mutating func add(_ piece: TraceEvents) { add(piece, .silent, of: 0) }
}
