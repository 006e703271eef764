#if os(Linux)
  import Foundation
  import OpTraceModel
  import TestSupport
  import Testing

  /// Programs with Swift's libraries linked into them, which `record` runs unchanged.
  @Suite("Programs that are linked statically", .ownThread) struct StaticProgramTests {
    private let workspace: RecordFolder
    private let folder: String

    init() throws {
      workspace = try RecordFolder()
      folder = workspace.folder.folder.path
    }

    private static let sources = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()

    /// Compiles a program of the tests into the folder.
    private func compile(_ program: String, as name: String, _ options: String) throws {
      let source = Self.sources.appendingPathComponent(program)
      let hasMain = FileManager.default.fileExists(atPath: source.appendingPathComponent("main.swift").path)
      let made = try Command.run(
        source.path, "\(folder)/\(name)",
        shell: "swiftc -swift-version 6 -O -g \(hasMain ? "" : "-parse-as-library") \(options) \"$1\"/*.swift -o \"$2\""
      )
      try #require(made.status == 0, "\(made)")
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

    /// What a trace has, without what depends on the machine's threads: who waits long enough, and what is one record.
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
      "the same operations, blocks and tasks as in the program with shared libraries, and the same output",
      arguments: [
        ("RecordTestProgram", ["work"]), ("RecordTestProgram", ["feed"]), ("RecordTestProgram", ["blocks"]),
        ("TaskTestProgram", []),
      ] as [(String, [String])])
    func same(_ program: String, _ arguments: [String]) throws {
      try compile(program, as: "shared", "")
      try compile(program, as: "linked", "-static-stdlib")
      let (shared, linked) = (try record("shared", arguments), try record("linked", arguments))
      #expect(shared.output == linked.output && shared.status == linked.status)
      #expect(try contents("shared") == contents("linked"))
    }

    @Test(
      "with other linkers and their options: nothing less is recorded",
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

    @Test("where the linker has folded functions, blocks and tasks are recorded, and why operations are not is said")
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

    @Test("a stripped program needs its debug file: beside it, or named")
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
      #expect(try workspace.trace("linked.optrace").operations.count == 10)
      let other = try record("linked", ["work"], options: ["--debug-file", "linked"])
      #expect(
        other.errors
          == "optrace: './linked' cannot be recorded: 'linked' does not have its symbols, or is of another build\n")
      try FileManager.default.moveItem(atPath: "\(folder)/kept", toPath: "\(folder)/linked.debug")
      #expect(try record("linked", ["work", "3"]).status == 3)
      #expect(try workspace.trace("linked.optrace").operations.count == 10)
    }

    @Test(
      "where code is hard to change, all is recorded too",
      .enabled("needs a C compiler") { await OwnThread.run { RecordRefusalTests.hasCompiler } })
    func jailed() throws {
      try compile("RecordTestProgram", as: "linked", "-static-stdlib")
      let source = Self.sources.appendingPathComponent("JailedProgram/jail.c").path
      let made = try Command.run(folder, source, shell: RecordFolder.enter + #"cc "$1" -o jail && chmod 777 ."#)
      try #require(made.status == 0, "\(made)")
      for restrictions in ["mdwe", "exec", "nopwrite", "mdwe nopwrite", "exec nopwrite", "nobody exec"] {
        let name = restrictions.replacing(" ", with: "-")
        let result = try Command.run(
          folder, restrictions, name,
          shell: RecordFolder.enter + #"./jail $1 -- "$optrace" record -o "$2.optrace" ./linked work 6"#)
        if result.status == 77 { continue }
        #expect(result.status == 6 && result.output == "worked\n", "\(restrictions): \(result)")
        #expect(try workspace.trace("\(name).optrace").operations.count == 10, "\(restrictions)")
      }
    }

    @Test("frames know the library that is linked into the program, and which code is the program's own")
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
  }
#endif
