import Foundation
import OpTraceTimeline
import OpTraceModel
import TestSupport
import Testing

@Suite("Spans of OpenTelemetry")
struct OTLPTests {
  /// The parts of a span's line that tests read.
  struct Span: Decodable {
    struct Attribute: Decodable {
      struct Value: Decodable {
        var stringValue: String?
        var intValue: String?
        var boolValue: Bool?
        var doubleValue: Double?
      }
      var key: String
      var value: Value
      var text: String {
        value.stringValue ?? value.intValue ?? value.boolValue.map { "\($0)" } ?? value.doubleValue.map { "\($0)" }
          ?? ""
      }
    }
    struct Event: Decodable {
      var name: String
      var timeUnixNano: String
    }
    struct Link: Decodable {
      var traceId: String
      var spanId: String
      var attributes: [Attribute]?
    }
    struct Status: Decodable {
      var code: Int
      var message: String?
    }
    var traceId: String
    var spanId: String
    var parentSpanId: String?
    var name: String
    var startTimeUnixNano: String
    var endTimeUnixNano: String
    var attributes: [Attribute]
    var events: [Event]?
    var links: [Link]?
    var droppedLinksCount: Int?
    var droppedAttributesCount: Int?
    var kind: Int
    var status: Status?

    subscript(_ key: String) -> String? { attributes.first { $0.key == key }?.text }
    /// Times since the start of a trace: handmade traces start at this time.
    var milliseconds: ClosedRange<UInt64> {
      func time(_ text: String) -> UInt64 { ((UInt64(text) ?? 0) - 1_790_000_000_123_456_789) / 1_000_000 }
      return time(startTimeUnixNano)...time(endTimeUnixNano)
    }
  }

  private struct Line: Decodable {
    struct Resource: Decodable { var attributes: [Span.Attribute] }
    struct Scope: Decodable { var spans: [Span] }
    struct ResourceSpans: Decodable {
      var resource: Resource
      var scopeSpans: [Scope]
    }
    var resourceSpans: [ResourceSpans]
  }

  private static func lines(of trace: Trace) throws -> [Data] {
    var bytes = Data()
    _ = try OTLPExporter(trace).write { bytes.append(contentsOf: $0) }
    return bytes.split(separator: UInt8(ascii: "\n")).map { Data($0) }
  }

  private static func spans(of trace: Trace) throws -> [Span] {
    try lines(of: trace).flatMap { line in
      try JSONDecoder().decode(Line.self, from: line).resourceSpans.flatMap { $0.scopeSpans.flatMap(\.spans) }
    }
  }

  private static func named(_ spans: [Span], _ name: String) throws -> Span {
    try #require(spans.first { $0.name == name }, "\(name)")
  }

  @Test("an operation is a span from enqueueing to finish, with events in between")
  func times() throws {
    var make = HandmadeTrace(end: 100)
    let queue = make.queue("work", limit: 1)
    make.operation("Load", on: queue, enqueued: 3, ready: 5, began: 9, ended: 20)
    make.operation("Open", on: queue, enqueued: 4, ready: 6, began: 30)
    make.operation("By hand", began: 40, ended: 50)
    make.operation(nil)
    let spans = try Self.spans(of: make.trace)
    #expect(spans.map(\.name) == ["Load", "Open", "By hand"])
    #expect(spans.map(\.milliseconds) == [3...20, 4...100, 40...50])
    #expect(spans[0].events?.map(\.name) == ["ready", "began"])
    #expect(spans[0]["optrace.queue.name"] == "work")
    #expect(spans[0]["optrace.state"] == "finished")
    #expect(spans[1]["optrace.state"] == "executing")
    #expect(spans.map { $0["optrace.unfinished"] } == [nil, "true", nil])
  }

  @Test("links lead to dependencies and slot holders, and dependencies share a trace id")
  func links() throws {
    var make = HandmadeTrace(end: 100)
    let queue = make.queue("serial", limit: 1)
    let other = make.queue("other")
    let first = make.operation("First", on: queue, ready: 0, began: 0, ended: 10)
    make.operation("Held", on: queue, ready: 0, began: 10, ended: 20)
    make.operation("Behind", on: other, after: [first], ready: 10, began: 10, ended: 30)
    let spans = try Self.spans(of: make.trace)
    let (one, held, behind) = try (
      Self.named(spans, "First"), Self.named(spans, "Held"), Self.named(spans, "Behind")
    )
    #expect(behind.links?.map(\.spanId) == [one.spanId])
    #expect(behind.links?.first?.attributes?.map(\.text) == ["dependency"])
    #expect(behind.traceId == one.traceId)
    #expect(held.links?.map(\.spanId) == [one.spanId])
    #expect(held.links?.map(\.traceId) == [one.traceId])
    #expect(held.links?.first?.attributes?.map(\.text) == ["slot"])
    // A slot does not make an operation part of another request.
    #expect(held.traceId != one.traceId)
  }

  @Test("a span's parent is the operation whose code added it")
  func parents() throws {
    var make = HandmadeTrace(end: 100)
    let queue = make.queue("work")
    make.operation("Request", on: queue, thread: 1, enqueued: 0, began: 5, ended: 50)
    make.operation("Part", on: queue, enqueued: 20, ready: 20, began: 21, ended: 40)
    make.operation("Later", on: queue, enqueued: 60, ready: 60, began: 61, ended: 62)
    let spans = try Self.spans(of: make.trace)
    #expect(spans.map(\.parentSpanId) == [nil, spans[0].spanId, nil])
    #expect(spans[1].traceId == spans[0].traceId)
    #expect(spans[2].traceId != spans[0].traceId)
  }

  @Test("nested spans nest, and operations that are added in them are their children")
  func nesting() throws {
    var make = HandmadeTrace(end: 100)
    let queue = make.queue("work")
    let request = make.operation("Request", on: queue, thread: 1, enqueued: 0, began: 5, ended: 50)
    make.operation("Inside", on: queue, enqueued: 20, ready: 20, began: 21, ended: 40)
    make.operation("Behind", on: queue, enqueued: 40, ready: 40, began: 41, ended: 44)
    make.operation("Tested", on: queue, enqueued: 65, ready: 65, began: 66, ended: 67)
    func stamp(_ time: Double, _ thread: UInt32 = 1) -> Stamp {
      Stamp(HandmadeTrace.nanoseconds(time), ThreadID(thread))
    }
    make.trace.spans = [
      SpanRecord(id: SpanID(1), name: "parse", operation: request, began: stamp(10), ended: stamp(30)),
      SpanRecord(id: SpanID(2), name: "header", operation: request, began: stamp(15), ended: stamp(25)),
      // The span continues on another thread: the work of this thread meanwhile is not part of it.
      SpanRecord(id: SpanID(3), name: "await", operation: request, began: stamp(35), ended: stamp(45, 2)),
      SpanRecord(id: SpanID(4), name: "test", operation: nil, began: stamp(60), ended: stamp(70)),
    ]
    let spans = try Self.spans(of: make.trace)
    func parent(_ name: String) throws -> String? {
      let parent = try Self.named(spans, name).parentSpanId
      return spans.first { $0.spanId == parent }?.name
    }
    #expect(try parent("Request") == nil && parent("test") == nil)
    #expect(try parent("parse") == "Request" && parent("header") == "parse" && parent("await") == "Request")
    #expect(try parent("Inside") == "header" && parent("Behind") == "Request" && parent("Tested") == "test")
    for span in spans where span.parentSpanId != nil {
      #expect(span.traceId == spans.first { $0.spanId == span.parentSpanId }?.traceId, "\(span.name)")
    }
    #expect(Set(spans.map(\.traceId)).count == 2)
  }

  @Test("an operation that a test enqueued on any thread belongs to the test")
  func within() throws {
    var make = HandmadeTrace(end: 100)
    let queue = make.queue("work")
    let id = make.operation("Load", on: queue, thread: 3, enqueued: 20, ready: 20, began: 21, ended: 40)
    make.trace.spans = [
      SpanRecord(
        id: SpanID(7), name: "test", operation: nil, began: Stamp(1_000_000, ThreadID(9)),
        ended: Stamp(90_000_000, ThreadID(8)))
    ]
    make.trace.within = [id: SpanID(7)]
    let spans = try Self.spans(of: make.trace)
    let (load, test) = try (Self.named(spans, "Load"), Self.named(spans, "test"))
    #expect(load.parentSpanId == test.spanId && load.traceId == test.traceId)
  }

  @Test("the schema URL of the attributes is written for resources and spans")
  func conventions() throws {
    struct Line: Decodable {
      struct Scope: Decodable { var schemaUrl: String }
      struct ResourceSpans: Decodable {
        var schemaUrl: String
        var scopeSpans: [Scope]
      }
      var resourceSpans: [ResourceSpans]
    }
    for line in try Self.lines(of: Zoo.trace()) {
      for one in try JSONDecoder().decode(Line.self, from: line).resourceSpans {
        #expect(one.schemaUrl == "https://opentelemetry.io/schemas/1.44.0")
        #expect(one.scopeSpans.map(\.schemaUrl) == [one.schemaUrl])
      }
    }
  }

  @Test("failed operations have the status error, and cancelled ones an attribute")
  func outcomes() throws {
    let spans = try Self.spans(of: Zoo.trace())
    let failed = try Self.named(spans, "Failed")
    #expect(failed.status?.code == 2 && failed.status?.message == "no such host")
    let cancelled = try Self.named(spans, "Cancelled")
    #expect(cancelled.status == nil && cancelled["optrace.cancelled"] == "true")
    #expect(cancelled["optrace.state"] == "cancelled")
  }

  @Test("the program's spans are children of operations, its marks are their events")
  func ownNames() throws {
    var make = HandmadeTrace(end: 100)
    let queue = make.queue("work")
    let id = make.operation("Load", on: queue, began: 5, ended: 50)
    func stamp(_ time: Double) -> Stamp { Stamp(HandmadeTrace.nanoseconds(time), ThreadID(2)) }
    make.trace.spans = [
      SpanRecord(name: "decode", operation: id, began: stamp(6), ended: stamp(8)),
      SpanRecord(name: "idle", operation: nil, began: stamp(60), ended: nil),
    ]
    make.trace.marks = [
      MarkRecord(name: "half", operation: id, at: stamp(7)), MarkRecord(name: "bell", operation: nil, at: stamp(70)),
    ]
    let spans = try Self.spans(of: make.trace)
    #expect(spans.map(\.name) == ["Load", "decode", "idle", "bell"])
    #expect(spans.map { $0["optrace.kind"] } == ["operation", "span", "span", "mark"])
    #expect(spans[0].events?.map(\.name) == ["ready", "began", "half"])
    #expect(spans[1].parentSpanId == spans[0].spanId && spans[1].traceId == spans[0].traceId)
    #expect(spans.map(\.milliseconds) == [0...50, 6...8, 60...100, 70...70])
    #expect(Set(spans.map(\.spanId)).count == 4)
    #expect(Set(spans.map(\.traceId)).count == 3)
  }

  @Test("spans of the program's tracer keep all their fields, and work inside has their trace id")
  func tracerSpans() throws {
    let text = """
      optrace text 1
      process 1 "p"
      writer "1.0.0"
      mode streaming
      wall 1790000000123456789
      monotonic 0
      state closed

      0 t1 thread t1 tid=1 "main"
      0 t2 thread t2 tid=2 "worker"
      0 t1 queue q1 limit=1 "work"
      10 t1 span #0 id=1 "serve"
      11 t1 span-context s1 kind=1 "4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-b7ad6b7169203331"
      12 t1 span-attribute s1 "http.route=/\\"orders\\""
      13 t1 span-attribute s1 type=1 "status=201"
      14 t1 span-attribute s1 type=2 "ratio=0.5"
      15 t1 span-attribute s1 type=3 "cached=true"
      16 t1 span-attribute s1 type=1 "odd=99999999999999999999"
      17 t1 span-attribute s1 type=2 "nan=nan"
      20 t1 created #1 class="Load"
      21 t1 enqueued #1 queue=q1
      30 t2 started #1
      31 t2 began #1
      32 t2 span #1 id=2 "measured"
      33 t2 span-ended s2
      34 t2 span #1 id=3 "query"
      35 t2 span-context s3 parent=1 kind=2 "4bf92f3577b34da6a3ce929d0e0e4736-1111111111111111"
      36 t2 span-link s3 "0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331"
      37 t2 span-link s3 "context-1"
      38 t2 span-status s3 code=2 left-out=5 "timeout"
      39 t2 span-ended s3
      40 t2 ended #1
      41 t2 finished #1
      50 t1 span-status s1 code=1 ""
      51 t1 span-ended s1
      60 t1 span #0 id=4 "alone"
      61 t1 span-context s4 parent=4 "0af7651916cd43dd8448eb211c80319c-2222222222222222"
      62 t1 span-ended s4

      """
    let spans = try Self.spans(of: TraceReader.read(bytes: Array(text.utf8)))
    let trace = "4bf92f3577b34da6a3ce929d0e0e4736"
    let (serve, query) = try (Self.named(spans, "serve"), Self.named(spans, "query"))
    #expect(serve.traceId == trace && serve.spanId == "00f067aa0ba902b7" && serve.parentSpanId == "b7ad6b7169203331")
    #expect(serve.kind == 2 && serve.status?.code == 1 && serve.status?.message == nil)
    #expect(
      serve.attributes.prefix(6).map { [$0.key, $0.text] } == [
        ["http.route", "/\"orders\""], ["status", "201"], ["ratio", "0.5"], ["cached", "true"],
        ["odd", "99999999999999999999"], ["nan", "nan"],
      ])
    #expect(serve.attributes[1].value.intValue != nil && serve.attributes[4].value.intValue == nil)
    #expect(query.traceId == trace && query.spanId == "1111111111111111" && query.parentSpanId == serve.spanId)
    #expect(query.kind == 3 && query.status?.code == 2 && query.status?.message == "timeout")
    #expect(query.droppedAttributesCount == 5 && query["optrace.id"] == "1")
    #expect(query.links?.map(\.traceId) == ["0af7651916cd43dd8448eb211c80319c"])
    let (load, measured) = try (Self.named(spans, "Load"), Self.named(spans, "measured"))
    #expect(load.traceId == trace && load.parentSpanId == serve.spanId && load.kind == 1)
    #expect(measured.traceId == trace && measured.parentSpanId == load.spanId)
    let alone = try Self.named(spans, "alone")
    #expect(alone.parentSpanId == nil)
    #expect(alone.traceId == "0af7651916cd43dd8448eb211c80319c" && Set(spans.map(\.spanId)).count == 5)
  }

  @Test("ids are the same each time a trace is written, and differ between traces")
  func numbers() throws {
    let trace = Zoo.trace()
    #expect(try Self.lines(of: trace) == Self.lines(of: trace))
    var other = trace
    other.header.processID += 1
    let ids = try (Set(Self.spans(of: trace).map(\.spanId)), Set(Self.spans(of: other).map(\.spanId)))
    #expect(ids.0.isDisjoint(with: ids.1))
    #expect(ids.0.allSatisfy { $0.count == 16 && $0 != "0000000000000000" })
  }

  @Test("a span with many dependencies says how many links were left out")
  func manyLinks() throws {
    var make = HandmadeTrace(end: 100)
    let queue = make.queue("work")
    let before = (0..<3000).map { make.operation("Part \($0)", on: queue, began: 0, ended: 1) }
    make.operation("All", on: queue, after: before, ready: 1, began: 2, ended: 3)
    var bytes = 0
    let written = try OTLPExporter(make.trace).write { bytes += $0.count }
    #expect(written.spans == 3001 && written.links == 1000 && written.droppedLinks == 2000)
    let all = try Self.named(Self.spans(of: make.trace), "All")
    #expect(all.links?.count == 1000 && all.droppedLinksCount == 2000)
    let lines = try Self.lines(of: make.trace)
    #expect(lines.count > 1 && lines.allSatisfy { $0.count < 1 << 20 })
  }

  @Test("hostile names stay names")
  func hostile() throws {
    let spans = try Self.spans(of: Zoo.hostile())
    #expect(spans.count == Zoo.hostileNames.count)
    // Compare scalars: Swift treats texts that look alike as equal.
    #expect(spans.map { Array($0.name.unicodeScalars) } == Zoo.hostileNames.map { Array($0.unicodeScalars) })
    #expect(spans.map { $0["optrace.class"] } == Zoo.hostileNames)
    let errors = spans.compactMap { $0.status?.message }
    #expect(!errors.isEmpty && errors.allSatisfy { Zoo.hostileNames.contains($0) })
  }

  @Test("connected operations match a brute-force search", arguments: 0..<40)
  func components(seed: Int) throws {
    var random = SeededGenerator(seed)
    var make = HandmadeTrace(end: 100)
    let queue = make.queue("work")
    let count = random.number(1..<14)
    var group = Array(0..<count)
    for index in 0..<count {
      let before = (0..<index).filter { _ in random.chance(12) }
      make.operation(
        "\(index)", on: queue, thread: 3, after: before.map { OperationID(UInt32($0 + 1)) }, began: 1, ended: 2)
      for other in before {
        let (from, to) = (group[other], group[index])
        group = group.map { $0 == from ? to : $0 }
      }
    }
    let spans = try Self.spans(of: make.trace)
    for one in 0..<count {
      for other in 0..<count {
        #expect((spans[one].traceId == spans[other].traceId) == (group[one] == group[other]), "seed \(seed)")
      }
    }
  }
}
