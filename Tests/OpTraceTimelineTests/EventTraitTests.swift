import Foundation
import OpTraceFormat
import OpTraceModel
import Testing

import OpTraceAnalysis
@testable import OpTraceDoctor
@testable import OpTraceTimeline

/// What the event table says about a kind holds, for each kind. New kinds are tested without a change here.
@Suite("Traits of kinds in the event table") struct EventTraitTests {
  static let kinds = EventSpec.table.filter { $0.part != .bookkeeping }.map(\.kind)
  static let openers: [EventKind: EventKind] = {
    // Kinds that only make sense after another kind, and end no span.
    var result: [EventKind: EventKind] = [
      .dependencyRemoved: .dependencyAdded, .blockEnded: .blockBegan, .signalled: .blocked, .objectNamed: .blocked,
      .stoodAt: .enqueued, .symbol: .frame, .waitLasts: .waitBegan,
      .processorTime: .executionBegan, .runBegan: .blockSubmitted, .taskRun: .taskCreated, .taskEnqueued: .taskCreated,
      .taskSuspended: .taskCreated, .taskQueued: .taskCreated, .taskResumed: .taskCreated, .sampling: .profile,
      .spanContext: .spanBegan, .spanAttribute: .spanBegan, .spanStatus: .spanBegan, .spanLink: .spanBegan,
      .spanNamed: .spanBegan, .ordered: .order, .freed: .allocated, .resized: .allocated, .allocationClass: .allocated,
    ]
    for spec in EventSpec.table {
      guard case .ends(let what) = spec.bound else { continue }
      result[spec.kind] = EventSpec.table.first { $0.bound == .begins(what) }?.kind
    }
    // These events are always there.
    return result.filter { ![.operationCreated, .queueCreated].contains($0.value) }
  }()

  /// A record of this kind about operation 2, queue 1 or span 5, with valid numbers in all fields.
  static func event(
    _ kind: EventKind, at time: Nanoseconds, _ changes: [String: Int64] = [:], subject: UInt32? = nil
  ) -> TraceEvent {
    let spec = kind.spec
    var event = TraceEvent(kind: kind.rawValue, time: time, thread: ThreadID(1), subject: 0)
    event.subject =
      switch spec.subject {
      case .operation: subject ?? 2
      case .block: subject ?? 7
      case .task: subject ?? 8
      case .queue, .dispatch: 1
      case .span: 5
      case .thread: 3
      case .image, .frame: 6
      case .allocation: 1
      case .none, .string, .reason: 0
      }
    for field in spec.fields {
      let value = changes[field.name] ?? usual(field)
      if field.word == 1 { event.word1 |= field.bits(value) } else { event.word2 |= field.bits(value) }
    }
    if spec.text != nil { event.text = "text of \(spec.name)" }
    return event
  }

  private static func usual(_ field: EventSpec.Field) -> Int64 {
    switch field.meaning {
    case .unsigned(let values), .signed(let values):
      switch values {
      case .any: 5
      case .from(let least): least + 3
      case .within(let range): range.upperBound
      }
    case .operation, .queue, .dispatch, .flag, .frame, .image, .allocation: 1
    case .thread: 0
    // The only one that exists.
    case .string: 1
    case .systemThread: 77
    case .age: 100
    case .address, .lock: 0x1000
    case .objectKind: Int64(WaitedObject.queue.rawValue)
    }
  }

  /// A queue and two operations, and the events that the kind needs before itself.
  static func events(
    _ kind: EventKind?, at time: Nanoseconds = 10_000_000, _ changes: [String: Int64] = [:]
  )
    -> TraceEvents
  {
    var header = TraceHeader()
    header.isClosed = true
    var events = TraceEvents(header: header)
    _ = events.intern("interned")
    events.append(
      TraceEvent(
        kind: EventKind.threadNamed.rawValue, time: 0, thread: ThreadID(1), subject: 1, word1: 9 << 32, text: "t"))
    events.append(event(.queueCreated, at: 0, ["qos": 0, "main": 0]))
    for id in 1...2 as ClosedRange<UInt32> {
      events.append(
        TraceEvent(kind: EventKind.operationCreated.rawValue, time: 0, thread: ThreadID(1), subject: id, word1: 1))
    }
    if let kind {
      // Definitions come first.
      let time = kind.spec.part == .definition ? min(time, -1) : time
      if let opener = openers[kind] { events.append(event(opener, at: min(1_000_000, time))) }
      events.append(event(kind, at: time, changes))
    }
    events.heartbeat = 1_000_000_000
    events.sort()
    return events
  }

  private func violations(_ events: TraceEvents, _ field: String) -> [String] {
    TraceValidator.check(events).filter { $0.rule == .valueOutOfRange && $0.text.contains("`\(field)`") }.map(\.text)
  }

  @Test("invalid numbers of fields are reported, and valid neighbours are not", arguments: kinds)
  func ranges(_ kind: EventKind) {
    for field in kind.spec.fields {
      let bounds: (outside: [Int64], inside: [Int64])
      switch field.values {
      case .any: bounds = ([], [])
      case .from(let least): bounds = ([least - 1], [least, least + 1])
      case .within(let range):
        bounds = ([range.lowerBound - 1, range.upperBound + 1], [range.lowerBound, range.upperBound])
      }
      func fits(_ value: Int64) -> Bool {
        field.value(field.word == 1 ? field.bits(value) : 0, field.word == 2 ? field.bits(value) : 0) == value
      }
      for value in bounds.outside where fits(value) {
        let found = violations(Self.events(kind, [field.name: value]), field.name)
        let words = field.values.words ?? ""
        #expect(found == ["`\(field.name)` of `\(kind.spec.name)` is \(value), expected \(words)"])
      }
      for value in bounds.inside { #expect(violations(Self.events(kind, [field.name: value]), field.name) == []) }
      switch field.meaning {
      // Elsewhere 0 stands for none.
      case .operation where kind.spec.subject != .operation: break
      case .operation, .queue, .address:
        #expect(violations(Self.events(kind, [field.name: 0]), field.name).count == 1)
      case .objectKind:
        #expect(violations(Self.events(kind, [field.name: 200]), field.name).count == 1)
      case .string, .thread:
        let events = Self.events(kind, [field.name: 4000])
        #expect(TraceValidator.check(events).contains { [.undefinedString, .undefinedThread].contains($0.rule) })
      case .frame, .image:
        let events = Self.events(kind, [field.name: 4000])
        #expect(TraceValidator.check(events).contains { $0.rule == .undefinedFrame })
      case .dispatch:
        let events = Self.events(kind, [field.name: 4000])
        #expect(kind == .dispatchQueue || TraceValidator.check(events).contains { $0.rule == .undefinedQueue })
      case .unsigned, .signed, .systemThread, .flag, .age, .lock, .allocation: break
      }
    }
  }

  @Test("operation 0 and unknown operations are reported, except in remarks", arguments: kinds)
  func remarks(_ kind: EventKind) {
    guard kind.spec.subject == .operation else { return }
    let isRemark = kind.spec.part == .remark
    var events = Self.events(Self.openers[kind])
    events.append(Self.event(kind, at: 20_000_000, subject: 0))
    #expect(TraceValidator.check(events).contains { $0.text == "operation #0 does not exist" } != isRemark)
    guard kind != .operationCreated else { return }
    events = Self.events(.released)
    events.append(Self.event(kind, at: 20_000_000))
    #expect(TraceValidator.check(events).contains { $0.rule == .afterRelease } != isRemark, "\(kind)")
  }

  @Test("an event of each kind changes the trace", arguments: kinds)
  func model(_ kind: EventKind) {
    func read(_ events: TraceEvents) -> Trace {
      var trace = TraceBuilder.build(events)
      // Every event changes these.
      trace.eventCount = 0
      trace.lastEvent = 0
      for index in trace.operations.indices { trace.operations[index].lastSign = nil }
      for index in trace.queues.indices { trace.queues[index].lastSign = nil }
      for index in trace.threads.indices { trace.threads[index].lastSign = nil }
      return trace
    }
    // The queue exists already, and the first symbol is that of the innermost function.
    let changes: [String: Int64] =
      switch kind {
      case .queueCreated: ["limit": 9]
      case .symbol: ["inlined": 0]
      case .waitLasts: ["thread": 1, "is-queue": 0, "on": 2]
      default: [:]
      }
    let isTheSame = read(Self.events(kind, changes)) == read(Self.events(Self.openers[kind]))
    #expect(!isTheSame, "`\(kind.spec.name)`")
  }

  @Test("only a sign of life ends the silence that the doctor sees", arguments: kinds)
  func life(_ kind: EventKind) {
    let spec = kind.spec
    let time: Nanoseconds = 10_000_000
    let age: Nanoseconds = spec.fields.contains { $0.meaning == .age } ? 1600 : 0
    let before = DoctorContext(TraceBuilder.build(Self.events(Self.openers[kind])), DoctorOptions(), FactTable([]))
    let trace = TraceBuilder.build(Self.events(kind))
    let context = DoctorContext(trace, DoctorOptions(), FactTable([]))
    let index = trace.operations.firstIndex { $0.id == OperationID(2) }
    switch spec.life {
    case .nobody:
      // In the comparison the opener has the later time.
      #expect(context.lastSign < time && (before.lastSign >= context.lastSign))
    case .subject:
      #expect(context.lastSign == time - age)
      if spec.subject == .queue { #expect(trace.queues.first?.lastSign == time - age) }
      if spec.subject == .block { #expect(trace.blocks.first?.lastSign == time - age) }
      if spec.subject == .task { #expect(trace.tasks.first?.lastSign == time - age) }
      if ![.queue, .block, .task].contains(spec.subject) {
        #expect(index.map { trace.operations[$0].lastSign } == time - age)
      }
    case .writer:
      #expect(context.lastSign == time - age)
      #expect(trace.threads.first?.lastSign == time - age)
      #expect(index.map { trace.operations[$0].lastSign } != time - age)
    }
    #expect(context.silence == 1_000_000_000 - context.lastSign)
  }

  @Test("a sign of life belongs to the operation that executes on the thread") func writer() {
    var events = Self.events(.executionBegan)
    events.append(Self.event(.waitBegan, at: 20_000_000, subject: 1))
    let trace = TraceBuilder.build(events)
    #expect(trace.operation(OperationID(2))?.lastSign == 20_000_000)
    #expect(trace.operation(OperationID(1))?.lastSign != 20_000_000 && trace.threads.allSatisfy { $0.lastSign == nil })
  }

  @Test("a remark about no operation is not a sign of life") func outside() {
    for kind in [EventKind.mark, .spanBegan] {
      var events = Self.events(nil)
      events.append(Self.event(kind, at: 20_000_000, subject: 0))
      #expect(TraceBuilder.build(events).lastSign == 0)
    }
  }

  @Test("the timeline's origin is before all events", arguments: kinds)
  func origin(_ kind: EventKind) throws {
    let trace = TraceBuilder.build(Self.events(kind, at: -1_000_000_000))
    var text: [UInt8] = []
    try ChromeTraceExporter(trace, options: TimelineOptions()).write { text += $0 }
    #expect(!String(decoding: text, as: UTF8.self).contains("\"ts\":-"), "`\(kind.spec.name)`")
  }
}
