import Foundation
import TestSupport
import Testing

@Suite("optrace whatif", .ownThread)
struct WhatIfCommandTests {
  private let folder: Scratch
  private let trace: String

  init() throws {
    folder = try Scratch()
    trace = try folder.write("run.txt", Array(TypedTrace().text(Self.lines, in: .milliseconds).utf8))
  }

  /// Two operations of one queue. The first waits for the second.
  private static let lines = """
    0 t1 queue q1 limit=2 "work"
    0 t1 created #1 class="Outer"
    0 t1 named #1 "outer"
    0 t1 enqueued #1 queue=q1 priority=0
    0 t1 ready #1
    0 t1 created #2 class="Inner"
    0 t1 named #2 "inner"
    0 t1 enqueued #2 queue=q1 priority=0
    0 t1 ready #2
    0 t2 started #1
    0 t2 began #1
    0 t3 started #2
    0 t3 began #2
    10 t2 wait #2
    50 t3 ended #2
    50 t3 finished #2
    50 t3 start-returned #2
    50 t2 waited #2
    60 t2 ended #1
    60 t2 finished #1
    60 t2 start-returned #1
    """

  @Test("the text has the replay, then each scenario with its range, then the assumptions")
  func text() throws {
    let result = try Command.run("whatif", trace, "--faster", "Inner=2")
    #expect(result.status == 0)
    #expect(result.errors == "")
    #expect(
      result.output == """
        replayed 60.0 ms, recorded 60.0 ms: the replay matches

        --faster Inner=2
          35.0 ms (34.3 ms to 35.7 ms), 25.0 ms less (42 %)
          critical path: outer

        Assumed
          The trace does not say how many processors there were, so the range covers several numbers of pool threads.
          The trace does not say how long bodies used a processor: they are assumed to wait, and not to slow each other down.

        """)
  }

  @Test("a run that would never end gives status 1, and names the unfinished operations")
  func neverEnds() throws {
    let result = try Command.run("whatif", trace, "--limit", "work=1")
    #expect(result.status == 1)
    #expect(result.output.contains("--limit work=1\n  never ends\n  never finish: outer › inner\n"))
    let suggested = try Command.run("whatif", trace, "--suggest")
    #expect(suggested.status == 0)
    #expect(suggested.output.contains("--faster Inner=infinitely"))
  }

  @Test("the keys of version 1 are a contract: Documentation/json.md")
  func keys() throws {
    let result = try Command.run(
      "whatif", trace, "--json", "--scenario", "--faster Inner=2 --limit work=3", "--scenario", "--limit 'work'=1")
    #expect(result.status == 1)
    let document = try JSONSerialization.jsonObject(with: Data(result.output.utf8)) as? [String: Any]
    let scenarios = try #require(document?["scenarios"] as? [[String: Any]])
    #expect(scenarios.count == 2)
    #expect(scenarios[0]["changes"] as? [String] == ["--limit work=3", "--faster Inner=2"])
    #expect(scenarios[0]["wallSeconds"] as? Double == 0.035)
    for key in ["wallSeconds", "lowSeconds", "highSeconds"] { #expect(scenarios[1][key] is NSNull, "\(key)") }
    #expect(
      (scenarios[1]["neverEnds"] as? [[String: Any]])?.compactMap { $0["name"] as? String } == ["outer", "inner"])
    let group = JSONPaths.group
    var expected = group("", "version:number recordedSeconds:number scenarios[]")
    expected.formUnion(
      group(".replay", "wallSeconds:number errorShare:number finishErrorP95Share:number trusted:number reasons[]"))
    expected.formUnion(
      group(
        ".scenarios[]",
        "changes[] wallSeconds:number wallSeconds:null lowSeconds:number lowSeconds:null highSeconds:number "
          + "highSeconds:null neverEnds[] assumptions[] criticalPath[] operations[]"))
    expected.formUnion([".scenarios[].changes[]:string", ".scenarios[].assumptions[]:string"])
    expected.formUnion(group(".scenarios[].neverEnds[]", "id:number name:string"))
    expected.formUnion(group(".scenarios[].criticalPath[]", "id:number name:string"))
    expected.formUnion(
      group(".scenarios[].operations[]", "id:number name:string wallChangeSeconds:number waitChangeSeconds:number"))
    #expect(
      JSONPaths.of(try JSONSerialization.jsonObject(with: Data(result.output.utf8))).symmetricDifference(expected) == []
    )
  }

  @Test("wrong arguments give status 64 and similar names")
  func usage() throws {
    func expect(_ arguments: [String], _ message: String) throws {
      let result = try Command.run(arguments: arguments)
      #expect(result == Command.Result(status: 64, output: "", errors: "optrace: \(message)\n"), "\(arguments)")
    }
    try expect(
      ["whatif", trace, "--limit", "wrk=1"], "--limit: no queue is called 'wrk'; did you mean 'work'?")
    try expect(
      ["whatif", trace, "--faster", "Iner=2"],
      "--faster: no class, function or operation is called 'Iner'; did you mean 'Inner' or 'inner'?")
    try expect(
      ["whatif", trace, "--limit", "work=0"],
      "--limit 'work=0': a limit of 0 starts nothing; expected QUEUE=N with N of at least 1, or QUEUE=unlimited")
    try expect(
      ["whatif", trace, "--limit", "work=1", "--limit", "work=2"],
      "'--limit work=1' and '--limit work=2' contradict each other")
    try expect(
      ["whatif", trace, "--scenario", "--limit 'work=1"], "--scenario '--limit 'work=1': a quote is not closed")
    try expect(["whatif", trace, "--scenario", " "], "--scenario ' ': it has no change")
    #expect(try Command.run("whatif", trace).status == 64)
    #expect(try Command.run("whatif", trace, "--suggest", "--limit", "work=1").status == 64)
    #expect(try Command.run("whatif", trace, trace, "--suggest").status == 64)
    #expect(try Command.run("whatif", trace, "--scenario", "--nonsense 1").status == 64)
    #expect(try Command.run("whatif", folder.path("none.txt"), "--limit", "work=1").status == 66)
  }

  @Test("a trace without operations gives a message and status 65")
  func empty() throws {
    let none = try folder.write(
      "none.txt", Array(TypedTrace().text("0 t1 queue q1 limit=2 \"work\"", in: .milliseconds).utf8))
    let result = try Command.run("whatif", none, "--limit", "work=1")
    #expect(
      result
        == Command.Result(
          status: 65, output: "",
          errors: "optrace: '\(none)': no operation was given to a queue, so there is nothing to predict\n"))
  }

  @Test("--strict gives status 1 if the predictions are not reliable")
  func strict() throws {
    let lines = Self.lines.split(separator: "\n").dropLast(3).joined(separator: "\n") + "\n90 t1 mark #0 \"here\""
    let cut = try folder.write("cut.txt", Array(TypedTrace().text(lines, in: .milliseconds).utf8))
    #expect(try Command.run("whatif", cut, "--limit", "work=3").status == 0)
    let strict = try Command.run("whatif", cut, "--limit", "work=3", "--strict")
    #expect(strict.status == 1)
    #expect(
      strict.output.contains("the predictions are not reliable\n  1 operations were not over when the trace ended.\n"))
  }

  @Test("several traces of one program give one range over all of them")
  func several() throws {
    let slower = try folder.write(
      "slower.txt", Array(TypedTrace().text(Self.lines.replacing("60 t2", with: "80 t2"), in: .milliseconds).utf8))
    let file = folder.path("out.json")
    #expect(try Command.run("whatif", trace, slower, "--limit", "work=3", "-o", file).status == 0)
    let document = try JSONSerialization.jsonObject(with: try Data(contentsOf: URL(fileURLWithPath: file)))
    let scenario = try #require(((document as? [String: Any])?["scenarios"] as? [[String: Any]])?.first)
    #expect(try #require(scenario["lowSeconds"] as? Double) < 0.06)
    #expect(try #require(scenario["highSeconds"] as? Double) > 0.08)
  }

  @Test("a page shows the predicted run beside the recorded one, for a single scenario")
  func page() throws {
    let file = folder.path("run.html")
    let result = try Command.run("whatif", trace, "--limit", "work=unlimited", "-o", file)
    #expect(result == Command.Result(status: 0, output: "", errors: ""))
    let page = try String(contentsOfFile: file, encoding: .utf8)
    #expect(page.hasPrefix("<!DOCTYPE html>") || page.hasPrefix("<!doctype html>"))
    #expect(page.contains("work (predicted)"))
    let two = try Command.run(
      "whatif", trace, "--scenario", "--limit work=1", "--scenario", "--limit work=3", "-o", file)
    #expect(two.status == 64)
    #expect(two.errors.contains("a page shows one scenario of one trace"))
  }
}
