import COpTrace
import Foundation
import OpTraceFormat
import OpTraceModel
import TestSupport
import Testing

@testable import OpTrace

/// Each kind of the event table is written to a ring. After everything else was overwritten, the ring has what the
/// table says is carried, and nothing that has ended.
@Suite("Kinds of events that a ring carries", .ownThread) struct RingTraitTests {
  private static let kinds = EventSpec.table.filter { $0.part != .bookkeeping }
  private static let operation: UInt32 = 4001
  private static let queue: UInt32 = 71
  private static let span: UInt32 = 9001

  private static func emit(_ spec: EventSpec, _ core: OpaquePointer, waiter: Int64) {
    let subject: UInt32 =
      switch spec.subject {
      case .operation, .block, .task: operation
      case .queue: queue
      case .dispatch: 3
      case .span: span
      case .thread: 1
      case .image, .frame: 6
      case .allocation: 1
      case .none, .string, .reason: 0
      }
    var word1: UInt64 = 0
    var word2: UInt64 = 0
    for field in spec.fields {
      let value: Int64 =
        switch field.meaning {
        // The first recording thread waits for the operation.
        case .thread where spec.carry == .whileWaited: 1
        case .flag where spec.carry == .whileWaited: 0
        case .unsigned where spec.carry == .whileWaited: Int64(operation)
        case .address, .lock: 0x7f_0040
        case .objectKind: Int64(WaitedObject.queue.rawValue)
        case .thread: waiter
        case .operation, .queue, .dispatch, .flag, .frame, .image, .allocation: 1
        case .unsigned: field.name == "id" ? Int64(span) : 0
        case .signed, .string, .systemThread, .age: 0
        }
      if field.word == 1 { word1 |= field.bits(value) } else { word2 |= field.bits(value) }
    }
    let kind = spec.kind.rawValue
    if let text = spec.text {
      let bytes = Array("text".utf8)
      optrace_emit_text(core, kind, subject, UInt32(word1 >> 32), text.word == 3, word2, bytes, bytes.count)
      return
    }
    switch RecordSize.fixedWords(kind: kind) {
    case 1: optrace_emit1(core, kind, subject)
    case 2: optrace_emit2(core, kind, subject, word1)
    default: optrace_emit3(core, kind, subject, word1, word2)
    }
  }

  /// What is left of these records, written in order on their own thread, after the whole ring was overwritten.
  /// `waiter`: the blocked thread, or 0 for the writing one. `later`: written then, before the ring is filled again.
  private func left(of specs: [EventSpec], waiter: Int64 = 0, later: [EventSpec] = []) throws -> [EventKind] {
    let scratch = try Scratch()
    let recorder = try TraceRecorder(
      writingTo: scratch.file(), configuration: .flightRecorder(capacity: TraceRecorder.Configuration.smallestCapacity))
    let done = Gate()
    Thread {
      for spec in specs { Self.emit(spec, recorder.core, waiter: waiter) }
      for index in 0..<40_000 { recorder.mark("mark \(index)") }
      for spec in later { Self.emit(spec, recorder.core, waiter: waiter) }
      for index in 0..<40_000 where !later.isEmpty { recorder.mark("mark \(index)") }
      done.open()
    }.start()
    done.wait()
    try recorder.stop()
    let events = try TraceReader.events(path: scratch.file().path)
    #expect(events.loss.damage == [] && events.loss.overwrittenBytes > 100_000)
    return events.compactMap { event in
      EventKind(rawValue: event.kind).flatMap { $0 == .mark && event.text != "text" ? nil : $0 }
    }
  }

  /// `signalled` and `at` belong to the wait before them.
  private func order(_ specs: [EventSpec]) -> [EventSpec] {
    specs.flatMap { spec in
      switch spec.carry {
      case .withWaitBefore, .withRecordBefore: [] as [EventSpec]
      default:
        spec.bound == .begins(.blockedWait)
          ? [spec] + Self.kinds.filter { [.withWaitBefore, .withRecordBefore].contains($0.carry) } : [spec]
      }
    }
  }

  @Test("open work is carried, except kinds that the table marks as never carried") func goesOn() throws {
    // Kinds that end nothing.
    let open = Self.kinds.filter { spec in
      switch spec.bound {
      case .none, .begins: true
      case .ends, .follows: false
      }
    }
    let begins = open.filter { $0.bound == .begins(.operation) || $0.bound == .begins(.queue) }
    let others = open.filter { spec in !begins.contains { $0.kind == spec.kind } }
    // The ring carries a task's records from its last suspension on.
    let suspended = others.filter { $0.kind == .taskSuspended }
    let found = try left(of: begins + suspended + order(others.filter { $0.kind != .taskSuspended }), waiter: 55)
    // Whether anything refers to a dispatch queue: see Tests/CoreTests/crowds.c.
    for spec in open where spec.subject != .thread && spec.subject != .reason && spec.carry != .whileReferenced {
      #expect(found.contains(spec.kind) == (spec.carry != .never), "`\(spec.name)`")
    }
  }

  @Test("ended work is not carried") func over() throws {
    let ends = Self.kinds.filter { spec in
      if case .ends = spec.bound { return true }
      return false
    }
    let others = Self.kinds.filter { spec in !ends.contains { $0.kind == spec.kind } }
    let found = try left(of: order(others.filter { $0.carry != .whileNewest }) + ends)
    // The recorder names its own threads, and what is carried always has no end.
    let kept = Self.kinds.filter { $0.carry == .always }.map(\.kind) + [.threadNamed]
    #expect(Set(found).subtracting(kept) == [], "\(found)")
  }

  /// The chunk with carried records is not full, so it stays as long as nothing else is carried.
  @Test(
    "the end of carried work is kept as long as its begin",
    arguments: [
      (EventKind.operationCreated, EventKind.endedFinished), (.blockSubmitted, .runEnded),
      (.taskCreated, .taskCompleted),
      (.waitBegan, .waitEnded), (.queueWaitBegan, .queueWaitEnded), (.spanBegan, .spanEnded),
      (.queueCreated, .queueReleased),
    ]) func endOfWhatWasCarried(_ begins: EventKind, _ ends: EventKind) throws
  {
    let found = try left(
      of: [#require(EventSpec.of(raw: begins.rawValue))], later: [#require(EventSpec.of(raw: ends.rawValue))])
    // A combined record is read as its events.
    let end = ends == .endedFinished ? EventKind.finished : ends
    #expect(found.count { $0 == begins } == 1 && found.count { $0 == end } == 1, "\(found)")
  }
}
