import OpTraceAnalysis
import OpTraceModel
import Testing

/// A queue that is suspended does not take back what it has given to the pool of threads, which may have none for long.
@Suite("Doctor: what was on its way before its queue was suspended") struct StoppedQueueTests {
  private let queue = "0 t1 queue q1 limit=1 \"q\"\n"
  private let waiting = DoctorCase.operation(1, "A", "10 t1 enqueued #1 queue=q1", "11 t1 ready #1")

  private func codes(_ lines: String) throws -> [String] {
    Diagnosis(of: try DoctorCase.trace(lines)).findings.filter { $0.severity == .error }.map(\.code)
  }

  @Test func operationThatHadASlotStarts() throws {
    #expect(try codes(queue + waiting + "50 t1 suspended q1\n").isEmpty)
    #expect(try codes(queue + waiting + "50 t1 limit q1 value=0\n").isEmpty)
  }

  @Test func operationThatHadNoneIsHeld() throws {
    let holder = DoctorCase.operation(
      2, "B", "5 t1 enqueued #2 queue=q1", "5 t1 ready #2", "9 t2 started #2", "9 t2 began #2", "70 t2 ended #2",
      "70 t2 finished #2")
    #expect(try codes(queue + holder + waiting + "50 t1 suspended q1\n") == ["queue-suspended"])
    #expect(try codes(queue + holder + waiting + "80 t1 suspended q1\n").isEmpty)
  }

  @Test func operationThatCameLaterIsHeld() throws {
    #expect(try codes(queue + waiting + "5 t1 suspended q1\n") == ["queue-suspended"])
  }
}
