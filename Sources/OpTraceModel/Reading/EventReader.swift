/// Reads the events of a trace one after the other, in the order of time, without the whole trace in memory.
///
/// ```swift
/// var reader = try EventReader(path: "run.optrace")
/// while let event = try reader.next() {
///   if event.kind == EventKind.finished.rawValue { finished += 1 }
/// }
/// ```
///
/// The events and their order, (time, thread, position in the file), are those of ``TraceReader/events(path:unpacking:)``. Who has seen
/// enough asks no more.
///
/// A sound file is read twice: once when it is opened, so that checksums, clocks and strings are known before the first
/// event, and again piece by piece. That takes 10 to 15 MiB, and 100 bytes for each of its chunks, however long the trace
/// is. A text, a damaged file, one whose program writes at this moment, and a ring that has carried records on are read as a
/// whole when they are opened (``isInMemory``), with about 40 bytes an event; what is damaged is left out and reported in ``loss``.
///
/// A copy goes on from where the original is. Not for two threads at a time.
public struct EventReader {
  /// Who wrote the trace, when and how.
  public let header: TraceHeader
  /// What is missing from the trace. Where the loss happened (``LossReport/gaps``) is not in here: the events themselves say it.
  public let loss: LossReport
  /// The recorder's last sign of life, in nanoseconds since the trace's start; nil where there was none.
  public let heartbeat: Nanoseconds?
  /// How many events there are from the first to the last.
  public let count: Int
  /// All events are in memory, as this file cannot be read piece by piece.
  public let isInMemory: Bool

  private let strings: [UInt32: String]
  private var pieces: PieceReader?
  private var events: TraceEvents
  private var index = 0

  /// Opens a trace: a file or a text. Takes the first pass over it: O(size).
  /// - Parameter unpacker: reads packed traces, which are refused without it.
  /// - Throws: ``TraceError`` where nothing of it can be read.
  public init(path: String, unpacking unpacker: TraceUnpacker? = nil) throws(TraceError) {
    try self.init(try TraceUnpacker.open(path: path, unpacking: unpacker), file: path)
  }

  /// Opens a trace in memory. `file` is its name in errors.
  /// - Parameter unpacker: reads packed traces, which are refused without it.
  /// - Throws: ``TraceError`` where nothing of it can be read.
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

  /// The next event; nil behind the last one. O(1) but for the reading of a piece, now and then.
  /// - Throws: ``TraceError/Code/changed`` where the file is no longer what it was when it was opened: cut, or a ring whose
  ///   writer has begun to write again. What was handed out until then was in the file.
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
