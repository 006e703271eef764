package import OpTraceFormat

/// The records of a trace in the order of (time, thread, position in the file), not yet interpreted. The builder, the
/// checks and the text form start from them.
///
/// The records stay packed as in the file (8 to 24 bytes for nearly all), with 16 bytes for each in the index of their
/// order; ``TraceEvent`` values are made on demand. Bookkeeping of the file format (interned strings, clock values,
/// thread switches, calibrations) is resolved, and no longer among the events.
public struct TraceEvents: Sendable {
  /// Who wrote the trace, when and how.
  public var header: TraceHeader
  /// Counts of lost records from the header, unknown kinds and damage. Gaps are found by ``TraceBuilder``.
  public var loss = LossReport()
  /// The last sign of life of the recorder, if any.
  public var heartbeat: Nanoseconds?
  /// The interned strings by their id.
  public internal(set) var strings: [UInt32: String] = [:]
  /// For a ring that has wrapped around; nil: nothing is missing, or it is not known (a text).
  var ring: (completeSince: Nanoseconds, carried: Set<UInt32>)?

  /// When an event happened, and the index of its first word: 16 bytes.
  struct Entry: Sendable {
    var time: Nanoseconds
    var thread: UInt32
    /// Index of the record's first word in ``words``.
    var wordIndex: UInt32
  }

  /// The records' words, little-endian as in a file; a created record's age is already in units of 16 ns.
  var words: [UInt64] = []
  var entries: [Entry] = []
  /// By bytes, because two spellings of an accent are two strings here.
  private var idsByString: [[UInt8]: UInt32] = [:]

  /// No events yet: see ``append(_:)``.
  public init(header: TraceHeader) { self.header = header }
}

extension TraceEvents: RandomAccessCollection {
  /// Always 0, even if the trace is empty.
  public var startIndex: Int { 0 }
  /// The number of events. O(1).
  public var endIndex: Int { entries.count }

  /// Decodes one event. O(length of its text).
  public subscript(position: Int) -> TraceEvent {
    let entry = entries[position]
    let record = words(at: position)
    let head = RecordHead(record[record.startIndex])
    let word1 = record.count > 1 ? record[record.startIndex + 1] : 0
    let word2 = record.count > 2 ? record[record.startIndex + 2] : 0
    let textWord = KindTables.textWords[Int(head.kind)]
    let hasText = textWord != 0 && textWord != KindTables.unknown
    return TraceEvent(
      kind: head.kind, time: entry.time, thread: ThreadID(entry.thread), subject: head.subject, word1: word1,
      word2: word2, text: hasText ? RecordText.decode(record, textWord: Int(textWord)) : nil)
  }

  /// All words of an event's record, as numbers of this machine; the bits of the first that hold the file's time are 0.
  public func words(at position: Int) -> ArraySlice<UInt64> {
    let index = Int(entries[position].wordIndex)
    return words[index..<index + recordLength(at: index)]
  }

  func recordLength(at index: Int) -> Int { Self.recordLength(in: words, at: index) }

  static func recordLength(in words: [UInt64], at index: Int) -> Int {
    let fixed = KindTables.sizes[Int(RecordHead(words[index]).kind)]
    return fixed == 0 ? RecordLengths(words[index + 1]).words : Int(fixed)
  }

  /// The interned string with this id; nil when the trace does not define it (0 is "none").
  public func string(_ id: UInt32) -> String? { strings[id] }
}

extension TraceEvents {
  /// The id of an interned string, which is added when it is new. Nil when the 65,534 ids are used up.
  public mutating func intern(_ text: String) -> UInt32? {
    if idsByString.isEmpty { for (id, known) in strings { idsByString[Array(known.utf8)] = id } }
    let bytes = Array(text.utf8)
    if let id = idsByString[bytes] { return id }
    var id = UInt32(clamping: strings.count + 1)
    while id < Self.unknownString, strings[id] != nil { id += 1 }
    guard id < Self.unknownString else { return nil }
    strings[id] = text
    idsByString[bytes] = id
    return id
  }

  /// Stands for a string whose definition is missing; it is never defined itself.
  static let unknownString: UInt32 = 0xFFFF

  /// Adds an event at the end; ``sort()`` puts it where it belongs. The text is cut off at 65,535 bytes.
  public mutating func append(_ event: TraceEvent) {
    var record = [RecordHead(kind: event.kind, subject: event.subject).word]
    if let textWord = EventSpec.of(raw: event.kind)?.text?.word {
      record.append(RecordLengths.fields(of: event.word1))
      if textWord > 2 { record.append(event.word2) }
      RecordText.append(event.text ?? "", to: &record)
    } else if let size = RecordSize.fixedWords(kind: event.kind) {
      if size > 1 { record.append(event.word1) }
      if size > 2 { record.append(event.word2) }
    } else {
      let lengths = RecordLengths(event.word1)
      record.append(RecordLengths(words: 2, textBytes: lengths.textBytes, fields: event.word1).word)
    }
    append(record: record, time: event.time, thread: event.thread.rawValue)
  }

  /// Adds a record whose words are already complete.
  package mutating func append(record: [UInt64], time: Nanoseconds, thread: UInt32) {
    guard let index = UInt32(exactly: words.count) else { return }
    entries.append(Entry(time: time, thread: thread, wordIndex: index))
    words.append(contentsOf: record)
  }

  /// Counts the kinds that this version does not know into ``loss``.
  package mutating func countUnknownKinds() {
    var counts: [UInt8: Int] = [:]
    for entry in entries {
      let kind = RecordHead(words[Int(entry.wordIndex)]).kind
      if KindTables.textWords[Int(kind)] == KindTables.unknown { counts[kind, default: 0] += 1 }
    }
    loss.unknownKinds = counts
  }

  /// Brings the events into the order of (time, thread, order of adding). O(n log k) for k ascending runs.
  public mutating func sort() { RunMerge.sort(&entries) }
}

/// The UTF-8 text at the end of a variable record.
enum RecordText {
  /// Bytes that are not UTF-8 are replaced by U+FFFD.
  static func decode(_ record: ArraySlice<UInt64>, textWord: Int) -> String {
    guard record.count >= 2, textWord <= record.count else { return "" }
    let length = RecordLengths(record[record.startIndex + 1]).textBytes
    return record.withUnsafeBytes { bytes in
      let start = textWord * 8
      return String(decoding: bytes[start..<Swift.min(bytes.count, start + length)], as: UTF8.self)
    }
  }

  /// Adds the text to a record that has all words before it, and sets the lengths in its second word. A text that is
  /// too long is cut and marked as cut.
  static func append(_ text: String, to record: inout [UInt64]) {
    var bytes = Array(text.utf8.prefix(longest + 1))
    if bytes.count > longest {
      let mark = Array("… (\(grouped(text.utf8.count)) bytes)".utf8)
      bytes.removeSubrange((longest - mark.count + 1)...)
      // Cut before the character that does not fit.
      while let last = bytes.popLast(), UTF8.isContinuation(last) {}
      bytes += mark
    }
    let start = record.count
    record.append(contentsOf: repeatElement(0, count: (bytes.count + 7) / 8))
    record.withUnsafeMutableBytes { target in
      for (index, byte) in bytes.enumerated() { target[start * 8 + index] = byte }
    }
    guard record.count > 1 else { return }
    record[1] = RecordLengths(words: record.count, textBytes: bytes.count, fields: record[1]).word
  }

  /// The most bytes that the 16 bits of the length can hold.
  static let longest = 0xFFFF
}

/// One record of a trace with its time and thread, not yet interpreted.
public struct TraceEvent: Sendable, Equatable {
  /// The raw kind, because a newer version may have kinds that this one does not know.
  public var kind: UInt8
  /// When, in nanoseconds since the trace's start, on the monotonic clock.
  public var time: Nanoseconds
  /// Which thread recorded it.
  public var thread: ThreadID
  /// What the record is about; `EventSpec.subject` tells of which sort it is.
  public var subject: UInt32
  /// The record's second word, whose bits `EventSpec.fields` explain; 0 where the record has none.
  public var word1: UInt64 = 0
  /// The record's third word; 0 where the record has none.
  public var word2: UInt64 = 0
  /// The record's text. Interned strings are not resolved here.
  public var text: String?

  package init(
    kind: UInt8, time: Nanoseconds, thread: ThreadID, subject: UInt32, word1: UInt64 = 0, word2: UInt64 = 0,
    text: String? = nil
  ) {
    self.kind = kind
    self.time = time
    self.thread = thread
    self.subject = subject
    self.word1 = word1
    self.word2 = word2
    self.text = text
  }
}

extension EventWords {
  init(_ event: TraceEvent) { self.init(event.word1, event.word2) }
}

extension TraceEvents {
  /// Adds an event with fields at the end.
  package mutating func append<Fields: EventWords>(
    _ fields: Fields, of subject: UInt32 = 0, at time: Nanoseconds, by thread: ThreadID, text: String? = nil
  ) {
    append(
      TraceEvent(
        kind: Fields.kind.rawValue, time: time, thread: thread, subject: subject, word1: fields.word1,
        word2: fields.word2, text: text))
  }

  /// Adds an event that has no fields.
  package mutating func append(_ kind: EventKind, of subject: UInt32, at time: Nanoseconds, by thread: ThreadID) {
    append(TraceEvent(kind: kind.rawValue, time: time, thread: thread, subject: subject))
  }
}
