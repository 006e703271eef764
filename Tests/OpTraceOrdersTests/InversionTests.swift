import OpTraceAnalysis
import OpTraceDoctor
import OpTraceFormat
import OpTraceModel
import OpTraceOrders
import TestSupport
import Testing

/// Which orders are told of as a deadlock that has not happened yet, and which are not. The traces are text.
@Suite("lock-order-inversion") struct InversionTests {
  private static let head = """
    optrace text 1
    process 1 "p"
    writer "1.0.0"
    mode streaming
    wall 0
    monotonic 0
    state closed

    0 t1 thread t1 tid=1 "main"
    0 t2 thread t2 tid=2 "one"
    0 t3 thread t3 tid=3 "other"
    0 t9 thread t9 tid=9 "optrace"
    0 t9 orders

    """

  private func findings(_ lines: String) throws -> [Finding] {
    let events = try TraceText.parse(Self.head + lines + "\n")
    #expect(TraceValidator.check(events).isEmpty)
    return Diagnosis(of: TraceBuilder.build(events)).findings.filter { $0.code == "lock-order-inversion" }
  }

  /// The fields of `order` stand in the order of the table.
  private static func lock(
    _ number: Int, _ address: String, of: Int, kind: Int = 1, flags: String = "", outer: Int = 0, by work: Int = 0,
    on thread: Int,
    at time: Int = 100
  ) -> String {
    let object = address.isEmpty ? "" : " object=\(address)"
    let outer = outer == 0 ? "" : " outer=\(outer)"
    let flags = flags.isEmpty ? "" : " " + flags
    return """
      \(time) t9 order\(object) kind=\(kind)\(flags) number=\(number)\(outer) of=\(of)
      \(time) t9 ordered #\(work) number=\(number) thread=t\(thread)

      """
  }

  private static func pair(
    first: Int = 2, second: Int = 3, works: (Int, Int) = (0, 0), kind: Int = 1, held: String = "", wanted: String = ""
  ) -> String {
    lock(1, "0x10", of: 1, kind: kind, flags: held, by: works.0, on: first)
      + lock(2, "0x20", of: 2, kind: kind, flags: wanted, outer: 1, by: works.0, on: first)
      + lock(3, "0x20", of: 2, kind: kind, flags: held, by: works.1, on: second, at: 200)
      + lock(4, "0x10", of: 1, kind: kind, flags: wanted, outer: 3, by: works.1, on: second, at: 200)
  }

  @Test("two locks in two orders by two threads may hang") func two() throws {
    let found = try findings(Self.pair())
    #expect(found.count == 1)
    let finding = try #require(found.first)
    #expect(finding.severity == .warning && finding.certainty == .possible && finding.evidence.count == 4)
    #expect(finding.chain.map(\.kind) == [.thread, .lock, .thread, .lock])
    #expect(finding.title.contains("thread 2") && finding.title.contains("thread 3"), "\(finding.title)")
  }

  @Test("the same strand is no two") func sameStrand() throws {
    #expect(try findings(Self.pair(second: 2)).isEmpty)
  }

  @Test("readers keep no readers out, and writers do") func readers() throws {
    #expect(try findings(Self.pair(kind: 2, held: "reader", wanted: "reader")).isEmpty)
    #expect(try findings(Self.pair(kind: 2, held: "reader")).count == 1)
    #expect(try findings(Self.pair(kind: 2)).count == 1)
  }

  @Test("what waits for nothing or not for ever is no half", arguments: ["try", "timed", "kept"])
  func others(_ flag: String) throws {
    #expect(try findings(Self.pair(wanted: flag)).isEmpty)
  }

  @Test("a third lock that both hold is a gate, unless both only read") func gate() throws {
    func text(_ flags: String) -> String {
      Self.lock(1, "0x90", of: 9, kind: 2, flags: flags, on: 2) + Self.lock(2, "0x10", of: 1, outer: 1, on: 2)
        + Self.lock(3, "0x20", of: 2, outer: 2, on: 2)
        + Self.lock(4, "0x90", of: 9, kind: 2, flags: flags, on: 3, at: 200)
        + Self.lock(5, "0x20", of: 2, outer: 4, on: 3, at: 200) + Self.lock(6, "0x10", of: 1, outer: 5, on: 3, at: 200)
    }
    #expect(try findings(text("")).isEmpty)
    #expect(try findings(text("reader")).count == 1)
  }

  @Test("another lock at the same address is another one") func lives() throws {
    let text =
      Self.lock(1, "0x10", of: 1, on: 2) + Self.lock(2, "0x20", of: 2, outer: 1, on: 2)
      + Self.lock(3, "0x20", of: 2, on: 3, at: 200) + Self.lock(4, "0x10", of: 7, outer: 3, on: 3, at: 200)
    #expect(try findings(text).isEmpty)
  }

  @Test("three locks make a cycle, and of five none does without the last") func longer() throws {
    func ring(_ count: Int, closed: Bool) -> String {
      (0..<count).map { index in
        guard closed || index + 1 < count else { return "" }
        let next = (index + 1) % count
        return Self.lock(2 * index + 1, "0x\(index + 1)0", of: index + 1, on: 2 + index % 2, at: 100 + index)
          + Self.lock(
            2 * index + 2, "0x\(next + 1)0", of: next + 1, outer: 2 * index + 1, by: index + 1, on: 2 + index % 2,
            at: 100 + index)
      }.joined()
    }
    let works = (1...5).map { "1 t1 created #\($0) class=\"A\"\n" }.joined()
    #expect(try findings(works + ring(3, closed: true)).count == 1)
    #expect(try findings(works + ring(5, closed: true)).count == 1)
    #expect(try findings(works + ring(5, closed: false)).isEmpty)
  }

  private static let operations = """
    1 t1 queue q1 limit=-1 "many"
    1 t1 created #1 class="A"
    1 t1 enqueued #1 queue=q1
    1 t1 ready #1
    1 t1 created #2 class="B"

    """
  private static let ran = """
    90 t2 started #1
    90 t2 began #1
    110 t2 ended #1
    110 t2 finished #1
    190 t3 started #2
    190 t3 began #2
    210 t3 ended #2
    210 t3 finished #2

    """

  @Test("a dependency orders, and chance does not") func dependency() throws {
    let chance = Self.operations + "1 t1 enqueued #2 queue=q1\n1 t1 ready #2\n" + Self.ran + Self.pair(works: (1, 2))
    #expect(try findings(chance).count == 1)
    let ordered =
      Self.operations + "1 t1 depends #2 on=#1\n1 t1 enqueued #2 queue=q1\n110 t2 ready #2\n" + Self.ran
      + Self.pair(works: (1, 2))
    #expect(try findings(ordered).isEmpty)
  }

  @Test("who submits comes before what is submitted, from then on") func submission() throws {
    func text(at time: Int) -> String {
      """
      1 t1 dispatch-queue d1 "many"
      1 t1 submitted #1 queue=d1
      90 t2 run #1
      \(time) t2 submitted #2 by=#1 queue=d1
      150 t2 ran #1
      190 t3 run #2
      210 t3 ran #2

      """ + Self.pair(works: (1, 2))
    }
    #expect(try findings(text(at: 120)).isEmpty)
    #expect(try findings(text(at: 95)).count == 1)
  }

  @Test("a wait orders what comes behind it") func wait() throws {
    let text =
      Self.operations + "1 t1 enqueued #2 queue=q1\n1 t1 ready #2\n" + Self.ran + "100 t3 wait #1\n115 t3 waited #1\n"
      + Self.pair(works: (1, 0))
    #expect(try findings(text).isEmpty)
  }

  @Test("who starts a thread comes before it, and who has waited for its end behind it") func threads() throws {
    let started = "150 t9 thread-begun t3 from=t2\n"
    #expect(try findings(Self.pair() + started).isEmpty)
    let early = "50 t9 thread-begun t3 from=t2\n"
    #expect(try findings(Self.pair() + early).count == 1)
    let joined = "150 t9 thread-begun t2 from=t3 joined\n"
    #expect(try findings(Self.pair() + joined).isEmpty)
  }

  @Test("the only slot is held by the operation in it, and wanted by who waits for one of the queue") func slots()
    throws
  {
    func text(limit: Int) -> String {
      """
      1 t1 queue q1 limit=\(limit) "database"
      1 t1 created #1 class="A"
      1 t1 enqueued #1 queue=q1
      1 t1 ready #1
      1 t1 created #2 class="B"
      1 t1 enqueued #2 queue=q1
      1 t1 ready #2

      """ + Self.ran + Self.lock(1, "", of: 1, kind: 4, by: 1, on: 2)
        + Self.lock(2, "0x10", of: 1, outer: 1, by: 1, on: 2)
        + Self.lock(3, "0x10", of: 1, on: 1, at: 50) + Self.lock(4, "", of: 2, kind: 8, outer: 3, on: 1, at: 50)
    }
    #expect(try findings(text(limit: 1)).count == 1)
    #expect(try findings(text(limit: 2)).isEmpty)
  }

  @Test("two serial queues that sync into each other") func queues() throws {
    func text(flags: String) -> String {
      """
      1 t1 dispatch-queue d1 width=1 "cache"
      1 t1 dispatch-queue d2 width=1 "disk"
      1 t1 submitted #1 queue=d1
      1 t1 submitted #2 queue=d2
      90 t2 run #1
      120 t2 ran #1
      190 t3 run #2
      220 t3 ran #2

      """ + Self.lock(1, "", of: 1, kind: 3, flags: flags, by: 1, on: 2)
        + Self.lock(2, "", of: 2, kind: 3, flags: flags, outer: 1, by: 1, on: 2)
        + Self.lock(3, "", of: 2, kind: 3, flags: flags, by: 2, on: 3, at: 200)
        + Self.lock(4, "", of: 1, kind: 3, flags: flags, outer: 3, by: 2, on: 3, at: 200)
    }
    let found = try findings(text(flags: ""))
    #expect(found.count == 1)
    #expect(found.first?.evidence.contains { $0.text.contains("dispatch queue 'disk'") } == true)
    #expect(try findings(text(flags: "reader")).isEmpty)
  }

  @Test("a queue that an object's end uses last is over for all others, unless one uses it later") func deinits() throws
  {
    func text(function: String = "Pool.deinit", later: String = "") -> String {
      """
      1 t0 image i1 build="0a1b" page=16 pages=16 "/app/shop"
      1 t0 frame f1 image=i1 offset=256 returns
      1 t0 symbol f1 short="\(function)" line=3 file="/src/Pool.swift" module="shop" "shop.\(function)"
      1 t1 dispatch-queue d1 width=1 "reader"
      1 t1 submitted #1 queue=d1
      90 t2 run #1
      120 t2 ran #1
      \(later)
      100 t9 order kind=3 number=1 of=1
      100 t9 ordered #1 number=1 thread=t2
      100 t9 order object=0x10 kind=1 number=2 outer=1 of=2
      100 t9 ordered #1 number=2 thread=t2
      200 t9 order object=0x10 kind=1 number=3 of=2
      200 t9 ordered #0 number=3 thread=t3
      200 t9 order kind=3 number=4 outer=3 of=1
      200 t9 ordered #0 number=4 at=f1 thread=t3
      """
    }
    #expect(try findings(text()).isEmpty)
    #expect(try findings(text(function: "Pool.close()")).count == 1)
    #expect(try findings(text(later: "300 t2 submitted #2 queue=d1")).count == 1)
    #expect(try findings(text(later: "300 t3 submitted #2 queue=d1")).isEmpty)
  }
}
