import OpTraceAnalysis
import OpTraceModel
import TestSupport
import Testing

@testable import OpTraceText

/// The trace comes from a Swift runtime whose layout is not known, so waits have no reason.
@Suite("Unknown waits of tasks") struct UnknownWaitsTests {
  private func trace(_ reason: Int) throws -> Trace {
    var typed = TypedTrace()
    typed.isClosed = true
    let lines = """
      1 t1 task #1 priority=21 enqueued
      2 t1 task #2 priority=21 enqueued
      3 t2 task-run #1
      4 t2 task-suspended #1 reason=\(reason)
      5 t1 task-enqueued #1
      6 t2 task-run #1
      7 t2 task-completed #1
      8 t2 task-run #2
      9 t2 task-completed #2

      """
    return TraceBuilder.build(try TraceText.parse(typed.text(lines, in: .microseconds)))
  }

  @Test func summaryAndDoctorMentionUnknownWaits() throws {
    let trace = try trace(0)
    let summary = SummaryText(Summary(of: trace), of: trace).text
    let doctor = DoctorText(DoctorReport(of: .init(trace))).text()
    for text in [summary, doctor] {
      let words = text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
      #expect(words.contains("What 1 of the 2 tasks waited for, and where, is not known"), "\(text)")
    }
    #expect(summary.contains("Missing\n"))
  }

  @Test func knownWaitsAddNoSentence() throws {
    let trace = try trace(2)
    #expect(trace.unknownWaitsSentence == nil)
    #expect(!SummaryText(Summary(of: trace), of: trace).text.contains("Missing"))
  }
}
