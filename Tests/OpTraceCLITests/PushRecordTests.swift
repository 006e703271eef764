#if os(Linux)
  import Foundation
  import OpTraceModel
  import TestSupport
  import Testing

  /// Profiles of programs while they run.
  @Suite("Pushing profiles while a program runs", .ownThread) struct PushRecordTests {
    private let workspace: RecordFolder

    init() throws { workspace = try RecordFolder() }

    private func samples(_ name: String) throws -> Int { try workspace.trace(name).samples.count }

    @Test("record --push sends each sample once, the last ones at the end", arguments: ["otlp", "pyroscope"])
    func record(_ format: String) throws {
      let receiver = try ProfileReceiver()
      let result = try workspace.record(
        "--push", receiver.url, "--push-every", "1s", "--push-format", format, "--service-name", "burner", "--tasks",
        "--profile-rate", "499", "-o", "run.optrace", "--", try RecordFolder.program, "burn", "burn", "burn", "burn")
      #expect(result.status == 0, "\(result)")
      let profiles = try receiver.profiles
      let all = try samples("run.optrace")
      #expect(profiles.flatMap(\.troubles) == [])
      #expect(all > 0 && profiles.reduce(0) { $0 + $1.count } == all, "\(result.errors)")
      #expect(profiles.allSatisfy { $0.service == "burner" && $0.duration <= 1_000_000_000 })
      #expect(Set(profiles.map(\.id)).count == profiles.count)
      // Windows follow each other.
      #expect(zip(profiles, profiles.dropFirst()).allSatisfy { $0.time + $0.duration <= $1.time + 50_000_000 })
      #expect(
        result.errors.contains("optrace: \(profiles.count) profile\(profiles.count == 1 ? "" : "s") of "), "\(result)")
      // Names of code are known although the program still ran.
      let decoding = profiles.flatMap(\.samples).filter { $0.stack.contains("decodeImage()") }
      #expect(decoding.reduce(0) { $0 + $1.count } > all / 4)
      let key = format == "otlp" ? "optrace.operation" : "operation"
      #expect(decoding.allSatisfy { $0.labels[key] == "Converting" }, "\(decoding)")
      let request = format == "otlp" ? "optrace.request" : "request"
      #expect(decoding.contains { $0.labels[request] == "Converting" }, "\(decoding)")
    }

    @Test("a receiver that is down changes nothing for the program")
    func down() throws {
      let port = try ProfileReceiver.freePort()
      let result = try workspace.record(
        "--push", "http://127.0.0.1:\(port)", "--push-timeout", "1s", "-o", "run.optrace", "--",
        try RecordFolder.program, "burn")
      #expect(result.status == 0)
      #expect(
        result.errors.contains("optrace: warning: cannot push profiles to http://127.0.0.1:\(port)/"), "\(result)")
      #expect(result.errors.contains(", 1 dropped\n"), "\(result)")
      #expect(try samples("run.optrace") > 0)
    }

    @Test("a slow receiver is given up after a time, and tried again")
    func slow() throws {
      let receiver = try ProfileReceiver()
      try receiver.faults("delay=600&times=1")
      let program = try RunningProgram(
        try Command.executable,
        [
          "record", "--push", receiver.url, "--push-every", "1s", "--push-timeout", "2s", "-o",
          workspace.folder.path("run.optrace"), "--", try RecordFolder.program, "burn-on",
        ], input: .pipe, output: .pipe, errors: .pipe)
      #expect(program.line() == "burning")
      #expect(program.errors(until: "tried again").contains("cannot push profiles"))
      #expect(program.errors(until: "again").contains("takes profiles again"))
      try eventually("later profiles come", whileRunning: program) { try receiver.profiles.count >= 2 }
      program.closeInput()
      #expect(program.end() == .exited(0))
    }

    @Test("profile PID --push sends what is sampled from then on, until Ctrl-C, also to a receiver that begins later")
    func process() throws {
      let program = try RunningProgram(
        try Command.executable,
        ["record", "--profile", "-o", workspace.folder.path("run.optrace"), "--", try RecordFolder.program, "burn-on"],
        input: .pipe, output: .pipe)
      #expect(program.line() == "burning")
      let port = try ProfileReceiver.freePort()
      // The trace of the program, which has been found by its process.
      var process = 0
      try eventually("the trace is there", whileRunning: program) {
        guard let reader = try? LiveReader(path: workspace.folder.path("run.optrace")) else { return false }
        process = Int(reader.header.processID)
        return process > 0
      }
      let pusher = try RunningProgram(
        try Command.executable,
        ["profile", "\(process)", "--push", "http://127.0.0.1:\(port)", "--every", "1s", "--push-timeout", "60s"],
        errors: .pipe)
      #expect(pusher.errors(until: "pushing").hasPrefix("optrace: pushing profiles of RecordTestProgram (\(process)) "))
      #expect(pusher.errors(until: "tried again").contains("cannot push profiles"))
      let receiver = try ProfileReceiver(port: port)
      #expect(pusher.errors(until: "again").contains("takes profiles again"))
      try eventually("several profiles have come", whileRunning: pusher) { try receiver.profiles.count >= 3 }
      pusher.signal(SIGINT)
      let summary = pusher.errors(until: " sent to ")
      // On a loaded machine the receiver begins late.
      #expect(pusher.end() == .exited(summary.contains(" dropped") ? 73 : 0), "\(summary)")
      let profiles = try receiver.profiles
      let count = profiles.reduce(0) { $0 + $1.count }
      #expect(summary.hasPrefix("optrace: \(profiles.count) profiles of \(count) samples sent to "), "\(summary)")
      program.closeInput()
      #expect(program.end() == .exited(0))
      // All are of the time in which it was pushed, and none is there twice.
      let trace = try workspace.trace("run.optrace")
      let began = try #require(profiles.map(\.time).min()) - trace.header.startWall
      let ended = try #require(profiles.map { $0.time + $0.duration }.max()) - trace.header.startWall
      // The clocks of the two are related anew for each profile.
      let most = trace.samples.count {
        $0.time >= Nanoseconds(began) - 50_000_000 && $0.time <= Nanoseconds(ended) + 50_000_000
      }
      #expect(count > 0 && count <= most)
      #expect(Set(profiles.map(\.id)).count == profiles.count)
    }

    @Test("a program that is not sampled says what to do")
    func notSampled() throws {
      let program = try RunningProgram(
        try Command.executable,
        ["record", "-o", workspace.folder.path("run.optrace"), "--", try RecordFolder.program, "busy"], input: .pipe)
      #expect(program.line() == "busy")
      let path = workspace.folder.path("run.optrace")
      let result = try Command.run("profile", path, "--push", "http://127.0.0.1:9")
      #expect(
        result
          == .init(
            status: 66, output: "",
            errors:
              "optrace: '\(path)' has no samples of processor time: record them with 'optrace record --profile'\n"))
    }

    @Test("wrong options are refused before the program runs")
    func usage() throws {
      for (arguments, message) in [
        (["--push", "nowhere"], "--push needs an address such as http://localhost:4318, not 'nowhere'"),
        (["--push-every", "60s"], "--push-every needs --push"),
        (["--push", "http://h", "--push-every", "0"], "--push-every needs a time from 1s to 3600s, such as 60s"),
      ] {
        let result = try Command.run(arguments: ["record"] + arguments + ["--", "/bin/echo", "ran"])
        #expect(result.status == 64 && result.output == "", "\(result)")
        #expect(result.errors.hasPrefix("optrace: \(message)\n"), "\(result)")
      }
    }
  }
#endif
