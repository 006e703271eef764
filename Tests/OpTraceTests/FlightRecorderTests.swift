import Foundation
import OpTrace
import OpTraceFormat
import OpTraceModel
import TestSupport
import Testing

/// The ring has a fixed size, and keeps the newest events and all of unfinished operations.
@Suite(.ownThread) struct FlightRecorderTests {
  static let capacity = 512 * 1024

  @Test func blockedOperationsSurviveManyLaterEvents() throws {
    let gate = Gate()
    let scratch = try Scratch()
    let recorder = try TraceRecorder(
      writingTo: scratch.file(), configuration: .flightRecorder(capacity: Self.capacity))
    let stuck = TracedOperationQueue(name: "stuck", maxConcurrentOperationCount: 1, recorder: recorder)
    let holder = SyncWork(name: "holder") { _ in gate.wait() }
    let blocked = SyncWork(name: "blocked") { _ in }
    blocked.addDependency(holder)
    stuck.addOperations([holder, blocked], waitUntilFinished: false)
    let waiting = Gate()
    Thread {
      waiting.open()
      blocked.waitUntilFinished()
    }.start()
    waiting.wait()
    try eventually("the wait is in the trace") {
      try TraceReader.read(path: scratch.file().path).waits.contains { $0.ended == nil }
    }

    let busy = TracedOperationQueue(name: "busy", recorder: recorder)
    for round in 0..<100 {
      busy.addOperations((0..<300).map { _ in SyncWork(name: "round \(round)") { _ in } }, waitUntilFinished: true)
    }
    for attempt in ["live", "closed"] {
      if attempt == "closed" { try recorder.stop() }
      let trace = try TraceReader.read(path: scratch.file().path)
      let size = try FileManager.default.attributesOfItem(atPath: scratch.file().path)[.size] as? Int
      #expect((size ?? .max) <= Self.capacity)
      #expect(trace.loss.damage == [] && trace.loss.lostCount == 0 && trace.loss.overwrittenBytes > 1_000_000)
      // The evidence of the hang.
      let first = try trace.operation(named: "holder"), second = try trace.operation(named: "blocked")
      #expect(first.state == .executing && first.enqueued != nil && first.className == "SyncWork")
      #expect(second.state == .pending && second.dependencies.map(\.on) == [first.id] && second.enqueued != nil)
      #expect(first.executionBegan?.thread != first.enqueued?.thread)
      #expect(trace.queues.map(\.name).sorted() == ["busy", "stuck"])
      #expect(trace.waits.contains { $0.target == .operation(second.id) && $0.ended == nil })
      // The newest events are kept.
      let last = trace.operations.filter { $0.name == "round 99" }
      #expect(last.count == 300 && last.allSatisfy { $0.state == .finished && $0.coverage == .full })
      // The oldest events are overwritten.
      #expect(!trace.operations.contains { $0.name == "round 0" })
    }
    gate.open()
    blocked.waitUntilFinished()
  }

  @Test func unfinishedOperationsThatFillTheRingAreCounted() throws {
    let scratch = try Scratch()
    let recorder = try TraceRecorder(
      writingTo: scratch.file(), configuration: .flightRecorder(capacity: TraceRecorder.Configuration.smallestCapacity))
    let queue = TracedOperationQueue(name: "suspended", recorder: recorder)
    queue.isSuspended = true
    // The oldest operation is kept, because it hangs.
    let oldest = SyncWork(name: "oldest") { _ in }
    let gate = SyncWork(name: "gate") { _ in }
    oldest.addDependency(gate)
    queue.addOperation(oldest)
    let operations = (0..<20_000).map { SyncWork(name: "pending operation \($0)") { _ in } }
    queue.addOperations(operations, waitUntilFinished: false)
    try recorder.stop()
    let trace = try TraceReader.read(path: scratch.file().path)
    #expect((trace.loss.lost[.carry] ?? 0) > 0)
    #expect(trace.loss.damage == [])
    // The newest event: Foundation asks the last operation whether it is ready.
    #expect(trace.operations.last?.ready != nil)
    let kept = try trace.operation(named: "oldest")
    #expect(kept.coverage == .full && kept.enqueued != nil && kept.enqueueCount == 1)
    #expect(try kept.dependencies.map(\.on) == [trace.operation(named: "gate").id])
    queue.cancelAllOperations()
    queue.isSuspended = false
    queue.waitUntilAllOperationsAreFinished()
  }

  @Test func liveReaderNeverSeesAHalfRecycledChunk() throws {
    let scratch = try Scratch()
    let recorder = try TraceRecorder(
      writingTo: scratch.file(), configuration: .flightRecorder(capacity: TraceRecorder.Configuration.smallestCapacity))
    let done = Log<Bool>()
    Thread {
      for index in 0..<200_000 { recorder.mark("mark \(index)") }
      done.add(true)
    }.start()
    while done.all.isEmpty {
      let trace = try TraceReader.read(path: scratch.file().path)
      #expect(trace.loss.damage == [])
      let numbers = trace.marks.compactMap { Int($0.name.dropFirst(5)) }
      #expect(numbers.count == trace.marks.count && numbers == numbers.sorted())
    }
    try recorder.stop()
    let trace = try TraceReader.read(path: scratch.file().path)
    #expect(trace.loss.lostCount == 0)
    let numbers = trace.marks.compactMap { Int($0.name.dropFirst(5)) }
    #expect(numbers.last == 199_999)
    #expect(numbers == Array((200_000 - numbers.count)..<200_000))
  }

  /// `make reliability` runs this with a hundred million events.
  @Test func ringKeepsItsSizeAndTheNewestOverAMillionEvents() throws {
    let scratch = try Scratch()
    let recorder = try TraceRecorder(writingTo: scratch.file(), configuration: .flightRecorder(capacity: Self.capacity))
    let threads = 4
    let share = 250_000
    let group = DispatchGroup()
    for thread in 0..<threads {
      group.enter()
      Thread {
        for number in 0..<share { recorder.mark("\(thread) \(number)") }
        group.leave()
      }.start()
    }
    var sizes: Set<Int?> = []
    repeat {
      sizes.insert(try FileManager.default.attributesOfItem(atPath: scratch.file().path)[.size] as? Int)
    } while group.wait(timeout: .now() + 0.02) == .timedOut
    try recorder.stop()
    sizes.insert(try FileManager.default.attributesOfItem(atPath: scratch.file().path)[.size] as? Int)
    #expect(sizes == [Self.capacity])
    let trace = try TraceReader.read(path: scratch.file().path)
    #expect(trace.loss.damage == [] && trace.loss.overwrittenBytes > 10_000_000)
    // Each thread has its marks up to the last one. On a busy machine whoever recycles may get no processor while four threads do
    // nothing but record: then marks are missing, and each of them was counted.
    var missing = 0
    for thread in 0..<threads {
      let numbers = trace.marks.filter { $0.name.hasPrefix("\(thread) ") }.compactMap { Int($0.name.dropFirst(2)) }
      #expect(zip(numbers, numbers.dropFirst()).allSatisfy { $0 < $1 }, "thread \(thread)")
      missing += share - (numbers.first ?? share) - numbers.count
    }
    #expect(missing <= Int(trace.loss.lostCount), "\(missing) of \(trace.loss.lostCount)")
  }

  @Test func tooSmallCapacityIsRaised() throws {
    let scratch = try Scratch()
    let recorder = try TraceRecorder(writingTo: scratch.file(), configuration: .flightRecorder(capacity: 1))
    recorder.mark("there")
    try recorder.stop()
    let trace = try TraceReader.read(path: scratch.file().path)
    #expect(trace.marks.map(\.name) == ["there"])
    #expect(trace.header.mode == .flightRecorder && trace.header.capacity == 256 * 1024)
  }
}
