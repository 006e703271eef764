import OpTraceAnalysis
import Testing

/// A thread that ran just when the last snapshot was taken, as idle threads of libdispatch do now and then.
@Suite("Doctor: threads that were awake for a moment") struct WokenThreadTests {
  private typealias Case = LockCase

  private static let parked = """
    20 t1 task #1 priority=21 enqueued code=f1 at=f2
    30 t2 task-run #1
    40 t2 task-suspended #1 reason=2
    40 t2 at f3

    """

  private static func look(at time: Int, _ third: Case.Doing, cpu: Int = 3) -> String {
    Case.look(at: time, cpu: cpu, [(1, .inSemaphore), (2, .inSemaphore), (3, third)])
  }

  private func verdict(_ lines: String) throws -> Diagnosis.Verdict {
    Diagnosis(of: try DoctorCase.trace(Case.code + Self.parked + lines, end: 9_000_000)).verdict
  }

  @Test func idleThreadThatWakesUpIsStillIdle() throws {
    let before = Self.look(at: 2_000_000, .idle)
    #expect(try verdict(before) == .stalled)
    #expect(try verdict(before + Self.look(at: 5_000_000, .computing)) == .stalled)
    // Twice in a row.
    let twice = Self.look(at: 5_000_000, .computing) + Self.look(at: 6_000_000, .computing)
    #expect(try verdict(before + twice) == .stalled)
  }

  @Test("a woken thread may go on: no earlier snapshot; it works; it waited for input; something moved")
  func mayGoOn() throws {
    let before = Self.look(at: 2_000_000, .idle)
    #expect(try verdict(Self.look(at: 5_000_000, .computing)) == .healthy)
    #expect(try verdict(before + Self.look(at: 5_000_000, .computing, cpu: 1000)) == .healthy)
    #expect(try verdict(Self.look(at: 2_000_000, .polling) + Self.look(at: 5_000_000, .computing)) == .healthy)
    let moved = "3000000 t1 submitted #7 code=f4\n3000001 t4 run #7\n3000002 t4 ran #7\n"
    #expect(try verdict(before + moved + Self.look(at: 5_000_000, .computing)) == .healthy)
  }

  @Test func inputWaiterThatWakesUpStillWaits() throws {
    func doors(_ cpu: Int) throws -> [String] {
      let looks = Self.look(at: 2_000_000, .polling) + Self.look(at: 5_000_000, .computing, cpu: cpu)
      return Diagnosis(of: try DoctorCase.trace(Case.code + Self.parked + looks, end: 9_000_000)).rest.doors.map(\.text)
    }
    let found = try doors(3)
    #expect(found == ["thread 103 'worker' waits for input or events, in step3() at main.swift:30"])
    let working = try doors(3000)
    #expect(working == ["thread 103 'worker' is computing, in step3() at main.swift:30"])
  }
}
