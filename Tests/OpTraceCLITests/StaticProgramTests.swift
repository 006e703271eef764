#if os(Linux)
  import Foundation
  import OpTraceModel
  import TestSupport
  import Testing

  /// `record` runs programs with statically linked Swift libraries unchanged.
  @Suite("Programs that are linked statically", .ownThread) struct StaticProgramTests {
    private let workspace: RecordFolder
    private let folder: String

    init() throws {
      workspace = try RecordFolder()
      folder = workspace.folder.folder.path
    }

    private func compile(_ program: String, as name: String, _ options: String) throws {
      try workspace.compile(program, as: name, options)
    }

    @discardableResult
    private func record(
      _ name: String, _ arguments: [String] = [], options: [String] = ["--tasks", "--dispatch"]
    ) throws -> Command.Result {
      let words = ["optrace", "record", "-o", "\(name).optrace"] + options + ["--", "./\(name)"] + arguments
      let result = try Command.run(
        arguments: [folder] + words.dropFirst(), input: [],
        shell: RecordFolder.enter + #"exec "$optrace" "$@""#)
      return result
    }

    /// The contents of a trace that do not depend on the timing of threads.
    private struct Contents: Equatable {
      var operations: [String]
      var queues: [String]
      var blocks: Int
      var tasks: Int
    }

    private func contents(_ name: String) throws -> Contents {
      #expect(TraceValidator.check(try TraceReader.events(path: "\(folder)/\(name).optrace")).isEmpty, "\(name)")
      let trace = try workspace.trace("\(name).optrace")
      return Contents(
        operations: trace.operations.map { "\($0.className) \($0.name ?? "") \($0.state)" }.sorted(),
        queues: trace.queues.map(\.name).sorted(), blocks: trace.blocks.count, tasks: trace.tasks.count)
    }

    @Test(
      "static and shared libraries give the same operations, blocks, tasks and output",
      arguments: [
        ("RecordTestProgram", ["work"]), ("RecordTestProgram", ["feed"]), ("RecordTestProgram", ["blocks"]),
        ("TaskTestProgram", []),
      ] as [(String, [String])])
    func same(_ program: String, _ arguments: [String]) throws {
      try compile(program, as: "shared", "")
      try compile(program, as: "linked", "-static-stdlib")
      let (shared, linked) = (try record("shared", arguments), try record("linked", arguments))
      #expect(shared.output == linked.output && shared.status == linked.status)
      let (ofShared, ofLinked) = (try contents("shared"), try contents("linked"))
      #expect(ofShared == ofLinked)
    }

    @Test(
      "all operations are recorded with other linkers and options",
      arguments: [
        "-Xlinker --gc-sections", "-Xclang-linker -no-pie", "-use-ld=lld",
        "-use-ld=lld -Xlinker --gc-sections -Xlinker --icf=safe",
      ])
    func linkers(_ options: String) throws {
      try compile("RecordTestProgram", as: "linked", "-static-stdlib \(options)")
      #expect(try record("linked", ["work", "6"]).status == 6)
      let trace = try workspace.trace("linked.optrace")
      #expect(trace.operations.count == 10 && trace.operations.allSatisfy { $0.state == .finished })
    }

    @Test("with lld, which splits Swift's overlay of libdispatch, every sync is recorded")
    func split() throws {
      try compile("RecordTestProgram", as: "shared", "")
      try compile("RecordTestProgram", as: "linked", "-static-stdlib -use-ld=lld")
      func waitedFor(_ name: String) throws -> [String] {
        #expect(try record(name, ["dispatch"]).status == 0)
        let blocks = try workspace.trace("\(name).optrace").blocks
        return blocks.filter { $0.way == .sync }.map { "barrier \($0.isBarrier)" }
      }
      let shared = try waitedFor("shared")
      #expect(shared.contains("barrier true"))
      #expect(try waitedFor("linked") == shared)
    }

    @Test("if the linker folded functions, blocks and tasks are recorded, and a message says why operations are not")
    func folded() throws {
      try compile("RecordTestProgram", as: "linked", "-static-stdlib -use-ld=lld -Xlinker --icf=all")
      let result = try record("linked", ["dispatch"])
      #expect(
        result.errors.hasPrefix(
          "optrace: the operations of this program cannot be recorded (the linker has folded methods that have the same "
            + "code, as --icf=all does); blocks and tasks are recorded\n"), "\(result)")
      let trace = try workspace.trace("linked.optrace")
      #expect(trace.operations.isEmpty && !trace.blocks.isEmpty)
    }

    @Test("a stripped program needs its debug file, beside it or named by --debug-file")
    func stripped() throws {
      try compile("RecordTestProgram", as: "whole", "-static-stdlib")
      let made = try Command.run(
        folder, shell: RecordFolder.enter + "objcopy --only-keep-debug whole kept && strip -o linked whole")
      try #require(made.status == 0, "\(made)")
      let why =
        "its symbols were stripped, so Swift's libraries in it cannot be found; run the file as it was before "
        + "`strip`, or put its debug file (same build id) beside it"
      #expect(try record("linked", ["work"]).errors == "optrace: './linked' cannot be recorded: \(why)\n")
      #expect(try record("linked", ["work"], options: ["--debug-file", "kept"]).status == 0)
      func isNamed() throws -> Bool {
        let trace = try workspace.trace("linked.optrace")
        #expect(trace.operations.count == 10)
        return trace.operations.contains { $0.codeLocation.file?.hasSuffix("main.swift") == true }
      }
      #expect(try isNamed())
      let other = try record("linked", ["work"], options: ["--debug-file", "linked"])
      #expect(
        other.errors
          == "optrace: './linked' cannot be recorded: 'linked' does not have its symbols, or is of another build\n")
      try FileManager.default.moveItem(atPath: "\(folder)/kept", toPath: "\(folder)/linked.debug")
      #expect(try record("linked", ["work", "3"]).status == 3)
      #expect(try isNamed())
    }

    @Test(
      "all operations are recorded in processes that may not change code",
      .enabled("needs a C compiler") { await OwnThread.run { RecordRefusalTests.hasCompiler } })
    func jailed() throws {
      try compile("RecordTestProgram", as: "linked", "-static-stdlib")
      let source = RecordFolder.sources.appendingPathComponent("JailedProgram/jail.c").path
      // The user `nobody` cannot reach the folder of the tests, so the command is copied.
      let made = try Command.run(
        folder, source,
        shell: RecordFolder.enter
          + #"cc "$1" -o jail && chmod 777 . && cp "$optrace" "$(dirname "$optrace")/libOpTracePreload.so" ."#)
      try #require(made.status == 0, "\(made)")
      for restrictions in ["mdwe", "exec", "nopwrite", "mdwe nopwrite", "exec nopwrite", "nobody exec"] {
        let name = restrictions.replacing(" ", with: "-")
        let result = try Command.run(
          folder, restrictions, name,
          shell: RecordFolder.enter + #"./jail $1 -- ./optrace record -o "$2.optrace" ./linked work 6"#)
        if result.status == 77 { continue }
        #expect(result.status == 6 && result.output == "worked\n", "\(restrictions): \(result)")
        #expect(try workspace.trace("\(name).optrace").operations.count == 10, "\(restrictions)")
      }
    }

    @Test("frames name their statically linked library, and mark the program's own code")
    func libraries() throws {
      try compile("RecordTestProgram", as: "linked", "-static-stdlib")
      #expect(try record("linked", ["dispatch"], options: ["--dispatch", "--stacks", "all"]).status == 0)
      let trace = try workspace.trace("linked.optrace")
      let frames = Set(trace.blocks.flatMap { trace.stacks.stack($0.submittedAt) })
      let program = frames.filter { trace.stacks.image(of: $0)?.name == "linked" }
      let libraries = Set(program.compactMap { trace.stacks[$0]?.library })
      #expect(libraries.contains(.dispatch), "\(program.count) \(libraries)")
      #expect(program.contains(where: trace.stacks.isOwn))
      for id in program where trace.stacks[id]?.library != nil { #expect(!trace.stacks.isOwn(id)) }
    }

    @Test("a signal before the first wait is reported as missed") func missed() throws {
      try compile("HangPrograms", as: "linked", "-static-stdlib")
      let result = try Command.run(
        folder,
        shell: RecordFolder.enter + """
          "$optrace" record -o linked.optrace -- ./linked missed-signal >/dev/null 2>&1 &
          \(RecordFolder.untilSeen(["linked"]))
          kill -KILL $(pgrep -P $!)
          wait
          "$optrace" doctor --stall-after 1 linked.optrace
          """)
      #expect(result.status == 1 && result.output.contains(", whose last signal came "), "\(result)")
    }

    // ---- Programs that are linked with OpTrace -----------------------------------------------------------------------

    /// Compiles a program that records itself, with OpTrace's object files of this build.
    private func compileWithOpTrace(as name: String, _ options: String) throws {
      let build = try Command.executable.deletingLastPathComponent()
      let repository = RecordFolder.sources.deletingLastPathComponent().path
      let objects = try ["OpTrace", "OpTraceFormat", "COpTrace"].flatMap { module in
        let files = try FileManager.default.subpathsOfDirectory(atPath: build.path + "/\(module).build")
        // The build folder may still have objects of removed sources.
        let sources = try FileManager.default.subpathsOfDirectory(atPath: repository + "/Sources/\(module)")
        // Objects of C keep their sources' folders, objects of Swift do not.
        let swift = sources.filter { $0.hasSuffix(".swift") }.map { ($0 as NSString).lastPathComponent }
        let current = Set((sources + swift).map { $0 + ".o" })
        return files.filter(current.contains).sorted()
          .map { build.path + "/\(module).build/\($0)" }
      }
      try Data(objects.map { "\"\($0)\"\n" }.joined().utf8).write(to: URL(fileURLWithPath: "\(folder)/objects"))
      let headers = repository + "/Sources/COpTrace/include"
      try compile(
        "LinkedProgram", as: name, "\(options) -I '\(build.path)/Modules' -I '\(headers)' '@\(folder)/objects'")
    }

    private func runItself(_ name: String, _ arguments: [String] = []) throws -> Command.Result {
      try Command.run(
        arguments: [folder, name] + arguments,
        environment: ["OPTRACE_OUTPUT": "\(name).optrace", "OPTRACE_TASKS": "1", "OPTRACE_DISPATCH": "1"],
        shell: RecordFolder.enter + #"program=$1; shift; exec "./$program" "$@""#)
    }

    @Test(
      "a program that links OpTrace records itself, even without a loader",
      arguments: ["-static-stdlib", "-static-executable"])
    func recordsItself(_ option: String) throws {
      try compileWithOpTrace(as: "linked", option)
      let result = try runItself("linked")
      #expect(result.status == 0 && result.output == "16\n" && result.errors == "", "\(result)")
      let all = try contents("linked")
      #expect(all.operations.count == 11 && all.operations.allSatisfy { $0.hasSuffix("finished") }, "\(all)")
      #expect(all.queues == ["work"] && all.blocks == 7 && all.tasks == 8, "\(all)")
      guard option == "-static-executable" else { return }
      let recorded = try record("linked")
      #expect(recorded.status == 125 && recorded.errors.contains("or link OpTrace"), "\(recorded)")
    }

    @Test("a program that starts recording late or was stripped runs, and a message says why it is not recorded")
    func cannotRecordItself() throws {
      try compileWithOpTrace(as: "linked", "-static-stdlib")
      let made = try Command.run(folder, shell: RecordFolder.enter + "strip -o stripped linked")
      try #require(made.status == 0, "\(made)")
      let isLate = "functions that are linked into the program can be heard only from before its second thread"
      let isStripped = "the program's symbols were stripped, so Swift's libraries in it cannot be found"
      for (name, arguments, why) in [("linked", ["late"], isLate), ("stripped", [], isStripped)] {
        let result = try runItself(name, arguments)
        #expect(
          result.errors == "optrace: blocks and tasks cannot be recorded (\(why)); the rest is recorded\n", "\(result)")
        #expect(result.status == 0 && result.output.contains(": \(why); use the traced types\n16\n"), "\(result)")
        #expect(try contents(name) == Contents(operations: [], queues: [], blocks: 0, tasks: 0))
      }
    }
  }
#endif
