import Foundation
import OpTraceFormat
import Testing

@testable import OpTraceModel

@Suite("Anonymous traces")
struct AnonymizerTests {
  private static let text = """
    optrace text 1
    process 4711 "secret-process"
    process-start 77
    boot 000102030405060708090a0b0c0d0e0f
    writer "0.1.0"
    mode streaming
    wall 1790000000123456789
    monotonic 123456789
    state closed

    0 t1 thread t1 tid=4711 "secret-thread"
    0 t2 thread t2 tid=4713 "secret-worker"
    0 t1 queue q1 limit=1 "secret-queue"
    10 t1 queue-named q1 "secret-queue-two"
    20 t1 created #1 class="Secret.Class" age=3
    21 t1 named #1 source="secret/Place.swift:12" "secret-name"
    22 t1 created #2 class="Secret.Class"
    23 t1 named #2 source="secret/Place.swift:12" "secret-name"
    24 t1 depends #2 on=#1
    25 t1 created #3 class="Secret.Other"
    26 t1 named #3 "secret-other"
    30 t1 enqueued #1 queue=q1 priority=0
    40 t2 started #1
    41 t2 mark #1 "secret-mark"
    42 t2 span #1 id=1 "secret-span"
    43 t2 span-context s1 parent=0 kind=1 "4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7"
    44 t2 span-attribute s1 type=0 "secret.key=secret-value"
    45 t2 span-status s1 code=2 left-out=0 "secret-error"
    46 t2 span-link s1 to=0 "4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7"
    47 t2 span-named s1 "secret-span-two"
    50 t2 span-ended s1
    60 t2 object-named object=0x7f1234567890 "secret-label"
    61 t2 object-named object=0x7f1234567000 "com.apple.main-thread"
    62 t2 blocked #1 object=0x7f1234567890 kind=queue age=1
    63 t2 unblocked #1 object=0x7f1234567890 kind=queue
    64 t2 0xfe #1 0x7465726365730003 0x746572636573
    70 t2 failed #1 "secret-error"

    """

  private func anonymized(_ text: String) throws -> TraceEvents { Anonymizer.anonymized(try TraceText.parse(text)) }

  @Test("every text becomes a number, and equal texts become equal numbers") func texts() throws {
    let text = TraceText.string(try anonymized(Self.text))
    // A hash that distinguishes this trace from others replaces the boot id.
    #expect(text.firstMatch(of: #/\nboot [0-9a-f]{32}\n/#) != nil)
    #expect(
      text.replacing(#/boot [0-9a-f]+\n/#, with: "") == """
        optrace text 1
        process 1 "process-1"
        writer "0.1.0"
        mode streaming
        wall 0
        monotonic 1099511627776
        state closed
        events 27

        0 t1 thread t1 tid=1 "thread-1"
        0 t1 queue q1 limit=1 "queue-1"
        0 t2 thread t2 tid=2 "thread-2"
        10 t1 queue-named q1 "queue-2"
        20 t1 created #1 class="class-1" age=3
        21 t1 named #1 source="place-1" "name-1"
        22 t1 created #2 class="class-1"
        23 t1 named #2 source="place-1" "name-1"
        24 t1 depends #2 on=#1
        25 t1 created #3 class="class-2"
        26 t1 named #3 "name-2"
        30 t1 enqueued #1 queue=q1 priority=0
        40 t2 started #1
        41 t2 mark #1 "mark-1"
        42 t2 span #1 id=1 "span-1"
        43 t2 span-context s1 kind=1 "context-1"
        44 t2 span-attribute s1 "attribute-1"
        45 t2 span-status s1 code=2 "error-1"
        46 t2 span-link s1 "context-1"
        47 t2 span-named s1 "span-2"
        50 t2 span-ended s1
        60 t2 object-named object=0x10 "object-1"
        61 t2 object-named object=0x20 "com.apple.main-thread"
        62 t2 blocked #1 object=0x10 kind=queue age=1
        63 t2 unblocked #1 object=0x10 kind=queue
        64 t2 0xfe #1 0x2
        70 t2 failed #1 "error-1"

        """)
  }

  @Test("two runs give different anonymous traces, one run always the same") func hashes() throws {
    let hash = try anonymized(Self.text).header.hash
    #expect(try anonymized(Self.text).header.hash == hash)
    #expect(try anonymized(Self.text.replacing("secret-worker", with: "secret-other-worker")).header.hash == hash)
    #expect(try anonymized(Self.text.replacing("40 t2 started", with: "41 t2 started")).header.hash != hash)
    #expect(try TraceText.parse(Self.text).header.hash != hash)
  }

  @Test("no text and none of the machine's numbers is left in the bytes") func bytes() throws {
    let events = try TraceText.parse(Self.text)
    let bytes = TraceWriter.bytes(Anonymizer.anonymized(events))
    #expect(String(decoding: TraceWriter.bytes(events), as: UTF8.self).contains("secret"))
    let found = String(decoding: bytes, as: UTF8.self)
    #expect(!found.contains("secret") && !found.contains("Secret") && !found.contains(".swift"))
    for number in [1_790_000_000_123_456_789, 123_456_789, 0x7f12_3456_7890, 0x0706_0504_0302_0100] as [UInt64] {
      let pattern = withUnsafeBytes(of: number.littleEndian) { Array($0.prefix(6)) }
      #expect(!bytes.indices.contains { bytes[$0...].starts(with: pattern) }, "\(number)")
    }
  }

  /// A trace without its header, names, thread numbers of the system, operations and objects.
  private func shape(_ trace: Trace) -> Trace {
    var trace = trace
    trace.header = TraceHeader()
    for index in trace.threads.indices {
      trace.threads[index].name = ""
      trace.threads[index].systemID = 0
    }
    for index in trace.queues.indices { trace.queues[index].name = "" }
    for index in trace.marks.indices { trace.marks[index].name = "" }
    for index in trace.spans.indices { trace.spans[index].name = "" }
    trace.operations = []
    trace.objects = []
    return trace
  }

  @Test("samples keep their shape and lose their names", arguments: PieceReaderTests.samples)
  func samples(_ name: String) throws {
    let original = [UInt8](try Data(contentsOf: PieceReaderTests.folder.appendingPathComponent(name)))
    let events = try TraceReader.events(bytes: original)
    let anonymous = TraceWriter.bytes(Anonymizer.anonymized(events))
    let before = TraceBuilder.build(events)
    let after = try TraceReader.read(bytes: anonymous)
    #expect(shape(after) == shape(before))
    for (old, new) in zip(before.operations, after.operations) {
      #expect(old.id == new.id && old.state == new.state && old.dependencies == new.dependencies)
      #expect(old.enqueued == new.enqueued && old.ready == new.ready && old.started == new.started)
      #expect(old.finished == new.finished && old.queue == new.queue && old.priority == new.priority)
    }
    #expect(before.operations.count == after.operations.count)
    #expect(before.objects.map(\.kind) == after.objects.map(\.kind))
    // There are as many different names as before.
    #expect(Set(before.operations.map(\.className)).count == Set(after.operations.map(\.className)).count)
    #expect(Set(before.operations.map(\.name)).count == Set(after.operations.map(\.name)).count)
    let found = String(decoding: anonymous, as: UTF8.self)
    // A short name may occur anywhere by chance.
    for text in Set(strings(of: events)) where text.utf8.count > 3 { #expect(!found.contains(text), "\(text)") }
  }

  private func strings(of events: TraceEvents) -> [String] {
    let texts = events.compactMap(\.text) + events.strings.values + [events.header.processName]
    return texts.filter { !$0.isEmpty && $0 != "com.apple.main-thread" }
  }

  @Test("damage is kept, with messages that have none of the trace's texts") func damage() throws {
    let line = "damage offset=4096 skipped=64 \"secret reason\"\n\n"
    let damaged = Self.text.replacing("state closed\n\n", with: "state closed\n" + line)
    let events = try anonymized(damaged)
    #expect(events.loss.damage == [.init(offset: 4096, skippedBytes: 64, reason: "a part that could not be read")])
  }

  @Test("an anonymous trace that is anonymised again does not change") func twice() throws {
    let once = try anonymized(Self.text)
    #expect(TraceText.string(Anonymizer.anonymized(once)) == TraceText.string(once))
  }
}
