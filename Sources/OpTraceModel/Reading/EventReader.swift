/// Reads the events of a trace one by one, in the order of time, without the whole trace in memory.
///
/// ```swift
/// var reader = try EventReader(path: "run.optrace")
/// while let event = try reader.next() {
///   if event.kind == EventKind.finished.rawValue { finished += 1 }
/// }
/// ```
///
/// The events and their order, (time, thread, position in the file), are those of
/// ``TraceReader/events(path:unpacking:)``. You may stop at any event.
///
/// A sound file is read twice: once when it is opened, so that checksums, clocks and strings are known before the first
/// event, and again piece by piece. That takes 10 to 15 MiB of memory, and 100 bytes for each chunk, however long the
/// trace is. A text, a damaged file, a file that is just being written, and a ring that has carried records on are read
/// as a whole when they are opened (``isInMemory``), with about 40 bytes per event. Damaged parts are left out and
/// reported in ``loss``.
///
/// A copy continues from the position of the original. Do not use one reader on two threads at a time.
public struct EventReader {
  /// Who wrote the trace, when and how.
  public let header: TraceHeader
  /// What is missing from the trace. ``LossReport/gaps`` is empty here: the events themselves tell where losses
  /// happened.
  public let loss: LossReport
  /// The recorder's last sign of life, in nanoseconds since the trace's start; nil: there was none.
  public let heartbeat: Nanoseconds?
  /// How many events there are from the first to the last.
  public let count: Int
  /// Whether all events are in memory, because this file cannot be read piece by piece.
  public let isInMemory: Bool

  private let strings: [UInt32: String]
  private var pieces: PieceReader?
  private var events: TraceEvents
  private var index = 0

  /// Opens a trace: a file or a text. Makes the first pass over it: O(size).
  ///
  /// - Parameter unpacker: reads packed traces, which are refused without it.
  /// - Throws: ``TraceError`` if nothing of it can be read.
  public init(path: String, unpacking unpacker: TraceUnpacker? = nil) throws(TraceError) {
    try self.init(try TraceUnpacker.open(path: path, unpacking: unpacker), file: path)
  }

  /// Opens a trace in memory. `file` is its name in errors.
  ///
  /// - Parameter unpacker: reads packed traces, which are refused without it.
  /// - Throws: ``TraceError`` if nothing of it can be read.
  public init(bytes: [UInt8], file: String = "trace", unpacking unpacker: TraceUnpacker? = nil) throws(TraceError) {
    try self.init(try TraceUnpacker.source(of: MemorySource(content: bytes), file: file, unpacker), file: file)
  }

  init(_ source: any ByteSource, file: String, piece: Int = PieceReader.usualPiece) throws(TraceError) {
    let isText = TraceText.isText(source.bytes(at: 0, count: 64))
    pieces = isText ? nil : try PieceReader(source, file: file, piece: piece)
    if let pieces { events = pieces.whole } else { events = try TraceReader.events(source, file: file) }
    count = pieces?.count ?? events.count
    isInMemory = pieces == nil
    header = events.header
    loss = events.loss
    heartbeat = events.heartbeat
    strings = events.strings
  }

  /// The next event; nil after the last one. O(1), except that now and then a piece is read.
  ///
  /// - Throws: ``TraceError/Code/changed`` if the file is no longer what it was when it was opened: it was cut, or it
  ///   is a ring whose writer has begun to write again. The events handed out before that were in the file.
  public mutating func next() throws(TraceError) -> TraceEvent? {
    while index == events.count {
      guard pieces != nil else { return nil }
      events = TraceEvents(header: header)
      index = 0
      guard let piece = try pieces?.nextPiece() else { return nil }
      events = piece
    }
    defer { index += 1 }
    return events[index]
  }

  /// The text with this id, as an event's fields name it; nil when the trace does not define it (0 is "none").
  public func string(_ id: UInt32) -> String? { strings[id] }
}
