@testable import OpTraceDoctor
import OpTraceAnalysis
import OpTraceFormat
import OpTraceModel
import TestSupport
import Testing

import OpTraceText

@Suite("The doctor's words")
struct DoctorTextTests {
  /// `count` operations in a cycle.
  private func cycle(_ count: Int) -> HandmadeTrace {
    var fixture = HandmadeTrace("fixture", unit: .nanoseconds)
    let queue = fixture.queue("network", limit: 2)
    for number in 1...count {
      let next = OperationID(UInt32(number % count + 1))
      fixture.operation("Step \(number)", on: queue, after: [next], began: nil)
    }
    fixture.trace.end = 2_000_000_000
    return fixture
  }

  private func lines(_ trace: Trace, width: Int = 100) -> [String] {
    DoctorText(DoctorReport(of: .init(trace)), style: .init(width: width)).text().split(separator: "\n").map(
      String.init)
  }

  @Test("long cycles show some of their members, and say how many more there are")
  func manyOperations() {
    let text = lines(cycle(40).trace)
    #expect(text[0] == "Stuck for 2 s: 40 operations depend on each other in a cycle. Nothing can end it.")
    #expect(text[1] == "error[dependency-cycle]: 40 operations depend on each other in a cycle")
    #expect(text.count { $0.contains("pending 2 s in 'network'") } == DoctorText.mostOperations)
    #expect(text.contains("  and 34 more"))
    #expect(text.contains { $0.hasPrefix("  cycle: 'Step 1' → ") && $0.contains("'Step 6' →") })
    #expect(text.contains { $0.contains("34 more → 'Step 1'") })
    #expect(text.contains { $0.hasSuffix(" more like these") })
  }

  @Test("no line is wider than the terminal", arguments: [40, 63, 80, 120])
  func width(width: Int) {
    var fixture = cycle(3)
    for id in 1...3 { fixture[OperationID(UInt32(id))].source = "Module/Some/Long/Path/File.swift:1234" }
    for line in lines(fixture.trace, width: width) { #expect(TerminalText.columns(of: line) <= width, "\(line)") }
  }

  @Test("parts are painted by role, and the plain text stays the same")
  func painting() {
    let report = DoctorReport(of: .init(cycle(2).trace))
    let painted = DoctorText(report, style: .init { role, text in "<\(role)|\(text)>" }).text()
    #expect(painted.hasPrefix("<strong|Stuck for 2 s: 2 operations depend"))
    #expect(painted.contains("\n<error|error[dependency-cycle]:><strong| 2 operations depend"))
    #expect(painted.contains("<error|deadlocked>: 1 error; 2 of 2 operations are unfinished"))
    let bare = painted.replacing(/<(error|warning|note|good|strong|faint)\|/, with: "").replacing(">", with: "")
    #expect(bare == DoctorText(report).text())
  }

  @Test("the verdict of a misuse is `warning`, and its sentence counts the errors")
  func verdictOfMisuse() throws {
    var typed = TypedTrace()
    typed.isClosed = true
    let trace = TraceBuilder.build(
      try TraceText.parse(
        typed.text(
          """
          0 t1 queue q1 limit=1 "q"
          1 t1 created #1 class="Work"
          2 t1 enqueued #1 queue=q1
          3 t1 enqueued #1 queue=q1
          4 t1 ready #1
          10 t2 started #1
          11 t2 began #1
          12 t2 ended #1
          13 t2 finished #1
          14 t2 start-returned #1
          """, in: .microseconds)))
    let report = DoctorReport(of: .init(trace))
    #expect(report.hasErrors && report.findings.contains { $0.code == "double-start" && $0.severity == .error })
    // The verdict is `warning`, as nothing is stuck. The sentence names the error nevertheless.
    #expect(report.verdict == .warning && report.sentence == "warning, not stalled: 1 error in 1 operation.")
    #expect(lines(trace).contains { $0 == report.sentence })
  }

  @Test("operations behind a finished operation no longer wait")
  func behind() {
    var fixture = HandmadeTrace(end: 20)
    let queue = fixture.queue("images", limit: 1)
    fixture.operation("open", on: queue, began: 1, ended: nil)
    fixture.operation("over", on: queue, began: 1, ended: 2)
    let trouble = Trouble("blocking-wait", .slow)
    for (id, words) in [(1, "2 more operations wait for these"), (2, "2 more operations waited for these")] {
      var finding = Finding(trouble, .warning, ending: .itWorks, title: "it waited", explanation: "", fix: "")
      finding.operations = [OperationID(UInt32(id))]
      finding.behind = 2
      let text = DoctorText(DoctorReport(of: .init(fixture.trace))).text(of: finding)
      #expect(text.contains("behind: \(words), directly or not"), "\(text)")
    }
  }

  @Test("lost records are reported, and an error becomes a warning")
  func loss() {
    var fixture = cycle(2)
    fixture.trace.loss.lost[.noSpace] = 3
    let text = lines(fixture.trace)
    #expect(text[0].hasPrefix("Perhaps stuck: 2 operations depend on each other in a cycle. "))
    #expect(text.contains { $0.hasPrefix("warning[dependency-cycle]: ") })
    #expect(text.contains("  certainty: likely, not proven"))
    #expect(text.contains { $0.hasPrefix("warning: 1 warning; 2 of 2 operations are unfinished") })
    #expect(text.contains("The trace is not complete: 3 records were lost. What is missing may show otherwise."))
  }

  @Test("a healthy trace gets one line; an empty trace gets a hint to record more")
  func healthy() {
    var fixture = HandmadeTrace("fixture", unit: .nanoseconds)
    let queue = fixture.queue("work", limit: 1)
    for number in 0..<27 { fixture.operation("a", on: queue, began: Int64(number * 10), ended: Int64(number * 10 + 9)) }
    #expect(lines(fixture.trace) == ["No deadlock, stall or misuse found in 27 operations."])
    #expect(
      lines(HandmadeTrace("fixture", unit: .nanoseconds).trace).joined(separator: " ")
        == "The trace has no operation, block or task, so it cannot show whether one is stuck. "
        + "`record --all` also records dispatch queues and tasks; if it did, the program used none. `optrace stacks` shows where threads wait."
    )
  }

  @Test("two readings report what both show, and what moved between them")
  func twoReadings() {
    let second: Nanoseconds = 1_000_000_000
    var fixture = cycle(2)
    let queue = QueueID(1)
    let working = fixture.operation("w", on: queue, began: 100)
    let first = DoctorReport.Reading(fixture.trace, now: 3 * second)
    let still = DoctorReport(of: first, then: .init(fixture.trace, now: 4 * second))
    #expect(still.movement == DoctorReport.Movement(apart: second, hasMoved: false))
    #expect(still.verdict == .deadlocked && still.end == 4 * second)
    #expect(
      DoctorText(still).text().contains(
        "\nNothing moved between two readings 1 s apart; nothing has moved for 4 s."))

    fixture[working].finished = Stamp(3 * second + 500, ThreadID(2))
    fixture[working].lastSign = 3 * second + 500
    fixture.operation("n", on: queue, enqueued: 3 * second + 600, began: 3 * second + 700)
    let moved = DoctorReport(of: first, then: .init(fixture.trace, now: 4 * second))
    #expect(moved.movement == .init(apart: second, added: 1, started: 1, finished: 1, hasMoved: true))
    let words =
      "1 operation was added, 1 started and 1 finished between two readings 1 s apart: work continues."
    #expect(DoctorText(moved).text().contains(words))

    // The second reading has no cycle, so the first one was only temporary.
    fixture[OperationID(1)].dependencies = []
    let gone = DoctorReport(of: first, then: .init(fixture.trace, now: 4 * second))
    #expect(!gone.hasErrors)
  }

  @Test(
    "times are seconds from the trace's start",
    arguments: [
      (0, "0.000 s"), (1_499_999, "0.001 s"), (1_500_000, "0.002 s"), (12_345_678_901, "12.346 s"),
      (-2_000_000, "−0.002 s"), (-1, "0.000 s"),
    ] as [(Nanoseconds, String)])
  func seconds(time: Nanoseconds, text: String) {
    #expect(DoctorText.seconds(time) == text)
  }

  @Test("extreme times do not trap: they stand for a time that nobody knows")
  func extremes() {
    #expect(DoctorText.seconds(.max) == "" && DoctorText.seconds(.min) == "")
  }

  @Test("every rule has a page that fits the width, except for code")
  func guide() {
    for rule in DoctorRule.table {
      let page = DoctorGuideText(style: .init(width: 72)).page(of: rule)
      for line in page.split(separator: "\n") where !line.hasPrefix("    ") {
        #expect(TerminalText.columns(of: String(line)) <= 72, "\(line)")
      }
      let sentence = DoctorGuideText.firstSentence(of: rule.guide.meaning)
      #expect(sentence.hasSuffix(".") && sentence.count > 20 && !sentence.contains("\n"), "\(rule.code)")
    }
  }
}
