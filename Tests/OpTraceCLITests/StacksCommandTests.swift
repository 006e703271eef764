import Foundation
import OpTraceModel
import TestSupport
import Testing

@Suite("optrace stacks", .ownThread)
struct StacksCommandTests {
  private let folder: Scratch
  private static let golden = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().appendingPathComponent("OpTraceModelTests/Golden/good-snapshot.txt")

  init() throws { folder = try Scratch() }

  @Test("a trace with a snapshot gives text, or JSON by option or file name")
  func golden() throws {
    let path = Self.golden.path
    let text = try Command.run("stacks", path)
    #expect(text.status == 0 && text.errors == "")
    #expect(text.output.hasPrefix("golden (pid 100): snapshot 11.0 s after the start; nothing had moved for 11.0 s\n"))
    #expect(text.output.contains("blocked, waits for a mutex 0x7f0020, held by thread 3 'worker'\n"))
    #expect(text.output.contains("    closure #1 in transfer() (main.swift:12)\n"))
    let json = try Command.run("stacks", path, "--json")
    let file = folder.path("s.json")
    #expect(try Command.run("stacks", path, "-o", file).status == 0)
    #expect(try String(contentsOfFile: file, encoding: .utf8) == json.output)
    // The binary and the packed trace give the same JSON.
    let binary = try folder.write("run.optrace", Fixture.binary(try String(contentsOf: Self.golden, encoding: .utf8)))
    #expect(try Command.run("stacks", binary, "--json").output == json.output)
    let packed = folder.path("run.optracez")
    #expect(try Command.run("pack", binary, "-o", packed).status == 0)
    #expect(try Command.run("stacks", packed, "--json").output == json.output)
  }

  @Test("the keys of version 1 are a contract: Documentation/json.md")
  func keys() throws {
    let document = try JSONSerialization.jsonObject(
      with: Data(try Command.run("stacks", "--json", Self.golden.path).output.utf8))
    let group = JSONPaths.group
    var expected = group("", "version:number threads[]")
    expected.formUnion(
      group(".look", "atSeconds:number lastSignSeconds:number wentOn:number complete:number"))
    expected.formUnion(
      group(
        ".threads[]",
        "id:number systemId:number name:string state:string operation:number operation:null waitsFor:null "
          + "owner:number owner:null frames[]"))
    expected.formUnion(
      group(
        ".threads[].waitsFor",
        "kind:string id:number id:null name:string name:null address:string address:null sinceSeconds:number "
          + "sinceSeconds:null timed:number"))
    expected.formUnion(
      group(
        ".threads[].frames[]",
        "function:string module:string file:string line:number image:string offset:number guessed:number "
          + "inlined:number own:number"))
    expected.formUnion(
      group(
        ".loss",
        "complete:number lostRecords:number reasons{} damage[] overwrittenBytes:number completeSinceSeconds:null unknownRecords:number gaps[]"
      ))
    let found = JSONPaths.of(document)
    #expect(found.subtracting(expected) == [])
    #expect(expected.subtracting(found) == [])
  }

  @Test("summary has more keys if stacks were recorded") func summaryKeys() throws {
    let document = try JSONSerialization.jsonObject(
      with: Data(try Command.run("summary", "--json", Self.golden.path).output.utf8))
    let found = JSONPaths.of(document)
    let made = Self.golden.deletingLastPathComponent().appendingPathComponent("good-stacks.txt").path
    let other = try JSONSerialization.jsonObject(with: Data(try Command.run("summary", "--json", made).output.utf8))
    #expect(JSONPaths.of(other).contains(".slowest[].made.function:string"))
    let place = "function:string file:string line:number module:string"
    let expected = JSONPaths.group(".slowest[].added", place).union(
      JSONPaths.group(
        ".places[]", place + " count:number unfinishedCount:number totalSeconds:number longestSeconds:number"))
    #expect(expected.subtracting(found) == [])
    #expect(found.filter { $0.hasPrefix(".places[]") }.subtracting(expected) == [".places[]"])
  }

  @Test("unreadable and truncated files give the same status and message as summary")
  func badInput() throws {
    let whole = try Fixture.binary(try String(contentsOf: Self.golden, encoding: .utf8))
    let inputs = [
      try folder.write("empty.optrace", []), try folder.write("words.txt", Array("no trace\n".utf8)),
      try folder.write("head.optrace", Array(whole.prefix(500))),
      try folder.write("cut.optrace", Array(whole.prefix(whole.count / 2))), folder.path("none.optrace"),
      try folder.write("small.txt", Array(Fixture.small.utf8)),
    ]
    for input in inputs {
      let (stacks, summary) = (try Command.run("stacks", input), try Command.run("summary", input))
      #expect(stacks.status == summary.status && stacks.errors == summary.errors, "\(input)")
    }
    #expect(
      try Command.run("stacks", inputs[5]).output
        == "fixture (pid 4711): no snapshot of its threads, and none waits or runs an operation\n")
  }

  @Test("an anonymized trace shows no path and no function")
  func anonymised() throws {
    let binary = try folder.write("run.optrace", Fixture.binary(try String(contentsOf: Self.golden, encoding: .utf8)))
    let packed = folder.path("anonymous.optracez")
    #expect(try Command.run("pack", "--anonymize", binary, "-o", packed).status == 0)
    for arguments in [["stacks", packed], ["stacks", "--json", packed], ["stacks", "--full", packed]] {
      let output = try Command.run(arguments: arguments).output
      for word in ["transfer", "main.swift", "/src", "Golden", "golden", "crunch", "/usr"] {
        #expect(!output.contains(word), "\(word) in \(output)")
      }
    }
  }

  #if os(Linux)
    @Test("stacks and doctor ask a running program for a new snapshot")
    func live() throws {
      let trace = folder.path("live.optrace")
      let program = try RunningProgram(
        Command.executable, ["record", "-o", trace, "--", try RecordFolder.program, "hang"], output: .none)
      defer { program.kill() }
      func looks() throws -> (at: Double, threads: [[String: Any]])? {
        let result = try Command.run("stacks", "--json", trace)
        guard result.status == 0, result.errors == "",
          let document = try JSONSerialization.jsonObject(with: Data(result.output.utf8)) as? [String: Any],
          let look = document["look"] as? [String: Any], let at = look["atSeconds"] as? Double
        else { return nil }
        return (at, document["threads"] as? [[String: Any]] ?? [])
      }
      try eventually("it answers", whileRunning: program) { try looks() != nil }
      let first = try #require(try looks())
      let second = try #require(try looks())
      // Each call asks for a new snapshot. On its own the recorder takes one every ten seconds.
      #expect(second.at > first.at && second.at - first.at < 10)
      #expect(!second.threads.isEmpty && second.threads.allSatisfy { $0["systemId"] as? Int ?? 0 > 0 })
      // The command looks up names that are not in the trace yet.
      let frames = second.threads.flatMap { $0["frames"] as? [[String: Any]] ?? [] }
      #expect(frames.contains { $0["own"] as? Bool == true && $0["function"] is String && $0["line"] is Int })
      #expect(try !TraceReader.read(path: trace).stacks.hasNames)
      // A copy of the trace belongs to no process, so nobody is asked.
      let copy = folder.path("copy.optracez")
      #expect(try Command.run("pack", trace, "-o", copy).status == 0)
      #expect(try Command.run("stacks", copy).errors == "")
      let before = try #require(try TraceReader.read(path: trace).snapshot?.time)
      let doctor = try Command.run("doctor", trace)
      #expect([0, 1].contains(doctor.status) && !doctor.errors.contains("gave no new snapshot"))
      #expect(try #require(try TraceReader.read(path: trace).snapshot?.time) > before)
    }

    @Test("optrace takes the snapshot of a stopped program itself, with a note")
    func noAnswer() throws {
      let program = try RunningProgram(
        Command.executable, ["demo", "deadlock", "--timeout", "600", "-o", folder.folder.path], output: .none)
      defer { program.kill() }
      let number = String(program.processID)
      try eventually("it answers", whileRunning: program) {
        let result = try Command.run("stacks", number)
        return result.status == 0 && result.errors == ""
      }
      kill(program.processID, SIGSTOP)
      let result = try Command.run("stacks", number)
      kill(program.processID, SIGCONT)
      #expect(result.status == 0 && result.output.contains("thread"))
      #expect(
        result.errors
          == "optrace: note: process \(number) did not answer, so optrace took the snapshot itself: it has not "
          + "answered for 3 seconds: it is stopped, or gets no processor\n")
    }
  #endif
}
