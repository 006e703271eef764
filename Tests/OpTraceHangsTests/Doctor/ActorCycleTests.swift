import OpTraceAnalysis
import OpTraceModel
import Testing

/// A task that blocks its actor until another task has run, which needs a turn on that actor.
@Suite("Doctor: a task that waits in its actor for who needs the actor") struct ActorCycleTests {
  private static func diagnosis(
    inside function: String = "Store.revoke(_:)", second: String = "", beats: Bool = true, end: Int = 9_000_000
  ) throws -> Diagnosis {
    let at = end - 500_000
    let text =
      LockCase.code + """
        0 t0 frame f6 image=i1 offset=4200
        0 t0 symbol f6 short="\(function)" line=60 file="/src/main.swift" module="Bank" "Bank.\(function)"
        20 t1 task #1 priority=21 enqueued code=f1 at=f2
        30 t2 task-run #1
        35 t2 task #2 by=#1 priority=21 enqueued code=f3 at=f4
        36 t2 blocked #1 object=0x7000 kind=group
        36 t2 at f6
        40 t3 task-run #2
        45 t3 task-suspended #2 reason=4
        46 t3 task-queued #2 actor=1 class="Store" by=#2
        \(second)
        \(beats ? "\(at - 100) t3 task #9 priority=21 enqueued code=f5 at=f5\n\(at - 90) t3 task-run #9\n\(at - 80) t3 task-completed #9" : "")
        \(at) t6 seen t1 cpu=3 state=2 call=128 reason=12 still
        \(at) t6 at f1
        \(at) t6 seen t2 cpu=3 state=2 call=203 reason=7 still
        \(at) t6 at f6
        \(at) t6 seen t3 cpu=3 state=2 call=233 reason=13 still
        \(at) t6 at f9
        \(at) t6 looked seen=3

        """
    return Diagnosis(of: try DoctorCase.trace(text, end: end))
  }

  @Test("beside a heartbeat it is a warning that names both, and is not called stuck") func told() throws {
    let found = try Self.diagnosis()
    #expect(found.verdict == .warning)
    let finding = try #require(found.findings.first)
    #expect(finding.code == "wait-cycle" && finding.severity == .warning && !finding.isProven)
    #expect(
      finding.title
        == "task 'step1()' (#1) waits inside an actor of class Store for task 'step3()' (#2), which needs that actor, in "
        + "Store.revoke(_:) at main.swift:60")
    #expect(
      finding.evidence.contains {
        $0.text.contains("waits for its turn on an actor of class Store, and task 'step1()' (#1) is in it")
      }, "\(finding.evidence)")
  }

  @Test("a first reading without a snapshot confirms it, as it is older") func confirmed() throws {
    let later = try Self.diagnosis(end: 12_000_000)
    let first = try Self.diagnosis(inside: "unknown()", end: 10_000_000)
    #expect(first.confirmed(by: later).map(\.code) == ["wait-cycle"])
    let tooEarly = try Self.diagnosis(inside: "unknown()", end: 1_000_000)
    #expect(tooEarly.confirmed(by: later).map(\.code) == ["wait-cycle"])
  }

  @Test("not before --stall-after") func early() throws {
    #expect(try Self.diagnosis(end: 3_000_000).findings.filter { $0.severity != .note }.isEmpty)
  }

  @Test("not if the task is in other code, or two tasks have been running") func lookalikes() throws {
    for found in [
      try Self.diagnosis(inside: "Other.revoke(_:)"),
      try Self.diagnosis(second: "41 t4 task #3 priority=21 enqueued code=f5 at=f5\n43 t4 task-run #3"),
    ] {
      #expect(!found.findings.contains { $0.code == "wait-cycle" && $0.severity != .note }, "\(found.findings)")
    }
  }
}
