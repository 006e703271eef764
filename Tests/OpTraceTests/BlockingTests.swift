import Foundation
import OpTraceFormat
import OpTraceModel
import TestSupport
import Testing

/// Operations that block: see `Tests/RecorderTestProgram/BlockingModes.swift`.
@Suite(.ownThread) struct BlockingTests {
  /// Each operation of the mode `blocking`, and the object it waits for. The flusher records the wait while it lasts.
  private static let kinds: [(operation: String, object: String, signaller: String?)] = [
    ("semaphore", "semaphore", "signaller"), ("traced", "semaphore", "signaller"),
    ("semaphore in sync", "semaphore", "signaller"), ("main thread", "semaphore", "signaller"),
    ("group", "group", "signaller"), ("condition", "condition", "signaller"),
    ("condition lock", "condition", "signaller"), ("timed condition", "condition", "signaller"),
    ("work item", "group", nil), ("sync", "dispatch queue test.serial", "holder"),
    ("barrier", "dispatch queue test.concurrent", "reader"),
  ]

  private func waits(_ trace: Trace, of name: String) -> [WaitRecord] {
    guard let operation = trace.operations.first(where: { $0.name == name }) else { return [] }
    return trace.waits.filter { wait in
      guard case .object = wait.target else { return false }
      return wait.inside == operation.id
    }
  }

  private func title(_ trace: Trace, _ wait: WaitRecord) -> String {
    guard case .object(let id) = wait.target, let object = trace.objects.first(where: { $0.id == id }) else {
      return "none"
    }
    return object.kind == .queue ? object.title : object.kind?.word ?? "unknown"
  }

  /// Those of `waits` that the program is about. Entering a free queue is over at once, but on a busy machine the thread may
  /// get no processor meanwhile: what lasts a millisecond is recorded, too.
  private func intended(_ trace: Trace, of name: String) -> [WaitRecord] {
    waits(trace, of: name).filter { !isLateEntry(trace, $0) }
  }

  private func isLateEntry(_ trace: Trace, _ wait: WaitRecord) -> Bool {
    let isFree = title(trace, wait) == "dispatch queue test.free"
    let entersFirst = ["holder", "reader"].contains(name(trace, wait.inside))
    guard isFree || entersFirst, let ended = wait.ended else { return false }
    return ended - wait.began >= 1_000_000
  }

  private func name(_ trace: Trace, _ id: OperationID?) -> String? {
    trace.operations.first { $0.id == id }?.name
  }

  /// Reads the trace of a running program until `isSeen` holds.
  private func follow(_ program: RunningProgram, _ file: URL, until isSeen: (Trace) -> Bool) throws {
    try eventually("all is seen while the program runs", whileRunning: program) {
      (try? TraceReader.read(path: file.path)).map(isSeen) ?? false
    }
  }

  private func sound(_ file: URL, closed: Bool = true) throws -> Trace {
    let trace = try TraceReader.read(path: file.path)
    #expect(trace.header.isClosed == closed)
    #expect(trace.loss.isComplete)
    #expect(TraceValidator.check(try TraceReader.events(path: file.path)).map(\.description) == [])
    return trace
  }

  private func go(_ scratch: Scratch) throws { try Data().write(to: scratch.file("run.optrace.go")) }

  private func finish(_ program: RunningProgram) { #expect(program.end() == .exited(0)) }

  private func allBlock(_ trace: Trace) -> Bool {
    Self.kinds.allSatisfy { kind in waits(trace, of: kind.operation).contains { $0.ended == nil } }
  }

  @Test func eachKindOfWaitIsRecordedOnceWithItsSignaller() throws {
    let scratch = try Scratch()
    let program = try Program.start(["blocking", scratch.file().path])
    try follow(program, scratch.file(), until: allBlock)
    try go(scratch)
    finish(program)

    let trace = try sound(scratch.file())
    for kind in Self.kinds {
      let waits = intended(trace, of: kind.operation)
      #expect(waits.map { title(trace, $0) } == [kind.object], "\(kind.operation)")
      guard let wait = waits.first else { continue }
      let operation = try trace.operation(named: kind.operation)
      #expect(wait.ended != nil, "\(kind.operation)")
      #expect(wait.thread == operation.started?.thread, "\(kind.operation)")
      #expect(name(trace, wait.endSignal?.operation) == kind.signaller, "\(kind.operation)")
      if let signaller = kind.signaller {
        let signaller = try trace.operation(named: signaller)
        #expect(wait.endSignal?.thread == signaller.started?.thread, "\(kind.operation)")
      }
    }
    // Operations that only signal have no wait.
    let told = trace.waits.filter { !isLateEntry(trace, $0) }.compactMap { wait in
      wait.inside.map { name(trace, $0) ?? "none" }
    }
    #expect(Set(told) == Set(Self.kinds.map(\.operation)))
  }

  /// Waits for the program's own objects are recorded, but not how it waits for the queue, and no short waits.
  @Test func waitsOutsideOfOperationsAreRecordedWithTheirSignaller() throws {
    let scratch = try Scratch()
    let result = try Program.run(["blocking-outside", scratch.file().path])
    #expect(result.status == 0)
    let trace = try sound(scratch.file())
    let outside = trace.waits.filter { wait in
      guard case .object = wait.target else { return false }
      return wait.inside == nil
    }
    #expect(outside.map { title(trace, $0) } == ["semaphore", "group"])
    #expect(outside.map { name(trace, $0.endSignal?.operation) } == ["signals", "leaves"])
    let isMain = outside.map { trace.thread($0.thread)?.isMain }
    #expect(isMain == [true, false] && outside.allSatisfy { $0.ended != nil })
  }

  @Test func killedProcessLeavesItsOpenWaits() throws {
    let scratch = try Scratch()
    let program = try Program.start(["blocking", scratch.file().path])
    try follow(program, scratch.file(), until: allBlock)
    program.kill()

    let trace = try sound(scratch.file(), closed: false)
    for kind in Self.kinds {
      let waits = intended(trace, of: kind.operation)
      #expect(waits.map { title(trace, $0) } == [kind.object], "\(kind.operation)")
      #expect(waits.allSatisfy { $0.ended == nil }, "\(kind.operation)")
    }
    // The operation that occupies the awaited dispatch queue.
    #expect(name(trace, waits(trace, of: "sync").first?.lastSignal?.operation) == "holder")
    #expect(name(trace, waits(trace, of: "barrier").first?.lastSignal?.operation) == "reader")
    #expect(waits(trace, of: "semaphore").first?.lastSignal == nil)
  }

  @Test func callsReturnTheSameAndShortWaitsAreNotRecorded() throws {
    let scratch = try Scratch()
    let plain = try Program.run(["blocking-results", scratch.file("plain").path, "plain"])
    let result = try Program.run(["blocking-results", scratch.file().path])
    #expect(result.status == 0)
    #expect(plain.output.split(separator: "\n").last == "done")
    #expect(result.output == plain.output)

    let trace = try sound(scratch.file())
    // These waits end at once, but on a busy machine one may last. It is recorded if it lasted a millisecond.
    let late = waits(trace, of: "first") + waits(trace, of: "quick")
    for wait in late { #expect(wait.ended.map { $0 - wait.began >= 1_000_000 } == true) }
    let timedOut = [
      ("second", "semaphore"), ("new", "semaphore"), ("group", "group"), ("condition", "condition"),
    ]
    for (operation, object) in timedOut {
      let waits = self.waits(trace, of: operation)
      #expect(waits.map { title(trace, $0) } == [object], "\(operation)")
      // These waits timed out.
      #expect(waits.allSatisfy { $0.ended != nil && $0.endSignal == nil }, "\(operation)")
    }
    #expect(name(trace, waits(trace, of: "second").first?.lastSignal?.operation) == "first")
    #expect(waits(trace, of: "new").first?.lastSignal == nil)
    #expect(trace.waits.count { $0.inside != nil } == 4 + late.count)
  }

  @Test func waitsForOperationsAreNotAlsoRecordedAsBlocking() throws {
    let scratch = try Scratch()
    let program = try Program.start(["blocking-operations", scratch.file().path])
    let waiting = ["plain", "traced"].flatMap { name in ["for one", "for all", "adding"].map { "\(name) \($0)" } }
    func isWaiting(_ trace: Trace, _ name: String) -> Bool {
      guard let operation = trace.operations.first(where: { $0.name == name }) else { return false }
      return trace.waits.contains { $0.inside == operation.id && $0.ended == nil }
    }
    try follow(program, scratch.file()) { trace in waiting.allSatisfy { isWaiting(trace, $0) } }
    try go(scratch)
    finish(program)

    let trace = try sound(scratch.file())
    for name in waiting { #expect(waits(trace, of: name) == [], "\(name)") }
  }

  @Test func callerWaitsForItsWorkOnAnotherThread() throws {
    let scratch = try Scratch()
    let program = try Program.start(["blocking-main-queue", scratch.file().path])
    try follow(program, scratch.file()) { waits($0, of: "hop").contains { $0.ended == nil } }
    try go(scratch)
    finish(program)

    let trace = try sound(scratch.file())
    let hops = waits(trace, of: "hop")
    #expect(hops.map { title(trace, $0) } == ["dispatch queue com.apple.main-thread"])
    #expect(hops.first?.ended != nil)
    #expect(name(trace, hops.first?.endSignal?.operation) == "hop")
  }

  @Test func waitEndsWithItsCancelledThread() throws {
    let scratch = try Scratch()
    let program = try Program.start(["blocking-cancelled", scratch.file().path])
    try follow(program, scratch.file()) { waits($0, of: "cancelled").contains { $0.ended == nil } }
    try go(scratch)
    finish(program)

    let trace = try sound(scratch.file())
    #expect(waits(trace, of: "cancelled").map { title(trace, $0) } == ["condition"])
    #expect(waits(trace, of: "cancelled").allSatisfy { $0.ended != nil })
  }
}
