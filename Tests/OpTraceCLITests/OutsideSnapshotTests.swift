#if os(Linux)
  import Foundation
  import OpTraceFormat
  import OpTraceModel
  import TestSupport
  import Testing

  /// Stopped processes cannot answer, so optrace takes the snapshot itself.
  @Suite("A snapshot from outside", .ownThread) struct OutsideSnapshotTests {
    private let folder: RecordFolder

    init() throws { folder = try RecordFolder() }

    /// Records the hanging program "lock": one thread holds a lock, and an operation waits for it.
    private func withHanging(
      _ path: String? = nil, _ body: (RunningProgram, _ processID: Int32, _ trace: String) throws -> Void
    ) throws {
      let trace = folder.folder.path("lock.optrace")
      let program = try RunningProgram(
        Command.executable, ["record", "-o", trace, "--", try path ?? RecordFolder.program, "lock"], output: .none)
      defer { program.kill() }
      var processID: Int32 = 0
      try eventually("a thread waits for the lock", whileRunning: program) {
        guard let read = try? TraceReader.read(path: trace) else { return false }
        processID = Int32(read.header.processID)
        guard try Command.run("stacks", trace).status == 0, let now = try? TraceReader.read(path: trace) else {
          return false
        }
        return now.snapshot?.threads.contains { $0.reason == .mutex && $0.owner != nil } == true
      }
      kill(processID, SIGSTOP)
      defer { kill(processID, SIGKILL) }
      try body(program, processID, trace)
    }

    private func threads(_ arguments: String...) throws -> (result: Command.Result, threads: [[String: Any]]) {
      let result = try Command.run(arguments: arguments)
      let document = try JSONSerialization.jsonObject(with: Data(result.output.utf8)) as? [String: Any]
      return (result, document?["threads"] as? [[String: Any]] ?? [])
    }

    @Test("a snapshot of a stopped process shows waiter, holder and stacks; the doctor uses it, too")
    func stopped() throws {
      try withHanging { _, processID, trace in
        let before = try #require(try TraceReader.read(path: trace).snapshot)
        let (result, threads) = try threads("stacks", "--json", String(processID))
        #expect(result.status == 0 && result.errors.contains("so optrace took the snapshot itself"), "\(result)")
        let waiting = try #require(
          threads.first { ($0["waitsFor"] as? [String: Any])?["kind"] as? String == "lock" }, "\(result)")
        let owner = try #require(waiting["owner"] as? Int)
        // The thread ids are those of the trace.
        let recorded = try #require(before.threads.first { $0.reason == .mutex })
        #expect(owner == recorded.owner.map { Int($0.rawValue) })
        #expect(waiting["id"] as? Int == Int(recorded.thread.rawValue))
        // The recorder's own thread is left out, as in the recorder's snapshots.
        #expect(threads.count == before.threads.count, "\(result)")
        let holder = try #require(threads.first { $0["id"] as? Int == owner })
        for thread in [waiting, holder] {
          let frames = thread["frames"] as? [[String: Any]] ?? []
          #expect(frames.count > 3 && frames.contains { $0["own"] as? Bool == true }, "\(thread)")
        }
        // The trace is unchanged.
        #expect(try TraceReader.read(path: trace).snapshot == before)
        let doctor = try Command.run("doctor", "--stall-after", "0", String(processID))
        #expect(doctor.errors.contains("so optrace took the snapshot itself"), "\(doctor)")
        #expect(doctor.output.contains("lock"), "\(doctor)")
      }
    }

    @Test("statically linked libraries are not the program's own code") func linked() throws {
      try folder.compile("RecordTestProgram", as: "linked", "-static-stdlib")
      try withHanging(folder.folder.path("linked")) { _, processID, _ in
        let (result, threads) = try threads("stacks", "--json", String(processID))
        #expect(result.errors.contains("so optrace took the snapshot itself"), "\(result)")
        let frames = threads.flatMap { $0["frames"] as? [[String: Any]] ?? [] }
        let libraries = frames.filter { ($0["function"] as? String)?.hasPrefix("_dispatch_") == true }
        #expect(!libraries.isEmpty && libraries.allSatisfy { $0["own"] as? Bool == false }, "\(libraries)")
        #expect(frames.contains { $0["own"] as? Bool == true }, "\(result)")
      }
    }

    @Test("a process that ends during the snapshot gives the recorded trace or status 66") func ends() throws {
      try withHanging { program, processID, _ in
        let command = try RunningProgram(Command.executable, ["stacks", String(processID)], output: .none)
        kill(processID, SIGKILL)
        #expect([0, 66].contains(command.end().status))
        program.kill()
      }
    }

    @Test("without rights, the last recorded snapshot is shown, with what is missing") func noRights() throws {
      guard geteuid() == 0 else { return print("only root can give its rights away: not tried") }
      try withHanging { _, processID, trace in
        chmod(folder.folder.folder.path, 0o755)
        chmod(trace, 0o644)
        let result = try Command.run(
          trace, shell: #"setpriv --reuid 65534 --clear-groups "$optrace" stacks "$1""#)
        #expect(result.status == 0 && result.output.contains("waits for a mutex"), "\(result)")
        #expect(
          result.errors.contains("optrace has no right to take one itself: run it as the same user or as root"),
          "\(result)")
      }
    }
  }
#endif
