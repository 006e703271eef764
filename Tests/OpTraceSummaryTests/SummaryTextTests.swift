import OpTraceKernel
import OpTraceSummary
import OpTraceModel
import TestSupport
import Testing

@testable import OpTraceText

@Suite("The summary's words")
struct SummaryTextTests {
  private func text(_ fixture: HandmadeTrace) -> String {
    SummaryText(Summary(of: fixture.trace), of: fixture.trace).text
  }

  @Test("many queues: those with the most time are shown, the others are counted")
  func manyQueues() {
    var fixture = HandmadeTrace(end: 1000)
    for number in 1...100 {
      let queue = fixture.queue("queue of \(number)", limit: 1)
      for part in 0..<3 {
        // Every fourth queue is busy.
        let length = number % 4 == 0 ? 9.0 : 0.5
        fixture.operation("part", on: queue, began: Double(part) * 10, ended: Double(part) * 10 + length)
      }
    }
    let lines = text(fixture).split(separator: "\n").map(String.init)
    let shown = lines.filter { $0.hasPrefix("  queue of") }.compactMap { Int($0.split(separator: " ")[2]) }
    #expect(shown.count == 30)
    #expect(shown == shown.sorted())
    #expect(Set(stride(from: 4, through: 100, by: 4)).isSubset(of: Set(shown)))
    #expect(lines.contains("  and 70 more with 210 operations"))
  }

  @Test("waits for actors are listed by class; without any there is neither table nor key")
  func actors() throws {
    let trace = try GoldenTrace.actors()
    let lines = SummaryText(Summary(of: trace), of: trace).text.split(separator: "\n").map(String.init)
    let first = try #require(lines.firstIndex(of: "Actors"))
    let rows = lines[(first + 1)...(first + 3)].map { $0.split(separator: " ").map(String.init) }
    #expect(rows[0] == ["class", "actors", "waits", "total", "p50", "p95", "max"])
    #expect(rows[1].prefix(3) == ["Printer", "2", "4"] && rows[2].prefix(3) == ["?", "1", "1"], "\(rows)")
    func json(_ trace: Trace) -> String { String(decoding: Summary(of: trace).json.bytes, as: UTF8.self) }
    #expect(json(trace).contains("\"actorCount\": 2"))
    let none = try GoldenTrace.tasks()
    #expect(!SummaryText(Summary(of: none), of: none).text.contains("Actors"))
    #expect(!json(none).contains("\"actors\""))
  }

  @Test("many classes: those that ran longest are shown, the others are counted")
  func manyClasses() {
    var fixture = HandmadeTrace(end: 1000)
    let queue = fixture.queue("queue")
    for number in 1...100 {
      for _ in 0..<2 {
        let id = fixture.operation("part", on: queue, began: 0, ended: Double(number))
        fixture[id].className = "Class\(number)"
      }
    }
    let lines = text(fixture).split(separator: "\n").map(String.init)
    let shown = lines.filter { $0.hasPrefix("  Class") }.compactMap { Int($0.split(separator: " ")[0].dropFirst(5)) }
    #expect(shown == (71...100).reversed())
    #expect(lines.contains("  and 70 more with 140 operations"))
  }

  @Test("waits for a thread are told apart from those for a slot, where they are long")
  func waitsForThreads() {
    for (limit, wait, isReported) in [(-1, 500.0, true), (2, 500, true), (0, 500, false), (-1, 0.01, false)] {
      var fixture = HandmadeTrace(end: 1000)
      fixture.operation("late", on: fixture.queue("free", limit: limit), ready: 1, began: 1 + wait, ended: 600)
      let text = text(fixture)
      let words = Comment(rawValue: "limit \(limit), waited \(wait) ms")
      #expect(text.contains("waiting for a slot  for a thread  for dependencies") == isReported, words)
      #expect(text.contains(" 0 waiting for a slot, 500 ms waiting for a thread") == isReported, words)
      #expect(text.contains(" 501 ms for a thread  ") == isReported, "of the step: \(words)")
    }
  }

  @Test("queues with the same name are shown with their numbers")
  func sameNames() {
    var fixture = HandmadeTrace(end: 10)
    for name in ["session", "session", "other"] {
      fixture.operation("one", on: fixture.queue(name), began: 1, ended: 2)
    }
    let text = text(fixture)
    for name in ["session (queue 1)", "session (queue 2)", "other   "] {
      #expect(text.contains("\n  \(name)  "), "\(text)")
    }
  }

  @Test("operations with the same name on the critical path are shown with their numbers")
  func samePathNames() {
    var fixture = HandmadeTrace(end: 100)
    let queue = fixture.queue("queue", limit: 1)
    for (index, name) in ["load", "resize", "resize", "save"].enumerated() {
      let time = Double(index) * 20
      fixture.operation(name, on: queue, ready: 0, began: time + 1, ended: time + 20)
    }
    let lines = text(fixture).split(separator: "\n").map { $0.split(separator: " ").joined(separator: " ") }
    for line in ["resize #2 slot of load ", "resize #3 slot of resize #2 ", "save #4 slot of resize #3 "] {
      #expect(lines.contains { $0.hasPrefix(line) }, "\(lines)")
    }
  }

  @Test("long names keep their beginning and end")
  func longNames() {
    var fixture = HandmadeTrace(end: 10)
    for end in ["ManualRetry", "CancelledRetry"] {
      let queue = fixture.queue("ConcurrentOperationTestChainedOperationsWith\(end)")
      fixture.operation("one", on: queue, began: 1, ended: 2)
    }
    let text = text(fixture)
    #expect(text.contains("\n  ConcurrentOperation…tionsWithManualRetry "), "\(text)")
    #expect(text.contains("\n  ConcurrentOperation…nsWithCancelledRetry "))
  }

  @Test("the main thread is named \"main thread\" and not after the program")
  func mainThread() {
    var fixture = HandmadeTrace(end: 10)
    fixture.operation("one", on: fixture.queue("main", limit: 1), began: 1, ended: 8)
    let index = fixture.trace.operations[0].executionBegan?.thread
    fixture.trace.threads = [
      ThreadRecord(id: index ?? ThreadID(1), systemID: 17, name: "PhotoImporterPa", isMain: true)
    ]
    let text = text(fixture)
    #expect(text.contains("\n  main thread   17 ") && !text.contains("PhotoImporterPa"), "\(text)")
  }

  @Test("waiting threads are shown with the system's number; the main thread is not")
  func waitingThreads() {
    var fixture = HandmadeTrace(end: 10)
    let queue = fixture.queue("queue")
    let operation = fixture.operation("one", on: queue, began: 1, ended: 8)
    for thread in [1, 3] as [UInt32] {
      fixture.trace.waits.append(
        WaitRecord(
          target: .operation(operation), thread: ThreadID(thread), inside: nil, began: 1_000_000, ended: 8_000_000))
    }
    let lines = text(fixture).split(separator: "\n").map { $0.split(separator: " ").joined(separator: " ") }
    #expect(lines.contains { $0.hasPrefix("main thread one #1 1 0") }, "\(lines)")
    #expect(lines.contains { $0.hasPrefix("thread worker 900003 one #1 1 0") })
  }

  @Test("a run without work has no duration")
  func nothing() {
    var fixture = HandmadeTrace("idle", end: 10)
    fixture.queue("queue")
    #expect(text(fixture).hasPrefix("idle (pid 4194304): 0 operations, not stopped"))
  }
}
