import Foundation
import OpTrace
import OpTraceFormat
import OpTraceModel
import TestSupport
import Testing

/// Operations of other classes, recorded by hooks in the program: see `Tests/RecorderTestProgram/HookModes.swift`.
@Suite(.ownThread) struct HookTests {
  /// Runs a program to its end and reads its trace, which must be sound.
  private func run(
    _ mode: String, closed: Bool = true, prints expected: String = "", in scratch: Scratch
  ) throws -> Trace {
    let result = try Program.run([mode, scratch.file().path])
    #expect(result.status == 0)
    #expect(result.output == expected)
    return try sound(scratch.file(), closed: closed)
  }

  private func sound(_ file: URL, closed: Bool = true) throws -> Trace {
    let trace = try TraceReader.read(path: file.path)
    #expect(trace.header.isClosed == closed)
    #expect(trace.loss.isComplete)
    let violations = TraceValidator.check(try TraceReader.events(path: file.path)).map(\.description)
    #expect(violations == [])
    return trace
  }

  private func names(_ trace: Trace) -> Set<String> { Set(trace.operations.compactMap(\.name)) }

  @Test func hooksComeAndGoWithTheirRecorder() throws {
    let scratch = try Scratch()
    let path = scratch.file().path
    let trace = try run(
      "hooks-life",
      prints: """
        another recorder already records the whole process: stop it before recording to '\(path)'
        another recorder already records the whole process: stop it before recording to '\(path).other'
        patched true true
        restored true true
        restored true true

        """, in: scratch)
    #expect(names(trace) == ["first block", "first late", "first generic"])
    // The queue does not wait for a barrier on an idle queue, so it may be incomplete.
    for operation in trace.operations where !operation.isBarrier {
      #expect(operation.coverage == .full && operation.finishCount == 1 && operation.enqueueCount == 1)
    }
    let second = try sound(scratch.file("run.optrace.second"))
    #expect(names(second) == ["second block", "second late", "second generic"])
    #expect(try sound(scratch.file("run.optrace.other"), closed: true).operations.isEmpty)
  }

  @Test func operationsFromBeforeTheHooksAreRecordedInPart() throws {
    let scratch = try Scratch()
    let trace = try run("hooks-late", in: scratch)
    let early = try trace.operation(named: "early")
    #expect(early.coverage == .partial && early.enqueued == nil && early.finished != nil)
    let dependent = try trace.operation(named: "dependent")
    #expect(dependent.coverage == .full && dependent.dependencies.map(\.on) == [early.id])
  }

  @Test func usesInDeinitAreNotRecordedForTheNextObject() throws {
    let scratch = try Scratch()
    let trace = try run("hooks-deinit", in: scratch)
    #expect(trace.queues.map(\.name) == (0..<20).map { "queue \($0)" })
    #expect(trace.operations.map(\.name) == (0..<20).map { "work \($0)" })
    #expect(trace.operations.map(\.queue) == trace.queues.map(\.id))
    #expect(trace.operations.allSatisfy { $0.startCount == 1 && $0.finishCount == 1 && $0.released != nil })
  }

  @Test func classesWithTheirOwnStatesAreRecorded() throws {
    let scratch = try Scratch()
    let trace = try run("hooks-classes", closed: true, in: scratch)
    // Its start was not recorded, so the operation is partial.
    let direct = try trace.operation(named: "direct")
    #expect(direct.coverage == .partial && direct.started == nil && direct.finishCount == 1)
    for name in [
      "asynchronous", "detached", "detached, waits", "asked", "by hand", "announces before", "adds itself",
      "adds itself, traced",
    ] {
      let operation = try trace.operation(named: name)
      #expect(operation.coverage == .full && operation.finishCount == 1, "\(name)")
      #expect(operation.executionBegan != nil && operation.executionEnded != nil, "\(name)")
      #expect(operation.startCount == (name == "by hand" ? 2 : 1), "\(name)")
    }
    let asynchronous = try trace.operation(named: "asynchronous")
    #expect(asynchronous.isAsynchronous && asynchronous.startReturned != nil)
    for name in ["detached", "detached, waits"] {
      let detached = try trace.operation(named: name)
      #expect(detached.started?.thread != detached.executionBegan?.thread)
      #expect(detached.executionBegan?.thread == detached.finished?.thread)
    }

    // It returned true from `isFinished`, but sent no notification.
    let silent = try trace.operation(named: "silent")
    #expect(silent.finished == nil && silent.finishSeen != nil && silent.state == .executing)

    // Nested deeper than the recorder follows: each still starts and finishes once.
    let nested = trace.operations.filter { $0.name?.hasPrefix("nested") == true }
    #expect(nested.count == 41 && nested.allSatisfy { $0.startCount == 1 && $0.finishCount == 1 })

    for name in ["traced in plain", "plain in traced", "both", "traced by hand"] {
      let operations = trace.operations.filter { $0.name == name }
      #expect(operations.count == 1, "\(name)")
      let operation = try #require(operations.first)
      #expect(operation.coverage == .full && operation.startCount == 1 && operation.finishCount == 1, "\(name)")
      #expect(operation.enqueueCount == (name == "traced by hand" ? 0 : 1), "\(name)")
    }
  }

  @Test func forkedChildGoesOnWithoutRecording() throws {
    let scratch = try Scratch()
    let trace = try run(
      "hooks-fork",
      prints: """
        cannot record all operations of this process to '\(scratch.file().path).child': this is a forked child, \
        where the parent's hooks stay inactive; use the traced types
        child \(7 << 8)

        """, in: scratch)
    #expect(
      names(trace) == ["before block", "before late", "before generic", "after block", "after late", "after generic"])
  }

  @Test func manyThreadsCanUseManyClasses() throws {
    let scratch = try Scratch()
    let trace = try run("hooks-threads", in: scratch)
    let operations = trace.operations
    #expect(operations.count == 8 * 50 * 10)
    let isWhole: (OperationRecord) -> Bool = { $0.coverage == .full && $0.startCount == 1 && $0.finishCount == 1 }
    #expect(operations.allSatisfy(isWhole))
    let edges: Int = operations.reduce(0) { $0 + $1.dependencies.count }
    #expect(edges == 8 * 50 * 9)
    for round in stride(from: 0, to: 50, by: 10) {
      let other = try sound(scratch.file("run.optrace.\(round)"))
      #expect(other.operations.count == 2 && other.operations.allSatisfy(isWhole))
    }
  }

  @Test func hooksComeAndGoWhileOperationsRun() throws {
    let scratch = try Scratch()
    let result = try Program.run(["hooks-stop-meanwhile", scratch.file().path])
    #expect(result.status == 0 && result.output == "ran true\n")
    for round in 0..<40 {
      _ = try sound(scratch.file("run.optrace.\(round)"))
    }
  }

  /// A program's setter may hold the lock that its getter takes.
  @Test func recorderCallsNoGetterInASetter() throws {
    let scratch = try Scratch()
    let trace = try run("hooks-locking-overrides", in: scratch)
    let operation = try trace.operation(named: "second name")
    #expect(operation.startCount == 1 && operation.finishCount == 1 && operation.quality == .utility)
    let queue = try #require(trace.queues.first { $0.name == "locking queue" })
    #expect(queue.changes.map(\.kind) == [.limit(2), .suspended, .resumed])
    // The program reads the name of a `TalkingQueue` once. Its getter adds the third operation to the third queue.
    #expect(trace.operations.count == 3 && trace.queues.count == 3)
  }

  /// An operation is described once, before its other events, even if its getters use it.
  @Test func gettersMayUseTheirOperation() throws {
    let scratch = try Scratch()
    let trace = try run("hooks-eager", in: scratch)
    let eager = try trace.operation(named: "eager")
    #expect(eager.coverage == .full && eager.enqueueCount == 1 && eager.startCount == 1 && eager.finishCount == 1)
    #expect(trace.operations.count == 2 && trace.operations.contains { $0.dependencies.map(\.on) == [eager.id] })
  }

  @Test func changesInPlaceMayEndOnAnotherThread() throws {
    let scratch = try Scratch()
    let trace = try run("hooks-in-place", prints: "unchanged by recording true\n", in: scratch)
    let added = String(repeating: "x", count: 20)
    #expect(names(trace) == Set((1...4).map { "\($0)" + added }))
    for queue in trace.queues {
      let first = try #require(queue.limits.first)
      #expect(queue.limits == Array(first...first + 20) && queue.name == "queue" + added)
    }
    #expect(trace.queues.count == 4)
  }
}

private extension QueueRecord {
  /// All limits that the queue was given.
  var limits: [Int] {
    changes.compactMap { if case .limit(let limit) = $0.kind { limit } else { nil } }
  }
}
