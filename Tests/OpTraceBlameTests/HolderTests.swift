import OpTraceBlame
import OpTraceKernel
import OpTraceModel
import TestSupport
import Testing

/// Who had what only some can have at a time.
@Suite("Holders of queues, actors and what is handed on") struct HolderTests {
  /// Where a piece of work's time went: what was waited for, the end, and microseconds.
  private func blame(_ trace: Trace, _ work: Int, _ from: Int, _ to: Int) throws -> [String: Int] {
    var strands = TraceStrands(trace, ProgramCode(trace.stacks))
    let index = try #require(trace.workIndex(of: WorkID(UInt32(work))))
    let blame = Blame(.work(index), from: Nanoseconds(from) * 1000, to: Nanoseconds(to) * 1000, in: &strands)
    var sums: [String: Double] = [:]
    for share in blame.shares {
      let place = share.end.location < 0 ? nil : strands.code.locations[Int(share.end.location)].function
      let hops = share.hops.map { $0.resource.name.isEmpty ? $0.resource.kind.rawValue : $0.resource.name }
      let words = hops + [share.end.kind.rawValue, share.end.name, place ?? ""].filter { !$0.isEmpty }
      sums[words.joined(separator: " > "), default: 0] += share.time
    }
    #expect(abs(sums.values.reduce(0, +) - Double((to - from) * 1000)) < 1e-3, "all of the time, and no more")
    return sums.mapValues { Int(($0 / 1000).rounded()) }
  }

  @Test("what runs in the slots of a queue has it, each to the same share")
  func slots() throws {
    var make = ServiceTrace()
    make.add(5, 2, "queue q1 limit=2 \"images\"")
    let ids = (0..<3).map { _ in make.number() }
    for id in ids {
      make.add(10, 2, "created #\(id) class=\"Shrink\"")
      make.add(10, 2, "enqueued #\(id) queue=q1 priority=0")
      make.add(10, 2, "ready #\(id)")
    }
    make.add(10, 3, "began #\(ids[0])")
    make.add(10, 4, "began #\(ids[1])")
    for (time, thread, id) in [(1010, 3, ids[0]), (3010, 4, ids[1])] {
      make.add(time, thread, "ended #\(id)")
      make.add(time, thread, "finished #\(id)")
    }
    // For 1 ms both have a slot; then only the second has one, though this one could have the other.
    make.add(2010, 3, "began #\(ids[2])")
    make.add(2500, 3, "ended #\(ids[2])")
    make.add(2500, 3, "finished #\(ids[2])")
    let found = try blame(try make.built(end: 4000), ids[2], 10, 2010)
    #expect(found == ["images > code": 2000], "\(found)")
  }

  @Test("those that had waited for an actor have it, also on another thread")
  func actors() throws {
    var make = ServiceTrace()
    let (first, second) = (make.task(0, "first()"), make.task(0, "second()"))
    for (id, thread) in [(first, 2), (second, 3)] {
      make.run(10, id, thread: thread)
      make.suspend(20, id, at: ["price()", "touch()"], reason: 4, thread: thread)
      make.add(20, thread, "task-queued #\(id) actor=1 class=\"Cache\" by=#\(id)")
    }
    make.run(100, first, thread: 2)
    make.add(200, 2, "blocked #\(first) object=0x1 kind=sleep age=0")
    make.add(200, 2, "at \(make.trace.stack(["price()", "touch()"]))")
    make.add(2200, 2, "unblocked #\(first) object=0x1 kind=sleep")
    make.end(2300, first, thread: 2)
    // The second one goes on where the first one did not run.
    make.run(9300, second, thread: 3)
    make.end(9400, second, thread: 3)
    let found = try blame(try make.built(end: 10_000), second, 100, 2300)
    #expect(found == ["actor Cache 1 > call > sleep > touch()": 2000, "actor Cache 1 > code > touch()": 200])
  }

  @Test("work that gives back what others had is not blamed for having it")
  func givers() throws {
    var make = ServiceTrace()
    let giver = make.task(0, "reclaim()")
    make.run(5, giver, thread: 4)
    var holders: [Int] = []
    var last = 0
    for number in 0..<8 {
      let id = make.task(10 + number, "handle()", thread: 2)
      make.run(20 + number * 1000, id, thread: 2)
      make.suspend(30 + number * 1000, id, at: ["handle()", "lease()"], thread: 2)
      // Every other one is given by who had it; the others by the one that takes back.
      make.resume(900 + number * 1000, id, by: number % 2 == 0 || last == 0 ? giver : last, thread: 4)
      make.run(910 + number * 1000, id, thread: 2)
      holders.append(id)
      last = id
    }
    let trace = try make.built(end: 20_000)
    let found = try blame(trace, holders[6], 6100, 6900)
    #expect(found == ["continuation > unknown > given back for others > reclaim()": 800], "\(found)")
    // Before the one that ended its wait had it, too.
    let other = try blame(trace, holders[7], 7100, 7900)
    #expect(other.keys.allSatisfy { !$0.contains("given back") }, "\(other)")
  }

  @Test("who waits in `sync` waits for what runs on the queue")
  func sync() throws {
    var make = ServiceTrace()
    let id = make.task(0, "log()")
    make.add(1, 2, "dispatch-queue d1 width=1 \"access\"")
    let block = make.number()
    make.add(10, 3, "submitted #\(block) queue=d1 code=\(make.trace.stack(["compress()"]))")
    make.add(20, 3, "run #\(block)")
    make.run(30, id, thread: 2)
    make.add(40, 2, "object-named object=0x9000 \"access\"")
    make.add(40, 2, "blocked #\(id) object=0x9000 kind=queue age=0")
    make.add(40, 2, "at \(make.trace.stack(["log()"]))")
    make.add(5000, 3, "ran #\(block)")
    make.add(5010, 2, "unblocked #\(id) object=0x9000 kind=queue")
    make.end(5100, id, thread: 2)
    let found = try blame(try make.built(end: 6000), id, 100, 5000)
    #expect(found == ["access > code > compress()": 4900], "\(found)")
  }

  @Test("where a thread without work hands a thing on, whoever is known to have had one of them has it")
  func mixedPool() throws {
    var make = ServiceTrace()
    let ids = (0..<4).map { _ in make.task(0, "handle()") }
    // The first gets one from the second, and hands it to the third at 5000; a thread without work resumes the fourth at 4000.
    for (place, id) in ids.enumerated() {
      make.run(10 + place, id, thread: 2)
      make.suspend(20 + place, id, at: ["handle()", "lease()"], thread: 2)
    }
    make.resume(1000, ids[0], by: ids[1], thread: 2)
    make.run(1010, ids[0], thread: 2)
    make.suspend(1020, ids[0], at: ["handle()", "query()"], thread: 2)
    make.resume(4000, ids[3])
    make.resume(4900, ids[0])
    make.run(4910, ids[0], thread: 2)
    make.resume(5000, ids[2], by: ids[0], thread: 2)
    make.resume(5500, ids[1])
    for (place, id) in ids.enumerated() {
      make.run(6000 + place * 100, id, thread: 3)
      make.end(6050 + place * 100, id, thread: 3)
    }
    let found = try blame(try make.built(end: 7000), ids[3], 30, 4000)
    #expect(found["continuation > outside > query()"] == 2980, "\(found)")
    #expect(found["continuation > unknown > had by others"] == 970, "\(found)")
  }

  @Test("where the main thread has ended, who ran on the main actor has it") func mainActorElsewhere() throws {
    var make = ServiceTrace()
    let (first, second) = (make.task(0, "reload()"), make.task(0, "ask()"))
    for (id, thread) in [(first, 2), (second, 3)] {
      make.run(10, id, thread: thread)
      make.suspend(20, id, at: ["work()", "isOn()"], reason: 4, thread: thread)
      make.add(30, thread, "task-enqueued #\(id) by=#\(id) main")
    }
    make.run(100, first, thread: 4)
    make.suspend(4100, first, at: ["work()", "next()"], thread: 4)
    make.run(4110, second, thread: 4)
    make.end(4200, second, thread: 4)
    let found = try blame(try make.built(end: 5000), second, 40, 4110)
    #expect(found["main thread > code > isOn()"] == 4000, "\(found)")
  }
}
