import OpTraceAnalysis
import OpTraceModel
import OpTraceText
import TestSupport
import Testing

@Suite("Doctor: the answer of a program in which nothing moves") struct AnswerTests {
  private static let code = """
    0 t0 image i1 build="a1" page=16 pages=4 "/home/me/bank"
    0 t0 image i2 build="b2" page=64 pages=4 "/usr/lib/swift/linux/libdispatch.so"
    0 t0 frame f1 image=i1 offset=4097
    0 t0 symbol f1 short="wait()" line=10 file="/src/main.swift" module="Bank" "Bank.wait()"
    0 t0 frame f9 image=i2 offset=64

    """

  /// - Parameter main: what the main thread does in the snapshot, and its frame.
  private static func trace(
    _ lines: String, main: (what: String, frame: String), other: String = "state=2 call=233 reason=13"
  ) throws -> Trace {
    var typed = TypedTrace()
    (typed.isClosed, typed.heartbeat) = (false, 9_000_000_000)
    let seen = """
      1100000 t6 seen t1 cpu=3 \(main.what) still
      1100000 t6 at \(main.frame)
      1100000 t6 seen t2 cpu=3 \(other) still
      1100000 t6 at f9
      1100000 t6 looked seen=2

      """
    return try TraceReader.read(bytes: Array(typed.text(code + lines + seen, in: .microseconds).utf8))
  }

  @Test("where nothing can begin any more, it says so") func idle() throws {
    let idle = try Self.trace("", main: ("state=2 call=130 reason=12", "f9"))
    let answer = DoctorReport(of: .init(idle)).answer
    #expect(answer.hasPrefix("The program has nothing to do and nothing left to wait for: every thread is idle, "))
    // A timer is left.
    let timer = try Self.trace("", main: ("state=2 call=232 reason=8 lock=0x10", "f9"))
    #expect(DoctorReport(of: .init(timer)).answer.hasPrefix("The trace has no operation, block or task, "))
    let done = try Self.trace(
      "10 t1 submitted #1 queue=d1 code=f1 at=f1\n20 t2 run #1\n30 t2 ran #1\n",
      main: ("state=2 call=130 reason=12", "f9"))
    #expect(
      DoctorReport(of: .init(done)).answer
        .hasPrefix("No deadlock, stall or misuse found in 1 block, but the program has nothing to do "))
  }

  @Test("looked at too early, it says who waits and to look again, unless something may move it") func tooEarly() throws
  {
    let outside = "6000000 t1 outside timed watched=12 \"\"\n"
    let waits = try Self.trace(outside, main: ("state=2 call=203 reason=7", "f1"))
    #expect(
      DoctorReport(of: .init(waits)).answer
        == "Nothing is proven to be stuck. The main thread waits for a signal of another thread, in wait() at "
        + "main.swift:10. Nothing has moved for 3 s: look again when it has not for 5 s.")
    let timer = try Self.trace(outside, main: ("state=2 call=232 reason=8 lock=0x10", "f1"))
    #expect(!DoctorReport(of: .init(timer)).answer.contains("look again"))
  }

  @Test("of a stopped process it says how that goes on") func stopped() throws {
    let outside = "6000000 t1 outside timed watched=12 \"\"\n"
    func answer(_ other: String) throws -> String {
      try DoctorReport(of: .init(Self.trace(outside, main: ("state=4", "f1"), other: other))).answer
    }
    let lead = "The process is stopped by a signal or a debugger: `kill -CONT "
    #expect(try answer("state=4").hasPrefix(lead))
    // A debugger may stop one thread alone.
    #expect(try !answer("state=2 call=233 reason=13").contains("is stopped"))
  }

  @Test("a proven misuse beside a wait that nobody ends is told with it") func misuse() throws {
    let lines = """
      1 t1 queue q1 limit=2 "bank"
      1 t1 created #1 class="Work"
      1 t1 named #1 "upload"
      10 t1 started #1
      11 t1 began #1
      20 t1 enqueued #1 queue=q1
      30 t1 ended #1
      31 t1 finished #1
      32 t1 start-returned #1
      40 t1 blocked #0 object=0x7000 kind=group
      40 t1 at f1

      """
    let stuck = try Self.trace(lines, main: ("state=2 call=202 reason=7", "f1"))
    let report = DoctorReport(of: .init(stuck))
    #expect(report.findings.map(\.code) == ["never-signalled", "double-start"])
    #expect(
      report.answer.hasSuffix(
        " Only leave() ends it. Perhaps the reason: 'upload' (#1) was started by hand and then added to a queue."))
  }

  @Test("of a process that runs and does not move it says who waits") func waiting() throws {
    let trace = try Self.trace(
      "10 t1 submitted #1 queue=d1 code=f1 at=f1\n20 t2 run #1\n30 t2 ran #1\n",
      main: ("state=2 call=232 reason=8 timed lock=0x1", "f1"))
    let second: Nanoseconds = 1_000_000_000
    let report = DoctorReport(of: .init(trace, now: 9 * second), then: .init(trace, now: 10 * second))
    #expect(
      report.answer
        == "No deadlock, stall or misuse found in 1 block. "
        + "The main thread waits for a socket with a time limit, in wait() at main.swift:10.")
  }
}
