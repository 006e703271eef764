import COpTrace
import Foundation
import OpTraceFormat
import OpTraceModel
import TestSupport
import Testing

@testable import OpTrace

/// Waits for semaphores and similar objects in a flight recorder, as hooks and flusher record them.
@Suite(.ownThread) struct RingBlockingTests {
  static let semaphore: UInt64 = 1 << 48 | 0x7f_0010
  static let queue: UInt64 = 3 << 48 | 0x7f_0040

  enum Busy: CaseIterable {
    /// Which chunks are recycled: those with the begins, those with the ends, or both.
    case teller, waiter, both
  }

  /// A thread waits for a semaphore and gets it, then waits for a dispatch queue forever. Another thread records both.
  @Test(arguments: Busy.allCases) func aRingKeepsOnlyOpenWaits(_ busy: Busy) throws {
    let scratch = try Scratch()
    let recorder = try TraceRecorder(
      writingTo: scratch.file(), configuration: .flightRecorder(capacity: TraceRecorder.Configuration.smallestCapacity))
    let serial = optrace_recorder_next_serial(recorder.core)
    let begun = Gate(), told = Gate(), over = Gate(), end = Gate(), gone = Gate()
    defer {
      end.open()
      gone.wait()
    }
    Thread {
      optrace_emit2(recorder.core, EventKind.operationCreated.rawValue, serial, 0)
      optrace_emit1(recorder.core, EventKind.started.rawValue, serial)
      recorder.mark("waiter")
      begun.open()
      told.wait()
      optrace_emit2(recorder.core, EventKind.unblocked.rawValue, serial, Self.semaphore)
      if busy != .teller { Self.fill(recorder) }
      over.open()
      end.wait()
      gone.open()
    }.start()

    begun.wait()
    let waiter = try #require(TraceReader.read(path: scratch.file().path).marks.first?.at.thread)
    func tell(of object: UInt64, named name: String? = nil, signalledBy operation: UInt32) {
      optrace_emit3(recorder.core, EventKind.blocked.rawValue, serial, object, UInt64(waiter.rawValue) << 40 | 1)
      if let label = name.map({ Array($0.utf8) }) {
        optrace_emit_text(
          recorder.core, EventKind.objectNamed.rawValue, 0, 0, true, EventFields.Unblocked(object).object, label,
          label.count)
      }
      optrace_emit3(recorder.core, EventKind.signalled.rawValue, operation, object, 2)
    }
    tell(of: Self.semaphore, signalledBy: 0)
    told.open()
    over.wait()
    tell(of: Self.queue, named: "com.example.db", signalledBy: serial)
    if busy != .waiter { Self.fill(recorder) }

    for attempt in ["live", "closed"] {
      if attempt == "closed" { try recorder.stop() }
      let events = try TraceReader.events(path: scratch.file().path)
      let trace = TraceBuilder.build(events)
      #expect(trace.loss.damage == [] && trace.loss.lostCount == 0 && trace.loss.overwrittenBytes > 100_000)
      #expect(TraceValidator.check(events).map(\.description) == [])
      let open = trace.waits.filter { $0.ended == nil }
      #expect(open.map(\.inside) == [OperationID(serial)] && open.map(\.thread) == [waiter])
      guard case .object(let id)? = open.first?.target else {
        Issue.record("waits: \(trace.waits)")
        continue
      }
      #expect(trace.object(id)?.title == "dispatch queue com.example.db")
      #expect(open.first?.lastSignal?.operation == OperationID(serial))
      // An ended wait is there with its end, or not at all.
      let beginnings = events.count { $0.kind == EventKind.blocked.rawValue }
      #expect(beginnings == 1 || beginnings == 2 && busy != .both)
    }
  }

  @Test func endedWaitsDoNotFillTheRing() throws {
    let scratch = try Scratch()
    let recorder = try TraceRecorder(
      writingTo: scratch.file(), configuration: .flightRecorder(capacity: TraceRecorder.Configuration.smallestCapacity))
    let serial = optrace_recorder_next_serial(recorder.core)
    let count: UInt64 = 4000
    let turn = Gate(), told = Gate()
    Thread {
      optrace_emit2(recorder.core, EventKind.operationCreated.rawValue, serial, 0)
      optrace_emit1(recorder.core, EventKind.started.rawValue, serial)
      recorder.mark("waiter")
      turn.open()
      for object in 1...count {
        told.wait()
        optrace_emit2(recorder.core, EventKind.unblocked.rawValue, serial, 1 << 48 | object)
        turn.open()
      }
    }.start()
    turn.wait()
    let waiter = try #require(TraceReader.read(path: scratch.file().path).marks.first?.at.thread)
    for object in 1...count {
      optrace_emit3(
        recorder.core, EventKind.blocked.rawValue, serial, 1 << 48 | object, UInt64(waiter.rawValue) << 40 | 1)
      optrace_emit3(recorder.core, EventKind.signalled.rawValue, 0, 1 << 48 | object, 2)
      told.open()
      turn.wait()
    }
    Self.fill(recorder)
    try recorder.stop()
    let trace = try TraceReader.read(path: scratch.file().path)
    #expect(trace.loss.lostCount == 0)
    #expect(trace.waits.filter { $0.ended == nil } == [])
    #expect(trace.operations.map(\.id) == [OperationID(serial)], "it goes on")
  }

  /// Writes several times the capacity of the ring.
  private static func fill(_ recorder: TraceRecorder) { for index in 0..<40_000 { recorder.mark("mark \(index)") } }
}
