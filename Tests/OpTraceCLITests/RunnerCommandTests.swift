import Foundation
import TestSupport
import Testing

/// Services that run jobs obey lines of a job's output. Names of a program must not be such lines.
@Suite("No name of a program is a command to the service that runs a job", .ownThread)
struct RunnerCommandTests {
  private let folder: Scratch

  init() throws { folder = try Scratch() }

  /// In the text form, where `\n` and `\r` are escapes.
  private static let names = [
    "::error::", "##[error]", "  ::set-output name=a::b", #"a\n::error::"#, #"a\r::add-mask::"#,
    #"a\n##[set-env name=a;]b"#, "##vso[task.setvariable variable=a]b", "\u{A0}::stop-commands::",
    "\u{AD}:\u{AD}:error::", "#\u{200B}#[error]", "###[error]",
    String(repeating: "several words ::error::words ##[error]words ", count: 6), "::error file=a,line=1,title=b::",
  ]

  private static let golden = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .appendingPathComponent("OpTraceModelTests/Golden")

  /// The text of a trace in which every text is one of ``names``, with a number: what was the same text stays the same text.
  private static func spoiled(_ text: String) -> String {
    var known: [String: String] = [:]
    func spoil(_ text: String) -> String {
      if let name = known[text] { return name }
      let name = names[known.count % names.count] + "\(known.count)"
      known[text] = name
      return name
    }
    let quoted = /(?<key>build=)?"(?<text>(?:[^"\\]|\\.)+)"/
    let lines: [String] = text.split(separator: "\n", omittingEmptySubsequences: false).map { line in
      if line.hasPrefix("writer ") { return String(line) }
      return String(line).replacing(quoted) { match in
        match.output.key == nil ? "\"\(spoil(String(match.output.text)))\"" : String(match.output.0)
      }
    }
    return lines.joined(separator: "\n")
  }

  private static func trace(_ name: String) throws -> String {
    switch name {
    case "fixture": return Fixture.waits
    case "photos": return SampledTrace.photos().text
    default:
      return try String(contentsOf: golden.appendingPathComponent("\(name).txt"), encoding: .utf8)
    }
  }

  /// What a service would obey, as its source says: GitHub Actions and Azure Pipelines.
  private static func obeyed(_ text: String) -> [String] {
    let style = /\u{1B}\[[0-9;]*m/
    let visible = String(
      String.UnicodeScalarView(text.unicodeScalars.filter { !$0.properties.isDefaultIgnorableCodePoint }))
    return visible.unicodeScalars.split { ["\n", "\r"].contains($0) }.map { String($0) }.filter { line in
      let begin = line.replacing(style, with: "").unicodeScalars.drop { $0.properties.isWhitespace }
      return String(begin).hasPrefix("::") || line.contains(/##[a-z]*\[/)
    }
  }

  private func expectNone(_ result: Command.Result, _ command: [String]) {
    #expect(Self.obeyed(result.output) == [], "\(command)")
    #expect(Self.obeyed(result.errors) == [], "\(command)")
    #expect(result.status != 70 && result.status < 128, "\(command): \(result.errors)")
  }

  /// Runs the command in the folder, where traces have names like those in them.
  private func run(_ arguments: [String]) throws -> Command.Result {
    try Command.run(arguments: [folder.folder.path] + arguments, shell: #"cd "$1" && shift && exec "$optrace" "$@""#)
  }

  private static let commands =
    UsageTests.printers.map { [$0] } + [
      ["summary", "--json"], ["doctor", "--json"], ["doctor", "--format", "sarif"], ["stacks", "--full"],
      ["stacks", "--json"], ["requests", "--json"], ["profile", "--off-cpu"], ["profile", "--json"],
      ["whatif", "--suggest"], ["whatif", "--width", "1"], ["top", "--once"], ["top", "--once", "--json"],
      ["symbolicate"],
    ]

  @Test(
    "texts, JSON and the text form of traces, on standard output and standard error",
    arguments: [
      "fixture", "photos", "good-dispatch", "good-tasks", "good-actors", "good-samples", "good-spans", "good-stacks",
      "good-snapshot", "good-waits", "good-loops", "bad-values", "bad-references", "bad-tasks",
    ])
  func everyCommand(name: String) throws {
    let file = "::error::\(name).txt"
    try folder.write(file, Array(Self.spoiled(try Self.trace(name)).utf8))
    #expect(Set(Self.commands.map { $0[0] }).isSuperset(of: ["summary", "doctor", "stacks", "validate", "dump"]))
    for command in Self.commands { expectNone(try run(command + [file]), command + [name]) }
    // The text form has its own escapes, which read back.
    let text = try run(["dump", file]).output
    try folder.write("again.txt", Array(text.utf8))
    #expect(try run(["dump", "again.txt"]).output == text)
    try folder.write("##[error].txt", Array(Self.spoiled(try Self.trace("good-tasks")).utf8))
    expectNone(try run(["diff", file, "##[error].txt"]), ["diff", name])
    expectNone(try run(["report", file, "-o", "::error::.html"]), ["report", name])
    expectNone(try run(["graph", file, "-o", "##[error].svg"]), ["graph", name])
    expectNone(try run(["timeline", file, "-o", "::error::.json"]), ["timeline", name])
  }

  @Test("rows of queries", arguments: ["fixture", "good-tasks", "good-spans", "good-samples"])
  func queries(name: String) throws {
    try folder.write("::error::.txt", Array(Self.spoiled(try Self.trace(name)).utf8))
    let schema = try run(["sql", "--schema"]).output
    let tables = schema.split(separator: "\n").filter { !$0.hasPrefix(" ") }.compactMap {
      $0.split(separator: " ").first
    }
    #expect(tables.contains("operations") && tables.count > 10, "\(tables)")
    for table in tables {
      for format in [[], ["--json"]] {
        let query = ["sql", "::error::.txt", "select * from \(table)"] + format
        let result = try run(query)
        #expect(result.status == 0)
        expectNone(result, query)
      }
    }
    // Of values that CSV can keep harmless: what is behind a line end, or a marker inside, is not ours to change in data.
    let query =
      "select text from (select name as text from operations union select name from spans) "
      + "where instr(text, '##') + instr(text, char(10)) + instr(text, char(13)) + instr(text, char(8203)) = 0"
    expectNone(try run(["sql", "::error::.txt", query, "--csv"]), ["sql", "--csv"])
  }

  @Test("errors about arguments and files")
  func errors() throws {
    try folder.write("::error::.txt", Array("::error::x\n##[error]x\n".utf8))
    try folder.write("##[error].txt", Array((Fixture.small + "1 t1 ::error::x \"##[error]\"\n").utf8))
    for command in [
      ["summary", "::error::.txt"], ["doctor", "##[error].txt"], ["summary", "\n::error::nothing"], ["::error::x"],
      ["summary", "--slowest", "\n::error::x", "##[error].txt"], ["sql", "##[error].txt", "::error::x"],
      ["top", "##[error]"], ["summary"],
    ] { expectNone(try run(command), command) }
  }

  @Test("only the doctor's annotations are commands, and names in them are data")
  func annotations() throws {
    try folder.write("run.txt", Array(Self.spoiled(Fixture.waits).utf8))
    let result = try run(["doctor", "run.txt", "--annotations", "github"])
    let commands = Self.obeyed(result.output)
    #expect(!commands.isEmpty && Self.obeyed(result.errors) == [])
    for command in commands {
      let form = /::(error|warning|notice) (file=[^:,]*,(line=\d+,)?)?title=[a-z-]+::.*/
      #expect(command.wholeMatch(of: form) != nil, "\(command)")
    }
  }

  #if os(Linux)
    @Test("recorded programs, files and folders")
    func recording() throws {
      let program = "a\n::error::x"
      try RecordFolder.copy(try RecordFolder.program, to: folder.path(program))
      try FileManager.default.createDirectory(atPath: folder.path("b\n::error::"), withIntermediateDirectories: false)
      for (file, options) in [
        ("##[error]\r::error::.optrace", []), ("\n::error::nowhere/##[error].optrace", []),
        ("b\n::error::/run.optrace", ["--runs", "2", "--report", "\n::error::.html", "--fail-on", "warning"]),
        ("run.optrace", ["--flight-recorder", "\n::error::"]),
      ] {
        let command = ["record", "-o", file] + options + ["--", "./\(program)", "work"]
        expectNone(try run(command), command)
      }
      expectNone(try run(["record", "-o", "run.optrace", "--", "./\n::error::nothing"]), ["record", "nothing"])
    }
  #endif
}
