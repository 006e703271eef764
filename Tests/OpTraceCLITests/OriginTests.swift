import Foundation
import TestSupport
import Testing

/// What the command says of traces that nobody recorded, by traces that are written down.
@Suite("Traces that were made from outside", .ownThread) struct OriginTests {
  private let folder: Scratch

  init() throws { folder = try Scratch() }

  private func trace(_ lines: String...) throws -> String {
    let head = ["optrace text 1", "process 100 \"app\"", "state closed", "0 t1 thread t1 tid=100 \"app\""]
    return try folder.write(
      "trace.txt", Array((head + ["0 t2 thread t2 tid=0 \"optrace\""] + lines).joined(separator: "\n").utf8 + [10]))
  }

  /// Two operations that depend on each other in a queue.
  private static let cycle = [
    "1000 t2 queue q1 limit=1 \"work\"", "1000 t2 created #1 class=\"A\"", "1000 t2 created #2 class=\"A\"",
    "1000 t2 depends #1 on=#2", "1000 t2 depends #2 on=#1", "1000 t2 enqueued #1 queue=q1 priority=0",
    "1000 t2 enqueued #2 queue=q1 priority=0",
  ].joined(separator: "\n")

  private func verdict(_ path: String) throws -> (Int32, String?) {
    let result = try Command.run("doctor", path, "--json")
    let report = try JSONSerialization.jsonObject(with: Data(result.output.utf8)) as? [String: Any]
    return (result.status, report?["verdict"] as? String)
  }

  @Test("nothing found is unknown where something was left out, else healthy") func unknown() throws {
    let whole = try trace("2000 t2 outside timed \"\"", "9000000000 t2 thread t3 tid=101 \"\"")
    #expect(try verdict(whole) == (0, "healthy"))
    let part = try trace("2000 t2 outside core \"A is missing.\"", "2000 t2 outside core \"B is missing.\"")
    #expect(try verdict(part) == (0, "unknown"))
    let text = try Command.run("doctor", part)
    #expect(text.status == 0 && text.errors == "")
    #expect(
      text.output.hasPrefix("Whether it is stuck is not known. A is missing. 1 more part is left out. "), "\(text)")
    for line in ["Left out: A is missing.", "Left out: B is missing."] { #expect(text.output.contains(line + "\n")) }
    let graph = try Command.run("graph", "--deadlock", part, "-o", folder.path("x.svg"))
    #expect(graph.status == 0 && graph.errors.contains("is not known, because not all could be read"), "\(graph)")
  }

  @Test("a cycle is proven also where something was left out; what waits for an end is not") func leftOut() throws {
    let path = try trace(Self.cycle, "2000 t2 outside timed \"A is missing.\"", "9000000000 t2 thread t3 tid=101 \"\"")
    #expect(try verdict(path) == (1, "deadlocked"))
    let never = [
      "1000 t2 queue q1 limit=1 \"work\"", "1000 t2 created #1 class=\"A\"", "1000 t2 created #2 class=\"A\"",
      "1000 t2 depends #1 on=#2", "1000 t2 enqueued #1 queue=q1 priority=0",
    ].joined(separator: "\n")
    let end = "9000000000 t2 thread t3 tid=101 \"\""
    let known = try verdict(try trace(never, "2000 t2 outside timed \"\"", end))
    let other = try verdict(try trace(never, "2000 t2 outside timed \"A is missing.\"", end))
    #expect(known.1 == "stalled" || known.1 == "suspected", "\(known)")
    #expect(other == (0, "suspected"), "\(other)")
  }

  @Test("where nobody knows since when, no time is printed") func untimed() throws {
    let unknown: Int64 = (1 << 55) - (1 << 50)
    let path = try trace(
      Self.cycle, "2000 t2 outside core \"\"", "\(unknown) t2 thread t3 tid=101 \"\"")
    let text = try Command.run("doctor", path)
    #expect(text.status == 1 && text.output.hasPrefix("Stuck: ") && !text.output.contains("unknown time"))
    #expect(text.output.firstMatch(of: /\d (ns|µs|ms|s|min|h)\b/) == nil, "\(text.output)")
    let summary = try Command.run("summary", path)
    #expect(summary.output.contains("unknown") && summary.output.firstMatch(of: /\d (s|min|h)\b/) == nil, "\(summary)")
    #expect(summary.errors.hasPrefix("optrace: note: Read from a core file, which has one moment and no history: "))
  }

  @Test("the text form, the binary one and the packed one say the same") func forms() throws {
    let text = try trace(
      Self.cycle, "2000 t2 outside moved timed watched=2000 \"A is missing.\"", "9000000000 t2 thread t3 tid=101 \"\"")
    let binary = folder.path("trace.optrace")
    #expect(try Command.run("dump", "--format", "binary", text, "-o", binary).status == 0)
    let answer = try Command.run("doctor", text).output
    let words = answer.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    #expect(words.contains("Threads ran meanwhile, so it has only what all looks of 2 s showed."))
    #expect(try Command.run("doctor", binary).output.hasPrefix(String(answer.prefix(200))))
  }
}
