#if os(Linux)
  import Foundation
  import OpTraceAnalysis
  import OpTraceModel
  import TestSupport
  import Testing

  /// Programs that hang in dispatch queues and tasks, recorded unchanged and killed. Each has a healthy twin, which
  /// ends by itself.
  @Suite("Programs that hang in dispatch queues and tasks", .ownThread) struct LayerProgramTests {
    private let folder: RecordFolder

    init() throws { folder = try RecordFolder() }

    /// The doctor's code and severity for each program, and a part of its text that names the program's own code.
    static let table: [(name: String, code: DoctorCode, severity: Finding.Severity, says: String)] = [
      ("two-queues", "dispatch-cycle", .error, "closure #1 in twoQueues()"),
      ("operation-sync", "dispatch-cycle", .error, "dispatch queue 'accounts'"),
      ("slot", "queue-self-wait", .error, "in closure #1 in closure #1 in slotThroughSync()"),
      ("locks-twice", "lock-cycle", .error, "of the work it submitted only block"),
      ("main-finishes", "main-thread-deadlock", .error, "closure #1 in closure #1 in mainFinishes()"),
      ("main-sync", "main-thread-deadlock", .error, "of the main queue"),
      // The outer of its two blocks may return last.
      ("nobody-finishes", "never-finished", .error, "closure #1 in closure #1 in nobodyFinishes()"),
      ("too-early", "premature-finish", .warning, "closure #1 in closure #1 in tooEarly()"),
      ("continuation", "continuation-never-resumed", .error, "continuation()"),
      ("task-pool", "thread-pool-starvation", .error, "taskPool()"),
    ]

    private func compile(_ options: String) throws -> String {
      let source = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .appendingPathComponent("LayerProgram/main.swift").path
      let program = folder.folder.path("layers")
      let made = try Command.run(source, program, shell: #"swiftc -swift-version 6 -O \#(options) "$1" -o "$2""#)
      try #require(made.status == 0, "\(made)")
      return program
    }

    private func record(_ program: String) throws {
      let names = Self.table.map(\.name)
      // `too-early` ends by itself, usually before the first snapshot.
      let result = try Command.run(
        folder.folder.folder.path, program,
        shell: RecordFolder.enter + """
          for name in \(names.joined(separator: " ")); do
            "$optrace" record --dispatch --tasks -o $name-twin.optrace -- "$1" $name healthy >>out 2>$name-twin.err
            echo $? >$name-twin.status
            "$optrace" record --dispatch --tasks -o $name.optrace -- "$1" $name >>out 2>$name.err &
          done
          \(RecordFolder.untilSeen(names.filter { $0 != "too-early" }))
          # Long enough for silence to count.
          sleep 2
          for pid in $(pgrep -f "^$1 "); do kill -KILL $pid; done
          wait
          cat out *-twin.status
          """)
      #expect(result.output == String(repeating: "0\n", count: names.count), "\(result)")
    }

    @Test(
      "the doctor names each program's fault and its code, and nothing of its twin",
      arguments: ["", "-static-stdlib"])
    func codes(_ options: String) throws {
      try record(try compile(options))
      for row in Self.table {
        let trace = try folder.trace("\(row.name).optrace")
        #expect(trace.loss.isComplete, "\(row.name)")
        let violations = TraceValidator.check(try TraceReader.events(path: folder.folder.path("\(row.name).optrace")))
        #expect(violations.isEmpty, "\(row.name): \(violations)")
        let told = Diagnosis(of: trace).findings.filter { $0.severity != .note }
        #expect(told.map(\.code) == [row.code] && told.first?.severity == row.severity, "\(row.name): \(told)")
        let texts = told.flatMap { [$0.title, $0.explanation, $0.fix] + $0.evidence.map(\.text) }
        #expect(texts.contains { $0.contains(row.says) }, "\(row.name): \(texts)")
        let twin = Diagnosis(of: try folder.trace("\(row.name)-twin.optrace"))
        #expect(
          twin.findings.allSatisfy { $0.severity == .note } && twin.verdict == .healthy, "\(row.name): \(twin.findings)"
        )
      }
    }
  }
#endif
