import OpTraceFormat

/// Writes the lines of the text form.
struct TextPrinter {
  var output: [UInt8] = []
  private let strings: [UInt32: String]

  init(strings: [UInt32: String]) { self.strings = strings }

  mutating func printHeader(of events: TraceEvents) {
    let header = events.header
    line(TraceText.signature)
    line("process \(header.processID) ", quoted: header.processName)
    if header.processStart != 0 { line("process-start \(header.processStart)") }
    if header.bootID.contains(where: { $0 != 0 }) { line("boot " + header.bootID.map(Self.hexadecimal).joined()) }
    line("writer ", quoted: header.writerVersion)
    if let processors = header.processors { line("processors \(processors)") }
    line("mode " + header.mode.rawValue + (header.capacity == 0 ? "" : " capacity=\(header.capacity)"))
    line("wall \(header.startWall)")
    line("monotonic \(header.startMonotonic)")
    line("state " + (header.isClosed ? "closed" : "open"))
    if let heartbeat = events.heartbeat, heartbeat > 0 { line("heartbeat \(heartbeat)") }
    if let stalled = header.stalled { line("stalled \(stalled)") }
    if header.handledSignals != 0 { line("handles \(header.handledSignals)") }
    if let kept = header.kept { line("kept \(kept.time) ", quoted: kept.reason) }
    line("events \(events.count)")
    for reason in LossReason.allCases {
      if let count = events.loss.lost[reason] { line("lost \(TraceText.word(reason)) \(count)") }
    }
    if events.loss.overwrittenBytes > 0 { line("overwritten \(events.loss.overwrittenBytes)") }
    if let since = events.loss.completeSince { line("complete-since \(since)") }
    for damage in events.loss.damage {
      line("damage offset=\(damage.offset) skipped=\(damage.skippedBytes) ", quoted: damage.reason)
    }
    line("")
  }

  mutating func printEvent(_ event: TraceEvent, record: ArraySlice<UInt64>) {
    append("\(event.time) t\(event.thread.rawValue) ")
    guard let spec = EventSpec.of(raw: event.kind) else {
      append("0x" + Self.hexadecimal(event.kind) + " #\(event.subject)")
      for word in record.dropFirst() { append(" 0x" + String(word, radix: 16)) }
      line("")
      return
    }
    append(spec.name)
    printSubject(event.subject, spec.subject)
    for field in spec.fields { printField(field, event) }
    if let text = event.text {
      line(" ", quoted: text)
    } else {
      line("")
    }
  }

  private mutating func printSubject(_ number: UInt32, _ subject: EventSpec.Subject) {
    switch subject {
    case .none: break
    case .reason:
      append(" ")
      append(LossReason(rawValue: number).map(TraceText.word) ?? "reason-\(number)")
    case .operation, .block, .task, .dispatch, .queue, .thread, .string, .span, .image, .frame, .allocation:
      append(" " + subject.sigil + String(number))
    }
  }

  private mutating func printField(_ field: EventSpec.Field, _ event: TraceEvent) {
    let value = field.value(event.word1, event.word2)
    // A missing field means 0, but signed values (limits, priorities) read better if they are there.
    guard value != 0 || field.isSigned else { return }
    append(" " + field.name)
    switch field.meaning {
    case .flag: break
    case .signed: append("=\(value)")
    case .unsigned, .systemThread, .age: append("=\(field.raw(event.word1, event.word2))")
    case .address, .lock: append("=0x" + String(value, radix: 16))
    case .objectKind: append("=" + (UInt8(exactly: value).flatMap(WaitedObject.init)?.word ?? "\(value)"))
    case .operation: append("=#\(value)")
    case .dispatch: append("=d\(value)")
    case .queue: append("=q\(value)")
    case .thread: append("=t\(value)")
    case .frame: append("=f\(value)")
    case .image: append("=i\(value)")
    case .allocation: append("=a\(value)")
    case .string:
      append("=")
      if let text = strings[UInt32(truncatingIfNeeded: value)] { quote(text) } else { append("?") }
    }
  }

  private mutating func append(_ text: String) { output.append(contentsOf: text.utf8) }

  private mutating func line(_ text: String) {
    append(text)
    output.append(UInt8(ascii: "\n"))
  }

  private mutating func line(_ text: String, quoted: String) {
    append(text)
    quote(quoted)
    output.append(UInt8(ascii: "\n"))
  }

  private mutating func quote(_ text: String) {
    output.append(UInt8(ascii: "\""))
    var last: Unicode.Scalar = " "
    for scalar in text.unicodeScalars {
      defer { if scalar.isASCII { last = scalar } }
      switch scalar {
      // `##[` is a command to services that run jobs, anywhere in a line; some step over characters without a width.
      case "#" where last == "#": append("\\u{23}")
      case "\"": append("\\\"")
      case "\\": append("\\\\")
      case "\n": append("\\n")
      case "\r": append("\\r")
      case "\t": append("\\t")
      case _ where Self.isInvisible(scalar): append("\\u{" + String(scalar.value, radix: 16) + "}")
      default: output.append(contentsOf: UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter)
      }
    }
    output.append(UInt8(ascii: "\""))
  }

  /// Control characters, line and paragraph separators, and marks that change the direction of writing: a terminal or
  /// an editor would act on them instead of showing them.
  private static func isInvisible(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0..<0x20, 0x7F...0x9F, 0x200B...0x200F, 0x2028...0x202E, 0x2060...0x206F, 0xFEFF: true
    default: false
    }
  }

  private static func hexadecimal(_ byte: UInt8) -> String {
    (byte < 16 ? "0" : "") + String(byte, radix: 16)
  }
}

extension EventSpec.Subject {
  /// The prefix of a number of this sort in the text form.
  var sigil: String {
    switch self {
    case .operation, .block, .task: "#"
    case .dispatch: "d"
    case .queue: "q"
    case .thread: "t"
    case .span: "s"
    case .image: "i"
    case .frame: "f"
    case .allocation: "a"
    case .string, .none, .reason: ""
    }
  }
}
