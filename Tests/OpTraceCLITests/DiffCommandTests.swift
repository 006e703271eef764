import Foundation
import TestSupport
import Testing

@Suite("optrace diff", .ownThread)
struct DiffCommandTests {
  private let folder: Scratch
  private let base: String
  private let new: String

  init() throws {
    folder = try Scratch()
    base = try folder.write("base.txt", Array(Self.trace().utf8))
    new = try folder.write("new.txt", Array(Self.trace(limit: 1, load: 60).utf8))
  }

  /// Two operations of one queue. The first lasts `load` milliseconds.
  private static func trace(limit: Int = 2, load: Int = 40, header: String = "") -> String {
    var typed = TypedTrace()
    typed.header = header
    return typed.text(
      """
      0 t1 queue q1 limit=\(limit) "work"
      0 t1 created #1 class="Load"
      0 t1 named #1 "load 1"
      0 t1 enqueued #1 queue=q1 priority=0
      0 t1 ready #1
      0 t1 created #2 class="Store"
      0 t1 named #2 "store 6ba7b810-9dad-11d1-80b4-00c04fd430c8"
      0 t1 enqueued #2 queue=q1 priority=0
      0 t1 ready #2
      0 t2 started #1
      0 t2 began #1
      \(load) t2 ended #1
      \(load) t2 finished #1
      \(load) t2 start-returned #1
      \(load) t3 started #2
      \(load) t3 began #2
      \(load + 20) t3 ended #2
      \(load + 20) t3 finished #2
      \(load + 20) t3 start-returned #2
      """, in: .milliseconds)
  }

  private func runs(_ name: String, _ times: [Int]) throws -> [String] {
    try times.enumerated().map { try folder.write("\(name)\($0.offset).txt", Array(Self.trace(load: $0.element).utf8)) }
  }

  @Test("the text shows added and removed operations, and changed durations")
  func text() throws {
    let result = try Command.run("diff", base, new)
    #expect(result.status == 0)
    #expect(result.errors == "")
    #expect(result.output.contains("  limits\n    + 'work' at most 1  0 → 1\n    - 'work' at most 2  1 → 0\n"))
    #expect(result.output.contains("load # (Load)    work   40.0 ms  x1.50"))
  }

  @Test("a trace does not differ from itself, and meets no --fail-on condition")
  func same() throws {
    let result = try Command.run("diff", base, base, "--fail-on", "structure,findings")
    #expect(result.status == 0)
    #expect(result.output.contains("Structure\n  the same\n"))
  }

  @Test("a difference that --fail-on names gives status 1; the result is still written")
  func gate() throws {
    let structure = try Command.run("diff", base, new, "--fail-on", "structure")
    #expect(structure.status == 1)
    #expect(structure.output.hasSuffix("\nfails on structure\n"))
    let before = try runs("before", [40, 41, 42, 43, 44])
    let after = try runs("after", [50, 51, 52, 53, 54])
    let arguments = ["diff", "--base"] + before + ["--new"] + after
    #expect(try Command.run(arguments: arguments + ["--fail-on", "slower"]).status == 1)
    #expect(try Command.run(arguments: arguments + ["--fail-on", "slower=50%"]).status == 0)
    #expect(
      try Command.run(arguments: ["diff", "--base"] + after + ["--new"] + before + ["--fail-on", "slower"]).status == 0)
  }

  @Test("the keys of version 1 are a contract: Documentation/json.md")
  func keys() throws {
    let result = try Command.run("diff", base, new, "--json", "--fail-on", "findings,structure")
    #expect(result.status == 1)
    let document = try JSONSerialization.jsonObject(with: Data(result.output.utf8)) as? [String: Any]
    #expect(Set((document ?? [:]).keys) == ["version", "runs", "structure", "timings", "wall", "failedOn"])
    #expect(document?["failedOn"] as? [String] == ["structure"])
    let timings = try #require(document?["timings"] as? [[String: Any]])
    #expect(timings.map { $0["pattern"] as? String } == ["load #", "store #"])
    for timing in timings {
      #expect(Set(timing.keys) == ["pattern", "class", "queue", "function", "ratio", "low", "high", "p", "verdict"])
    }
    let file = folder.path("diff.json")
    #expect(try Command.run("diff", base, new, "-o", file).status == 0)
    #expect(try Data(contentsOf: URL(fileURLWithPath: file)).first == UInt8(ascii: "{"))
  }

  @Test("with samples, diff shows which functions take more processor time")
  func functions() throws {
    func write(_ name: String, _ samples: Int) throws -> String {
      var trace = SampledTrace()
      trace.sampling(every: 1_000_000)
      for (function, count) in [("load", 50), ("parse", samples)] {
        let stack = trace.stack(["main", function])
        for time in 0..<count { trace.sample(time, 2, stack) }
      }
      return try folder.write("\(name).txt", Array(trace.text.utf8))
    }
    let (before, after) = (try write("few", 20), try write("many", 90))
    let result = try Command.run("diff", before, after)
    #expect(result.status == 0 && result.errors == "")
    #expect(result.output.contains("\n  parse     main.swift:3  20.0 ms  90.0 ms  +70.0 ms"))
    let json = try Command.run("diff", before, after, "--json")
    let document = try JSONSerialization.jsonObject(with: Data(json.output.utf8)) as? [String: Any]
    let part = try #require(document?["processorTime"] as? [String: Any])
    let functions = try #require(part["functions"] as? [[String: Any]])
    #expect(functions.map { $0["function"] as? String } == ["parse", "load"])
    #expect(functions.map { $0["clear"] as? Bool } == [true, false])
    #expect(functions[0]["newSeconds"] as? Double == 0.09)
    #expect(try Command.run("diff", before, base).output.contains("  not compared: the new version has no samples"))
  }

  @Test("diff predicts the wall time for a changed duration")
  func predicted() throws {
    let result = try Command.run("diff", base, new)
    #expect(
      result.output.contains(
        "What that means for the wall time\n  a base run, 60.0 ms recorded, replayed in a simulator: 60.0 ms"))
    #expect(result.output.contains("\n  load # (Load) x1.50: 80.0 ms ("))
    let document =
      try JSONSerialization.jsonObject(
        with: Data(try Command.run("diff", base, new, "--json").output.utf8)) as? [String: Any]
    let predicted = try #require((document?["wall"] as? [String: Any])?["foreseen"] as? [String: Any])
    #expect(predicted["recordedSeconds"] as? Double == 0.06)
    let patterns = try #require(predicted["patterns"] as? [[String: Any]])
    #expect(patterns.map { $0["pattern"] as? String } == ["load #"])
    let wall = try #require(patterns[0]["wallSeconds"] as? Double)
    #expect(abs(wall - 0.08) < 0.001)
    let same = try Command.run("diff", base, base)
    #expect(!same.output.contains("What that means"))
  }

  @Test("a name that ends with .svg gets the graph of added and removed work")
  func picture() throws {
    let file = folder.path("diff.svg")
    let result = try Command.run("diff", base, new, "-o", file, "--fail-on", "structure")
    #expect(result.status == 1)
    #expect(result.output == "" && result.errors == "")
    let svg = try String(contentsOfFile: file, encoding: .utf8)
    #expect(svg.hasPrefix("<?xml"))
    #expect(svg.contains(">base.txt → new.txt</text>"))
    #expect(svg.contains(">load #"))
    #expect(svg.contains(">max 2 → max 1</text>"))
  }

  @Test("a name that ends with .html gets a page with the median run of each side")
  func page() throws {
    let file = folder.path("diff.html")
    let before = try runs("before", [90, 41, 10])
    let after = try runs("after", [50, 55, 52])
    let result = try Command.run(arguments: ["diff", "--base"] + before + ["--new"] + after + ["-o", file])
    #expect(result.status == 0)
    #expect(result.output == "" && result.errors == "")
    let page = try String(contentsOfFile: file, encoding: .utf8)
    #expect(page.contains(">before0.txt and 2 more → after0.txt and 2 more</text>"))
    #expect(page.contains("\"work (new)\""))
    // The median runs take 41 + 20 and 52 + 20 ms.
    #expect(page.contains("\"activity\":[0,72000000]"))
    #expect(page.contains("\"comparison\":{"))
    let refused = try Command.run("diff", base, new, "--json", "-o", file)
    #expect(refused.status == 64)
    #expect(refused.errors.contains("--json and a page or picture cannot be combined"))
  }

  @Test("a pipe is read once, even if the page needs the trace twice")
  func pipe() throws {
    let file = folder.path("piped.html")
    let result = try Command.run("diff", "-", new, "-o", file, input: Array(Self.trace().utf8))
    #expect(result.status == 0)
    #expect(try String(contentsOfFile: file, encoding: .utf8).contains(">standard input → new.txt</text>"))
  }

  @Test("wrong usage is refused with a hint")
  func usage() throws {
    func refused(_ arguments: [String], _ words: String, status: Int32 = 64) throws {
      let result = try Command.run(arguments: ["diff"] + arguments)
      #expect(result.status == status, "\(arguments)")
      #expect(result.errors.contains(words), "\(result.errors)")
      #expect(result.output == "")
    }
    try refused([], "diff takes two traces")
    try refused([base], "diff takes two traces")
    try refused([base, new, base], "diff takes two traces")
    try refused(["--base", base], "--base and --new belong together")
    try refused(["--base", base, base, "--new", new], "is named twice: a run counts once")
    try refused([base, new, "--fail-on", "speed"], "'speed' is not a condition")
    try refused(
      [base, new, "--fail-on", "slower=3%"], "slower needs at least 5 runs of each side, and there are 1 and 1")
    try refused([base, new, "-o", base], "is the trace itself")
    try refused([base, new, "-o", folder.path("diff.png")], "diff draws its graph as svg")
    try refused([base, folder.path("none")], "no such file", status: 66)
    try refused([base, try folder.write("empty", [])], "is empty", status: 65)
  }

  @Test("--fail-on decides nothing on an incomplete trace; without it the trace is compared")
  func lossy() throws {
    let lossy = try folder.write("lossy.txt", Array(Self.trace(header: "lost no-space 3").utf8))
    #expect(try Command.run("diff", base, lossy).status == 0)
    let result = try Command.run("diff", base, lossy, "--fail-on", "structure")
    #expect(result.status == 65)
    #expect(result.errors.contains("is incomplete, so it does not show what was added or removed"))
  }

  @Test("traces without operations are compared")
  func nothing() throws {
    let empty = try folder.write("none.txt", Array(TypedTrace().text("", in: .milliseconds).utf8))
    let result = try Command.run("diff", empty, empty)
    #expect(result.status == 0)
    #expect(result.output.contains("the same"))
    #expect(try Command.run("diff", base, empty, "--fail-on", "structure").status == 1)
  }
}
