import OpTraceAnalysis
import OpTraceModel
import Testing

@Suite("Doctor: findings of one kind are merged")
struct KindTests {
  /// Managers are in no queue; the dependent of each is enqueued at the given time.
  private func managers(enqueued: [Int], end: Int) throws -> [Finding] {
    var lines = "0 t1 queue q1 limit=2 \"q\"\n"
    for (index, time) in enqueued.enumerated() {
      let (manager, load) = (2 * index + 1, 2 * index + 2)
      lines += "1 t1 created #\(manager) class=\"Manager\"\n"
      lines += DoctorCase.operation(
        load, "load \(index)", "2 t1 depends #\(load) on=#\(manager)", "\(time) t1 enqueued #\(load) queue=q1")
    }
    return Diagnosis(of: try DoctorCase.trace(lines, end: end)).findings
  }

  @Test func thirtyOrphansOfOneClassAreOneFinding() throws {
    let found = try managers(enqueued: Array(10..<40), end: 2_000_000)
    let finding = try #require(found.first)
    #expect(found.map(\.code) == ["orphan-dependency"])
    #expect(finding.severity == .error && finding.isProven)
    #expect(finding.title == "'load 0' (#2) waits for 'Manager' (#1), which was never enqueued (and 29 more)")
    // Operations at fault come first.
    let numbers = finding.operations.map(\.rawValue)
    #expect(numbers.count == 60 && numbers.prefix(30).allSatisfy { $0 % 2 == 1 })
    #expect(finding.evidence.count <= 14)
    #expect(finding.evidence.contains { $0.text == "'load 1' (#4) waits for 'Manager' (#3), which was never enqueued" })
    #expect(finding.evidence.last?.text == "and 19 more")
  }

  @Test func unprovenCaseIsMergedWithProvenOnes() throws {
    let found = try managers(enqueued: [10, 20, 1_999_000], end: 2_000_000)
    #expect(found.map(\.severity) == [.error])
    #expect(found.first?.operations.count == 6)
    #expect(
      found.first?.evidence.last?.text
        == "1 of them is unproven: the trace ends 1 ms later, and this state may not last")
    // If no case is proven, the finding is a warning.
    #expect(try managers(enqueued: [1_998_000, 1_999_000], end: 2_000_000).map(\.severity) == [.warning])
  }

  @Test func otherClassesAndQueuesAreNotMerged() throws {
    var lines = "0 t1 queue q1 limit=2 \"q\"\n"
    for (manager, name) in [(1, "Manager"), (3, "Login")] {
      lines += "1 t1 created #\(manager) class=\"\(name)\"\n"
      lines += DoctorCase.operation(
        manager + 1, "load", "2 t1 depends #\(manager + 1) on=#\(manager)", "10 t1 enqueued #\(manager + 1) queue=q1")
    }
    #expect(Diagnosis(of: try DoctorCase.trace(lines)).findings.count == 2)
  }

  @Test func confirmedFindingsAreMerged() throws {
    func look(_ count: Int, end: Int) throws -> Diagnosis {
      var lines = "0 t1 queue q1 limit=2 \"q\"\n"
      for index in 0..<count {
        let (manager, load) = (2 * index + 1, 2 * index + 2)
        lines += "1 t1 created #\(manager) class=\"Manager\"\n"
        lines += DoctorCase.operation(
          load, "load", "2 t1 depends #\(load) on=#\(manager)", "10 t1 enqueued #\(load) queue=q1")
      }
      return Diagnosis(of: try DoctorCase.trace(lines, end: end))
    }
    // The first reading did not have the third one.
    let confirmed = try look(2, end: 2_000_000).confirmed(by: look(3, end: 3_000_000))
    #expect(confirmed.count == 1)
    #expect(confirmed.first?.operations.map(\.rawValue) == [1, 3, 2, 4])
  }

  @Test func twoWaitersOfOneSemaphoreAreOneFinding() throws {
    func waiting(_ id: Int) -> String {
      DoctorCase.operation(
        id, "fetch \(id)", "10 t1 enqueued #\(id) queue=q1", "11 t1 ready #\(id)", "20 t\(id + 1) started #\(id)",
        "21 t\(id + 1) began #\(id)")
        + "10030 t9 blocked #\(id) object=0x7000 kind=1 age=625000 thread=t\(id + 1)\n"
    }
    let trace = try DoctorCase.trace(
      "0 t1 queue q1 limit=2 \"q\"\n" + waiting(1) + waiting(2)
        + DoctorCase.operation(3, "report", "12 t1 enqueued #3 queue=q1", "12 t1 ready #3"), end: 8_000_000)
    let found = Diagnosis(of: trace).findings
    #expect(found.map(\.code) == ["never-finished"])
    #expect(found.first?.severity == .warning)
    #expect(found.first?.operations.map(\.rawValue) == [1, 2])
    #expect(found.first?.behind == 1)
  }

  @Test func unnamedQueueIsShownByNumber() throws {
    let lines =
      "0 t1 queue q7 limit=1 \"\"\n0 t1 suspended q7\n"
      + DoctorCase.operation(1, "upload", "10 t1 enqueued #1 queue=q7", "11 t1 ready #1")
    let found = Diagnosis(of: try DoctorCase.trace(lines, isClosed: true)).findings
    #expect(found.first?.title == "queue 7 is suspended, with 1 operation ready to run")
  }
}
