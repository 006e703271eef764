import OpTraceBlame
import OpTraceKernel
import OpTraceModel
import TestSupport
import Testing

@Suite("Strands of a trace") struct StrandsTests {
  /// Where a task's time went: "kind name function" and microseconds, most first.
  private func blame(_ trace: Trace, _ task: Int, _ from: Int, _ to: Int) throws -> [String: Int] {
    var strands = TraceStrands(trace, ProgramCode(trace.stacks))
    let index = try #require(trace.workIndex(of: WorkID(UInt32(task))))
    let blame = Blame(.work(index), from: Nanoseconds(from) * 1000, to: Nanoseconds(to) * 1000, in: &strands)
    var sums: [String: Double] = [:]
    for share in blame.shares {
      let place = share.end.location < 0 ? nil : strands.code.locations[Int(share.end.location)].function
      let hops = share.hops.map(\.resource.kind.rawValue)
      let words = hops + [share.end.kind.rawValue, share.end.name, place ?? ""].filter { !$0.isEmpty }
      sums[words.joined(separator: " > "), default: 0] += share.time
    }
    #expect(abs(sums.values.reduce(0, +) - Double((to - from) * 1000)) < 1e-3, "all of the time, and no more")
    return sums.mapValues { Int(($0 / 1000).rounded()) }
  }

  private func hold(
    _ service: inout ServiceTrace, _ from: Int, _ to: Int, _ id: Int, thread: Int, object: String, kind: String,
    at stack: [String], behind: String? = nil
  ) {
    service.add(from, thread, "blocked #\(id) object=\(object) kind=\(kind) age=0")
    service.add(from, thread, "at \(service.trace.stack(stack))")
    service.add(to, thread, "unblocked #\(id) object=\(object) kind=\(kind)")
    if let behind { service.add(to, thread, behind) }
  }

  @Test func aCallThatBlocksIsAnEndOfItsOwn() throws {
    var service = ServiceTrace()
    let id = service.task(0, "answer()")
    service.run(100, id)
    service.add(200, 2, "object-named object=0x800040000007 \"recv from 127.0.0.1:5432\"")
    hold(&service, 200, 9200, id, thread: 2, object: "0x800040000007", kind: "call", at: ["answer()", "query()"])
    service.end(9300, id)
    let trace = try service.built()
    #expect(trace.waits.isEmpty)
    #expect(trace.holdups.map { trace.object($0.objectID)?.title } == ["recv from 127.0.0.1:5432"])
    let found = try blame(trace, id, 100, 9300)
    #expect(found == ["call > recv from 127.0.0.1:5432 > query()": 9000, "code > answer()": 200])
  }

  @Test func aWaitForALockIsPassedOnToWhatItsHolderDoes() throws {
    var service = ServiceTrace()
    let (holder, waiter) = (service.task(0, "store()"), service.task(0, "load()"))
    service.run(10, holder, thread: 2)
    service.run(20, waiter, thread: 3)
    service.add(100, 3, "blocked #\(waiter) object=0x7000 kind=mutex age=0")
    service.add(100, 3, "at \(service.trace.stack(["load()"]))")
    hold(&service, 50, 5050, holder, thread: 2, object: "0x1", kind: "disk", at: ["store()", "write()"])
    service.add(6050, 3, "unblocked #\(waiter) object=0x7000 kind=mutex")
    service.add(6050, 3, "signalled #0 object=0x7000 kind=mutex age=0 thread=t2")
    service.end(6100, holder, thread: 2)
    service.end(6150, waiter, thread: 3)
    let trace = try service.built()
    #expect(trace.holdups.map(\.holder) == [ThreadID(2)])
    let found = try blame(trace, waiter, 20, 6150)
    #expect(
      found == [
        "lock > call > sync to a disk > write()": 4950, "lock > code > store()": 1000, "code > load()": 180,
      ])
  }

  @Test func aWaitForAPoolIsPassedOnAlongThoseWhoHadTheThing() throws {
    var service = ServiceTrace()
    let ids = (0..<3).map { _ in service.task(0, "handle()") }
    // The first has the connection from 10 to 1000, the second from 1000 to 3000; the third waits from 20 on.
    service.run(10, ids[0], thread: 2)
    service.run(15, ids[1], thread: 3)
    service.suspend(18, ids[1], at: ["handle()", "lease()"], thread: 3)
    service.run(19, ids[2], thread: 4)
    service.suspend(20, ids[2], at: ["handle()", "lease()"], thread: 4)
    hold(&service, 30, 930, ids[0], thread: 2, object: "0x1", kind: "sleep", at: ["handle()", "first()"])
    service.resume(1000, ids[1], by: ids[0], thread: 2)
    service.run(1001, ids[1], thread: 3)
    hold(&service, 1010, 2910, ids[1], thread: 3, object: "0x1", kind: "disk", at: ["handle()", "second()"])
    service.resume(3000, ids[2], by: ids[1], thread: 3)
    service.run(3001, ids[2], thread: 4)
    service.end(3100, ids[2], thread: 4)
    service.end(3200, ids[0], thread: 2)
    service.end(3200, ids[1], thread: 3)
    let found = try blame(try service.built(), ids[2], 20, 3000)
    #expect(found["continuation > call > sleep > first()"] == 900)
    #expect(found["continuation > call > sync to a disk > second()"] == 1900)
  }

  @Test func aWaitForAThreadIsGivenToThoseThatHaveThem() throws {
    var service = ServiceTrace(sampled: true)
    let ids = [service.task(0, "spin()"), service.task(0, "wait()"), service.task(0, "late()")]
    service.run(10, ids[0], thread: 2)
    service.run(10, ids[1], thread: 3)
    for time in stride(from: 500, to: 10_000, by: 1000) {
      service.trace.sample(time, 2, service.trace.stack(["spin()"]))
    }
    hold(&service, 20, 9900, ids[1], thread: 3, object: "0x1", kind: "sleep", at: ["wait()"])
    service.end(10_000, ids[0], thread: 2)
    service.end(10_000, ids[1], thread: 3)
    service.run(10_010, ids[2], thread: 2)
    service.end(10_020, ids[2], thread: 2)
    let found = try blame(try service.built(), ids[2], 100, 9_900)
    #expect(found == ["thread > code > spin()": 4900, "thread > call > sleep > wait()": 4900])
  }
}

extension WaitRecord {
  fileprivate var objectID: ObjectID {
    if case .object(let id) = target { return id }
    return ObjectID(0)
  }
}
