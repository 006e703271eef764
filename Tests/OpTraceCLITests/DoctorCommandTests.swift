import Foundation
import OpTraceAnalysis
import TestSupport
import Testing

@Suite("optrace doctor", .ownThread)
struct DoctorCommandTests {
  private let folder: Scratch

  init() throws { folder = try Scratch() }

  private func file(_ text: String, _ name: String = "x.txt") throws -> String {
    try folder.write(name, Array(text.utf8))
  }

  @Test("a finding is printed exactly, with status 1")
  func text() throws {
    let trace = try file(DoctorFixture.cycle)
    let result = try Command.run("doctor", trace)
    #expect(result.status == 1)
    #expect(result.errors == "")
    let executable = try Command.executable.path
    #expect(
      result.output == """
        Stuck for 3 s: 2 operations depend on each other in a cycle, at Login.swift:12. Nothing can end it.

        error[dependency-cycle]: 2 operations depend on each other in a cycle
          'Token' (#1)    pending 3 s in 'network'  Request at App/Login.swift:12
          'Session' (#2)  pending 3 s in 'account'  Step
          cycle: 'Token' → 'Session' → 'Token'
          behind: 1 more operation waits for these, directly or not

          0.002 s  'Token' (#1) depends on 'Session' (#2), which is not finished
          0.002 s  'Session' (#2) depends on 'Token' (#1), which is not finished
          0.004 s  thread 4712 'waiter' waits for 'Token' (#1)

          why: An operation starts when all its dependencies are finished. Each of these waits for the next,
               and the last for the first, so none of them can start.
          fix: Remove one of these dependencies: the one that the work does not need.

        deadlocked: 1 error; 3 of 3 operations are unfinished, and nothing moved in the last 3 s.
        A picture of it:
          \(executable) graph --deadlock \(trace) -o deadlock.svg
        What this means:
          \(executable) doctor --explain dependency-cycle

        """)
  }

  @Test("a healthy trace gives one line and status 0")
  func healthy() throws {
    let result = try Command.run("doctor", try file(Fixture.many(27)))
    #expect(
      result
        == Command.Result(
          status: 0, output: "No deadlock, stall or misuse found in 27 operations.\n", errors: ""))
  }

  @Test("a damaged trace gives status 65, and no finding is an error")
  func damaged() throws {
    func damaged(_ text: String) throws -> [UInt8] {
      var bytes = try Fixture.binary(text)
      bytes[bytes.count - 40] ^= 0xFF
      return bytes
    }
    let healthy = try Command.run("doctor", try folder.write("a.optrace", try damaged(Fixture.small)))
    #expect(healthy.status == 65)
    #expect(healthy.errors.contains("is damaged"))
    // The missing records might contradict the finding, so it is no error.
    let cycle = try Command.run("doctor", try folder.write("b.optrace", try damaged(DoctorFixture.cycle)))
    #expect(cycle.status == 65)
    #expect(!cycle.output.contains("error["))
    #expect(cycle.output.contains("The trace is not complete"))
  }

  @Test("unreadable files give a message and a status")
  func badInput() throws {
    let cut = try Fixture.binary(DoctorFixture.cycle).prefix(100)
    let result = try Command.run("doctor", try folder.write("cut.optrace", Array(cut)))
    #expect(result.status == 65)
    #expect(result.output == "" && result.errors.hasPrefix("optrace: "))
    #expect(try Command.run("doctor", folder.path("none")).status == 66)
  }

  @Test("the keys of version 1 are a contract: Documentation/json.md")
  func keys() throws {
    let result = try Command.run("doctor", "--json", try file(DoctorFixture.cycle))
    #expect(result.status == 1)
    let found = JSONPaths.of(try JSONSerialization.jsonObject(with: Data(result.output.utf8)))
    var expected = JSONPaths.group(
      "",
      "version:number verdict:string operationCount:number unfinishedCount:number endSeconds:number "
        + "silenceSeconds:number complete:number live:null answer:string findings[]")
    expected.formUnion(
      JSONPaths.group(
        ".findings[]",
        "code:string severity:string proven:number title:string explanation:string operations[] queues[] cycle[] "
          + "cycle[]:number chain[] behind:number evidence[] fix:string certainty:string consequences[]"))
    expected.formUnion(
      JSONPaths.group(".findings[].location", "function:null file:string line:number module:null"))
    expected.formUnion(
      JSONPaths.group(
        ".findings[].chain[]",
        "kind:string id:number name:string function:null file:string file:null line:number line:null"))
    expected.formUnion(
      JSONPaths.group(
        ".findings[].operations[]",
        "id:number name:string class:string state:string stateSeconds:number queue:number source:string source:null "
          + "function:null file:string file:null line:number line:null module:null"))
    expected.formUnion(JSONPaths.group(".findings[].queues[]", "id:number name:string"))
    expected.formUnion(
      JSONPaths.group(
        ".findings[].evidence[]",
        "atSeconds:number thread:number thread:null threadSystemId:number threadSystemId:null text:string"))
    #expect(found.subtracting(expected) == [])
    #expect(expected.subtracting(found) == [])
    #expect(result.output.hasPrefix("{\n  \"version\": 1,\n  \"verdict\": \"deadlocked\",\n  \"operationCount\": 3,\n"))
    #expect(result.output.contains("\"endSeconds\": 3,\n"))
    #expect(result.output.contains("\"cycle\": [\n        1,\n        2\n      ],"))
  }

  @Test("the verdict is deadlocked, stalled or healthy")
  func verdicts() throws {
    for (text, verdict, status) in [
      (DoctorFixture.cycle, "deadlocked", 1), (DoctorFixture.selfWait, "deadlocked", 1),
      (DoctorFixture.suspended, "stalled", 1), (Fixture.many(3), "healthy", 0),
    ] as [(String, String, Int32)] {
      let result = try Command.run("doctor", "-", "--json", input: Array(text.utf8))
      #expect(result.output.contains("\"verdict\": \"\(verdict)\""))
      #expect(result.status == status)
    }
  }

  @Test("--explain prints a page for every code, and --list a line")
  func manual() throws {
    let list = try Command.run("doctor", "--list")
    #expect(list.status == 0)
    let codes = list.output.split(separator: "\n").filter { $0.hasPrefix("  ") && !$0.hasPrefix("   ") }
      .compactMap { $0.split(separator: " ").first.map(String.init) }
    #expect(codes.sorted() == DoctorRule.table.map(\.code.rawValue).sorted())
    for rule in DoctorRule.table {
      let page = try Command.run("doctor", "--explain", rule.code.rawValue)
      #expect(page.status == 0)
      #expect(page.output.hasPrefix("\(rule.severity.rawValue)[\(rule.code)]: "))
      #expect(page.output.contains("\n\nWrong\n    ") && page.output.contains("\n\nRight\n    "))
      let words = rule.guide.meaning.split(separator: " ").prefix(5).joined(separator: " ")
      #expect(page.output.contains(words), "\(rule.code)")
    }
  }

  @Test(
    "wrong usage gives one sentence and status 64",
    arguments: [
      (
        ["--explain", "dependncy-cycle"], "the doctor knows no code 'dependncy-cycle': did you mean 'dependency-cycle'?"
      ),
      (["--explain", "x\u{1B}"], "the doctor knows no code 'x\u{FFFD}': 'optrace doctor --list' lists them"),
      (["--list", "x.optrace"], "--list reads no trace: omit the other arguments"),
      (["--explain", "wait-cycle", "--json"], "--explain reads no trace: omit the other arguments"),
      (["--explain", "wait-cycle", "--list"], "--explain and --list cannot be combined"),
      (["x.optrace", "--stall-after=-1"], "--stall-after must be 0 to 1000000 seconds"),
    ])
  func usage(arguments: [String], message: String) throws {
    let result = try Command.run(arguments: ["doctor"] + arguments)
    #expect(result.status == 64)
    #expect(result.output == "")
    #expect(result.errors.split(separator: "\n").first == "optrace: \(message)")
  }

  @Test("names cannot control the terminal or break a line, and long ones are cut")
  func hostile() throws {
    let long = String(repeating: "x", count: 10_000)
    for name in ["a\\u{1b}[31mb", "\\u{202e}gnp.exe", "a\\nb\\rc", long] {
      let result = try Command.run("doctor", try file(DoctorFixture.cycle(named: name, process: name)))
      #expect(result.status == 1, "\(result.errors)")
      #expect(!result.output.unicodeScalars.contains { $0.value == 0x1B || $0.value == 0x202E || $0 == "\r" })
      let lines = result.output.split(separator: "\n")
      #expect(lines[0].hasPrefix("Stuck for 3 s: 2 operations depend on each other in a cycle, at "))
      #expect(lines[1] == "error[dependency-cycle]: 2 operations depend on each other in a cycle")
      #expect(result.output.utf8.count < 5000)
    }
  }

  @Test("-o writes the same text as standard output; a closed pipe keeps the status")
  func output() throws {
    let trace = try file(DoctorFixture.cycle)
    let target = folder.path("report.txt")
    let result = try Command.run("doctor", trace, "-o", target)
    #expect(result.status == 1 && result.output == "")
    #expect(try String(contentsOfFile: target, encoding: .utf8) == (try Command.run("doctor", trace).output))
    let script = #"{ sleep 0.2; "$optrace" doctor "$1"; echo "status $?" >&2; } | true"#
    #expect(try Command.run(trace, shell: script).errors == "status 1\n")
    let refused = try Command.run("doctor", trace, "-o", trace)
    #expect(refused.status == 64)
  }

  @Test("a pipe gets no colour")
  func plain() throws {
    let result = try Command.run("doctor", try file(DoctorFixture.cycle), environment: ["TERM": "xterm-256color"])
    #expect(!result.output.contains("\u{1B}"))
  }
}
