import OpTraceFormat

/// Replaces every text of a trace by a number: `name-1`, `class-3`. Equal texts of one sort become equal numbers, so
/// that every analysis finds the same as before. `Documentation/record.md` lists what stays.
public struct Anonymizer {
  private typealias Role = EventSpec.Text.Role

  /// The replacements of texts, by the word of their role, such as `name`.
  private var texts: [String: [String: String]] = [:]
  private var threadIDs: [UInt32: UInt32] = [:]
  private var objects: [UInt64: UInt64] = [:]

  /// libdispatch's own label, which identifies waits for the main thread.
  private static let systemLabels: Set<String> = ["com.apple.main-thread"]
  /// The start of the clock, so late that no age in a trace is before time 0.
  private static let start: UInt64 = 1 << 40

  private init() {}

  /// The trace without its texts, and without anything that identifies the machine, the process and the day. O(n).
  public static func anonymized(_ events: TraceEvents) -> TraceEvents {
    var anonymizer = Anonymizer()
    var result = TraceEvents(header: anonymizer.header(events.header))
    for index in events.indices { anonymizer.append(events[index], of: events, to: &result) }
    result.heartbeat = events.heartbeat
    result.loss = events.loss
    for index in result.loss.damage.indices { result.loss.damage[index].reason = "a part that could not be read" }
    result.header.bootID = seal(of: result)
    return result
  }

  /// Replaces the boot id, which distinguishes traces. The new one is computed from what is left, so it reveals nothing
  /// more. It is the same whenever the same trace is made anonymous, and differs between traces.
  private static func seal(of events: TraceEvents) -> [UInt8] {
    var sums = (Checksum(), Checksum())
    sums.1.add(1)
    func add(_ word: UInt64) {
      sums.0.add(word)
      sums.1.add(word)
    }
    func add(_ text: String) {
      add(UInt64(text.utf8.count))
      for byte in text.utf8 { add(UInt64(byte)) }
    }
    add(events.header.processName)
    add(events.header.processors.map { UInt64(clamping: $0) } ?? 0)
    add(events.loss.lostCount)
    for index in events.indices {
      let event = events[index]
      add(UInt64(event.kind) << 32 | UInt64(event.thread.rawValue))
      add(UInt64(event.subject))
      add(UInt64(bitPattern: event.time))
      add(event.word1)
      add(event.word2)
      if let text = event.text { add(text) }
    }
    return [sums.0.value, sums.1.value].flatMap { value in
      (0..<8).map { UInt8(truncatingIfNeeded: value >> UInt64($0 * 8)) }
    }
  }

  private mutating func header(_ header: TraceHeader) -> TraceHeader {
    var result = TraceHeader()
    result.mode = header.mode
    result.capacity = header.capacity
    result.isClosed = header.isClosed
    result.stalled = header.stalled
    result.handledSignals = header.handledSignals
    result.kept = header.kept.map { .init(time: $0.time, reason: numbered($0.reason, "reason")) }
    result.processors = header.processors
    result.startMonotonic = Self.start
    result.processName = numbered(header.processName, "process")
    result.processID = threadID(header.processID)
    let isVersion = header.writerVersion.utf8.allSatisfy { $0 == 0x2E || (0x30...0x39).contains($0) }
    result.writerVersion = isVersion ? header.writerVersion : ""
    return result
  }

  private mutating func append(_ event: TraceEvent, of events: TraceEvents, to result: inout TraceEvents) {
    var event = event
    guard let spec = EventSpec.of(raw: event.kind) else {
      // A kind that this version does not know: keep only that it was there.
      event.word1 = 0
      event.word2 = 0
      event.text = nil
      result.append(event)
      return
    }
    for field in spec.fields {
      let value = field.raw(event.word1, event.word2)
      guard value != 0, let other = replacement(of: value, field, events, &result) else { continue }
      if field.word == 1 {
        event.word1 = field.position.replacing(event.word1, by: other)
      } else {
        event.word2 = field.position.replacing(event.word2, by: other)
      }
    }
    if let old = event.text { event.text = text(old, spec.text?.role ?? .interned) }
    result.append(event)
  }

  /// The new value of a field; nil: it may stay as it is.
  private mutating func replacement(
    of value: UInt64, _ field: EventSpec.Field, _ events: TraceEvents, _ result: inout TraceEvents
  ) -> UInt64? {
    switch field.meaning {
    case .string(let role):
      guard let old = events.string(UInt32(truncatingIfNeeded: value)) else { return nil }
      return result.intern(text(old, role)).map(UInt64.init)
    case .address, .lock:
      // Looks like an address; numbered in the order of appearance.
      return number(of: value, in: &objects, from: 1) * 16
    case .systemThread: return UInt64(threadID(UInt32(truncatingIfNeeded: value)))
    case .unsigned, .signed, .operation, .queue, .dispatch, .thread, .flag, .age, .objectKind, .frame, .image,
      .allocation:
      return nil
    }
  }

  private mutating func text(_ old: String, _ role: Role) -> String {
    role == .object && Self.systemLabels.contains(old) ? old : numbered(old, role.rawValue)
  }

  /// The number of a text. An empty text stays empty.
  private mutating func numbered(_ old: String, _ word: String) -> String {
    if old.isEmpty { return old }
    if let known = texts[word]?[old] { return known }
    let new = "\(word)-\((texts[word]?.count ?? 0) + 1)"
    texts[word, default: [:]][old] = new
    return new
  }

  /// The new id of a thread. The process id is that of its main thread: it is numbered first, so the two stay equal.
  private mutating func threadID(_ old: UInt32) -> UInt32 { old == 0 ? 0 : number(of: old, in: &threadIDs, from: 1) }

  private func number<Number: FixedWidthInteger>(
    of old: Number, in known: inout [Number: Number], from first: Number
  ) -> Number {
    if let number = known[old] { return number }
    let number = first + Number(clamping: known.count)
    known[old] = number
    return number
  }
}
