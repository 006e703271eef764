import OpTraceAnalysis
import OpTraceKernel
import OpTraceModel
import TestSupport
import Testing

@testable import OpTraceText

/// How long threads waited for processors, in figures and words.
@Suite("A machine that is full") struct MachineLoadTests {
  private func trace(_ lines: String, end: Nanoseconds = 10_000_000_000) throws -> Trace {
    let text = """
      optrace text 1
      process 1 "p"
      writer "1.0.0"
      mode streaming
      wall 0
      monotonic 0
      state closed

      0 t1 thread t1 tid=1 "main"
      0 t1 created #1 class="A"
      \(lines)
      \(end) t1 mark #0 "end"

      """
    return try TraceReader.read(bytes: Array(text.utf8))
  }

  /// Of so many seconds.
  private func readings(_ seconds: Int, _ fields: String) -> String {
    (1...seconds).map { "\($0)000000000 t1 machine over=1000000 \(fields)" }.joined(separator: "\n")
  }

  @Test("other programs have the processors") func others() throws {
    let load = try #require(MachineLoad(of: try trace(readings(6, "waited=3400000 used=600000 processors=200"))))
    #expect(load.cause == .others && load.time == 6_000_000_000 && load.wall == 10_000_000_000)
    #expect(
      load.sentence
        == "The machine was full for 6.00 s of 10.0 s: 3.4 of its threads waited for a processor on average, while it used 0.6 of "
        + "2 processors. Other programs had the rest, so times are longer than the program's own.")
  }

  @Test("the program itself has more to compute than its processors can") func itself() throws {
    let load = try #require(MachineLoad(of: try trace(readings(10, "waited=1000000 used=950000 processors=100"))))
    #expect(load.cause == .itself)
    #expect(
      load.sentence
        == "The program used its only processor for 10.0 s of 10.0 s, and its threads waited for a processor for "
        + "10.0 s in all. It has more to compute than fits there.")
  }

  @Test("a control group that is stopped at its limit counts first") func limit() throws {
    let lines = readings(4, "waited=200000 used=1500000 throttled=500 processors=150")
    let load = try #require(MachineLoad(of: try trace(lines)))
    #expect(load.cause == .limit && load.throttled == 2_000_000_000)
    #expect(
      load.sentence.hasPrefix(
        "Its control group was stopped for 2.00 s, since it had used up its limit of 1.5 processors, and "))
  }

  @Test("less than a tenth of the time is not worth a word") func little() throws {
    #expect(MachineLoad(of: try trace("")) == nil)
    #expect(MachineLoad(of: try trace(readings(1, "waited=999999 used=10 processors=200"))) == nil)
    #expect(MachineLoad(of: try trace(readings(1, "waited=1000000 used=10 processors=200"))) != nil)
    #expect(MachineLoad(of: try trace(readings(1, "waited=9000000 used=10 processors=200"), end: 1_999_999_999)) == nil)
  }

  @Test("numbers of a broken file are no trap") func largest() throws {
    let fields = "waited=1099511627775 used=4294967295 throttled=65535 processors=65535"
    let load = try #require(MachineLoad(of: try trace(readings(9, fields))))
    #expect(!load.sentence.isEmpty)
    let nothing = try #require(MachineLoad(of: try trace(readings(9, "waited=1099511627775"))))
    #expect(!nothing.sentence.isEmpty && nothing.cause == .itself)
  }

  @Test("summary and doctor say it, in text and JSON, and say nothing else of a machine that is not full")
  func outputs() throws {
    let full = try trace(readings(6, "waited=3400000 used=600000 processors=200"))
    let words = "The machine was full"
    #expect(SummaryText(Summary(of: full), of: full).text.contains(words))
    #expect(DoctorText(DoctorReport(of: .init(full))).text().contains(words))
    for json in [Summary(of: full).json, DoctorReport(of: .init(full)).json] {
      let text = json.written
      #expect(text.contains("\"machine\""), "\(text)")
      #expect(text.contains("\"others\""), "\(text)")
    }
    let quiet = try trace("")
    #expect(!SummaryText(Summary(of: quiet), of: quiet).text.contains("machine"))
    #expect(
      !Summary(of: quiet).json.written.contains("\"machine\"")
        && !DoctorReport(of: .init(quiet)).json.written.contains("\"machine\""))
  }
}

extension JSONValue {
  fileprivate var written: String { String(decoding: bytes, as: UTF8.self) }
}
