import Foundation
import TestSupport
import Testing

@Suite("optrace requests", .ownThread)
struct RequestsCommandTests {
  /// A service of one connection and twenty requests, of which one is slow.
  private static let service: String = {
    var lines = [
      "image i1 page=4096 pages=64 \"/opt/shop/shop\"",
      "frame f1 image=i1 offset=4112",
      "symbol f1 short=\"serve()\" line=1 file=\"/src/Server.swift\" module=\"Shop\" \"serve()\"",
      "frame f2 image=i1 offset=4128 caller=f1",
      "symbol f2 short=\"next()\" line=9 file=\"/src/Server.swift\" module=\"Shop\" \"next()\"",
      "frame f3 image=i1 offset=4144 caller=f1",
      "symbol f3 short=\"price(_:)\" line=33 file=\"/src/Price.swift\" module=\"Shop\" \"price(_:)\"",
    ].map { "0 t0 " + $0 }
    func add(_ time: Int, _ event: String) { lines.append("\(time) t2 \(event)") }
    add(10, "task #1 by=#0 how=0 priority=21 enqueued code=f1")
    add(11, "task-run #1")
    add(12, "task-suspended #1 reason=2")
    add(12, "at f2")
    for number in 0..<20 {
      let (time, waited) = (10_000 * (number + 1), number == 13 ? 9000 : 100)
      add(time, "task-resumed #1 how=0")
      add(time, "task-enqueued #1 by=#0")
      add(time + 10, "task-run #1")
      add(time + 20, "task-suspended #1 reason=2")
      add(time + 20, "at f3")
      add(time + 20 + waited, "task-resumed #1 how=0")
      add(time + 20 + waited, "task-enqueued #1 by=#0")
      add(time + 30 + waited, "task-run #1")
      add(time + 40 + waited, "task-suspended #1 reason=2")
      add(time + 40 + waited, "at f2")
    }
    return TypedTrace().text(lines.joined(separator: "\n"), in: .microseconds)
  }()

  private func file(_ scratch: Scratch, _ text: String = service) throws -> String {
    try scratch.write("service.txt", Array(text.utf8))
  }

  @Test("the text has a table of kinds, a sentence, a breakdown of the time, and examples")
  func text() throws {
    let scratch = try Scratch()
    let result = try Command.run("requests", try file(scratch))
    #expect(result.status == 0)
    #expect(
      result.output == """
        Units of work
          kind       count  per s     p50     p95      p99      max  failed  source
          price(_:)     20    105  140 µs  140 µs  9.04 ms  9.04 ms          Price.swift:33

        price(_:): the slow ones wait 9 ms in 'price(_:)' (Price.swift:33) for something outside of the program; those about the median 100 µs
          median  slowest     more  what                     who  function   source
          100 µs  9.00 ms  8.90 ms  waiting for the outside       price(_:)  Price.swift:33
          examples: #1:14 9.04 ms at 140 ms, #1:20 140 µs at 200 ms, #1:19 140 µs at 190 ms

        """)
  }

  @Test("JSON has the documented keys")
  func json() throws {
    let scratch = try Scratch()
    let result = try Command.run("requests", try file(scratch), "--json", "--slowest", "1")
    let value = try #require(try JSONSerialization.jsonObject(with: Data(result.output.utf8)) as? [String: Any])
    #expect(value["version"] as? Int == 1)
    let kind = try #require((value["kinds"] as? [[String: Any]])?.first)
    let keys: Set = [
      "name", "function", "file", "line", "count", "perSecond", "p50Seconds", "p95Seconds", "p99Seconds", "maxSeconds",
      "failed", "breakdown", "examples",
    ]
    #expect(keys.isSubset(of: kind.keys))
    #expect(kind["name"] as? String == "price(_:)" && kind["count"] as? Int == 20 && kind["line"] as? Int == 33)
    let share = try #require((kind["breakdown"] as? [[String: Any]])?.first)
    #expect(share["what"] as? String == "outside" && share["function"] as? String == "price(_:)")
    #expect(share["tailSeconds"] as? Double == 0.009 && share["medianSeconds"] as? Double == 0.0001)
    let example = try #require((kind["examples"] as? [[String: Any]])?.first)
    #expect(example["id"] as? String == "#1:14" && example["seconds"] as? Double == 0.00904)
    #expect((value["loops"] as? [Any])?.isEmpty == true && (value["actors"] as? [Any])?.isEmpty == true)
  }

  /// Ten tasks wait for one actor at once, and one turn of an event loop is long.
  private static let busy: String = {
    var lines = [
      "1000 t2 loop-turns t4 turns=9 busy=400000 idle=600000 longest=30000",
      "900 t4 loop-turn t4 age=\(30_000_000 / 16)",
    ]
    for id in 1...10 {
      lines += [
        "1000 t2 task #\(id) how=0 priority=21 enqueued", "1001 t2 task-run #\(id)",
        "1002 t2 task-suspended #\(id) reason=4",
        "1002 t2 task-queued #\(id) actor=3 class=\"Cache\" by=#\(id)", "\(1000 + id * 100) t3 task-run #\(id)",
        "\(1090 + id * 100) t3 task-completed #\(id)",
      ]
    }
    return TypedTrace().text(lines.joined(separator: "\n"), in: .milliseconds)
  }()

  private func lists(_ path: String, _ more: String...) throws -> (loops: [[String: Any]], actors: [[String: Any]]) {
    let output = try Command.run(arguments: ["requests", path, "--json"] + more).output
    let value = try #require(try JSONSerialization.jsonObject(with: Data(output.utf8)) as? [String: Any])
    let loops = try #require(value["loops"] as? [[String: Any]])
    let actors = try #require(value["actors"] as? [[String: Any]])
    return (loops, actors)
  }

  @Test("JSON has event loops and actors") func loopsAndActors() throws {
    let scratch = try Scratch()
    let path = try file(scratch, Self.busy)
    let (loops, actors) = try lists(path)
    let places: Set = ["function", "file", "line"]
    let loop = try #require(loops.first)
    #expect(
      Set(loop.keys)
        == places.union(["name", "thread", "turns", "busyShare", "longestSeconds", "longTurns", "longSeconds"]))
    #expect(loop["thread"] as? Int == 4 && loop["turns"] as? Int == 9 && loop["busyShare"] as? Double == 0.4)
    #expect(loop["longTurns"] as? Int == 1 && loop["longSeconds"] as? Double == 0.03)
    let actor = try #require(actors.first)
    #expect(
      Set(actor.keys)
        == places.union(["name", "class", "usedShare", "waits", "p50WaitSeconds", "p99WaitSeconds", "deepest"]))
    #expect(actor["name"] as? String == "actor Cache 3" && actor["class"] as? String == "Cache")
    #expect(actor["waits"] as? Int == 10 && actor["deepest"] as? Int == 10)
    #expect(actor["p50WaitSeconds"] as? Double == 0.498 && actor["p99WaitSeconds"] as? Double == 0.998)
    // From 1.55 s on, five waits end, and the loop has no turn.
    let late = try lists(path, "--from", "1550ms")
    #expect(late.loops.isEmpty && late.actors.first?["waits"] as? Int == 5)
  }

  @Test(
    "--module selects the program's own code", arguments: ["requests", "summary", "doctor", "report"])
  func modules(command: String) throws {
    let scratch = try Scratch()
    // `serve()` and `next()` belong to another module.
    let text = Self.service.split(separator: "\n").map {
      $0.contains("Server.swift") ? String($0).replacing("module=\"Shop\"", with: "module=\"Serving\"") : String($0)
    }.joined(separator: "\n")
    let path = try file(scratch, text)
    func run(_ more: String...) throws -> Command.Result {
      try Command.run(
        arguments: [command, path] + (command == "report" ? ["-o", scratch.path("page.html")] : []) + more)
    }
    let named = try run("--module", "Shop", "--module", "Serving")
    #expect(named.status == 0 && named.errors == "")
    let mistaken = try run("--module", "Shpo")
    #expect(mistaken.status == 0)
    #expect(
      mistaken.errors == "optrace: warning: the trace has no function of module 'Shpo'; did you mean 'Shop'?\n")
    guard command == "summary" else { return }
    func functions(_ module: String) throws -> [String?] {
      let output = try run("--json", "--module", module).output
      let value = try #require(try JSONSerialization.jsonObject(with: Data(output.utf8)) as? [String: Any])
      return try #require(value["taskWaits"] as? [[String: Any]]).map { $0["function"] as? String }
    }
    #expect(try functions("Shop").first == "price(_:)")
    // The waits are counted for the calling functions of that module.
    #expect(try Set(functions("Serving")) == ["serve()", "next()"])
  }

  @Test("--from and --to select a part; unknown kinds and wrong options are refused")
  func options() throws {
    let scratch = try Scratch()
    let path = try file(scratch)
    #expect(try Command.run("requests", path, "--from", "100ms", "--to", "150ms").output.contains("price(_:)      5 "))
    let unknown = try Command.run("requests", path, "--kind", "prise(_:)")
    #expect(unknown.status == 64 && unknown.errors.contains("no kind of units is called 'prise(_:)'"))
    #expect(unknown.errors.contains("price(_:)"))
    #expect(try Command.run("requests", path, "--slowest", "-1").status == 64)
    #expect(try Command.run("requests", path, "--from", "2s", "--to", "1s").status == 64)
    let around = try Command.run("timeline", path, "--around", "#1:14")
    #expect(around.status == 0 && !around.output.isEmpty)
    #expect(try Command.run("timeline", path, "--around", "#1:99").status == 64)
  }

  @Test("a trace without units gives a sentence; empty and missing files are refused")
  func nothing() throws {
    let scratch = try Scratch()
    let none = try Command.run("requests", try file(scratch, TypedTrace().text("", in: .microseconds)))
    #expect(none.status == 0 && none.output == "No unit of work has ended.\n")
    #expect(try Command.run("requests", try scratch.write("empty.optrace", [])).status == 65)
    #expect(try Command.run("requests", scratch.path("missing.optrace")).status == 66)
  }

  @Test("units are rows of SQL tables")
  func sql() throws {
    let scratch = try Scratch()
    let path = try file(scratch)
    let units = try Command.run(
      "sql", path, "SELECT kind, count(*) AS n, max(seconds) AS longest FROM requests GROUP BY kind")
    #expect(units.status == 0 && units.output.contains("price(_:)") && units.output.contains("0.00904"))
    let parts = try Command.run(
      "sql", path,
      "SELECT sum(p.seconds) AS s FROM request_parts p JOIN requests r ON r.request = p.request WHERE r.name = '#1:14'")
    #expect(parts.output.contains("0.00904"))
  }
}
