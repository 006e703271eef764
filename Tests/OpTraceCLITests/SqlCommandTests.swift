import Foundation
import TestSupport
import Testing

@Suite("optrace sql", .ownThread)
struct SqlCommandTests {
  private let folder: Scratch
  private let trace: String

  init() throws {
    folder = try Scratch()
    trace = try folder.write("run.txt", Array(Self.text.utf8))
  }

  private static let text = TypedTrace().text(
    """
    0 t1 queue q1 limit=1 "work"
    0 t1 created #1 class="Load"
    0 t1 named #1 "a,\\"b\\""
    0 t1 enqueued #1 queue=q1 priority=0
    0 t1 ready #1
    0 t2 started #1
    0 t2 began #1
    40 t2 ended #1
    40 t2 finished #1
    40 t2 start-returned #1
    """, in: .milliseconds)

  @Test("rows are printed as a table, as CSV or as JSON")
  func formats() throws {
    let query = "SELECT id, name, cancelled, 1.5 AS half FROM operations"
    let table = try Command.run("sql", trace, query)
    #expect(table.output == "id  name   cancelled  half\n 1  a,\"b\"       null   1.5\n")
    #expect(table.errors == "" && table.status == 0)
    #expect(
      try Command.run("sql", trace, query, "--csv").output == "id,name,cancelled,half\r\n1,\"a,\"\"b\"\"\",,1.5\r\n")
    let json = try Command.run("sql", trace, query, "--json")
    #expect(json.output == "[\n{\"id\":1,\"name\":\"a,\\\"b\\\"\",\"cancelled\":null,\"half\":1.5}\n]\n")
    #expect(try Command.run("sql", trace, "SELECT name FROM marks", "--json").output == "[]\n")
    #expect(try Command.run("sql", trace, "SELECT id FROM marks WHERE 0").status == 64)
    #expect(try Command.run("sql", trace, "SELECT name FROM spans").output == "no rows\n")
  }

  @Test("texts in JSON are read back unchanged, and cannot control a terminal")
  func exact() throws {
    let codes = [0, 1, 8, 9, 10, 13, 27, 34, 92, 127, 133, 0x2028, 0x2029, 0x202E, 0x2066, 0xFFFF, 0x1F600]
    let query = "SELECT " + codes.map { "char(\($0))" }.joined(separator: " || ") + " AS \"k\u{202E}\""
    let output = try Command.run("sql", trace, query, "--json").output
    let rows = try JSONDecoder().decode([[String: String]].self, from: Data(output.utf8))
    let text = String(String.UnicodeScalarView(codes.compactMap { Unicode.Scalar($0) }))
    #expect(rows.map { $0.values.map { Array($0.unicodeScalars) } } == [[Array(text.unicodeScalars)]])
    #expect(rows.first?.keys.first == "k\u{202E}")
    #expect(
      output.unicodeScalars.allSatisfy {
        $0 == "\n" || $0.value >= 0x20 && !(0x7F...0x9F).contains($0.value) && !(0x2028...0x202E).contains($0.value)
      })
  }

  @Test("CSV distinguishes null from an empty text, and never writes a row as an empty line")
  func nulls() throws {
    func csv(_ query: String) throws -> String { try Command.run("sql", trace, query, "--csv").output }
    #expect(try csv("SELECT NULL AS a, '' AS b") == "a,b\r\n,\"\"\r\n")
    #expect(try csv("SELECT NULL AS a UNION ALL SELECT 1") == "a\r\n\"\"\r\n1\r\n")
  }

  @Test("a query is an argument, standard input, or the name of a question")
  func sources() throws {
    #expect(try Command.run("sql", trace, "--csv", input: Array("SELECT 1 AS one;\n".utf8)).output == "one\r\n1\r\n")
    let asked = try Command.run("sql", trace, "@waits-by-class")
    #expect(asked.output.hasPrefix("class  operations"))
    #expect(
      try Command.run("sql", trace, "--csv", input: Array("@waits-by-class".utf8)).output.hasPrefix("class,operations,")
    )
    let listed = try Command.run("sql", "--list")
    #expect(listed.output.hasPrefix("@waits-by-class"))
    #expect(try Command.run("sql", "--list", trace).output == listed.output)
    for name in ["@slowest", "slowest"] {
      #expect(try Command.run("sql", "--list", name).output.contains("FROM operations"))
      #expect(try Command.run("sql", trace, "--list", name).output.contains("FROM operations"))
    }
    let piped = try Command.run(
      "sql", "-", "SELECT count(*) AS n FROM operations", "--csv", input: Array(Self.text.utf8))
    #expect(piped.output == "n\r\n1\r\n")
  }

  @Test("--schema describes the tables")
  func schema() throws {
    let output = try Command.run("sql", "--schema").output
    #expect(output.hasPrefix("traces  one row for each trace\n"))
    #expect(output.contains("\noperations  one row for each operation\n"))
    #expect(output.contains("\nruns  "))
  }

  @Test("errors show the position and suggest similar names")
  func errors() throws {
    func refused(_ arguments: [String], _ words: String, status: Int32 = 64, input: [UInt8] = []) throws {
      let result = try Command.run(arguments: ["sql"] + arguments, input: input)
      #expect(result.status == status, "\(arguments)")
      #expect(result.errors.contains(words), "\(result.errors)")
      #expect(result.output == "")
    }
    try refused(
      [trace, "SELECT id,\n  nmae FROM operations"],
      "optrace: no such column: nmae; did you mean 'name'?\n    nmae FROM operations\n    ^\n")
    // Double quotes enclose a name, not a text.
    try refused([trace, "SELECT \"nmae\" FROM operations"], "no such column: nmae; did you mean 'name'?")
    try refused([trace, "SELECT id FROM operations WHERE name = \"work\""], "no such column: work")
    try refused([trace, "SELECT 1 FROM operation"], "no such table: operation; did you mean 'operations'?")
    try refused([trace, "SELECT p98(id) FROM operations"], "no such function: p98; did you mean 'p9")
    try refused([trace, "SELECT cuont(id) FROM operations"], "no such function: cuont; did you mean 'count'?")
    try refused([trace, "DELETE FROM operations"], "a trace is only read here: no query may change anything")
    try refused([trace, "SELECT 1; SELECT 2"], "one query at a time")
    try refused([trace, "@slow"], "there is no question '@slow': did you mean 'slowest'?")
    try refused([trace], "there is no query")
    try refused([], "missing a trace")
    try refused(["-"], "so the query must be an argument")
    try refused([trace, "SELECT 1", "--json", "--csv"], "--json and --csv cannot be combined")
    try refused([trace, "SELECT 1", "--timeout", "0"], "--timeout is a number of seconds above 0")
    try refused([folder.path("none"), "SELECT 1"], "no such file", status: 66)
    try refused([try folder.write("empty", []), "SELECT 1"], "is empty", status: 65)
    try refused([trace, "SELECT 1", "-o", trace], "is the trace itself")
    let endless = "WITH RECURSIVE c(x) AS (VALUES (1) UNION ALL SELECT x + 1 FROM c) SELECT count(*) FROM c"
    // One long step, during which SQLite does not check the time.
    try refused(
      [trace, "SELECT length(hex(zeroblob(100000000)))", "--timeout", "0.000001"], "it took longer", status: 1)
    try refused([trace, endless, "--timeout", "0.1"], "it took longer than it was given", status: 1)
  }

  @Test("--db writes a complete SQLite file or none")
  func database() throws {
    let file = folder.path("run.db")
    #expect(try Command.run("sql", trace, "--db", file).status == 0)
    let bytes = try Data(contentsOf: URL(fileURLWithPath: file))
    #expect(bytes.starts(with: Array("SQLite format 3\u{0}".utf8)))
    // The second call replaces the file.
    #expect(try Command.run("sql", trace, "--db", file).status == 0)
    #expect(try Data(contentsOf: URL(fileURLWithPath: file)) == bytes)
    for (path, words, status) in [
      ("/dev/full", "a database is a file", 64), (folder.path(""), "it is a folder", 73),
      (folder.path("none/x.db"), "there is no folder", 73), (trace, "is the trace itself", 64),
    ] as [(String, String, Int32)] {
      let result = try Command.run("sql", trace, "--db", path)
      #expect(result.status == status, "\(path)")
      #expect(result.errors.contains(words), "\(result.errors)")
    }
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path("")).sorted() == ["run.db", "run.txt"])
  }

  @Test("rows are written as they come, and a closed pipe ends the query")
  func closedPipe() throws {
    let endless = "WITH RECURSIVE c(x) AS (VALUES (1) UNION ALL SELECT x + 1 FROM c) SELECT x FROM c"
    let result = try Command.run("sql", trace, endless, "--csv", shell: "\"$optrace\" \"$@\" | head -n 3")
    #expect(result.output == "x\r\n1\r\n2\r\n")
  }

  @Test("the readable part of a damaged trace is queried, with status 65")
  func damaged() throws {
    let text = try folder.write("lost.txt", Array((Self.text + "40 t2 nonsense #1\n").utf8))
    let result = try Command.run("sql", text, "SELECT count(*) AS n FROM operations", "--csv")
    #expect(result.status == 65)
  }
}
