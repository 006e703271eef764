import OpTraceFormat

/// Reads the text form.
struct TextParser {
  private var scanner: TextScanner
  private var events = TraceEvents(header: TraceHeader())
  private var seen: Set<String> = []
  /// The number of events that the text announces, and where it does so.
  private var announced: (count: Int, offset: Int)?

  init(_ bytes: [UInt8]) { scanner = TextScanner(bytes) }

  mutating func parse() throws(TextProblem) -> TraceEvents {
    try parseSignature()
    let progress = WorkProgress.reporter()
    var lines = 0
    while !scanner.isAtEnd {
      if lines.isMultiple(of: 4096) { progress.report(scanner.offset, of: scanner.count) }
      lines += 1
      if scanner.isAtLineEnd() || scanner.sees("#") {
        scanner.skipLine()
        continue
      }
      let offset = scanner.offset
      let word = scanner.word()
      if let time = Nanoseconds(word) {
        guard TimeBounds.range.contains(time) else { throw scanner.problem("the time \(word) is more than a year off") }
        try parseEvent(at: time)
      } else {
        try parseHeaderLine(word, at: offset)
      }
      try scanner.endLine()
    }
    checkCount()
    events.sort()
    return events
  }

  /// Checks the announced count, so that an incomplete text does not pass for a whole one.
  private mutating func checkCount() {
    guard let announced, announced.count != events.count else { return }
    let difference = abs(announced.count - events.count)
    let count = difference == 1 ? "1 event is" : "\(difference) events are"
    let what = announced.count > events.count ? "missing" : "too many"
    let reason = "\(count) \(what): there are \(events.count) of \(announced.count)"
    events.loss.damage.append(.init(offset: UInt64(announced.offset), skippedBytes: 0, reason: reason))
  }

  private mutating func parseSignature() throws(TextProblem) {
    let words = [scanner.word(), scanner.word(), scanner.word()].joined(separator: " ")
    guard words == TraceText.signature else {
      throw scanner.problem("this optrace reads `\(TraceText.signature)`, the first line is `\(words)`: update optrace")
    }
    try scanner.endLine()
  }

  // MARK: - Header

  private mutating func parseHeaderLine(_ word: String, at offset: Int) throws(TextProblem) {
    if !["lost", "damage"].contains(word), !seen.insert(word).inserted {
      throw scanner.problem("`\(word)` is given twice")
    }
    switch word {
    case "process":
      events.header.processID = try scanner.number("the process id", UInt32.self)
      events.header.processName = try scanner.quoted("the process's name")
    case "process-start": events.header.processStart = try scanner.number("when the process began", UInt64.self)
    case "boot": events.header.bootID = try bootID()
    case "writer":
      events.header.writerVersion = try scanner.quoted("the writer's version")
    case "processors":
      let count = Int(try scanner.number("how many processors there were", UInt32.self))
      events.header.processors = count == 0 ? nil : count
    case "mode":
      let mode = scanner.word()
      guard let value = TraceHeader.Mode(rawValue: mode) else {
        throw scanner.problem("expected `streaming` or `flight-recorder`, found `\(mode)`")
      }
      events.header.mode = value
      if !scanner.isAtLineEnd() { events.header.capacity = try assigned("capacity") }
    case "wall": events.header.startWall = try scanner.number("the wall clock at the start", UInt64.self)
    case "monotonic": events.header.startMonotonic = try scanner.number("the monotonic clock at the start", UInt64.self)
    case "state":
      let state = scanner.word()
      guard state == "closed" || state == "open" else {
        throw scanner.problem("expected `closed` or `open`, found `\(state)`")
      }
      events.header.isClosed = state == "closed"
    case "heartbeat":
      events.heartbeat = TimeBounds.clamp(
        Nanoseconds(clamping: try scanner.number("the time of the last sign of life", UInt64.self)))
    case "stalled":
      events.header.stalled = TimeBounds.clamp(
        Nanoseconds(clamping: try scanner.number("when the program was ended because it stalled", UInt64.self)))
    case "handles":
      events.header.handledSignals = try scanner.number("the signals that have a handler", UInt64.self)
    case "kept":
      let time = Nanoseconds(clamping: try scanner.number("when the trace was kept", UInt64.self))
      events.header.kept = .init(time: TimeBounds.clamp(time), reason: try scanner.quoted("why it was kept"))
    case "lost":
      let reason = try reason()
      guard let known = LossReason(rawValue: reason) else { throw scanner.problem("this reason of loss is not known") }
      events.loss.lost[known] = try scanner.number("how many records", UInt64.self)
    case "events":
      announced = (Int(try scanner.number("how many events follow", UInt32.self)), offset)
    case "complete-since": events.loss.completeSince = try scanner.number("since when it is complete", Nanoseconds.self)
    case "overwritten": events.loss.overwrittenBytes = try scanner.number("how many bytes", UInt64.self)
    case "damage":
      let offset = try assigned("offset")
      let skipped = try assigned("skipped")
      events.loss.damage.append(
        .init(offset: offset, skippedBytes: skipped, reason: try scanner.quoted("what is damaged")))
    default:
      throw scanner.problem(
        "expected an event, which begins with its time in nanoseconds, or a line of the header, found `\(word)`")
    }
  }

  private mutating func bootID() throws(TextProblem) -> [UInt8] {
    let text = Array(scanner.word().utf8)
    var bytes: [UInt8] = []
    for index in stride(from: 0, to: text.count - 1, by: 2) {
      guard let byte = UInt8(String(decoding: text[index..<index + 2], as: UTF8.self), radix: 16) else { break }
      bytes.append(byte)
    }
    guard text.count == 32, bytes.count == 16 else { throw scanner.problem("expected 32 hexadecimal digits") }
    return bytes
  }

  /// `name=number`.
  private mutating func assigned(_ name: String) throws(TextProblem) -> UInt64 {
    let word = scanner.word()
    guard word == name, scanner.take("=") else { throw scanner.problem("expected `\(name)=`, found `\(word)`") }
    return try scanner.number("the value of `\(name)`", UInt64.self)
  }

  private mutating func reason() throws(TextProblem) -> UInt32 {
    let word = scanner.word()
    if let known = LossReason.allCases.first(where: { TraceText.word($0) == word }) { return known.rawValue }
    if word.hasPrefix("reason-"), let number = UInt32(word.dropFirst("reason-".count)) { return number }
    let words = LossReason.allCases.map { TraceText.word($0) }.joined(separator: ", ")
    throw scanner.problem("expected a reason of loss (\(words)), found `\(word)`")
  }

  // MARK: - Events

  private mutating func parseEvent(at time: Nanoseconds) throws(TextProblem) {
    let thread = try scanner.id("t", "a thread")
    let name = scanner.word()
    if name.hasPrefix("0x") { return try parseUnknown(name, at: time, thread) }
    guard let spec = EventSpec.of(name: name) else {
      throw scanner.problem("expected a word of the event table, found `\(name)`")
    }
    guard spec.part != .bookkeeping else {
      throw scanner.problem("`\(name)` belongs to the file's bookkeeping: the text form does not have it")
    }
    var event = TraceEvent(kind: spec.kind.rawValue, time: time, thread: ThreadID(thread), subject: 0)
    event.subject = try subject(spec)
    var given: Set<String> = []
    while !scanner.isAtLineEnd(), !scanner.sees("\"") {
      let name = scanner.word()
      guard let field = spec.fields.first(where: { $0.name == name }) else {
        let known = spec.fields.map { "`\($0.name)`" }.joined(separator: ", ")
        throw scanner.problem(
          "`\(name.isEmpty ? scanner.rest() : name)` is no field of `\(spec.name)`, which has \(known.isEmpty ? "none" : known)"
        )
      }
      guard given.insert(name).inserted else { throw scanner.problem("`\(name)` is given twice") }
      let bits = field.bits(try value(of: field))
      if field.word == 1 { event.word1 |= bits } else { event.word2 |= bits }
    }
    if spec.text != nil { event.text = try scanner.quoted("the text of `\(spec.name)`") }
    events.append(event)
  }

  private mutating func subject(_ spec: EventSpec) throws(TextProblem) -> UInt32 {
    switch spec.subject {
    case .none: 0
    case .reason: try reason()
    case .operation: try scanner.id("#", "an operation")
    case .block: try scanner.id("#", "a block")
    case .task: try scanner.id("#", "a task")
    case .dispatch: try scanner.id("d", "a dispatch queue")
    case .queue: try scanner.id("q", "a queue")
    case .thread: try scanner.id("t", "a thread")
    case .span: try scanner.id("s", "a span")
    case .string: try scanner.id("", "a string's id")
    case .image: try scanner.id("i", "an image")
    case .frame: try scanner.id("f", "a frame")
    case .allocation: try scanner.id("a", "an allocation")
    }
  }

  private mutating func value(of field: EventSpec.Field) throws(TextProblem) -> Int64 {
    if case .flag = field.meaning { return 1 }
    guard scanner.take("=") else { throw scanner.problem("expected `=` and a value after `\(field.name)`") }
    switch field.meaning {
    case .flag: return 1
    case .operation: return Int64(try scanner.id("#", "an operation"))
    case .queue: return Int64(try scanner.id("q", "a queue"))
    case .dispatch: return try fitting(Int64(try scanner.id("d", "a dispatch queue")), field)
    case .thread: return try fitting(Int64(try scanner.id("t", "a thread")), field)
    case .frame: return try fitting(Int64(try scanner.id("f", "a frame")), field)
    case .image: return try fitting(Int64(try scanner.id("i", "an image")), field)
    case .allocation: return try fitting(Int64(try scanner.id("a", "an allocation")), field)
    case .address, .lock: return try fitting(try address(), field)
    case .objectKind: return try fitting(try objectKind(), field)
    case .string:
      if scanner.take("?") { return Int64(TraceEvents.unknownString) }
      let text = try scanner.quoted("the value of `\(field.name)`")
      guard let id = events.intern(text) else {
        throw scanner.problem("more than 65,534 different classes and source locations")
      }
      return Int64(id)
    case .signed:
      let value = try scanner.number("the value of `\(field.name)`", Int64.self)
      guard field.value(field.word == 1 ? field.bits(value) : 0, field.word == 2 ? field.bits(value) : 0) == value
      else {
        throw scanner.problem("\(value) does not fit `\(field.name)`, which has \(field.width) bits")
      }
      return value
    case .unsigned, .systemThread, .age:
      let value = try scanner.number("the value of `\(field.name)`", UInt64.self)
      return try fitting(Int64(bitPattern: value), field)
    }
  }

  private func fitting(_ value: Int64, _ field: EventSpec.Field) throws(TextProblem) -> Int64 {
    let bits = UInt64(bitPattern: value)
    guard field.holds(bits) else {
      throw scanner.problem("\(bits) does not fit `\(field.name)`, which has \(field.width) bits")
    }
    return value
  }

  private mutating func address() throws(TextProblem) -> Int64 {
    let word = scanner.word()
    guard word.hasPrefix("0x"), let address = UInt64(word.dropFirst(2), radix: 16) else {
      throw scanner.problem("expected an address such as `0x1f`, found `\(word.isEmpty ? scanner.rest() : word)`")
    }
    return Int64(bitPattern: address)
  }

  /// The object's kind by its word, or the number of a kind that this version does not know.
  private mutating func objectKind() throws(TextProblem) -> Int64 {
    let word = scanner.word()
    if let known = WaitedObject.allCases.first(where: { $0.word == word }) { return Int64(known.rawValue) }
    guard let number = UInt8(word) else {
      let words = WaitedObject.allCases.map(\.word).joined(separator: ", ")
      throw scanner.problem(
        "expected a kind of object (\(words)), found `\(word.isEmpty ? scanner.rest() : word)`")
    }
    return Int64(number)
  }

  /// A record of a kind that this version does not know: its words as hexadecimal numbers.
  private mutating func parseUnknown(_ name: String, at time: Nanoseconds, _ thread: UInt32) throws(TextProblem) {
    guard let kind = UInt8(name.dropFirst(2), radix: 16), kind != 0 else {
      throw scanner.problem("expected a kind from 0x01 to 0xff, found `\(name)`")
    }
    if let spec = EventSpec.of(raw: kind) { throw scanner.problem("`\(name)` is `\(spec.name)`: use the word") }
    let subject = try scanner.id("#", "the subject")
    var record = [RecordHead(kind: kind, subject: subject).word]
    while !scanner.isAtLineEnd() {
      let word = scanner.word()
      guard word.hasPrefix("0x"), let value = UInt64(word.dropFirst(2), radix: 16) else {
        throw scanner.problem("expected a word such as `0x1f`, found `\(word.isEmpty ? scanner.rest() : word)`")
      }
      record.append(value)
    }
    let size = RecordSize.fixedWords(kind: kind) ?? (record.count > 1 ? RecordLengths(record[1]).words : 2)
    guard record.count == size else {
      throw scanner.problem("a record of kind \(name) has \(size) words, this one \(record.count)")
    }
    events.append(record: record, time: time, thread: thread)
  }
}
