import OpTraceAnalysis
import OpTraceDoctor
import OpTraceFormat
import OpTraceModel
import OpTraceOrders
import Testing

/// Where threads pause for a deadlock that has not happened yet, and what stays the same of it in another build.
@Suite("pauses") struct PauseTests {
  /// Two locks in two orders, by functions of the program that call a library. `f`: whether frames are guessed.
  private func trace(
    guessed: String = "", at: Int = 0, build: String = "build=\"0a1b\" ", marks: String = ""
  ) throws -> Trace {
    let text = """
      optrace text 1
      process 1 "p"
      writer "1.0.0"
      processors 2
      mode streaming
      wall 0
      monotonic 0
      state closed

      0 t1 thread t1 tid=1 "main"
      0 t2 thread t2 tid=2 "one"
      0 t3 thread t3 tid=3 "other"
      0 t9 thread t9 tid=9 "optrace"
      0 t9 orders
      1 t0 image i1 \(build)page=16 pages=16 "/app/shop"
      1 t0 image i2 page=64 pages=16 "/usr/lib/swift/linux/libFoundation.so"
      1 t0 frame f1 image=i1 offset=256 returns
      1 t0 frame f2 image=i1 offset=4096 caller=f1 returns\(guessed)
      1 t0 symbol f2 short="pay()" line=3 file="/src/A.swift" module="shop" "shop.pay()"
      1 t0 frame f3 image=i2 offset=512 caller=f2 returns\(guessed)
      1 t0 frame f4 image=i1 offset=8192 caller=f1 returns\(guessed)
      1 t0 symbol f4 short="refund()" line=9 file="/src/A.swift" module="shop" "shop.refund()"
      1 t0 frame f5 image=i2 offset=512 caller=f4 returns\(guessed)
      2 t9 order object=0x10 kind=1 number=1 of=1
      2 t9 ordered #0 number=1 at=f3 thread=t2
      2 t9 order object=0x20 kind=1 number=2 outer=1 of=2
      2 t9 ordered #0 number=2 at=f\(3 - at) thread=t2
      3 t9 order object=0x20 kind=1 number=3 of=2
      3 t9 ordered #0 number=3 at=f5 thread=t3
      3 t9 order object=0x10 kind=1 number=4 outer=3 of=1
      3 t9 ordered #0 number=4 at=f5 thread=t3
      \(marks)
      """
    return TraceBuilder.build(try TraceText.parse(text + "\n"))
  }

  private func plan(_ trace: Trace) throws -> PausePlan? {
    guard case .cycle(let cycle) = try #require(LatentDeadlock.all(in: trace).first).cause else { return nil }
    var plan = PausePlan()
    return plan.add(cycle, of: trace, as: 7) ? plan : nil
  }

  @Test("a place is a file and an offset, with those of its callers") func places() throws {
    let plan = try #require(try plan(trace()))
    #expect(
      plan.setting(wait: 300)
        == "wait=300 modules==libFoundation.so/0a1b place=7:0:2:1:1:0+200/1+1000/1+100 place=7:1:2:1:1:0+200/1+2000/1+100"
    )
    let unnamed = try #require(try self.plan(trace(build: "")))
    #expect(unnamed.setting(wait: 1).hasPrefix("wait=1 modules==libFoundation.so/=shop place=7:0:2:1:1:0+200/"))
  }

  @Test("without a stack that is known for sure there is no place") func unknown() throws {
    #expect(try plan(trace(guessed: " guessed")) == nil)
    #expect(try plan(trace(at: 3)) == nil)
  }

  @Test("no more places than the recorder takes") func many() throws {
    let trace = try trace()
    guard case .cycle(let cycle) = try #require(LatentDeadlock.all(in: trace).first).cause else { return }
    var plan = PausePlan()
    let added = (1...40).filter { plan.add(cycle, of: trace, as: $0) }
    #expect(added.count == 32 && plan.places.count == 64)
  }

  @Test("marks say how often threads were held, and which sides met") func marks() throws {
    var marks = PauseMarks()
    marks.add(
      try trace(
        marks: """
          4 t2 mark #0 "optrace: held at side 1 of finding 7"
          4 t3 mark #0 "optrace: held for 50 ms"
          5 t3 mark #0 "optrace: all sides of finding 7 have met"
          6 t3 mark #0 "optrace: all sides of finding"
          6 t3 mark #0 "held at side 1 of finding 7"
          """))
    #expect(marks.held == 2 && marks.met == [7])
  }

  @Test("what names a finding has no address, no line and no number") func key() throws {
    let finding = try #require(LatentDeadlock.all(in: trace()).first?.finding)
    let key = try #require(finding.key)
    #expect(
      key == "lock-order-inversion: lock in pay() in A.swift, then lock in pay() in A.swift; "
        + "lock in refund() in A.swift, then lock in refund() in A.swift")
    #expect(finding.isLatent)
  }
}
