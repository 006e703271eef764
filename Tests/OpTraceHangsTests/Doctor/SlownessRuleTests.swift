import OpTraceAnalysis
import OpTraceModel
import Testing

@Suite("Doctor: it works, but it is slower than it needs to be")
struct SlownessRuleTests {
  private func found(_ code: DoctorCode, _ lines: String, isClosed: Bool = true) throws -> [Finding] {
    Diagnosis(of: try DoctorCase.trace(lines, isClosed: isClosed, end: 3_000_000)).findings.filter { $0.code == code }
  }

  private func titles(_ code: DoctorCode, _ lines: String) throws -> [String] { try found(code, lines).map(\.title) }

  /// An operation that runs; times in milliseconds.
  private func run(
    _ id: Int, _ name: String, enqueued: Int = 0, ready: Int, _ began: Int, _ ended: Int, after: [Int] = [],
    priority: Int = 0, quality: Int = 0, queue: Int = 1, thread: Int = 2, _ extra: String...
  ) -> String {
    let edges = after.map { "\(enqueued * 1000) t1 depends #\(id) on=#\($0)\n" }.joined()
    return DoctorCase.operation(
      id, name, edges + "\(enqueued * 1000) t1 enqueued #\(id) queue=q\(queue) priority=\(priority) qos=\(quality)",
      "\(ready * 1000) t1 ready #\(id)", "\(began * 1000) t\(thread) started #\(id)",
      "\(began * 1000) t\(thread) began #\(id)", extra.joined(separator: "\n"),
      "\(ended * 1000) t\(thread) ended #\(id)", "\(ended * 1000) t\(thread) finished #\(id)",
      "\(ended * 1000) t\(thread) start-returned #\(id)")
  }

  private let serial = "0 t1 queue q1 limit=1 \"pages\"\n"

  // MARK: priority-inversion

  /// `fetch` can run at 1 ms and waits for `first` until 10 ms; then `prefetch` overtakes it.
  private func inversion(low: Int, high: Int, other: Int = 0, prefetchUntil: Int = 60, more: String = "") -> String {
    serial + run(3, "first", ready: 0, 0, 10)
      + run(4, "prefetch", ready: 0, 10, prefetchUntil, priority: other)
      + run(1, "fetch", ready: 1, prefetchUntil, prefetchUntil + 10, priority: low)
      + run(
        2, "show", ready: prefetchUntil + 10, prefetchUntil + 10, prefetchUntil + 20, after: [1], priority: high,
        thread: 3)
      + more
  }

  @Test func priorityInversion() throws {
    let found = try found("priority-inversion", inversion(low: -8, high: 8))
    #expect(
      found.map(\.title) == ["'show' (#2) lost 50 ms because 'fetch' (#1), which it waits for, has a lower priority"])
    let finding = try #require(found.first)
    #expect(finding.severity == .warning)
    #expect(finding.fix == "Give 'fetch' (#1) the queuePriority of 'show' (#2) before adding it to queue 'pages'.")
    #expect(
      finding.evidence.map(\.text) == [
        "'show' (#2) (priority 8) waits for 'fetch' (#1) (priority -8)",
        "'fetch' (#1) was ready, and waited for a slot of queue 'pages'",
        "'prefetch' (#4) (priority 0) was started before it", "'fetch' (#1) began: 50 ms lost",
      ])
  }

  @Test("no finding: same rank; overtaker ranks as high as the waiter; too little lost")
  func orderThatIsRight() throws {
    #expect(try titles("priority-inversion", inversion(low: 8, high: 8)).isEmpty)
    #expect(try titles("priority-inversion", inversion(low: -8, high: 8, other: 8)).isEmpty)
    #expect(try titles("priority-inversion", inversion(low: -8, high: 8, prefetchUntil: 19)).isEmpty)
  }

  @Test("no finding: the waiter needs the overtaker, or another dependency finished later")
  func overtakersThatAreNeeded() throws {
    let needed = inversion(low: -8, high: 8).replacing(
      "0 t1 depends #2 on=#1", with: "0 t1 depends #2 on=#1\n0 t1 depends #2 on=#4")
    #expect(try titles("priority-inversion", needed).isEmpty)
    let slow = "0 t1 queue q2 limit=1 \"slow\"\n" + run(5, "slow", ready: 0, 0, 69, priority: 8, queue: 2, thread: 4)
    let other = inversion(low: -8, high: 8, more: slow).replacing(
      "0 t1 depends #2 on=#1", with: "0 t1 depends #2 on=#1\n0 t1 depends #2 on=#5")
    #expect(try titles("priority-inversion", other).isEmpty)
  }

  @Test("a wait inside the important operation counts like a dependency; quality counts at equal priority")
  func waitInsideOfAnOperation() throws {
    let lines =
      serial + "0 t1 queue q2 limit=1 \"ui\"\n" + run(3, "first", ready: 0, 0, 10)
      + run(4, "prefetch", ready: 0, 10, 60)
      + run(1, "fetch", ready: 1, 60, 70, quality: 1)
      + run(2, "show", ready: 0, 5, 80, quality: 4, queue: 2, thread: 3, "5000 t3 wait #1\n70000 t3 waited #1")
    #expect(
      try titles("priority-inversion", lines) == [
        "'show' (#2) lost 50 ms because 'fetch' (#1), which it waits for, has a lower priority"
      ])
  }

  // MARK: blocking-wait

  /// All operations of a serial queue wait: they delayed each other, and nothing else.
  @Test func waitersAreNotCountedBehindThemselves() throws {
    let all = (0..<3).map { number in
      let (from, to) = (number * 100, number * 100 + 90)
      return run(11 + number, "download", ready: 0, 0, to, queue: 2, thread: 4 + number)
        + run(
          1 + number, "thumbnail", ready: 0, from, to + 5, "\(from * 1000 + 10) t2 wait #\(11 + number)",
          "\(to * 1000 + 10) t2 waited #\(11 + number)")
    }
    let queues = "0 t1 queue q1 limit=1 \"images\"\n0 t1 queue q2 \"network\"\n"
    let finding = try #require(try found("blocking-wait", queues + all.joined()).first)
    #expect(finding.severity == .warning && finding.operations.count == 3 && finding.behind == 0)
    #expect(finding.explanation.contains("Meanwhile 2 ready operations of the same queue"))
  }

  private func thumbnail(waitsUntil: Int, ends: Int, more: String = "") -> String {
    "0 t1 queue q1 limit=1 \"images\"\n0 t1 queue q2 limit=1 \"network\"\n"
      + run(1, "download", ready: 0, 0, waitsUntil, queue: 2, thread: 4)
      + run(2, "thumbnail", ready: 1, 1, ends, "1000 t2 wait #1\n\(waitsUntil * 1000) t2 waited #1") + more
  }

  @Test func blockingWait() throws {
    let rotate = run(3, "rotate", ready: 1, 50, 60)
    let found = try found("blocking-wait", thumbnail(waitsUntil: 41, ends: 50, more: rotate))
    #expect(found.map(\.title) == ["'thumbnail' (#2) spent 40 ms of 49 ms waiting, holding a slot of its queue"])
    let finding = try #require(found.first)
    #expect(finding.severity == .warning && finding.behind == 1)
    #expect(
      finding.explanation.hasSuffix("Meanwhile 1 ready operation of the same queue waited for a slot."))
    #expect(
      finding.evidence.map(\.text) == [
        "'thumbnail' (#2) waited for 40 ms of its 49 ms, longest for 'download' (#1)"
      ])
    #expect(finding.fix.hasPrefix("Make 'thumbnail' (#2) depend on the operation it waits for (addDependency)"))
  }

  @Test func waitThatDelayedNobodyIsANote() throws {
    let found = try found("blocking-wait", thumbnail(waitsUntil: 41, ends: 50))
    #expect(found.map(\.severity) == [.note])
  }

  @Test("operations of a library are not reported: the user cannot change them")
  func waitsInsideOfALibrary() throws {
    func found(_ module: String, _ name: String = "Work") throws -> Int {
      try titles(
        "blocking-wait", "0 t0 class name=\"\(name)\" module=\"\(module)\"\n" + thumbnail(waitsUntil: 41, ends: 50)
      )
      .count
    }
    #expect(try found("FoundationNetworking") == 0)
    #expect(try found("Photos") == 1 && found("FoundationNetworking", "Other") == 1)
    // A block operation runs code of the user.
    let blocks = thumbnail(waitsUntil: 41, ends: 50).replacing("class=\"Work\"", with: "class=\"BlockOperation\"")
    #expect(
      try titles("blocking-wait", "0 t0 class name=\"BlockOperation\" module=\"Foundation\"\n" + blocks).count == 1)
    // If its code is known, the module of that function decides.
    for (module, count) in [("FoundationNetworking", 0), ("Photos", 1)] {
      let lines =
        "0 t0 symbol f1 short=\"closure #1 in load()\" module=\"\(module)\" \"closure #1 in \(module).load()\"\n"
        + "0 t0 frame f1 offset=4096\n0 t0 class name=\"BlockOperation\" module=\"Foundation\" code=f1\n"
      #expect(try titles("blocking-wait", lines + blocks).count == count, "\(module)")
    }
  }

  @Test("no finding: less than half of the run; less than 10 ms; outside operations; unfinished")
  func waitsThatAreShort() throws {
    #expect(try titles("blocking-wait", thumbnail(waitsUntil: 41, ends: 90)).isEmpty)
    #expect(try titles("blocking-wait", thumbnail(waitsUntil: 10, ends: 11)).isEmpty)
    let outside = serial + run(1, "download", ready: 0, 0, 40, "1000 t1 wait #1\n40000 t1 waited #1")
    #expect(try titles("blocking-wait", outside).isEmpty)
    let open =
      serial
      + DoctorCase.operation(
        1, "load", "0 t1 enqueued #1 queue=q1", "1 t1 ready #1", "1000 t2 started #1", "1000 t2 began #1",
        "2000 t2 blocked #1 object=0x10 kind=1")
    #expect(try titles("blocking-wait", open).isEmpty)
  }

  // MARK: serial-bottleneck

  private func photos(limit: Int, more: String = "") -> String {
    "0 t1 queue q1 limit=\(limit) \"decode\"\n" + more
      + (1...5).map { run($0, "photo \($0)", ready: 0, ($0 - 1) * 20, $0 * 20) }.joined()
  }

  @Test func serialBottleneck() throws {
    let found = try found("serial-bottleneck", photos(limit: 1))
    #expect(found.map(\.title) == ["queue 'decode' (limit 1) was full for 80 ms of 100 ms while others were ready"])
    let finding = try #require(found.first)
    #expect(finding.severity == .note)
    #expect(
      finding.explanation
        == "4 operations waited for a slot of queue 'decode', 200 ms in total. 80 ms of the critical path (80 % of the "
        + "run) are operations of queue 'decode' that ran one after the other.")
    #expect(finding.operations == [OperationID(5)])
  }

  @Test("more slots are not advised if the operations wait half of their time")
  func operationsThatWaitForOthers() throws {
    let waits = (1...5).map { id in
      let time = (id - 1) * 20_000
      return "\(time + 5_000) t2 blocked #\(id) object=0x\(id)0 kind=semaphore\n"
        + "\(time + 15_000) t2 unblocked #\(id) object=0x\(id)0 kind=semaphore\n"
    }
    let finding = try #require(try found("serial-bottleneck", photos(limit: 1) + waits.joined()).first)
    #expect(
      finding.fix.hasPrefix("Do not raise its limit: its operations wait for others in 50 % of their time"),
      "\(finding.fix)")
    #expect(try found("serial-bottleneck", photos(limit: 1)).first?.fix.hasPrefix("Raise ") == true)
  }

  @Test("no finding: not full; a large limit; suspended")
  func queuesThatAreWideEnough() throws {
    #expect(try titles("serial-bottleneck", photos(limit: 2)).isEmpty)
    #expect(try titles("serial-bottleneck", photos(limit: 8)).isEmpty)
    #expect(try titles("serial-bottleneck", photos(limit: 1, more: "0 t1 suspended q1\n")).isEmpty)
  }

  @Test("no finding: the queue was full but not on the critical path")
  func queueBesideTheCriticalPath() throws {
    let movie = "0 t1 queue q2 limit=1 \"movies\"\n" + run(9, "movie", ready: 0, 0, 300, queue: 2, thread: 4)
    #expect(try titles("serial-bottleneck", photos(limit: 1, more: movie)).isEmpty)
  }

  // MARK: dependency-chain-cost

  /// Rows that wait for one another, each 1 ms of work and 1 ms of scheduling.
  private func rows(_ count: Int, gap: Int = 1000, isChain: Bool = true, more: String = "") -> String {
    var text = "0 t1 queue q1 limit=1 \"rows\"\n" + more
    for row in 1...count {
      let began = 1000 + (row - 1) * (1000 + gap)
      text += "1 t1 created #\(row) class=\"Work\"\n"
      if row > 1, isChain { text += "2 t1 depends #\(row) on=#\(row - 1)\n" }
      text += "3 t1 enqueued #\(row) queue=q1\n\(row > 1 && isChain ? began - 1 : 4) t1 ready #\(row)\n"
      text += "\(began) t2 started #\(row)\n\(began) t2 began #\(row)\n"
      text += "\(began + 1000) t2 ended #\(row)\n\(began + 1000) t2 finished #\(row)\n"
    }
    return text
  }

  @Test func dependencyChainCost() throws {
    let found = try found("dependency-chain-cost", rows(1000))
    #expect(
      found.map(\.title) == ["500 ms of 2 s (25 %) went into scheduling a chain of dependencies in queue 'rows'"])
    #expect(found.first?.severity == .note)
    #expect(
      found.first?.explanation.hasPrefix(
        "500 times nothing ran between the end of an operation and the start of its dependent, with up to "
          + "999 more operations in queue 'rows'.") == true)
  }

  @Test("no finding: fewer than 500 wait; no chain; little time; something else ran meanwhile")
  func chainsThatCostNothing() throws {
    #expect(try titles("dependency-chain-cost", rows(500)).isEmpty)
    #expect(try titles("dependency-chain-cost", rows(1000, isChain: false)).isEmpty)
    #expect(try titles("dependency-chain-cost", rows(1000, gap: 100)).isEmpty)
    let busy =
      "0 t1 queue q2 limit=1 \"other\"\n"
      + "1 t1 created #2000 class=\"Work\"\n1 t1 enqueued #2000 queue=q2\n1 t3 started #2000\n1 t3 began #2000\n"
      + "2500000 t3 ended #2000\n2500000 t3 finished #2000\n"
    #expect(try titles("dependency-chain-cost", rows(1000, more: busy)).isEmpty)
  }
}
