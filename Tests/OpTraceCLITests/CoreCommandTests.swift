#if os(Linux)
  import Foundation
  import TestSupport
  import Testing

  /// The core of a program that hangs, as the kernel writes it.
  struct CrashedProgram {
    private let scratch: Scratch
    let core: String

    /// The kernel writes cores into the folder of the process, and not to a program such as systemd's.
    static var isPossible: Bool {
      ((try? String(contentsOfFile: "/proc/sys/kernel/core_pattern", encoding: .utf8)) ?? "|").hasPrefix("core")
    }

    init(_ name: String, of executable: String = "HangPrograms", code: String) throws {
      scratch = try Scratch()
      // Swift's own backtracer would take the signal, and the program would go on.
      let environment = RunningProgram.environment(adding: ["SWIFT_BACKTRACE": "enable=no"])
      let program = try RunningProgram(
        URL(fileURLWithPath: "/bin/sh"),
        ["-c", "ulimit -c unlimited && exec \"$0\" \"$1\"", try Built.program(executable).path, name],
        environment: environment, in: scratch.folder)
      try eventually("'\(name)' hangs", whileRunning: program) {
        try UnpreparedProgram.codes(
          try Command.run("doctor", String(program.processID), "--json", "--stall-after", "0")) == [code]
      }
      program.signal(SIGABRT)
      program.end()
      core = scratch.path(try #require(try scratch.names.first { $0.hasPrefix("core") }))
    }
  }

  @Suite("Core files of programs that nobody prepared", .ownThread, .enabled(if: CrashedProgram.isPossible))
  struct CoreCommandTests {
    private let folder: Scratch

    init() throws { folder = try Scratch() }

    private func report(_ arguments: String...) throws -> (status: Int32, report: [String: Any]) {
      let result = try Command.run(arguments: ["doctor", "--json"] + arguments)
      return (
        result.status,
        try #require(try JSONSerialization.jsonObject(with: Data(result.output.utf8)) as? [String: Any])
      )
    }

    @Test("the doctor answers from a core, and says nothing of the time") func answer() throws {
      let crashed = try CrashedProgram("semaphore", of: "HangingProgram", code: "never-finished")
      let text = try Command.run("doctor", crashed.core)
      #expect(text.status == 1 && text.errors.isEmpty, "\(text.errors)")
      #expect(text.output.hasPrefix("Stuck: ") && text.output.contains("error[never-finished]"), "\(text.output)")
      #expect(text.output.contains("Read from a core file, which has one moment and no history: "))
      #expect(text.output.firstMatch(of: /\d+(\.\d+)? (ns|µs|ms|s|min|h)\b/) == nil, "\(text.output)")
      for command in ["stacks", "summary"] {
        let path = folder.path("kept.optrace")
        #expect(try Command.run("snapshot", crashed.core, "-o", path).status == 0)
        let output = try Command.run(command, path).output
        #expect(output.firstMatch(of: /\d+ (min|h)\b/) == nil, "\(output)")
      }
      let (status, report) = try report(crashed.core)
      #expect(status == 1 && report["verdict"] as? String == "stalled" && report["silenceSeconds"] is NSNull)
      let finding = try #require((report["findings"] as? [[String: Any]])?.first)
      let evidence = try #require(finding["evidence"] as? [[String: Any]])
      #expect(evidence.allSatisfy { $0["atSeconds"] is NSNull })
      let stacks = try Command.run("stacks", crashed.core)
      #expect(stacks.status == 0 && stacks.output.contains(": read from a core file\n"), "\(stacks.output)")
      let packed = try RunningProgram.run(URL(fileURLWithPath: "/bin/gzip"), ["-k1", crashed.core])
      #expect(packed.status == 0)
      let answer = try Command.run("doctor", crashed.core + ".gz").output
      #expect(answer.replacing(crashed.core + ".gz", with: crashed.core) == text.output)
    }

    @Test("without the files of its machine nothing is called well, and what is missing is named") func files() throws {
      let crashed = try CrashedProgram("semaphore", of: "HangingProgram", code: "never-finished")
      let (status, report) = try report(crashed.core, "--sysroot", folder.folder.path)
      #expect(status == 0 && report["verdict"] as? String == "unknown", "\(report["answer"] ?? "")")
      let leftOut = try #require((report["origin"] as? [String: Any])?["leftOut"] as? [String])
      let missing = leftOut.contains {
        $0.firstMatch(of: /libswiftCore\.so of build id [0-9a-f]{40} is missing/) != nil
      }
      #expect(missing, "\(leftOut)")
      // The same files in a folder, as a copy of another machine's.
      for path in try Self.files(of: crashed.core) {
        let copy = folder.folder.path + path
        try FileManager.default.createDirectory(
          atPath: (copy as NSString).deletingLastPathComponent, withIntermediateDirectories: true)
        try FileManager.default.createSymbolicLink(atPath: copy, withDestinationPath: path)
      }
      let here = try Command.run("doctor", crashed.core)
      #expect(try Command.run("doctor", crashed.core, "--sysroot", folder.folder.path).output == here.output)
      let wrong = try Command.run("doctor", crashed.core, "--program", folder.path("gone"))
      #expect(wrong.status == 66 && wrong.errors.hasPrefix("optrace: cannot read '\(folder.path("gone"))': "))
      let onto = try Command.run("doctor", crashed.core, "-o", crashed.core)
      #expect(onto.status == 64 && onto.errors.contains("name another file with -o"))
    }

    /// Those that the core says were mapped.
    private static func files(of core: String) throws -> Set<String> {
      let bytes = try Data(contentsOf: URL(fileURLWithPath: core)).prefix(1 << 16)
      let texts = bytes.split(separator: 0).compactMap { String(bytes: $0, encoding: .utf8) }
      return Set(texts.filter { $0.hasPrefix("/") && FileManager.default.fileExists(atPath: $0) && $0.contains(".so") })
        .union([try Built.program("HangingProgram").resolvingSymlinksInPath().path])
    }

    @Test("a core that is cut short or damaged gives a sentence, and never a verdict that all is well") func cut()
      throws
    {
      let crashed = try CrashedProgram("two-locks", of: "HangingProgram", code: "lock-cycle")
      let bytes = Array(try Data(contentsOf: URL(fileURLWithPath: crashed.core)))
      for share in [2, 20, 100, 1_000, 20_000, 1_000_000] {
        let path = try folder.write("cut", Array(bytes.prefix(bytes.count / share)))
        let result = try Command.run("doctor", path, "--json")
        let report = try? JSONSerialization.jsonObject(with: Data(result.output.utf8)) as? [String: Any]
        #expect([0, 1, 65].contains(result.status), "\(share): \(result)")
        #expect(report?["verdict"] as? String != "healthy", "\(share)")
        if result.status == 65 { #expect(result.errors.hasPrefix("optrace: '\(path)' "), "\(result.errors)") }
      }
      let half = try Command.run("doctor", try folder.write("cut", Array(bytes.prefix(bytes.count / 2))))
      #expect(half.output.contains("The core is cut short"), "\(half.output)")
    }
  }
#endif
