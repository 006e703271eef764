import Foundation
import OpTrace
import OpTraceModel
import TestSupport
import Testing

/// Stacks of adding operations, creating queues, and waiting threads.
#if os(Linux)
  @Suite("Recorded stacks", .ownThread) struct StackTests {
    private typealias Stacks = TraceRecorder.Configuration.Stacks

    @inline(never) private func addOne(_ queue: OperationQueue, _ name: String) {
      queue.addOperation(SyncWork(name: name) { _ in })
    }

    @inline(never) private func addOther(_ queue: OperationQueue, _ name: String) {
      queue.addOperation(SyncWork(name: name) { _ in })
    }

    private func added(_ stacks: Stacks) throws -> Trace {
      try recorded(.init(stacks: stacks)) { recorder in
        let queue = TracedOperationQueue(name: "queue", recorder: recorder)
        for index in 0..<2 { addOne(queue, "one \(index)") }
        addOther(queue, "other")
        queue.addBarrierBlock {}
        queue.waitUntilAllOperationsAreFinished()
      }
    }

    /// The addresses of a stack, by image and offset.
    private func addresses(_ frame: FrameID?, _ trace: Trace) -> [FrameRecord.Address] {
      trace.stacks.stack(frame).compactMap { trace.stacks[$0]?.address }
    }

    @Test("each submission site has one stack, of the program's innermost frame only")
    func adding() throws {
      let trace = try added(.waits)
      let first = try #require(try trace.operation(named: "one 0").addedAt)
      #expect(try trace.operation(named: "one 1").addedAt == first)
      let other = try trace.operation(named: "other").addedAt
      #expect(other != nil && other != first)
      #expect(trace.operations.allSatisfy { $0.addedAt != nil })
      #expect(trace.queues[0].madeAt != nil && trace.queues[0].madeAt != first)
      #expect(addresses(first, trace).count == 1)
      let frames = trace.stacks.stack(first).compactMap { trace.stacks[$0] }
      #expect(frames.allSatisfy { !$0.isGuessed && $0.address.returns && $0.address.image != nil })
    }

    @Test("`all` records whole stacks, `off` records none") func configurations() throws {
      let whole = try added(.all)
      let part = try added(.waits)
      let stack = addresses(try whole.operation(named: "other").addedAt, whole)
      #expect(stack.count > 6)
      let one = addresses(try part.operation(named: "other").addedAt, part)
      #expect(one.count == 1 && stack.first?.offset == one.first?.offset)
      let none = try added(.off)
      #expect(none.operations.allSatisfy { $0.addedAt == nil } && none.queues.allSatisfy { $0.madeAt == nil })
      #expect(none.waits.allSatisfy { $0.at == nil })
      // Blocks still have their code's name.
      #expect(none.operations.contains { $0.code != nil })
    }

    @inline(never) private func makeWork(_ name: String) -> SyncWork { SyncWork(name: name) { _ in } }

    @inline(never) private func makeBlock() -> TracedBlockOperation { TracedBlockOperation(name: "block") {} }

    @Test("only `all` records creation sites of operations") func creating() throws {
      func made(_ stacks: Stacks) throws -> Trace {
        // Another test of this process may have enabled it before.
        _ = try recorded(.init(stacks: .all)) { _ in }
        return try recorded(.init(stacks: stacks)) { recorder in
          let queue = TracedOperationQueue(name: "queue", recorder: recorder)
          let operations = [makeWork("first"), makeBlock(), makeWork("second")]
          queue.addOperations(operations, waitUntilFinished: true)
        }
      }
      let trace = try made(.all)
      let first = try trace.operation(named: "first"), second = try trace.operation(named: "second")
      let block = try trace.operation(named: "block")
      let ways = try [first, block, second].map { try #require($0.madeAt) }
      // The same function created two of them, called from two lines.
      #expect(Set(ways).count == 3 && first.addedAt == second.addedAt && first.addedAt == block.addedAt)
      let stacks = ways.map { addresses($0, trace) }
      #expect(stacks[0].first == stacks[2].first && stacks[0] != stacks[2] && stacks[0].count > 6)
      // The test's own function is in both stacks, outside of the function that created the operation.
      let adding = addresses(first.addedAt, trace)
      #expect(adding.suffix(4) == stacks[0].suffix(4) && adding.suffix(4) == stacks[1].suffix(4))
      #expect(trace.stacks.stack(ways[0]).allSatisfy { trace.stacks[$0]?.isGuessed == false })
      let without = try made(.waits)
      #expect(without.operations.count == 3 && without.operations.allSatisfy { $0.madeAt == nil && $0.addedAt != nil })
    }

    @Test("a wait that lasts has a stack, a short one has none") func waits() throws {
      let trace = try recorded { recorder in
        let queue = TracedOperationQueue(name: "queue", recorder: recorder)
        let slow = SyncWork(name: "slow") { _ in Thread.sleep(forTimeInterval: 0.05) }
        queue.addOperation(slow)
        slow.waitUntilFinished()
        slow.waitUntilFinished()
        queue.addOperation(SyncWork(name: "again") { _ in Thread.sleep(forTimeInterval: 0.05) })
        queue.waitUntilAllOperationsAreFinished()
      }
      // The waits for operations are part of the wait for their queue.
      let own = trace.waits.filter { $0.inside == nil }
      let slow = OperationID(1)
      let first = try #require(own.first { $0.target == .operation(slow) })
      #expect(addresses(first.at, trace).count > 6)
      let second = try #require(own.last { $0.target == .operation(slow) })
      #expect(second.began > first.began && second.at == nil && second.ended != nil)
      let last = try #require(own.first { if case .queue = $0.target { true } else { false } })
      #expect(last.at != nil && last.at != first.at)
      // Both have the same callers.
      #expect(addresses(last.at, trace).suffix(4) == addresses(first.at, trace).suffix(4))
    }

    @Test("a stack that many threads record at once is described once") func concurrently() throws {
      let trace = try recorded { recorder in
        let queues = (0..<8).map { TracedOperationQueue(name: "queue \($0)", recorder: recorder) }
        DispatchQueue.concurrentPerform(iterations: 8) { index in
          for number in 0..<50 { addOne(queues[index], "\(index) \(number)") }
        }
        for queue in queues { queue.waitUntilAllOperationsAreFinished() }
      }
      #expect(trace.operations.count == 400)
      let stacks = Set(trace.operations.compactMap { $0.addedAt.map { addresses($0, trace) } })
      #expect(Set(trace.operations.compactMap(\.addedAt)).count == stacks.count)
      #expect(trace.operations.allSatisfy { $0.addedAt != nil })
    }

    @Test("a ring keeps the stacks of unfinished operations") func ring() throws {
      let scratch = try Scratch()
      let recorder = try TraceRecorder(writingTo: scratch.file(), configuration: .flightRecorder(capacity: 256 * 1024))
      let queue = TracedOperationQueue(name: "queue", recorder: recorder)
      let gate = Gate()
      queue.addOperation(SyncWork(name: "stuck") { _ in gate.wait() })
      for index in 0..<30_000 { recorder.mark("mark \(index)") }
      try recorder.stop()
      let trace = try TraceReader.read(path: scratch.file().path)
      gate.open()
      queue.waitUntilAllOperationsAreFinished()
      #expect(trace.loss.overwrittenBytes > 100_000)
      let stack = try #require(try trace.operation(named: "stuck").addedAt)
      #expect(!addresses(stack, trace).isEmpty && trace.queues[0].madeAt != nil)
    }
  }
#endif
