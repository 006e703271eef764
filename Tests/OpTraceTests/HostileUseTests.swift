import COpTrace
import Foundation
import OpTraceFormat
import OpTraceModel
import TestSupport
import Testing

@testable import OpTrace

/// Programs that use the recorder in unexpected ways.
@Suite(.ownThread) struct HostileUseTests {
  // MARK: User code that the recorder calls

  struct CuriousError: Error, CustomStringConvertible {
    let operation: TracedAsyncOperation
    var description: String { "executing \(operation.isExecuting), error \(operation.error != nil)" }
  }

  @Test func errorsDescriptionMayUseTheOperation() throws {
    let trace = try recorded { recorder in
      let done = Gate()
      Thread {
        let queue = TracedOperationQueue(name: "q", recorder: recorder)
        let atOnce = AsyncWork(name: "failed") { $0.finish(with: CuriousError(operation: $0)) }
        let early = AsyncWork(name: "failed early") { _ in }
        early.finish(with: CuriousError(operation: early))
        queue.addOperations([atOnce, early], waitUntilFinished: true)
        done.open()
      }.start()
      done.wait()
    }
    #expect(try trace.operation(named: "failed").error == "executing true, error false")
    #expect(try trace.operation(named: "failed early").error == "executing false, error true")
  }

  /// The recorder finds other classes by weak references. During a search it may hold the last reference, so that the
  /// program's `deinit` runs there.
  @Test func foreignOperationMayRecordInItsDeinit() throws {
    final class Last: Operation, @unchecked Sendable {
      let recorder: TraceRecorder
      init(_ recorder: TraceRecorder) { self.recorder = recorder }
      deinit { recorder.mark("released", in: Operation()) }
    }
    _ = try recorded { recorder in
      let done = Gate()
      Thread {
        DispatchQueue.concurrentPerform(iterations: 4) { _ in
          for _ in 0..<8 {
            for operation in (0..<2000).map({ _ in Last(recorder) }) { recorder.mark("seen", in: operation) }
          }
        }
        done.open()
      }.start()
      done.wait()
    }
  }

  // MARK: Barriers

  /// Opens the gate when it is released.
  private static func block(_ gone: Gate) -> @Sendable () -> Void {
    let token = Token(gone)
    return { withExtendedLifetime(token) {} }
  }

  @Test func barrierOfACancelledQueueIsFinished() throws {
    let trace = try recorded { recorder in
      let queue = TracedOperationQueue(name: "q", recorder: recorder)
      queue.isSuspended = true
      let gone = Gate()
      queue.addBarrierBlock(Self.block(gone))
      queue.cancelAllOperations()
      queue.isSuspended = false
      queue.waitUntilAllOperationsAreFinished()
      gone.wait()
    }
    let barrier = try #require(trace.operations.first { $0.isBarrier })
    #expect(barrier.finished != nil && barrier.released != nil)
    // Foundation on Linux runs it nevertheless.
    #expect(barrier.state == (barrier.executionBegan == nil ? .cancelled : .finished))
  }

  @Test func barrierOfAStoppedRecorderTakesNoNumber() throws {
    let scratch = try Scratch()
    let recorder = try TraceRecorder(writingTo: scratch.file())
    try recorder.stop()
    let before = optrace_recorder_next_serial(recorder.core)
    let queue = TracedOperationQueue(name: "q", recorder: recorder)
    queue.addBarrierBlock {}
    queue.waitUntilAllOperationsAreFinished()
    #expect(optrace_recorder_next_serial(recorder.core) == before + 1)
  }

  // MARK: Sizes

  @Test(arguments: [Int.min, -1, 0, 1, 1023, 5000, 50_000])
  func sizeLimitIsNeverPassed(limit: Int) throws {
    let scratch = try Scratch()
    let recorder = try TraceRecorder(writingTo: scratch.file(), configuration: .init(sizeLimit: limit))
    for index in 0..<5000 { recorder.mark("mark \(index)") }
    let size = try FileManager.default.attributesOfItem(atPath: scratch.file().path)[.size] as? Int
    // No trace is smaller than a page of memory.
    #expect((size ?? .max) <= max(limit, Int(sysconf(Int32(_SC_PAGESIZE)))))
    let lost = recorder.lostRecordCount
    try recorder.stop()
    let trace = try TraceReader.read(path: scratch.file().path)
    #expect(lost > 0 && trace.marks.count + lost == 5000 && trace.loss.damage == [])
  }

  @Test(arguments: [Int.min, 0, 256 * 1024 + 1, 300_001])
  func ringMayHaveAnyCapacity(capacity: Int) throws {
    let scratch = try Scratch()
    let recorder = try TraceRecorder(writingTo: scratch.file(), configuration: .flightRecorder(capacity: capacity))
    for index in 0..<50_000 { recorder.mark("mark \(index)") }
    try recorder.stop()
    let trace = try TraceReader.read(path: scratch.file().path)
    #expect(trace.loss.damage == [] && trace.marks.last?.name == "mark 49999")
  }

  @Test func impossiblyLargeRingIsAnError() throws {
    let scratch = try Scratch()
    for capacity in [Int.max, Int.max / 2] {
      let error = #expect(throws: TraceRecorderError.self) {
        try TraceRecorder(writingTo: scratch.file(), configuration: .flightRecorder(capacity: capacity))
      }
      #expect(error?.code == .cannotReserveSpace)
      #expect(!FileManager.default.fileExists(atPath: scratch.file().path))
    }
  }

  // MARK: Rings under pressure

  /// Many unfinished operations that were described long before: what is carried out of one chunk then takes more space
  /// than it had there, and a chunk is needed while another one is being carried.
  @Test func carriedOperationsKeepTheirDescription() throws {
    let scratch = try Scratch()
    let recorder = try TraceRecorder(
      writingTo: scratch.file(), configuration: .flightRecorder(capacity: TraceRecorder.Configuration.smallestCapacity))
    let queue = TracedOperationQueue(name: "suspended", recorder: recorder)
    queue.isSuspended = true
    let pending = (0..<900).map { SyncWork(name: "pending \($0)") { _ in } }
    for group in stride(from: 0, to: pending.count, by: 300) {
      DispatchQueue.concurrentPerform(iterations: 300) { queue.addOperation(pending[group + $0]) }
    }
    let writers = 8
    let done = Gate()
    for writer in 0..<writers {
      Thread {
        for index in 0..<40_000 { recorder.mark("writer \(writer) mark \(index)") }
        done.open()
      }.start()
    }
    for _ in 0..<writers { done.wait() }
    try recorder.stop()
    let trace = try TraceReader.read(path: scratch.file().path)
    #expect(trace.loss.damage == [] && trace.loss.unknownKinds == [:])
    #expect(trace.loss.lost[.carry] == nil)
    let names = Set(trace.operations.compactMap(\.name))
    #expect(names == Set((0..<900).map { "pending \($0)" }))
    #expect(trace.operations.allSatisfy { $0.state == .ready && $0.className == "SyncWork" && $0.enqueued != nil })
    queue.cancelAllOperations()
    queue.isSuspended = false
    queue.waitUntilAllOperationsAreFinished()
  }

  @Test func moreThreadsThanChunksLeaveTheNewestOfEach() throws {
    let scratch = try Scratch()
    let recorder = try TraceRecorder(
      writingTo: scratch.file(), configuration: .flightRecorder(capacity: TraceRecorder.Configuration.smallestCapacity))
    let threads = 200
    let done = Gate()
    let leave = DispatchSemaphore(value: 0)
    for thread in 0..<threads {
      Thread {
        for index in 0..<20 { recorder.mark("thread \(thread) mark \(index)") }
        done.open()
        leave.wait()
      }.start()
    }
    for _ in 0..<threads { done.wait() }
    let lost = recorder.lostRecordCount
    try recorder.stop()
    for _ in 0..<threads { leave.signal() }
    let trace = try TraceReader.read(path: scratch.file().path)
    #expect(trace.loss.damage == [] && trace.marks.count + lost <= threads * 20)
    let since = try #require(trace.loss.completeSince)
    let newest = Dictionary(grouping: trace.marks.filter { $0.at.time > since }, by: \.at.thread)
    for marks in newest.values {
      let numbers = marks.compactMap { $0.name.split(separator: " ").last.flatMap { Int($0) } }
      #expect(numbers == Array(numbers[0]..<20))
    }
  }

  // MARK: Several at once

  @Test func recordersThatStartTogetherAtOnePathGetTheirOwnFiles() throws {
    for _ in 0..<10 {
      let scratch = try Scratch()
      let recorders = Log<TraceRecorder>()
      let errors = Log<String>()
      let file = scratch.file()
      DispatchQueue.concurrentPerform(iterations: 8) { _ in
        do { recorders.add(try TraceRecorder(writingTo: file)) } catch { errors.add("\(error)") }
      }
      #expect(errors.all == [])
      for (number, recorder) in recorders.all.enumerated() { recorder.mark("recorder \(number)") }
      for recorder in recorders.all { try recorder.stop() }
      #expect(Set(recorders.all.map(\.url)).count == 8)
      for (number, recorder) in recorders.all.enumerated() {
        #expect(try TraceReader.read(path: recorder.url.path).marks.map(\.name) == ["recorder \(number)"])
      }
    }
  }

  @Test func hundredRecordersCanRunAtOnceAndInSequence() throws {
    let scratch = try Scratch()
    let recorders = try (0..<100).map { try TraceRecorder(writingTo: scratch.file("\($0).optrace")) }
    for (number, recorder) in recorders.enumerated() {
      let queue = TracedOperationQueue(name: "q", recorder: recorder)
      queue.addOperation(named: "in \(number)") { for other in recorders { other.mark("from \(number)") } }
      queue.waitUntilAllOperationsAreFinished()
    }
    for recorder in recorders { try recorder.stop() }
    for number in 0..<100 {
      let trace = try TraceReader.read(path: scratch.file("\(number).optrace").path)
      #expect(trace.operations.map(\.name) == ["in \(number)"] && trace.marks.count == 100)
      #expect(trace.loss.damage == [] && trace.loss.lostCount == 0)
    }
    for number in 0..<100 {
      let file = scratch.file("next \(number).optrace")
      do { try TraceRecorder(writingTo: file).mark("kept") }
      // A recorder that is released without a stop closes its file, too.
      let trace = try TraceReader.read(path: file.path)
      #expect(trace.header.isClosed && trace.marks.map(\.name) == ["kept"])
    }
  }

  @Test func stopWaitsForAConcurrentStop() throws {
    for _ in 0..<20 {
      let scratch = try Scratch()
      let recorder = try TraceRecorder(writingTo: scratch.file())
      for _ in 0..<20_000 { recorder.mark("filler") }
      let closed = Log<Bool>()
      let path = scratch.file().path
      DispatchQueue.concurrentPerform(iterations: 4) { _ in
        try? recorder.stop()
        closed.add((try? TraceReader.header(path: path))?.isClosed == true)
      }
      #expect(closed.all == [true, true, true, true])
      #expect(try TraceReader.read(path: path).loss.isComplete)
    }
  }

  // MARK: The environment and the standard streams

  @Test(arguments: ["16X", "-5", "K", "1e6", "99999999999999999999G", "٣M"])
  func invalidRingSizeIsReported(size: String) throws {
    let scratch = try Scratch()
    let path = scratch.file().path
    let result = try Program.run(
      ["environment", "-"],
      environment: ["OPTRACE_OUTPUT": path, "OPTRACE_FLIGHT_RECORDER": size], errorsToOutput: true)
    #expect(
      result.output == "optrace: OPTRACE_FLIGHT_RECORDER='\(size)' is not a size such as 512K, 16M or 1G; "
        + "nothing is recorded\nrecording false\n")
    #expect(result.status == 0 && !FileManager.default.fileExists(atPath: path))
  }

  @Test func closedStandardErrorDoesNotStopTheProgram() throws {
    let result = try Program.run(
      ["closed-streams", "-"], environment: ["OPTRACE_OUTPUT": "/nowhere/at/all.optrace"])
    #expect(result.output == "" && result.status == 9)
  }

  /// What a program prints after it closed its standard error must not land in the trace.
  @Test func traceNeverUsesTheNumberOfAStandardStream() throws {
    let scratch = try Scratch()
    let result = try Program.run(["closed-streams", "-"], environment: ["OPTRACE_OUTPUT": scratch.file().path])
    #expect(result.status == 9)
    let trace = try TraceReader.read(path: scratch.file().path)
    #expect(trace.loss.damage == [] && trace.header.isClosed && trace.operations.count == 10)
  }
}
