import OpTraceAnalysis
import OpTraceModel
import TestSupport
import Testing

@testable import OpTraceLive

@Suite struct LiveStatusTests {
  private func trace(_ lines: String, unit: TypedTrace.Unit = .milliseconds, heartbeat: Int? = nil) throws -> Trace {
    var typed = TypedTrace()
    typed.isClosed = false
    typed.heartbeat = heartbeat.map { $0 * unit.rawValue }
    return try TraceReader.read(bytes: Array(typed.text(lines, in: unit).utf8))
  }

  /// One executing operation, two ready ones, one that depends on a ready one, and two finished ones.
  private static let busy = """
    0 t1 queue q1 limit=1 "photos"
    0 t1 queue q2 limit=-1 "idle"
    10 t1 created #1 class="Load"
    10 t1 enqueued #1 queue=q1
    10 t1 ready #1
    20 t2 started #1
    20 t2 began #1
    120 t2 ended #1
    120 t2 finished #1
    130 t1 created #2 class="Load"
    130 t1 enqueued #2 queue=q1
    130 t1 ready #2
    150 t2 started #2
    150 t2 began #2
    250 t2 ended #2
    250 t2 finished #2
    300 t1 created #3 class="Load"
    300 t1 named #3 "the third"
    300 t1 enqueued #3 queue=q1
    300 t1 ready #3
    340 t2 started #3
    340 t2 began #3
    400 t1 created #4 class="Load"
    400 t1 enqueued #4 queue=q1
    400 t1 ready #4
    500 t1 created #5 class="Load"
    500 t1 enqueued #5 queue=q1
    500 t1 ready #5
    500 t1 created #6 class="Load"
    500 t1 depends #6 on=#5
    500 t1 enqueued #6 queue=q1
    """

  @Test func queuesHaveCountsRatesAndSlotWaits() throws {
    let status = LiveStatus(of: try trace(Self.busy, heartbeat: 1000))
    #expect(status.now == 1_000_000_000)
    #expect(status.queues.map(\.title) == ["photos", "idle"])
    let queue = try #require(status.queues.first)
    #expect(queue.limit == 1)
    #expect((queue.executing, queue.ready, queue.pending) == (1, 2, 1))
    #expect(queue.oldestReady == 600_000_000)
    // Two operations finished in the one recorded second.
    #expect(queue.finishedPerSecond == 2)
    // The slot waits are 10, 20 and 40 ms.
    #expect(abs((queue.slotWaitP50 ?? 0) - 20_000_000) < 400_000)
    #expect(abs((queue.slotWaitP99 ?? 0) - 40_000_000) < 800_000)
    let idle = status.queues[1]
    #expect(idle.limit == nil && idle.oldestReady == nil && idle.slotWaitP50 == nil && idle.finishedPerSecond == 0)
    #expect(status.executing.map(\.title) == ["the third"])
    #expect(status.executing.first?.time == 660_000_000)
    #expect(status.executing.first?.systemThread == 102)
    #expect(status.uncertain == 0)
  }

  @Test func emptyTraceHasEmptyStatus() throws {
    let status = LiveStatus(of: try trace(""))
    #expect(status.queues.isEmpty && status.executing.isEmpty && status.threads == 0)
  }

  @Test func waitingOperationNamesItsHolder() throws {
    let status = LiveStatus(
      of: try trace(
        """
        0 t1 queue q1 limit=2 "photos"
        10 t1 created #1 class="Outer"
        10 t1 enqueued #1 queue=q1
        10 t1 ready #1
        20 t2 started #1
        20 t2 began #1
        25 t2 created #2 class="Inner"
        25 t2 enqueued #2 queue=q1
        25 t2 ready #2
        30 t3 started #2
        30 t3 began #2
        40 t2 wait #2
        """, heartbeat: 5000))
    let outer = try #require(status.executing.first { $0.id == OperationID(1) })
    #expect(outer.isWaiting && outer.heldBy == OperationID(2) && outer.waitsFor == "Inner")
    let inner = try #require(status.executing.first { $0.id == OperationID(2) })
    #expect(!inner.isWaiting && inner.heldBy == nil)
    #expect((status.threads, status.waitingThreads) == (2, 1))
  }

  // MARK: - Queues that are gone

  /// A queue for each operation, and one queue that stays.
  private static func shortLived(_ names: [String]) -> String {
    var lines = "0 t1 queue q1 limit=2 \"stays\"\n"
    for (index, name) in names.enumerated() {
      let (number, time) = (index + 2, index * 10)
      lines += """
        \(time) t1 queue q\(number) limit=3 "\(name)"
        \(time) t1 created #\(number) class="Load"
        \(time) t1 enqueued #\(number) queue=q\(number)
        \(time) t1 ready #\(number)
        \(time + 4) t2 started #\(number)
        \(time + 4) t2 began #\(number)
        \(time + 6) t2 ended #\(number)
        \(time + 6) t2 finished #\(number)
        \(time + 8) t1 queue-released q\(number)

        """
    }
    return lines
  }

  @Test func releasedQueuesOfTheSameNameShareARow() throws {
    let names = (0..<100).map { $0 % 2 == 0 ? "request" : "  " }
    let trace = try trace(Self.shortLived(names), heartbeat: 1000)
    let status = LiveStatus(of: trace)
    #expect(status.queues.map(\.title) == ["stays", "request", "queues without a name"])
    #expect(status.queues.map(\.finishedPerSecond) == [0, 50, 50])
    #expect(status.queues.map(\.limit) == [2, 3, 3])
    #expect(status.queues[1].slotWaitP99.map { abs($0 - 4_000_000) < 125_000 } == true)
    // After eleven seconds they are outside of the window.
    #expect(LiveStatus(of: trace, now: trace.end + 11_000_000_000).queues.map(\.title) == ["stays"])
  }

  @Test(arguments: [(1, [50.0]), (2, [0, 0, 50])]) func livingQueueContinuesTheRowOfReleasedOnes(
    _ living: Int, _ rates: [Double]
  ) throws {
    let names = Array(repeating: "request", count: 50)
    let others = (0..<living).map { "900 t1 queue q\(100 + $0) limit=3 \"request\"\n" }.joined()
    let rows = LiveStatus(of: try trace(Self.shortLived(names) + others, heartbeat: 1000)).queues
    // With two living queues of the name, neither continues the row.
    #expect(rows.filter { $0.title == "request" }.map(\.finishedPerSecond).sorted() == rates)
  }

  @Test func manyQueueNamesShareARow() throws {
    let trace = try trace(Self.shortLived((0..<300).map { "request \($0)" }), heartbeat: 3100)
    let rows = LiveStatus(of: trace).queues
    #expect(rows.count == 102)
    let others = try #require(rows.first { $0.title == "other queues" })
    #expect(abs(others.finishedPerSecond * 3.1 - 200) < 1)
  }

  // MARK: - Where records are missing

  /// The rest in a ring: the adding thread has a chunk that is never full, the executing threads have newer ones.
  private static let flooded = """
    0 t1 queue q1 limit=2 "photos"
    10 t1 created #1 class="Over"
    10 t1 enqueued #1 queue=q1
    10 t1 ready #1
    20 t1 created #2 class="Blocked"
    20 t1 enqueued #2 queue=q1
    20 t1 ready #2
    30 t1 created #3 class="Behind"
    30 t1 depends #3 on=#2
    30 t1 enqueued #3 queue=q1
    40 t1 created #4 class="Carried"
    40 t1 enqueued #4 queue=q1
    40 t1 ready #4
    50 t2 started #2
    50 t2 began #2
    60 t1 created #5 class="Ran on a thread that is forgotten"
    60 t1 enqueued #5 queue=q1
    60 t1 ready #5
    61 t3 started #5
    61 t3 began #5
    900 t1 created #6 class="New"
    900 t1 enqueued #6 queue=q1
    900 t1 ready #6
    """

  @Test func uncertainOperationsAreNotCounted() throws {
    let trace = try trace(Self.flooded, heartbeat: 1000)
    var certainty = LiveCertainty()
    certainty.incompleteUntil = 800_000_000
    certainty.carried = [OperationID(4): 850_000_000, OperationID(1): 700_000_000]
    certainty.completeSince = [ThreadID(1): 0, ThreadID(2): 0, ThreadID(3): 100_000_000]
    let status = LiveStatus(of: trace, now: trace.end, certainty: certainty)
    #expect(certainty.certain(of: trace) == [false, true, true, true, false, true])
    let queue = try #require(status.queues.first)
    #expect((queue.executing, queue.ready, queue.pending) == (1, 2, 1))
    #expect(status.uncertain == 2)
    #expect(status.executing.map(\.title) == ["Blocked"])
    #expect(queue.oldestReady == 960_000_000)
    // If nothing is missing, all are counted.
    #expect(LiveStatus(of: trace).queues.first?.ready == 3)
  }

  @Test func ratesCountOnlyCompleteTime() throws {
    let trace = try trace(Self.busy, heartbeat: 1000)
    var certainty = LiveCertainty()
    certainty.incompleteUntil = 200_000_000
    let queue = try #require(LiveStatus(of: trace, now: trace.end, certainty: certainty).queues.first)
    #expect(queue.finishedPerSecond > 0)
    certainty.incompleteUntil = 600_000_000
    #expect(LiveStatus(of: trace, now: trace.end, certainty: certainty).queues.first?.finishedPerSecond == 0)
  }

  // MARK: - The window

  @Test func bucketsAreExactToAThirtySecond() {
    var length: Nanoseconds = 0
    while length < 1 << 50 {
      let middle = LiveWindow.middle(of: LiveWindow.bucket(length))
      #expect(abs(middle - length) <= max(0, length / 32), "\(length)")
      length += length / 7 + 1
    }
    #expect(LiveWindow.bucket(.max) > 0)
    #expect(LiveWindow.middle(of: LiveWindow.bucket(.max)) > 1 << 61)
  }

  @Test(arguments: 1...5) func percentilesCoverTheLastTenSeconds(_ seed: Int) {
    var generator = SeededGenerator(UInt64(seed))
    var window = LiveWindow()
    var samples: [(time: Nanoseconds, wait: Nanoseconds)] = []
    for _ in 0..<5000 {
      samples.append(
        (.random(in: 0...60_000_000_000, using: &generator), .random(in: 0...2_000_000_000, using: &generator)))
    }
    // Records come nearly in order.
    samples.sort { $0.time < $1.time }
    for index in stride(from: 0, to: samples.count - 1, by: 7) { samples.swapAt(index, index + 1) }
    for sample in samples {
      window.began(at: sample.time, after: sample.wait)
      window.finished(at: sample.time)
    }
    let now: Nanoseconds = 60_000_000_000
    let figures = window.figures(now: now, since: nil)
    let last = samples.filter { $0.time >= now - 10_000_000_000 }.map(\.wait).sorted()
    for (share, found) in [(50, figures.slotWaitP50), (99, figures.slotWaitP99)] {
      let exact = last[(last.count * share + 99) / 100 - 1]
      #expect(abs((found ?? 0) - exact) <= exact / 32 + 1)
    }
    #expect(abs(figures.finishedPerSecond - Double(last.count) / 10) < 1)
    // After eleven more seconds the window is empty.
    #expect(window.figures(now: now + 11_000_000_000, since: nil) == LiveWindow.Figures())
  }

  /// A thousand operations finish per second, and a ring has only the last part of the second.
  @Test(arguments: [0, 1, 613, 650, 949, 970, 999]) func partlyKnownTimeIsNotCounted(_ since: Int) {
    var window = LiveWindow()
    for time in 0..<1000 where time >= since { window.finished(at: Nanoseconds(time) * 1_000_000) }
    let figures = window.figures(now: 1_000_000_000, since: Nanoseconds(since) * 1_000_000)
    // Less than a twentieth of a second gives no useful rate.
    #expect(abs(figures.finishedPerSecond - 1000) < 30 || since > 950, "\(figures.finishedPerSecond)")
    #expect(figures.finishedPerSecond < 1001)
  }

  @Test func ratesEndWithTheLastReadRecord() throws {
    let trace = try trace(Self.busy, heartbeat: 1000)
    let whole = try #require(LiveStatus(of: trace, now: trace.end).queues.first)
    // The status is for a later time than the last read record.
    let later = LiveStatus(
      of: trace, now: trace.end + 1_000_000_000, knownUntil: trace.end, windows: [:], LiveCertainty())
    #expect(later.queues.first?.finishedPerSecond == whole.finishedPerSecond)
    #expect(later.now == trace.end + 1_000_000_000)
  }

  // MARK: - The doctor

  @Test func aFindingNeedsTwoChecks() throws {
    let stuck = """
      0 t1 queue q1 limit=1 "database"
      10 t1 created #1 class="Save"
      10 t1 enqueued #1 queue=q1
      10 t1 ready #1
      20 t2 started #1
      20 t2 began #1
      25 t2 created #2 class="Write"
      25 t2 enqueued #2 queue=q1
      25 t2 ready #2
      40 t2 wait #2
      """
    var doctor = LiveDoctor(by: .all)
    let early = try trace(stuck, heartbeat: 500)
    #expect(!doctor.isDue(LiveStatus(of: early), early))
    let first = try trace(stuck, heartbeat: 2000)
    let status = LiveStatus(of: first)
    #expect(doctor.isDue(status, first))
    doctor.check(first, now: status.now, stallAfter: 1_000_000_000) { body in
      body()
      return 100
    }
    #expect(doctor.isSuspicious)
    #expect(doctor.findings.isEmpty)
    #expect(!doctor.isDue(status, first))
    let second = try trace(stuck, heartbeat: 3100)
    let later = LiveStatus(of: second)
    #expect(doctor.isDue(later, second))
    doctor.check(second, now: later.now, stallAfter: 1_000_000_000) { body in
      body()
      return 1_000_000_000
    }
    #expect(doctor.findings.map(\.code) == ["queue-self-wait"])
    // The check took a second, so the next one comes at least twenty seconds later.
    let soon = try trace(stuck, heartbeat: 20_000)
    #expect(!doctor.isDue(LiveStatus(of: soon), soon))
    let late = try trace(stuck, heartbeat: 24_000)
    #expect(doctor.isDue(LiveStatus(of: late), late))
  }
}
