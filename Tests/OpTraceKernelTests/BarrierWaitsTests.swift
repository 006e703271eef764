import OpTraceKernel
import OpTraceModel
import TestSupport
import Testing

@Suite struct BarrierWaitsTests {
  @Test func operationsBehindABarrierWaitForIt() {
    var make = HandmadeTrace()
    let queue = make.queue("wide", limit: 8)
    let before = make.operation("before", on: queue, ready: 0, began: 5, ended: 30)
    let barrier = make.operation("barrier", on: queue, ready: 0, began: 30, ended: 40)
    make[barrier].isBarrier = true
    let behind = make.operation("behind", on: queue, ready: 2, began: 40, ended: 50)
    let later = make.operation("later", on: queue, ready: 41, began: 45, ended: 50)
    for (index, id) in [before, barrier, behind, later].enumerated() {
      make[id].enqueued = Stamp(HandmadeTrace.nanoseconds(Double(index)), ThreadID(1))
    }
    let held = make.operation("held back", on: queue, ready: 40, began: 45, ended: 50)
    let blocked = make.operation("blocked", on: queue, after: [before], ready: 40, began: 45, ended: 50)
    make[held].enqueued = Stamp(HandmadeTrace.nanoseconds(5), ThreadID(1))
    make[blocked].enqueued = Stamp(HandmadeTrace.nanoseconds(5), ThreadID(1))
    let elsewhere = make.operation("elsewhere", on: make.queue("other", limit: 1), ready: 0, began: 5, ended: 8)
    let waits = BarrierWaits(in: make.trace)
    #expect(waits.parts(of: make[before]).isEmpty && waits.parts(of: make[elsewhere]).isEmpty)
    #expect(waits.parts(of: make[barrier]).contains(.slot) && waits.parts(of: make[behind]).contains(.slot))
    #expect(waits.parts(of: make[later]) == .dependencies, "it was ready after the barrier was over")
    #expect(waits.parts(of: make[held]) == .dependencies)
    #expect(waits.parts(of: make[blocked]).isEmpty, "it waited for what it depends on")
  }

  @Test func unfinishedBarrierBlocksAllBehindIt() {
    var make = HandmadeTrace(end: 100)
    let queue = make.queue("wide", limit: 8)
    let barrier = make.operation("barrier", on: queue, ready: 0, began: 0)
    make[barrier].isBarrier = true
    let ended = make.operation("another barrier", on: queue, ready: 1, began: 1, ended: 2)
    make[ended].isBarrier = true
    let behind = make.operation("behind", on: queue, ready: 3)
    for (index, id) in [barrier, ended, behind].enumerated() {
      make[id].enqueued = Stamp(HandmadeTrace.nanoseconds(Double(index)), ThreadID(1))
    }
    #expect(BarrierWaits(in: make.trace).parts(of: make[behind]).contains(.slot))
  }
}
