import Foundation
import TestSupport
import Testing

/// What commands beside `optrace memory` tell of a trace with sampled allocations.
@Suite("Memory in the outputs of other commands", .ownThread)
struct MemoryOutputTests {
  private let folder: Scratch
  private let path: String

  init() throws {
    folder = try Scratch()
    path = try folder.write("cache.txt", Array(Self.cache(entries: 900).text().utf8))
  }

  /// A cache that grows, and what is allocated beside it and freed.
  private static func cache(entries: Int) -> MemoryTrace {
    var made = MemoryTrace()
    let insert = made.sampled.stack(["main", "serve()", "insert(_:)"])
    let parse = made.sampled.stack(["main", "serve()", "parse()"])
    made.look(at: 0, resident: 10_000, anonymous: 2000)
    for index in 0..<entries {
      made.allocate(10_000, at: index * 10, in: insert, type: "Photos.Entry")
      let text = made.allocate(4000, at: index * 10 + 1, in: parse)
      made.free(text, at: index * 10 + 5)
    }
    made.look(at: 9500, resident: 20_000, anonymous: 12_000)
    return made
  }

  private func document(_ arguments: String...) throws -> [String: Any] {
    let result = try Command.run(arguments: arguments)
    #expect(result.status == 0 && result.errors == "", "\(result.errors)")
    return try #require(JSONSerialization.jsonObject(with: Data(result.output.utf8)) as? [String: Any])
  }

  @Test("tables can be asked")
  func tables() throws {
    let result = try Command.run(
      "sql", path, "--csv",
      "SELECT function, sum(bytes), sqrt(sum(variance)), sum(live_bytes) FROM allocations GROUP BY 1 ORDER BY 2 DESC")
    #expect(result.status == 0, "\(result.errors)")
    #expect(
      result.output.split(whereSeparator: \.isNewline).dropFirst() == [
        "insert(_:),9000000.0,0.0,9000000.0", "parse(),3600000.0,0.0,0.0",
      ])
    let use = try Command.run("sql", path, "--csv", "SELECT resident, live_bytes FROM memory_use ORDER BY time")
    #expect(use.output.split(whereSeparator: \.isNewline).dropFirst() == ["10240000,10000.0", "20480000,9000000.0"])
    #expect(try Command.run("sql", path, "@memory-by-function").output.contains("insert(_:)"))
  }

  @Test("the summary has what was allocated, what lives, the peak and the most allocating functions")
  func summary() throws {
    let text = try Command.run("summary", path)
    #expect(text.status == 0)
    #expect(text.output.contains("\nMemory\n  13 MB allocated, 9 MB live at the end, 9 MB at most, after 8.99 s\n"))
    #expect(text.output.contains("  20 MB resident at the end, 20 MB at most\n  grows by "))
    let memory = try #require(document("summary", "--json", path)["memory"] as? [String: Any])
    #expect((memory["allocated"] as? [String: Any])?["bytes"] as? Int == 12_600_000)
    #expect((memory["live"] as? [String: Any])?["bytes"] as? Int == 9_000_000)
    #expect((memory["functions"] as? [[String: Any]])?.first?["function"] as? String == "insert(_:)")
    // The same keys, so that one reader serves both.
    let whole = try document("memory", "--json", path)
    for (key, value) in memory { #expect(JSONPaths.of(value).isSubset(of: JSONPaths.of(whole[key] ?? "")), "\(key)") }
  }

  @Test("two runs are compared by what functions allocate, and what lives")
  func difference() throws {
    let less = try folder.write("less.txt", Array(Self.cache(entries: 300).text().utf8))
    let text = try Command.run("diff", less, path)
    #expect(text.status == 0, "\(text.errors)")
    #expect(
      text.output.contains(
        "\nMemory by function\n  allocated 4.2 MB to 13 MB (+8.4 MB), live at the end 3 MB to 9 MB (+6 MB)\n"))
    #expect(text.output.contains("insert(_:)") && text.output.contains("parse()"))
    let memory = try #require(document("diff", "--json", less, path)["memory"] as? [String: Any])
    #expect(((memory["base"] as? [String: Any])?["live"] as? [String: Any])?["bytes"] as? Int == 3_000_000)
    #expect(((memory["new"] as? [String: Any])?["live"] as? [String: Any])?["bytes"] as? Int == 9_000_000)
    let first = try #require((memory["functions"] as? [[String: Any]])?.first)
    #expect(first["function"] as? String == "insert(_:)" && first["selfLiveBytesClear"] as? Bool == true)
    let plain = try folder.write("plain.txt", Array(Fixture.small.utf8))
    #expect(try document("diff", "--json", plain, path)["memory"] == nil)
  }

  @Test("a trace without samples of memory has nothing of it")
  func without() throws {
    let plain = try folder.write("plain.txt", Array(Fixture.small.utf8))
    #expect(try !Command.run("summary", plain).output.contains("Memory"))
    #expect(try document("summary", "--json", plain)["memory"] == nil)
  }
}
