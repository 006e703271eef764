import Foundation
import OpTraceAnalysis
import OpTraceModel
import Testing

@Suite("Doctor: it works, but it is wrong")
struct MisuseRuleTests {
  /// What the doctor says under one code.
  private func found(_ code: DoctorCode, _ lines: String, header: String = "") throws -> [Finding] {
    Diagnosis(of: try DoctorCase.trace(lines, isClosed: true, header: header)).findings.filter { $0.code == code }
  }

  private func titles(_ code: DoctorCode, _ lines: String, header: String = "") throws -> [String] {
    try found(code, lines, header: header).map(\.title)
  }

  private let queue = "0 t1 queue q1 limit=1 \"work\"\n"

  // MARK: finished-without-start

  private func cancelled(_ events: String...) -> String {
    queue + DoctorCase.operation(1, "load", events.joined(separator: "\n"))
  }

  @Test func finishedWithoutStart() throws {
    let found = try found(
      "finished-without-start", cancelled("10 t1 enqueued #1 queue=q1", "20 t1 cancel #1", "21 t1 finished #1"))
    #expect(found.map(\.title) == ["'load' (#1) was finished before the queue had started it"])
    let finding = try #require(found.first)
    #expect(finding.severity == .error)
    #expect(
      finding.evidence.map(\.text) == [
        "'load' (#1) was enqueued", "'load' (#1) was cancelled", "'load' (#1) was finished; it was never started",
      ])
    #expect(finding.fix.hasPrefix("Do not finish a Work in cancel() before it executes"))
  }

  @Test func startAfterTheFinishDoesNotCount() throws {
    let titles = try titles(
      "finished-without-start",
      cancelled("10 t1 enqueued #1 queue=q1", "21 t1 finished #1", "30 t2 started #1", "31 t2 start-returned #1"))
    #expect(titles == ["'load' (#1) was finished before the queue had started it"])
  }

  @Test(
    "no finding: cancelled and started by its queue; finished in no queue; seen in part",
    arguments: [
      "10 t1 enqueued #1 queue=q1\n20 t1 cancel #1\n21 t1 ready #1\n30 t2 started #1\n31 t2 finished #1",
      "20 t1 finished #1",
      "1 t1 created #1 class=\"Work\" coverage=1\n10 t1 enqueued #1 queue=q1\n20 t1 finished #1",
    ])
  func finishesThatAreRight(events: String) throws {
    let titles = try titles("finished-without-start", cancelled(events))
    #expect(titles.isEmpty)
  }

  @Test func overwrittenRecordsProveNothing() throws {
    let lines = cancelled("10 t1 enqueued #1 queue=q1", "20 t1 cancel #1", "21 t1 finished #1")
    var trace = try DoctorCase.trace(lines)
    trace.loss.overwrittenBytes = 4096
    #expect(!Diagnosis(of: trace).findings.contains { $0.code == "finished-without-start" })
  }

  @Test func lossMakesItAWarning() throws {
    let found = try found(
      "finished-without-start", cancelled("10 t1 enqueued #1 queue=q1", "20 t1 cancel #1", "21 t1 finished #1"),
      header: "lost no-space 3")
    #expect(found.map(\.severity) == [.warning])
    #expect(found.first?.isProven == false)
  }

  // MARK: double-finish

  private func twice(_ id: Int, _ extra: String = "") -> String {
    DoctorCase.operation(
      id, "request \(id)", "10 t1 enqueued #\(id) queue=q1", "11 t1 ready #\(id)", "20 t2 started #\(id)",
      "21 t2 began #\(id)", extra, "90 t2 finished #\(id)", "95 t3 finished-again #\(id)")
  }

  @Test func doubleFinish() throws {
    let found = try found("double-finish", queue + twice(1) + twice(2))
    #expect(found.map(\.title) == ["2 operations of class Work in queue 'work' were finished more than once"])
    #expect(found.first?.severity == .warning)
    #expect(
      found.first?.evidence.first?.text == "'request 1' (#1) was finished 2 times in total")
  }

  @Test func secondFinishOfACancelledOperationIsANote() throws {
    let found = try found("double-finish", queue + twice(1, "30 t1 cancel #1"))
    #expect(found.map(\.severity) == [.note])
  }

  @Test("no finding: finished once; started twice, which another rule reports")
  func oneFinish() throws {
    let once = DoctorCase.operation(
      1, "request", "10 t1 enqueued #1 queue=q1", "20 t2 started #1", "21 t2 began #1", "90 t2 finished #1")
    #expect(try titles("double-finish", queue + once).isEmpty)
    #expect(try titles("double-finish", queue + twice(1, "40 t3 started #1")).isEmpty)
  }

  // MARK: double-start

  @Test func enqueuedTwice() throws {
    let found = try found(
      "double-start",
      queue + "0 t1 queue q2 limit=4 \"fast\"\n"
        + DoctorCase.operation(1, "poster", "10 t1 enqueued #1 queue=q1", "20 t1 enqueued #1 queue=q2"))
    #expect(found.map(\.title) == ["'poster' (#1) was added to a queue more than once"])
    #expect(found.first?.severity == .error)
  }

  @Test func startBeforeTheEnqueueIsReported() throws {
    let titles = try titles(
      "double-start",
      queue
        + DoctorCase.operation(
          1, "upload", "10 t1 started #1", "11 t1 began #1", "20 t1 enqueued #1 queue=q1", "30 t1 ended #1"))
    #expect(titles == ["'upload' (#1) was started by hand and then added to a queue"])
  }

  @Test func startedTwice() throws {
    let titles = try titles(
      "double-start",
      queue
        + DoctorCase.operation(
          1, "upload", "10 t1 enqueued #1 queue=q1", "20 t2 started #1", "21 t2 began #1", "30 t3 started #1"))
    #expect(titles == ["'upload' (#1) was started more than once"])
  }

  @Test func secondStartWithoutAQueueIsAWarning() throws {
    let found = try found(
      "double-start",
      DoctorCase.operation(
        1, "upload", "20 t2 started #1", "21 t2 began #1", "22 t2 ended #1", "22 t2 finished #1", "30 t2 started #1"))
    #expect(found.map(\.severity) == [.warning])
  }

  /// The main thread starts `upload` at 50 µs; `holder` is what `export`, which may have the only slot, does.
  private func byHand(_ holder: String...) -> String {
    DoctorCase.operation(1, "export", ["10 t1 enqueued #1 queue=q1", "11 t1 ready #1"].joined(separator: "\n"))
      + holder.joined(separator: "\n") + "\n"
      + DoctorCase.operation(2, "upload", "12 t1 enqueued #2 queue=q1", "13 t1 ready #2", "50 t1 started #2")
  }

  @Test func startPastAFullQueueIsReported() throws {
    let found = try found("double-start", queue + byHand("20 t2 started #1", "21 t2 began #1"))
    #expect(found.map(\.title) == ["'upload' (#2) was started by hand while a queue owns it"])
    #expect(found.first?.evidence.last?.text == "queue 'work' had no free slot: 'export' (#1) ran")
  }

  @Test("no finding: the slot was free again; the main queue; a free slot; another thread")
  func startsOfQueues() throws {
    let executing = ["20 t2 started #1", "21 t2 began #1"]
    let over = executing + ["40 t2 ended #1", "41 t2 finished #1"]
    #expect(try titles("double-start", queue + byHand(over.joined(separator: "\n"))).isEmpty)
    let running = byHand(executing.joined(separator: "\n"))
    #expect(try titles("double-start", "0 t1 queue q1 limit=1 main \"work\"\n" + running).isEmpty)
    #expect(try titles("double-start", "0 t1 queue q1 limit=2 \"work\"\n" + running).isEmpty)
    #expect(try titles("double-start", queue + "15 t1 limit q1 value=2\n" + running).isEmpty)
    let elsewhere = running.replacing("50 t1", with: "50 t3")
    #expect(try titles("double-start", queue + elsewhere).isEmpty)
  }

  @Test("no finding: an asynchronous class calls its own start() again on the main thread")
  func startThatMovesToAnotherThread() throws {
    let titles = try titles(
      "double-start",
      queue + "1 t1 created #1 class=\"Work\" async\n10 t1 enqueued #1 queue=q1\n11 t1 ready #1\n20 t2 started #1\n"
        + "20 t2 began #1\n21 t2 start-returned #1\n25 t1 started #1\n26 t1 start-returned #1\n90 t1 finished #1\n")
    #expect(titles.isEmpty)
  }

  // MARK: premature-finish

  private func load(_ flags: String = "", _ events: String...) -> String {
    queue + "1 t1 created #1 class=\"Load\" \(flags)\n1 t1 named #1 \"load\"\n10 t1 enqueued #1 queue=q1\n"
      + "11 t1 ready #1\n20 t2 started #1\n21 t2 began #1\n" + events.joined(separator: "\n") + "\n"
  }

  @Test func spanThatOverlapsTheFinishIsReported() throws {
    let found = try found(
      "premature-finish",
      load("", "30 t3 span #1 id=1 \"parse\"", "40 t2 ended #1", "40 t2 finished #1", "9000 t3 span-ended s1"))
    #expect(found.map(\.title) == ["'load' (#1) was finished before its work was over"])
    // Nobody waited for it.
    #expect(found.first?.severity == .note)
    let waited = try self.found(
      "premature-finish",
      load(
        "", "30 t1 wait #1", "30 t3 span #1 id=1 \"parse\"", "40 t2 ended #1", "40 t2 finished #1", "50 t1 waited #1",
        "9000 t3 span-ended s1"))
    #expect(waited.first?.severity == .warning)
    #expect(waited.first?.evidence.contains { $0.text == "the main thread had waited for it, and went on" } == true)
    #expect(found.first?.evidence.last?.text == "'parse' of 'load' (#1) ended 8.96 ms after the finish")
  }

  @Test func blockWithTheLargestIndexIsReported() throws {
    let block = "4294967295"
    let found = try found(
      "premature-finish",
      load(
        "", "30 t3 block-began #1 index=\(block)", "40 t2 ended #1", "40 t2 finished #1",
        "9000 t3 block-ended #1 index=\(block)"))
    #expect(found.first?.evidence.last?.text == "block 4294967296 of 'load' (#1) ended 8.96 ms after the finish")
  }

  @Test func dependentThatBeganMakesItAWarning() throws {
    let late = load(
      "", "40 t2 ended #1", "40 t2 finished #1", "5000 t3 span #1 id=1 \"parse\"", "9000 t3 span-ended s1")
    let alone = try found("premature-finish", late)
    #expect(alone.map(\.severity) == [.note])
    let misled = try found(
      "premature-finish",
      late
        + DoctorCase.operation(
          2, "show", "9 t1 depends #2 on=#1", "10 t1 enqueued #2 queue=q1", "42 t2 ready #2", "45 t2 started #2",
          "46 t2 began #2", "50 t2 ended #2", "50 t2 finished #2"))
    #expect(misled.map(\.severity) == [.warning])
    #expect(misled.first?.evidence.map(\.text).contains("'show' (#2), which depends on it, began") == true)
  }

  @Test("no finding: finish() inside the span; too short; cancelled; an unfinished span")
  func spansThatAreRight() throws {
    let finish = ["40 t3 ended #1", "40 t3 finished #1"].joined(separator: "\n")
    let around = load("async", "30 t3 span #1 id=1 \"parse\"", finish, "9000 t3 span-ended s1")
    #expect(try titles("premature-finish", around).isEmpty)
    let elsewhere = ["40 t2 ended #1", "40 t2 finished #1"].joined(separator: "\n")
    let brief = load("async", "30 t3 span #1 id=1 \"parse\"", elsewhere, "900 t3 span-ended s1")
    #expect(try titles("premature-finish", brief).isEmpty)
    let cancelled = load("async", "25 t1 cancel #1", "30 t3 span #1 id=1 \"parse\"", elsewhere, "9000 t3 span-ended s1")
    #expect(try titles("premature-finish", cancelled).isEmpty)
    let open = load("async", "30 t3 span #1 id=1 \"parse\"", elsewhere)
    #expect(try titles("premature-finish", open).isEmpty)
  }

  // MARK: dependent-released

  /// `show` depends on `download`, and is released at 60 µs.
  private func gone(_ show: String, download: String) -> String {
    "0 t1 queue q1 limit=2 \"cells\"\n"
      + DoctorCase.operation(1, "download", "5 t1 enqueued #1 queue=q1", "6 t1 ready #1", download)
      + DoctorCase.operation(2, "show", show, "60 t3 released #2")
  }

  private let ran = "20 t2 started #1\n21 t2 began #1\n9000 t2 ended #1\n9000 t2 finished #1"
  private let cancelledInQueue =
    "10 t1 depends #2 on=#1\n11 t1 enqueued #2 queue=q1\n12 t1 cancel #2\n13 t1 ready #2\n50 t3 started #2\n"
    + "51 t3 finished #2\n52 t3 start-returned #2"

  @Test func dependentReleased() throws {
    let found = try found("dependent-released", gone(cancelledInQueue, download: ran))
    #expect(
      found.map(\.title) == ["'show' (#2) was released before its dependency 'download' (#1) was finished"])
    #expect(found.first?.severity == .error)
    #expect(found.first?.evidence.last?.text == "'download' (#1) was finished, and read freed memory")
  }

  @Test func runningDependencyWillReadFreedMemory() throws {
    let found = try found("dependent-released", gone(cancelledInQueue, download: "20 t2 started #1\n21 t2 began #1"))
    #expect(found.first?.evidence.last?.text == "'download' (#1) will read freed memory when it finishes")
  }

  @Test("no finding: finished before; removed; cancelled before it was added; the dependency never runs")
  func releasedInOrder() throws {
    let early = "20 t2 started #1\n21 t2 began #1\n30 t2 ended #1\n30 t2 finished #1"
    #expect(try titles("dependent-released", gone(cancelledInQueue, download: early)).isEmpty)
    let removed = cancelledInQueue + "\n55 t1 undepends #2 on=#1"
    #expect(try titles("dependent-released", gone(removed, download: ran)).isEmpty)
    let cancelledFirst = "8 t1 cancel #2\n" + cancelledInQueue
    #expect(try titles("dependent-released", gone(cancelledFirst, download: ran)).isEmpty)
    #expect(try titles("dependent-released", gone(cancelledInQueue, download: "")).isEmpty)
  }

  // MARK: barrier-on-idle-queue

  private func barrier(_ events: String...) -> String {
    "0 t1 queue q1 limit=4 \"database\"\n" + events.joined(separator: "\n")
      + "\n10 t1 created #1 class=\"Barrier\"\n10 t1 enqueued #1 queue=q1 barrier\n20 t2 started #1\n20 t2 began #1\n"
      + "9000 t2 ended #1\n9000 t2 finished #1\n"
  }

  @Test func barrierThatBypassesASuspendedQueueIsReported() throws {
    let found = try found("barrier-on-idle-queue", barrier("5 t1 suspended q1", "9500 t1 resumed q1"))
    #expect(found.map(\.title) == ["1 barrier bypassed queue 'database', which was empty when it was added"])
    #expect(found.first?.severity == .warning)
    #expect(
      found.first?.evidence.map(\.text) == [
        "queue 'database' was suspended", "'Barrier' (#1) was added to it", "'Barrier' (#1) began anyway",
      ])
  }

  @Test func waitThatEndsBeforeTheBarrierIsReported() throws {
    let found = try found("barrier-on-idle-queue", barrier("12 t1 wait-queue q1", "15 t1 waited-queue q1"))
    #expect(found.count == 1)
    #expect(found.first?.evidence.map(\.text).contains("'Barrier' (#1) was finished only now") == true)
  }

  @Test(
    "no finding: not suspended; resumed before the barrier began; suspended by another thread",
    arguments: [
      "", "5 t1 suspended q1\n15 t1 resumed q1", "5 t1 suspended q1\n8 t3 resumed q1", "9 t3 suspended q1",
      "15 t1 suspended q1", "12 t1 wait-queue q1\n9001 t1 waited-queue q1",
      "12 t3 wait-queue q1\n15 t3 waited-queue q1",
      "5 t1 wait-queue q1\n15 t1 waited-queue q1",
    ])
  func barriersThatAreRight(events: String) throws {
    #expect(try titles("barrier-on-idle-queue", barrier(events)).isEmpty)
  }

  // MARK: retained-operation

  /// A chain of pages, each run after the one before. The sixth ends at 60.9 ms, and the trace at a second.
  private func pages(_ count: Int, _ after: (Int) -> String = { _ in "" }) -> String {
    queue
      + (1...count).map { page in
        let time = page * 10_000
        let edge = page > 1 ? "\(time) t1 depends #\(page) on=#\(page - 1)\n" : ""
        return DoctorCase.operation(
          page, "page \(page)", edge + "\(time) t1 enqueued #\(page) queue=q1", "\(time + 1) t1 ready #\(page)",
          "\(time + 10) t2 started #\(page)", "\(time + 11) t2 began #\(page)", "\(time + 900) t2 ended #\(page)",
          "\(time + 900) t2 finished #\(page)", after(page))
      }.joined()
  }

  @Test func retainedOperationsAreANote() throws {
    let found = try found("retained-operation", pages(6))
    #expect(
      found.map(\.title) == [
        "5 operations of class Work in queue 'work' stayed in memory for up to 979 ms after they were finished, "
          + "retained by their dependents"
      ])
    #expect(found.first?.severity == .note)
    #expect(found.first?.fix.hasSuffix("or release 'page 6' (#6).") == true)
  }

  @Test("the fix names the class of the retainer")
  func retainerOfAnotherClass() throws {
    let parts = pages(5).replacingOccurrences(of: #"\d+ t1 depends .*\n"#, with: "", options: .regularExpression)
    let whole = DoctorCase.operation(
      6, "whole", (1...5).map { "60000 t1 depends #6 on=#\($0)" }.joined(separator: "\n"),
      "60000 t1 enqueued #6 queue=q1", "60001 t1 ready #6", "60010 t2 started #6", "60011 t2 began #6",
      "60900 t2 ended #6", "60900 t2 finished #6"
    ).replacingOccurrences(of: #"class="Work""#, with: #"class="Join""#)
    let found = try found("retained-operation", parts + whole)
    #expect(found.map(\.operations.count) == [5])
    #expect(found.first?.fix.hasPrefix("Remove the dependencies of a Join when it is finished") == true)
  }

  @Test("no finding: few; dependencies removed at the end; released soon")
  func operationsThatAreReleased() throws {
    #expect(try titles("retained-operation", pages(5)).isEmpty)
    let removed = pages(6) { page in
      page > 1 ? "\(page * 10_000 + 950) t1 undepends #\(page) on=#\(page - 1)" : ""
    }
    #expect(try titles("retained-operation", removed).isEmpty)
    #expect(try titles("retained-operation", pages(6) { "\(100_000 + $0) t1 released #\($0)" }).isEmpty)
  }

  // MARK: started-before-dependency

  private func early(_ draw: String, tiles: String = "20 t2 started #1\n21 t2 began #1\n9000 t2 ended #1") -> String {
    "0 t1 queue q1 limit=2 \"maps\"\n"
      + DoctorCase.operation(1, "tiles", "5 t1 enqueued #1 queue=q1", "6 t1 ready #1", tiles)
      + "1 t1 created #2 class=\"Draw\" own-ready\n1 t1 named #2 \"draw\"\n\(draw)\n60 t3 started #2\n61 t3 began #2\n"
      + "70 t3 ended #2\n70 t3 finished #2\n"
  }

  private let edgeFirst = "8 t1 depends #2 on=#1\n10 t1 enqueued #2 queue=q1\n11 t1 ready #2"

  @Test func startedBeforeDependency() throws {
    let found = try found("started-before-dependency", early(edgeFirst))
    #expect(found.map(\.title) == ["'draw' (#2) started before its dependency 'tiles' (#1) was finished"])
    #expect(found.first?.severity == .error)
    #expect(
      found.first?.evidence.map(\.text) == [
        "'draw' (#2) became ready", "'draw' (#2) was started",
        "its dependency 'tiles' (#1) ended only now",
      ])
  }

  @Test("no finding with Foundation's own isReady: the dependencies had reported their finish")
  func readyByFoundation() throws {
    let lines = early(edgeFirst).replacing(" own-ready", with: "")
    #expect(try titles("started-before-dependency", lines).isEmpty)
    // It was never ready: somebody started it by hand.
    let byHand = lines.replacing("11 t1 ready #2\n", with: "")
    #expect(try titles("started-before-dependency", byHand).count == 1)
  }

  @Test("no finding: an asynchronous class may announce its finish a moment late")
  func announcedLate() throws {
    func lines(_ end: Int) -> String {
      let tiles = "20 t2 started #1\n21 t2 began #1\n22 t2 start-returned #1\n\(end) t4 ended #1\n\(end) t4 finished #1"
      return early(edgeFirst, tiles: tiles)
        .replacing("created #1 class=\"Work\"", with: "created #1 class=\"Work\" async")
    }
    #expect(try titles("started-before-dependency", lines(9000)).isEmpty)
    #expect(try titles("started-before-dependency", lines(20_000)).count == 1)
  }

  @Test(
    "no finding: cancelled; dependency removed before, or added after the enqueue; in no queue",
    arguments: [
      "8 t1 depends #2 on=#1\n10 t1 enqueued #2 queue=q1\n11 t1 cancel #2",
      "8 t1 depends #2 on=#1\n10 t1 enqueued #2 queue=q1\n30 t1 undepends #2 on=#1",
      "10 t1 enqueued #2 queue=q1\n65 t1 depends #2 on=#1", "10 t1 enqueued #2 queue=q1\n30 t1 depends #2 on=#1",
      "8 t1 depends #2 on=#1",
    ])
  func startsThatAreRight(draw: String) throws {
    #expect(try titles("started-before-dependency", early(draw)).isEmpty)
  }

  @Test(
    "no finding: the dependency ended within the clocks' error, was cancelled, or its end was not recorded")
  func dependenciesThatAreOver() throws {
    for tiles in [
      "20 t2 started #1\n21 t2 began #1\n61 t2 ended #1\n61 t2 finished #1",
      "20 t2 started #1\n21 t2 began #1\n30 t1 cancel #1\n9000 t2 ended #1\n9000 t2 finished #1",
      "20 t2 started #1\n21 t2 began #1\n9000 t2 finished #1", "20 t2 started #1\n21 t2 began #1\n50 t2 finish-seen #1",
    ] {
      #expect(try titles("started-before-dependency", early(edgeFirst, tiles: tiles)).isEmpty)
    }
  }
}
