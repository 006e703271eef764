import OpTraceFormat
import Testing

/// The accessors of fields, as `scripts/make-format` makes them.
@Suite("accessors of fields") struct FieldTests {
  /// The values that the table reads from the words of an accessor.
  private func values(_ kind: EventKind, _ words: some EventWords) -> [String: Int64] {
    Dictionary(uniqueKeysWithValues: kind.spec.fields.map { ($0.name, $0.value(words.word1, words.word2)) })
  }

  @Test("accessors put each field where the table has it") func building() {
    let created = EventFields.OperationCreated(class: 0x1234, coverage: 2, async: true, ownReady: false, age: 1 << 39)
    #expect(
      values(.operationCreated, created)
        == ["class": 0x1234, "coverage": 2, "async": 1, "own-ready": 0, "age": 1 << 39])
    let enqueued = EventFields.Enqueued(queue: .max, priority: -8, qos: 4, barrier: true)
    #expect(values(.enqueued, enqueued) == ["queue": 0xFFFF_FFFF, "priority": -8, "qos": 4, "barrier": 1])
    let queue = EventFields.QueueCreated(limit: -1, qos: 3, main: false, suspended: true)
    #expect(values(.queueCreated, queue) == ["limit": -1, "qos": 3, "main": 0, "suspended": 1])
    #expect(UInt64(queue.high) << 32 == queue.word1)
    let limit = EventFields.LimitChanged(value: .min)
    #expect(values(.limitChanged, limit) == ["value": .min])
    let frame = EventFields.Frame(
      image: 7, offset: EventFields.Frame.largestOffset, guessed: true, caller: 9, returns: true,
      library: 5, cut: true)
    #expect(
      values(.frame, frame) == [
        "image": 7, "offset": 1 << 47 - 1, "guessed": 1, "caller": 9, "returns": 1, "library": 5, "cut": 1,
      ])
  }

  @Test("accessors read back what was put in") func reading() {
    let seen = EventFields.ThreadSeen(
      cpu: 5, owner: 0xFF_FFFF, state: 3, running: false, ended: true, timed: false, still: true,
      lock: 0x7FFF_0000_1230,
      call: 0xFFF, reason: 13)
    let read = EventFields.ThreadSeen(seen.word1, seen.word2)
    #expect(read.cpu == 5 && read.owner == 0xFF_FFFF && read.state == 3)
    #expect(!read.running && read.ended && !read.timed && read.still)
    #expect(read.lock == 0x7FFF_0000_1230 && read.call == 0xFFF && read.reason == 13)
    let suspended = EventFields.TaskSuspended(reason: 5, for: 99)
    #expect(suspended.reason == 5 && suspended.for == 99 && suspended.word2 == 0)
    #expect(EventFields.Enqueued(queue: 1, priority: -3, qos: 0, barrier: false).priority == -3)
    #expect(EventFields.PriorityChanged(value: -8).value == -8)
  }

  @Test("accessors cut off what does not fit, and leave other fields alone") func tooLarge() {
    let task = EventFields.TaskCreated(by: 0, how: 0xFF, priority: 0, enqueued: false, main: false, code: 0, at: 0)
    #expect(task.how == 0xF && task.priority == 0 && !task.enqueued && task.word2 == 0)
    let object = EventFields.Blocked(object: .max, kind: 0, age: .max, thread: 0)
    #expect(object.object == EventFields.Blocked.largestObject && object.kind == 0 && object.thread == 0)
  }
}

/// How records are packed.
@Suite struct RecordWordTests {
  @Test func theFirstWordHasKindTimeAndSubject() {
    let head = RecordHead(kind: 0x89, delta: Layout.largestDelta, subject: 0xFEDC_BA98)
    #expect(head.word == 0xFEDC_BA98_FFFF_FF89)
    #expect(head.kind == 0x89 && head.delta == Layout.largestDelta && head.subject == 0xFEDC_BA98)
    #expect(head.timeless.word == 0xFEDC_BA98_0000_0089)
  }

  @Test func theSecondWordOfATextHasItsLengths() {
    let lengths = RecordLengths(words: 3, textBytes: 0x1234, fields: 0xFFFF_FFFF_0000_5555)
    #expect(lengths.word == 0xFFFF_FFFF_1234_0003)
    #expect(lengths.words == 3 && lengths.textBytes == 0x1234)
    #expect(RecordLengths.fields(of: lengths.word) == 0xFFFF_FFFF_0000_0000)
  }
}
