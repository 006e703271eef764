#if os(Linux)
  import Foundation
  import TestSupport
  import Testing

  @Suite("The command record: refusals and their messages", .ownThread)
  struct RecordRefusalTests {
    private let workspace: RecordFolder
    private let program: String

    init() throws {
      workspace = try RecordFolder()
      program = try RecordFolder.program
    }

    private func expect(
      _ status: Int32, _ message: String, _ arguments: [String], environment: [String: String] = [:]
    ) throws {
      let result = try Command.run(
        arguments: [workspace.folder.folder.path] + arguments, environment: environment,
        shell: RecordFolder.enter + #"exec "$optrace" record "$@""#)
      #expect(result == Command.Result(status: status, output: "", errors: "optrace: \(message)\n"))
    }

    @discardableResult
    private func executable(_ name: String, _ bytes: [UInt8], mode: mode_t = 0o755) throws -> String {
      let path = try workspace.folder.write(name, bytes)
      chmod(path, mode)
      return path
    }

    @Test(
      "wrong usage gives status 64",
      arguments: [
        ([], "missing expected argument '<program> ...'"), (["--"], "missing expected argument '<program>'"),
        (["--attach", "7"], "unknown option '--attach'"),
        (["-o", "-", "true"], "-o names a file: a trace cannot go to standard output"),
        (["-o", "", "true"], "-o needs the name of a file"),
        (["--flight-recorder", "much", "true"], "'much' is not a size such as 512K, 16M or 1G"),
        (
          ["--stacks", "some", "true"],
          "the value 'some' is invalid for '--stacks <which>'. Please provide one of 'off', 'waits' or 'all'."
        ),
        (["--flight-recorder", "5", "true"], "'5' is too small for a flight recorder: it needs 256K or more"),
        (["--flight-recorder", "255K", "true"], "'255K' is too small for a flight recorder: it needs 256K or more"),
      ] as [([String], String)])
    func usage(arguments: [String], message: String) throws {
      let result = try Command.run(arguments: ["record"] + arguments)
      #expect(result.status == 64)
      #expect(result.output == "")
      #expect(result.errors.hasPrefix("optrace: \(message)\n"), "\(result.errors)")
      let usage = """

        Usage: optrace record [-o <file>] [--runs <n>] [--flight-recorder <size>]
                              [--keep-when <condition> ...] [--keep-files <n>]
                              [--keep-bytes <size>] [--stacks <which>] [--dispatch]
                              [--tasks] [--orders] [--cpu] [--profile]
                              [--profile-rate <hz>] [--profile-by <way>]
                              [--memory[=<size>]] [--all] [--push <url>]
                              [--fail-on <severity>] [--known <file>]
                              [--write-known <file>] [--stall-timeout <seconds>]
                              [--annotations <service>] [--report <file>] [--open]
                              [--debug-file <file>] [--] <program> [<argument> ...]

        """
      #expect(result.errors.contains(usage))
    }

    @Test("--help and --version before the program are the command's, after it the program's")
    func help() throws {
      #expect(try Command.run("record", "--help").output == Command.run("help", "record").output)
      #expect(try Command.run("record", "-h").output.hasPrefix("OVERVIEW: "))
      #expect(try Command.run("record", "--version") == Command.run("--version"))
      #expect(try workspace.record(program, "words", "--help", "--version").output == "--help|--version\n")
    }

    @Test("a missing program gives 127, one that cannot be run 126")
    func missing() throws {
      try expect(
        127, "cannot run 'no-such-program': there is no such program in the folders of PATH", ["no-such-program"])
      try expect(127, "cannot run '': there is no such program in the folders of PATH", ["--", ""])
      try expect(127, "cannot run './none': no such file", ["./none"])
      try expect(127, "cannot run '-x': there is no such program in the folders of PATH", ["--", "-x"])
      try expect(126, "cannot run './': it is a folder", ["./"])
      try executable("plain", [], mode: 0o644)
      try expect(126, "cannot run './plain': permission denied", ["./plain"])
      try executable("orphan", Array("#!/no/such/interpreter\n".utf8))
      try expect(127, "cannot run './orphan': its interpreter or loader is missing", ["./orphan"])
    }

    @Test("the folders of PATH are searched as in a shell")
    func searchPath() throws {
      let folder = workspace.folder.folder.path
      mkdir(folder + "/a", 0o755)
      mkdir(folder + "/a/tool", 0o755)
      mkdir(folder + "/b", 0o755)
      try executable("b/tool", Array("#!/bin/sh\necho b\n".utf8), mode: 0o644)
      let paths = "/no/folder:\(folder)/a:\(folder)/b"
      try expect(
        126, "cannot run '\(folder)/a/tool': it is a folder", ["tool"], environment: ["PATH": paths + ":/usr/bin:/bin"])
      chmod(folder + "/b/tool", 0o755)
      #expect(try workspace.record("tool", environment: ["PATH": paths + ":/usr/bin:/bin"]).output == "b\n")
      // An empty part of PATH is the current folder.
      try executable("here", Array("#!/bin/sh\necho here\n".utf8))
      #expect(try workspace.record("here", environment: ["PATH": ":/usr/bin:/bin"]).output == "here\n")
    }

    @Test("a trace file that cannot be written is refused before the program runs")
    func target() throws {
      let folder = workspace.folder.folder.path
      try expect(
        125, "cannot write 'none/run.optrace': there is no folder '\(folder)/none'",
        ["-o", "none/run.optrace", program, "work"])
      try expect(125, "cannot write '\(folder)': it is a folder", ["-o", folder, program, "work"])
      try workspace.folder.write("letter", Array("Dear Sir".utf8))
      let foreign = "it exists and is not a trace: choose another name or remove it"
      try expect(125, "cannot write 'letter': \(foreign)", ["-o", "letter", program, "work"])
      try expect(125, "cannot write '/dev/null': \(foreign)", ["-o", "/dev/null", program, "work"])
      symlink("letter", folder + "/link")
      try expect(125, "cannot write 'link': \(foreign)", ["-o", "link", program, "work"])
      #expect(try workspace.folder.names == ["letter", "link"])
    }

    // ---- What cannot be recorded

    private static let instead = "or link OpTrace and run it with OPTRACE_OUTPUT=FILE"
    private static let linkedStatically =
      "it is linked statically, so nothing can be loaded into it; build it without -static-executable (C: -static), "
      + instead

    @Test("a program for another processor is refused")
    func otherMachine() throws {
      var elf = ElfFixture()
      elf.processor = elf.processor == 183 ? 62 : 183
      try executable("other", elf.bytes)
      let names: [UInt16: String] = [62: "x86-64", 183: "64-bit ARM"]
      let own = try #require(names[ElfFixture().processor])
      let other = try #require(names[elf.processor])
      try expect(
        125, "'./other' cannot be recorded: it was built for \(other), and this is \(own); build it for this machine",
        ["./other"])
    }

    @Test("static programs are refused")
    func staticProgram() throws {
      var elf = ElfFixture()
      elf.hasLoader = false
      try executable("static", elf.bytes)
      try expect(125, "'./static' cannot be recorded: \(Self.linkedStatically)", ["./static"])
      try workspace.folder.write("main.c", Array("int main(void) { return 3; }\n".utf8))
      let built = try Command.run(workspace.folder.folder.path, shell: #"cd "$1" && cc -static -o real main.c"#)
      if built.status == 0 {
        try expect(125, "'./real' cannot be recorded: \(Self.linkedStatically)", ["./real"])
      }
    }

    @Test("a stripped program with static Swift libraries is refused, one with shared libraries is not")
    func staticSwift() throws {
      var elf = ElfFixture()
      elf.sections = [".text", "swift5_protocols"]
      elf.libraries = ["libc.so.6", "libdispatch.so"]
      try executable("static", elf.bytes)
      try expect(
        125,
        "'./static' cannot be recorded: its symbols were stripped, so Swift's libraries in it cannot be found; "
          + "run the file as it was before `strip`, or put its debug file (same build id) beside it", ["./static"])
      // The fixture has no real loader, so it cannot run.
      elf.libraries.append("libswiftCore.so")
      try executable("shared", elf.bytes)
      try expect(127, "cannot run './shared': its interpreter or loader is missing", ["./shared"])
      elf.libraries = ["libc.so.6"]
      elf.sections = [".text"]
      try executable("c", elf.bytes)
      try expect(127, "cannot run './c': its interpreter or loader is missing", ["./c"])
    }

    @Test("a setuid or setgid program is refused", .enabled(if: getuid() == 0, "only root makes such a program"))
    func setuid() throws {
      let path = try executable("owned", ElfFixture().bytes)
      chown(path, 65534, 65534)
      let why =
        "it takes the rights of its owner (setuid), and the system loads nothing into such a program; "
        + "become that user first, and call optrace then"
      for mode in [0o4755, 0o2755] as [mode_t] {
        chmod(path, mode)
        try expect(125, "'./owned' cannot be recorded: \(why)", ["./owned"])
      }
      chmod(path, 0o755)
      try expect(127, "cannot run './owned': its interpreter or loader is missing", ["./owned"])
    }

    // ---- What it loads

    /// Copies the command and the objects into a folder, as an installation does.
    private func install(_ objects: [String]) throws -> String {
      let built = try Command.executable.deletingLastPathComponent()
      let root = workspace.folder.file("usr")
      let lib = root.appendingPathComponent("lib/optrace")
      let bin = root.appendingPathComponent("bin")
      for folder in [bin, lib] {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      }
      try RecordFolder.copy(try Command.executable.path, to: bin.appendingPathComponent("optrace").path)
      for name in objects {
        try FileManager.default.copyItem(
          at: built.appendingPathComponent(name), to: lib.appendingPathComponent(name))
      }
      return bin.appendingPathComponent("optrace").path
    }

    @Test("without its objects the command says where they should be")
    func missingObjects() throws {
      let optrace = try install([])
      let usr = workspace.folder.path("usr")
      let result = try Command.run(arguments: [optrace, program, "work"], shell: #""$1" record "$2" "$3""#)
      #expect(
        result
          == Command.Result(
            status: 125, output: "",
            errors: "optrace: libOpTracePreload.so is neither in '\(usr)/bin' nor in '\(usr)/lib/optrace'; "
              + "install optrace again, or build all of it with 'swift build'\n"))
    }

    @Test("an installed command finds its objects, even when called through a link")
    func installed() throws {
      let optrace = try install(["libOpTracePreload.so"])
      symlink(optrace, workspace.folder.path("link"))
      let result = try workspace.record("-o", "run.optrace", program, "work", shell: #"./link record "$@""#)
      #expect(result.output == "worked\n")
      #expect(try workspace.folder.names.contains("run.optrace"))
    }

    @Test(
      "with another library named Foundation the program runs, but is not recorded",
      .enabled("needs a C compiler") { await OwnThread.run { hasCompiler } })
    func otherFoundation() throws {
      try workspace.folder.write("foundation.c", Array("int foundation(void) { return 8; }\n".utf8))
      try workspace.folder.write(
        "main.c", Array("int foundation(void);\nint main(void) { return foundation(); }\n".utf8))
      let build = try Command.run(
        workspace.folder.folder.path,
        shell: RecordFolder.enter + """
          cc -shared -fPIC -Wl,-soname,libFoundation.so -o libFoundation.so foundation.c &&
          cc -o other main.c -L. -lFoundation -Wl,-rpath,"$PWD"
          """)
      try #require(build.status == 0, "\(build.errors)")
      let result = try workspace.record("./other")
      #expect(result.status == 8)
      let why =
        "the operations of this program cannot be recorded (this Swift runtime does not tell the names of types)"
      #expect(result.errors.hasPrefix("optrace: \(why); nothing is recorded\n"), "\(result.errors)")
    }

    static var hasCompiler: Bool { (try? Command.run(shell: "command -v cc"))?.status == 0 }
  }
#endif
