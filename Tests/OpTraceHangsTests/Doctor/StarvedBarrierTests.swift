import OpTraceAnalysis
import Testing

/// Readers that hold all threads of the pool in `sync`, behind a barrier that needs one of them.
@Suite("Doctor: a barrier that gets no thread") struct StarvedBarrierTests {
  private static func diagnosis(
    readers: [Int] = [7, 8], more: String = "", idle: [(Int, LockCase.Doing)] = [], end: Int = 9_000_000
  ) throws -> Diagnosis {
    let text =
      LockCase.code + """
        0 t7 thread t7 tid=107 "oot.default-qos"
        0 t8 thread t8 tid=108 "oot.default-qos"
        0 t9 thread t9 tid=109 "oot.default-qos"
        0 t0 dispatch-queue d3 width=0 global "global"
        0 t0 dispatch-queue d5 width=0 "accounts"
        20 t1 submitted #1 queue=d3 code=f1 at=f1
        21 t1 submitted #2 queue=d3 code=f1 at=f1
        \(more)
        25 t1 submitted #9 queue=d5 alone code=f3 at=f3
        30 t\(readers[0]) run #1
        31 t\(readers[1]) run #2
        40 t\(readers[0]) submitted #3 by=#1 queue=d5 how=4 at=f2
        41 t\(readers[1]) submitted #4 by=#2 queue=d5 how=4 at=f2
        \(end - 400_000) t4 submitted #20 queue=d3 code=f4 at=f4
        \(end - 390_000) t4 run #20
        \(end - 380_000) t4 ran #20

        """ + LockCase.look(at: end - 200_000, still: true, [(7, .inSemaphore), (8, .inSemaphore)] + idle)
    return Diagnosis(of: try DoctorCase.trace(text, end: end))
  }

  @Test("it is a warning with the line of the readers, and may pass") func told() throws {
    let found = try Self.diagnosis()
    #expect(found.verdict == .warning)
    let finding = try #require(found.findings.first)
    #expect(finding.code == "thread-pool-starvation" && finding.severity == .warning)
    #expect(
      finding.title
        == "a barrier of dispatch queue 'accounts' has waited for a thread for 9 s, and 2 blocks behind it hold the "
        + "pool's threads in sync, in step2() at main.swift:20")
  }

  @Test("not if it waits for a reader that runs, is young, no thread of the pool is held, or one is idle")
  func lookalikes() throws {
    for found in [
      try Self.diagnosis(more: "22 t1 submitted #5 queue=d5 code=f5 at=f5\n23 t5 run #5"),
      try Self.diagnosis(end: 3_000_000), try Self.diagnosis(readers: [2, 3]),
      try Self.diagnosis(idle: [(9, .idle)]),
    ] {
      #expect(!found.findings.contains { $0.code == "thread-pool-starvation" }, "\(found.findings)")
    }
  }
}
