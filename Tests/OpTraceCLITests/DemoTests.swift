import Foundation
import OpTraceModel
import OpTraceScenarios
import TestSupport
import Testing

@Suite("The command demo", .serialized, .ownThread)
struct DemoTests {
  private let folder: Scratch

  init() throws { folder = try Scratch() }

  /// The listed scenarios: healthy, stuck and broken ones.
  private func listed() throws -> (healthy: [String], stuck: [String], broken: [String]) {
    let groups = try Command.run("demo", "--list").output.components(separatedBy: "\n\n")
    let names = groups.map { group in
      group.split(separator: "\n").filter { $0.hasPrefix("  ") }.compactMap {
        $0.split(separator: " ").first.map(String.init)
      }
    }
    try #require(names.count == 4)
    return (names[0], names[1], names[2])
  }

  @Test("without a name, scenarios are listed one per line, with stuck and broken ones apart")
  func list() throws {
    let result = try Command.run("demo")
    #expect(result.status == 0)
    #expect(result == (try Command.run("demo", "--list")))
    let (healthy, stuck, broken) = try listed()
    #expect(
      Set(healthy) == [
        "photo-import", "i-love-u", "upload-cancel", "async-wait", "custom-concurrent", "block-fan-out", "diamond",
        "serial-vs-concurrent", "priorities", "cross-queue", "barrier", "suspend-resume", "cancel-all", "main-hop",
        "tickets",
      ])
    #expect(stuck == ["photo-import", "deadlock"])
    #expect(broken == Scenario.broken.map(\.name))
  }

  @Test(
    "wrong usage gives one sentence and status 64",
    arguments: [
      (["diamnod"], "optrace: there is no scenario 'diamnod': did you mean 'diamond'?\n"),
      (["nothing-like-it"], "optrace: there is no scenario 'nothing-like-it': 'optrace demo --list' lists them\n"),
      (["diamond", "--limit", "2"], "optrace: the scenario 'diamond' has no --limit (those that have: i-love-u)\n"),
      (["diamond", "--stuck"], "optrace: the scenario 'diamond' has no --stuck (those that have: photo-import)\n"),
      (
        ["diamond", "--fixed"], "optrace: the scenario 'diamond' has no --fixed (those that have: the broken ones)\n"
      ),
      (
        ["diamond", "--timeout", "1"],
        "optrace: the scenario 'diamond' has no --timeout (those that have: photo-import, deadlock, the broken ones)\n"
      ),
      (["queue-self-wit"], "optrace: there is no scenario 'queue-self-wit': did you mean 'queue-self-wait'?\n"),
      (["photo-import", "--timeout", "1"], "optrace: 'photo-import' ends by itself: --timeout goes with --stuck\n"),
    ])
  func usage(arguments: [String], message: String) throws {
    let result = try Command.run(arguments: ["demo", "-o", folder.path("new")] + arguments)
    #expect(result == Command.Result(status: 64, output: "", errors: message))
    #expect(try !folder.names.contains("new"))
  }

  @Test(
    "options refuse numbers out of range",
    arguments: [["--limit", "0"], ["--timeout", "0"], ["--timeout", "nan"]])
  func numbers(arguments: [String]) throws {
    let name = arguments[0] == "--limit" ? "i-love-u" : "deadlock"
    let result = try Command.run(arguments: ["demo", name, "-o", folder.path("new")] + arguments)
    #expect(result.status == 64)
    #expect(result.errors.hasPrefix("optrace: \(arguments[0]) must be "))
  }

  @Test("demo writes trace, graph and timeline into a new folder; the main queue runs on the main thread")
  func files() throws {
    let out = folder.path("a/b c")
    let result = try Command.run("demo", "main-hop", "-o", out)
    #expect(result.status == 0)
    #expect(result.errors == "")
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: out).sorted() == [
        "main-hop.json", "main-hop.optrace", "main-hop.svg",
      ])
    for name in ["main-hop.json", "main-hop.optrace", "main-hop.svg"] {
      #expect(result.output.contains("\(out)/\(name)"))
    }
    #expect(result.output.contains(" view '\(out)/main-hop.optrace'"))
    #expect(result.output.contains("  The map is shown, on the main thread.\n"))

    let trace = try TraceReader.read(path: out + "/main-hop.optrace")
    #expect(trace.header.isClosed && trace.header.processName == "main-hop")
    let shown = trace.operations.filter { $0.title.hasPrefix("Show ") }
    #expect(shown.count == 2)
    for operation in shown { #expect(operation.executionBegan.flatMap { trace.thread($0.thread) }?.isMain == true) }
    let loaded = trace.operations.filter { $0.title.hasPrefix("Load ") }
    for operation in loaded { #expect(operation.executionBegan.flatMap { trace.thread($0.thread) }?.isMain == false) }

    #expect(try String(contentsOfFile: out + "/main-hop.svg", encoding: .utf8).contains("Show cover"))
    let json = try JSONSerialization.jsonObject(with: Data(contentsOf: URL(fileURLWithPath: out + "/main-hop.json")))
    #expect((json as? [Any])?.isEmpty == false)
    #expect(try Command.run("validate", out + "/main-hop.optrace").status == 0)
  }

  @Test("a stuck program gives up by itself, and leaves its trace")
  func stuck() throws {
    let result = try Command.run("demo", "deadlock", "-o", folder.path("out"), "--timeout", "0.2")
    #expect(result.status == 0)
    #expect(result.output.contains("  Gave up: 3 operations are unfinished.\n"))
    let trace = try TraceReader.read(path: folder.path("out/deadlock.optrace"))
    #expect(trace.operations.filter { $0.finished == nil }.count == 3)
  }

  @Test("a second run replaces its own files, but no file that is not a trace")
  func again() throws {
    #expect(try Command.run("demo", "block-fan-out", "-o", folder.path("out")).status == 0)
    let first = try Data(contentsOf: URL(fileURLWithPath: folder.path("out/block-fan-out.optrace")))
    #expect(try Command.run("demo", "block-fan-out", "-o", folder.path("out")).status == 0)
    #expect(try Data(contentsOf: URL(fileURLWithPath: folder.path("out/block-fan-out.optrace"))) != first)

    let other = try folder.write("diamond.optrace", Array("a diary".utf8))
    let refused = try Command.run("demo", "diamond", "-o", folder.folder.path)
    #expect(refused.status == 73)
    #expect(refused.errors == "optrace: cannot write '\(other)': it exists and is not a trace\n")
    #expect(try String(contentsOfFile: other, encoding: .utf8) == "a diary")
  }

  @Test("a folder that cannot be created gives status 73")
  func noFolder() throws {
    let file = try folder.write("file", [1])
    let result = try Command.run("demo", "diamond", "-o", file + "/out")
    #expect(result.status == 73)
    #expect(result.output == "")
    #expect(result.errors == "optrace: cannot write '\(file)/out': part of the path is not a folder\n")
  }

  #if os(Linux)
    @Test("the message says if a file system cannot have folders")
    func noFolders() throws {
      let result = try Command.run("demo", "diamond", "-o", "/proc/nope")
      #expect(
        result
          == .init(
            status: 73, output: "", errors: "optrace: cannot write '/proc/nope': no folder can be made there\n"))
    }
  #endif

  @Test("without a Graphviz plugin, trace and timeline are written, and the message says what to install")
  func noGraphviz() throws {
    try FileManager.default.createDirectory(atPath: folder.path("empty"), withIntermediateDirectories: true)
    let out = folder.path("out")
    let result = try Command.run("demo", "block-fan-out", "-o", out, environment: ["GVBINDIR": folder.path("empty")])
    #expect(result.status == 0)
    #expect(result.errors.contains("apt-get install"))
    #expect(result.errors.contains("optrace graph \(out)/block-fan-out.optrace -o \(out)/block-fan-out.svg"))
    #expect(!result.output.contains(".svg"))
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: out).sorted() == [
        "block-fan-out.json", "block-fan-out.optrace",
      ])
  }
}
