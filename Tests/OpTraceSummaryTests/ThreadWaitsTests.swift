import OpTraceSummary
@testable import OpTraceKernel
import OpTraceFormat
import OpTraceModel
import TestSupport
import Testing

@Suite("Waits for a thread")
struct ThreadWaitsTests {
  private func waits(_ make: HandmadeTrace, _ id: OperationID) -> (slot: Double, thread: Double) {
    let times = ThreadWaits(make.trace).times(ofOperationAt: Int(id.rawValue) - 1, in: make.trace)
    let whole = OperationTimes(of: make[id], traceEnd: make.trace.end)
    #expect(times.total == whole.total, "the times stay the whole")
    #expect(times.running == whole.running && times.waitingForDependencies == whole.waitingForDependencies)
    return (Double(times.waitingForSlot) / 1e6, Double(times.waitingForThread) / 1e6)
  }

  @Test("a queue that runs nothing keeps nobody waiting for its slots")
  func idleQueue() throws {
    var make = HandmadeTrace()
    let queue = make.queue("images", limit: 2)
    let one = make.operation("one", on: queue, ready: 0, began: 984, ended: 1000)
    let other = make.operation("other", on: queue, ready: 0, began: 984, ended: 1000)
    let third = make.operation("third", on: queue, ready: 0, began: 1001, ended: 1002)
    #expect(waits(make, one) == (0, 984))
    #expect(waits(make, other) == (0, 984))
    #expect(waits(make, third) == (16, 985), "a slot while both others ran")
    let summary = Summary(of: make.trace)
    #expect(summary.queues[0].waitingForSlot == 16_000_000)
    #expect(summary.queues[0].waitingForThread == 2_953_000_000)
    #expect(try #require(summary.classes.first?.waitingForThread).max == 985_000_000)
    #expect(try #require(summary.slowest.first).times.waitingForThread == 984_000_000)
  }

  @Test("a suspended queue has no slot, nor has one whose limit is reached or 0")
  func suspendedAndChanged() {
    var make = HandmadeTrace(end: 100)
    let queue = make.queue("wide", limit: -1)
    func change(_ time: Double, _ kind: QueueRecord.ChangeKind) -> QueueRecord.Change {
      .init(time: HandmadeTrace.nanoseconds(time), thread: ThreadID(1), kind: kind)
    }
    make.trace.queues[0].changes = [change(10, .suspended), change(30, .resumed), change(60, .suspended)]
    let late = make.operation("late", on: queue, ready: 0, began: 50, ended: 51)
    #expect(waits(make, late) == (20, 30))
    let never = make.operation("never", on: queue, ready: 20)
    #expect(waits(make, never) == (50, 30))

    let narrow = make.queue("narrow", limit: 1)
    make.trace.queues[1].changes = [change(20, .limit(2)), change(70, .limit(0)), change(80, .limit(-1))]
    _ = make.operation("holder", on: narrow, ready: 0, began: 0, ended: 90)
    let waiter = make.operation("waiter", on: narrow, ready: 0, began: 95, ended: 99)
    #expect(waits(make, waiter) == (30, 65))
  }

  @Test("without a limit every wait is one for a thread")
  func noLimit() {
    var make = HandmadeTrace()
    let queue = make.queue("wide")
    for number in 0..<8 { make.operation("busy \(number)", on: queue, ready: 0, began: 0, ended: 40) }
    let late = make.operation("late", on: queue, ready: 5, began: 35, ended: 36)
    #expect(waits(make, late) == (0, 30))
    make[late].executionBegan = Stamp(HandmadeTrace.nanoseconds(35.5), ThreadID(2))
    #expect(waits(make, late) == (0, 30.5), "once it is started, it has its slot")
  }

  @Test("a barrier keeps what is behind it, and is kept by what is before it")
  func barrier() {
    var make = HandmadeTrace()
    let queue = make.queue("wide")
    let before = make.operation("before", on: queue, enqueued: 0, ready: 0, began: 10, ended: 30)
    let early = make.operation("early", on: queue, enqueued: 1, ready: 1, began: 25, ended: 28)
    let barrier = make.operation("barrier", on: queue, enqueued: 2, ready: 2, began: 35, ended: 40)
    make[barrier].isBarrier = true
    let behind = make.operation("behind", on: queue, enqueued: 3, ready: 3, began: 45, ended: 50)
    #expect(waits(make, before) == (0, 10))
    #expect(waits(make, early) == (0, 24), "the barrier waits for it")
    #expect(waits(make, barrier) == (28, 5))
    #expect(waits(make, behind) == (37, 5))
  }

  @Test("nothing is claimed of what is not known")
  func unknown() {
    var make = HandmadeTrace()
    let main = make.queue("main", limit: 1)
    make.trace.queues[0].isMain = true
    let onMain = make.operation("on main", on: main, ready: 0, began: 10, ended: 11)
    #expect(waits(make, onMain) == (10, 0), "the main thread is the only slot of its queue")
    let elsewhere = make.operation("elsewhere", on: QueueID(77), ready: 0, began: 10, ended: 11)
    #expect(waits(make, elsewhere) == (10, 0), "no such queue")
    let queue = make.queue("network", limit: 2)
    let late = make.operation("late", on: queue, ready: 0, began: 10, ended: 11)
    #expect(waits(make, late) == (0, 10))
    for change in [{ $0.lost = [.noSpace: 1] }, { $0.overwrittenBytes = 8 }] as [(inout LossReport) -> Void] {
      var lossy = make
      change(&lossy.trace.loss)
      #expect(waits(lossy, late) == (10, 0), "another operation may have run unseen")
    }
    for _ in 0..<2 {
      let unheard = make.operation("unheard", on: queue, ready: 0, ended: 8)
      make[unheard].executionBegan = nil
    }
    #expect(waits(make, late) == (8, 2), "others ended whose start was not heard")
  }

  @Test("the critical path says which of its waits were for threads")
  func path() {
    var make = HandmadeTrace()
    let queue = make.queue("one", limit: 1)
    make.operation("first", on: queue, ready: 0, began: 5, ended: 20)
    make.operation("second", on: queue, ready: 0, began: 50, ended: 60)
    let path = CriticalPath(of: make.trace)
    #expect(path.steps.map(\.waitingForThread) == [5_000_000, 30_000_000])
    #expect(path.waitingForSlot == 0 && path.waitingForThread == 35_000_000)
    #expect(Summary(of: make.trace).criticalPath == path)
    #expect(path.steps.allSatisfy { $0.waitingForDependencies + $0.waitingForThread + $0.running == $0.duration })
  }

  /// Moment by moment, by the definition alone.
  private func threadWait(of index: Int, in trace: Trace) -> Nanoseconds {
    let own = trace.operations[index]
    guard let queue = own.queue.flatMap({ trace.queue($0) }), let enqueued = own.enqueued?.time else { return 0 }
    let times = OperationTimes(of: own, traceEnd: trace.end)
    let runnable = enqueued + times.waitingForDependencies
    var sum: Nanoseconds = 0
    for time in runnable..<(runnable + times.waitingForSlot) {
      var limit = queue.initialLimit
      var isSuspended = queue.initiallySuspended
      for change in queue.changes where change.time <= time {
        switch change.kind {
        case .limit(let value): limit = value
        case .suspended: isSuspended = true
        case .resumed: isSuspended = false
        case .cancelledAll: break
        }
      }
      let members = trace.operations.filter { $0.queue == own.queue }
      let running = members.count { one in
        guard let started = one.started?.time else { return false }
        return started <= time && time < one.finished?.time ?? .max
      }
      let isHeldUp = members.contains { one in
        (own.isBarrier || one.isBarrier) && one.enqueued?.time ?? .max < enqueued && time < one.finished?.time ?? .max
      }
      let isFree = !isSuspended && (limit < 0 || running < limit) && !isHeldUp
      if isFree || own.started?.time ?? .max <= time { sum += 1 }
    }
    return sum
  }

  @Test("is the sum over all moments with a free slot", arguments: 0..<300)
  func sumOfMoments(seed: Int) {
    var random = SeededGenerator(seed)
    var make = HandmadeTrace(unit: .nanoseconds, end: 90)
    let queues = (0..<random.number(1..<3)).map { make.queue("queue \($0)", limit: random.number(-1..<4)) }
    for index in queues.indices {
      make.trace.queues[index].initiallySuspended = random.chance(20)
      let times = (0..<random.number(0..<6)).map { _ in random.number(0..<90) }.sorted()
      make.trace.queues[index].changes = times.map { time in
        let kinds: [QueueRecord.ChangeKind] = [
          .limit(random.number(-1..<4)), .suspended, .resumed, .resumed, .cancelledAll,
        ]
        return .init(time: Nanoseconds(time), thread: ThreadID(1), kind: kinds[random.number(0..<kinds.count)])
      }
    }
    let hasBarriers = random.chance(40)
    for number in 0..<random.number(1..<14) {
      let enqueued = random.number(0..<50)
      let ready = enqueued + random.number(0..<10)
      let began = ready + random.number(0..<20)
      let ended = began + random.number(0..<30)
      let isBegun = random.chance(85)
      let id = make.operation(
        "\(number)", on: queues[random.number(0..<queues.count)], enqueued: Double(enqueued),
        ready: random.chance(90) ? Double(ready) : nil, began: isBegun ? Double(began) : nil,
        ended: isBegun && random.chance(80) ? Double(ended) : nil)
      make[id].isBarrier = hasBarriers && random.chance(25)
    }
    let waits = ThreadWaits(make.trace)
    let summary = Summary(of: make.trace)
    for index in make.trace.operations.indices {
      let operation = make.trace.operations[index]
      #expect(waits[index] == threadWait(of: index, in: make.trace), "\(operation.id), seed \(seed)")
      guard let queue = operation.queue, let slots = waits.freeSlots(of: queue) else { continue }
      // The same in stretches, and of any part of its wait.
      let stretches = slots.stretches(for: operation, from: 20, to: 70)
      #expect(stretches.reduce(0) { $0 + $1.count } == Int(slots.freeTime(for: operation, from: 20, to: 70)))
      #expect(zip(stretches, stretches.dropFirst()).allSatisfy { $0.upperBound <= $1.lowerBound })
    }
    for queue in summary.queues {
      let all = make.trace.operations.indices.filter { make.trace.operations[$0].queue == queue.id }
      #expect(queue.waitingForThread == all.reduce(0) { $0 + waits[$1] })
      let whole = all.map { OperationTimes(of: make.trace.operations[$0], traceEnd: make.trace.end) }
      #expect(queue.waitingForSlot + queue.waitingForThread == whole.reduce(0) { $0 + $1.waitingForSlot })
    }
    #expect(CriticalPath(of: make.trace) == summary.criticalPath, "with queues found one by one")
  }
}
