import OpTraceFormat
package import OpTraceModel

/// Traces for property tests.
package enum RandomTraces {
  package static let hostileNames = [
    "", "plain", "with \"quotes\" and \\", "</title><script>\"\n", "tab\tnew\r\nline", "e\u{301}", "\u{E9}",
    "\u{202E}desrever", "\u{0}zero\u{0}", "👩‍👩‍👧‍👦 family", "\u{FFFD}", String(repeating: "x", count: 3000), "#1 q2 t3 =",
  ]

  /// Events that keep no rule but that of the format: any kind, any field, any thread.
  package static func anything(_ generator: inout SeededGenerator, count: Int) -> TraceEvents {
    var events = TraceEvents(header: header(&generator))
    if Bool.random(using: &generator) { events.heartbeat = .random(in: 1...1 << 40, using: &generator) }
    for reason in LossReason.allCases where Int.random(in: 0..<4, using: &generator) == 0 {
      events.loss.lost[reason] = .random(in: 1...1 << 50, using: &generator)
    }
    events.loss.overwrittenBytes = Bool.random(using: &generator) ? 0 : generator.next() >> 20
    let specs = EventSpec.table.filter { $0.part != .bookkeeping }
    var time: Nanoseconds = .random(in: -1 << 30...1 << 30, using: &generator)
    for _ in 0..<count {
      // Often the same time, sometimes far away.
      switch Int.random(in: 0..<10, using: &generator) {
      case 0...3: break
      case 9: time += .random(in: 0...1 << 33, using: &generator)
      default: time += .random(in: 0...5000, using: &generator)
      }
      let thread = UInt32.random(in: 1...5, using: &generator)
      if Int.random(in: 0..<20, using: &generator) == 0 {
        addUnknown(to: &events, time: time, thread: thread, &generator)
      } else if let spec = specs.randomElement(using: &generator) {
        events.append(event(spec, time, thread, &events, &generator))
      }
    }
    events.sort()
    events.countUnknownKinds()
    return events
  }

  private static func header(_ generator: inout SeededGenerator) -> TraceHeader {
    var header = TraceHeader()
    header.processName = ["", "photo-import", "naïve \"app\""].randomElement(using: &generator) ?? ""
    header.processID = .random(in: 0...UInt32.max, using: &generator)
    header.writerVersion = "1.2.3"
    header.mode = Bool.random(using: &generator) ? .streaming : .flightRecorder
    header.capacity = header.mode == .streaming ? 0 : 1 << 20
    header.startWall = generator.next() >> 1
    header.startMonotonic = generator.next() >> 8
    header.isClosed = Bool.random(using: &generator)
    header.processStart = Bool.random(using: &generator) ? 0 : generator.next()
    if Bool.random(using: &generator) {
      header.bootID = (0..<16).map { _ in UInt8.random(in: 0...255, using: &generator) }
    }
    return header
  }

  private static func event(
    _ spec: EventSpec, _ time: Nanoseconds, _ thread: UInt32, _ events: inout TraceEvents,
    _ generator: inout SeededGenerator
  ) -> TraceEvent {
    var event = TraceEvent(kind: spec.kind.rawValue, time: time, thread: ThreadID(thread), subject: 0)
    event.subject =
      Bool.random(using: &generator)
      ? .random(in: 0...20, using: &generator) : .random(in: 0...UInt32.max, using: &generator)
    for field in spec.fields {
      var value =
        Bool.random(using: &generator)
        ? Int64(truncatingIfNeeded: generator.next()) : .random(in: 0...3, using: &generator)
      if field.meaning == .flag { value &= 1 }
      if case .string = field.meaning {
        value =
          Bool.random(using: &generator)
          ? 0 : Int64(events.intern(hostileNames.randomElement(using: &generator) ?? "") ?? 0)
      }
      if field.word == 1 { event.word1 |= field.bits(value) } else { event.word2 |= field.bits(value) }
    }
    if spec.text != nil { event.text = hostileNames.randomElement(using: &generator) }
    return event
  }

  /// A record of a kind that this version does not have.
  private static func addUnknown(
    to events: inout TraceEvents, time: Nanoseconds, thread: UInt32, _ generator: inout SeededGenerator
  ) {
    let kind: UInt8 = [0x3E, 0x7E, 0xBE, 0xFE].randomElement(using: &generator) ?? 0x3E
    let size = RecordSize.fixedWords(kind: kind) ?? .random(in: 2...6, using: &generator)
    var record = [UInt64(kind) | generator.next() << 32]
    for _ in 1..<size { record.append(generator.next()) }
    if kind == 0xFE { record[1] = record[1] & ~0xFFFF | UInt64(size) }
    events.append(record: record, time: time, thread: thread)
  }

  /// A program as a recorder would have seen it: operations with dependencies on earlier ones run on some threads, one
  /// after the other on each. Keeps every rule.
  package static func program(_ generator: inout SeededGenerator, operations: Int, threads: UInt32 = 3) -> TraceEvents {
    var header = TraceHeader()
    header.processName = "random"
    header.processID = 100
    header.writerVersion = "1.0.0"
    header.startMonotonic = 1_000_000
    header.startWall = 1_700_000_000_000_000_000
    header.isClosed = true
    var events = TraceEvents(header: header)
    var free = (0...threads).map { _ in Nanoseconds(10_000) }
    var finished: [Nanoseconds] = []
    func put(
      _ kind: EventKind, _ subject: UInt32, _ time: Nanoseconds, _ thread: UInt32, _ word1: UInt64 = 0,
      _ text: String? = nil, word2: UInt64 = 0
    ) {
      events.append(
        TraceEvent(
          kind: kind.rawValue, time: time, thread: ThreadID(thread), subject: subject, word1: word1, word2: word2,
          text: text))
    }
    for thread in 0...threads {
      put(.threadNamed, thread + 1, 0, thread + 1, UInt64(100 + thread) << 32, "worker \(thread)")
    }
    put(.queueCreated, 1, 1, 1, UInt64(bitPattern: Int64(threads)) << 32, "random")
    let className = UInt64(events.intern("RandomOperation") ?? 0)
    var now: Nanoseconds = 100
    for index in 0..<operations {
      let id = UInt32(index + 1)
      put(.operationCreated, id, now, 1, className)
      if Bool.random(using: &generator) {
        put(.operationNamed, id, now, 1, 0, hostileNames.randomElement(using: &generator))
      }
      var possible = now
      for _ in 0..<Int.random(in: 0...2, using: &generator) where index > 0 {
        let other = Int.random(in: max(0, index - 10)..<index, using: &generator)
        put(.dependencyAdded, id, now, 1, UInt64(other + 1))
        possible = max(possible, finished[other])
      }
      put(.enqueued, id, now, 1, 1)
      let worker = Int.random(in: 1...Int(threads), using: &generator)
      let start = max(possible, free[worker]) + .random(in: 5000...9000, using: &generator)
      let thread = UInt32(worker + 1)
      put(.ready, id, max(possible, now), 1)
      put(.started, id, start, thread)
      put(.executionBegan, id, start + 100, thread)
      let end = start + .random(in: 1000...50_000, using: &generator)
      if Bool.random(using: &generator) {
        // The thread itself records the wait, or the first thread does for it.
        let object = UInt64.random(in: 1...4, using: &generator) << 48 | .random(in: 1...3, using: &generator) << 4
        let reporter = Bool.random(using: &generator) ? thread : 1
        put(.blocked, id, start + 900, reporter, object, word2: UInt64(reporter == 1 ? thread : 0) << 40 | 10)
        put(.signalled, UInt32.random(in: 0...id, using: &generator), start + 900, reporter, object, word2: 30)
        put(.unblocked, id, start + 920, thread, object)
      }
      put(.executionEnded, id, end, thread)
      put(.finished, id, end, thread)
      put(.startReturned, id, end + 10, thread)
      finished.append(end)
      free[worker] = end + 10
      now += .random(in: 10...3000, using: &generator)
    }
    let last = free.max() ?? 0
    for index in 0..<operations { put(.released, UInt32(index + 1), last + 10_000, 1) }
    events.sort()
    return events
  }
}
