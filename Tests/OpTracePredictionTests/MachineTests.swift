import OpTraceModel
import OpTracePrediction
import Testing

/// Programs of a few steps, whose times are easy to compute.
@Suite("The machine")
struct MachineTests {
  private static let millisecond: Nanoseconds = 1_000_000

  /// `count` operations of `milliseconds` in one queue, enqueued at once.
  private func equal(_ count: Int, milliseconds: Int64, limit: Int? = nil, barriers: Set<Int> = []) -> Workload {
    var workload = Workload()
    workload.queues = [.init(id: QueueID(1), limit: limit)]
    for index in 0..<count {
      let number = Int32(index)
      var job = Workload.Job(
        id: OperationID(UInt32(index + 1)), queue: 0, isBarrier: barriers.contains(index))
      job.body = workload.add(
        [.begin(number), .run(milliseconds * Self.millisecond), .finish(number)], executor: .pooled(.quality(0)),
        job: number)
      workload.jobs.append(job)
      workload.batches.append(number)
    }
    workload.add([.enqueue(0..<Int32(count))], executor: .ownThread(from: 0))
    return workload
  }

  private func finishes(_ workload: Workload, _ settings: MachineSettings) -> [Int64] {
    var machine = Machine(workload, settings)
    return machine.run().finished.map { $0 == MachineOutcome.never ? -1 : $0 / Self.millisecond }
  }

  @Test("operations with a slot wait for a thread of the pool, first come, first served")
  func poolIsShort() {
    #expect(finishes(equal(5, milliseconds: 10), .init(poolThreads: 2)) == [10, 10, 20, 20, 30])
  }

  @Test("a pool grows by one thread in each second in which work waits, counted from its first use")
  func poolGrows() {
    let workload = equal(4, milliseconds: 2500)
    #expect(finishes(workload, .init(poolThreads: 1)) == [2500, 3500, 4500, 5000])
    #expect(finishes(workload, .init(poolThreads: 1, poolGrows: false)) == [2500, 5000, 7500, 10000])
  }

  @Test("a barrier waits for all earlier operations, and all later operations wait for it")
  func barrier() {
    let workload = equal(5, milliseconds: 10, barriers: [2])
    #expect(finishes(workload, .init(poolThreads: 8)) == [10, 10, 20, 30, 30])
    let two = equal(5, milliseconds: 10, barriers: [0, 1])
    #expect(finishes(two, .init(poolThreads: 8)) == [10, 20, 30, 30, 30])
  }

  @Test("creating a thread and handing over take the measured time")
  func latencies() {
    var workload = equal(3, milliseconds: 10)
    workload.latencies = Latencies(make: 2 * Self.millisecond, wake: 0, handover: 1 * Self.millisecond)
    #expect(finishes(workload, .init(poolThreads: 2)) == [12, 12, 23])
  }

  @Test("an asynchronous operation holds its slot but no thread")
  func asynchronous() {
    var workload = Workload()
    workload.queues = [.init(id: QueueID(1), limit: 2)]
    for index in 0..<3 {
      let number = Int32(index)
      let callback = workload.add([.finish(number)], executor: .anywhere)
      var job = Workload.Job(id: OperationID(UInt32(index + 1)), queue: 0)
      job.body = workload.add(
        [.begin(number), .submit(callback, after: 10 * Self.millisecond)], executor: .pooled(.quality(0)), job: number)
      workload.jobs.append(job)
      workload.batches.append(number)
    }
    workload.add([.enqueue(0..<3)], executor: .ownThread(from: 0))
    #expect(finishes(workload, .init(poolThreads: 1)) == [10, 10, 20])
  }

  @Test("a suspended queue starts nothing until it is resumed")
  func suspension() {
    var workload = equal(2, milliseconds: 10)
    workload.queues[0].isSuspended = true
    #expect(finishes(workload, .init(poolThreads: 2)) == [-1, -1])
    workload.add([.run(5 * Self.millisecond), .resume(0)], executor: .ownThread(from: 0))
    #expect(finishes(workload, .init(poolThreads: 2)) == [15, 15])
  }

  @Test("a limit that is set during the run holds from then on")
  func limitChanges() {
    var workload = equal(4, milliseconds: 10, limit: 1)
    workload.add([.run(15 * Self.millisecond), .limit(0, 3)], executor: .ownThread(from: 0))
    #expect(finishes(workload, .init(poolThreads: 8)) == [10, 20, 25, 25])
  }

  @Test("a signal wakes the first waiting thread, or the next one that waits")
  func signals() {
    var workload = equal(2, milliseconds: 10)
    workload.objectCount = 1
    for index in 0..<2 {
      let number = Int32(index)
      workload.jobs[index].body = workload.add(
        [.begin(number), .awaitSignal(0), .run(Self.millisecond), .finish(number)], executor: .pooled(.quality(0)),
        job: number)
    }
    workload.add([.signal(0), .run(7 * Self.millisecond), .signal(0)], executor: .ownThread(from: 0))
    #expect(finishes(workload, .init(poolThreads: 2)).sorted() == [1, 8])
  }

  @Test("a completion block is submitted before the queue is asked for the next operation")
  func completionBlock() {
    var workload = equal(2, milliseconds: 10, limit: 1)
    workload.jobs[0].completions = [workload.add([.run(3 * Self.millisecond)], executor: .pooled(.quality(0)))]
    // With one thread the completion block comes first.
    #expect(finishes(workload, .init(poolThreads: 1)) == [10, 23])
    #expect(finishes(workload, .init(poolThreads: 2)) == [10, 20])
  }

  @Test("a cancelled operation waits for no dependency")
  func cancelled() {
    var workload = equal(2, milliseconds: 10)
    workload.edges = [.init(from: 0, to: 1)]
    workload.add([.run(2 * Self.millisecond), .cancel(1)], executor: .ownThread(from: 0))
    #expect(finishes(workload, .init(poolThreads: 2)) == [10, 12])
  }

  @Test("a seed repeats the order in which dependents are released, and that order counts as chance")
  func chance() {
    var workload = equal(6, milliseconds: 10, limit: 2)
    for index in 1..<6 { workload.edges.append(.init(from: 0, to: Int32(index))) }
    func outcome(_ seed: UInt64?) -> MachineOutcome {
      var machine = Machine(workload, .init(poolThreads: 8, seed: seed))
      return machine.run()
    }
    #expect(outcome(nil).choices == 1)
    #expect(outcome(7) == outcome(7))
    let begins = Set((1...20).map { outcome($0).began })
    #expect(begins.count > 1)
    #expect(Set((1...20).map { outcome($0).wall }).count == 1)
  }

  @Test("times that overflow do not trap")
  func hugeTimes() {
    var workload = equal(2, milliseconds: 1, limit: 1)
    workload.steps = workload.steps.map { if case .run = $0 { .run(.max) } else { $0 } }
    // Before the trace's start, so that differences overflow, too.
    workload.strands[2].executor = .ownThread(from: -1 << 55)
    var machine = Machine(workload, .init(poolThreads: 1, firstCheck: 1000))
    let outcome = machine.run()
    #expect(outcome.finished == [.max - (1 << 55), .max])
    #expect(outcome.wall == .max)
  }
}
