import Foundation
import TestSupport
import Testing

@Suite("optrace fleet", .ownThread)
struct FleetCommandTests {
  private let folder: Scratch

  init() throws { folder = try Scratch() }

  /// A trace of operations of two classes, with their durations in milliseconds.
  private func trace(_ name: String, process: Int, load: Int = 10, count: Int = 20) throws -> String {
    var typed = TypedTrace()
    typed.processID = process
    var lines = ["0 t1 queue q1 limit=1 \"work\""]
    var now = 0
    for number in 1...count {
      lines += [
        "\(now) t1 created #\(number) class=\"\(number % 2 == 0 ? "Load" : "Save")\"",
        "\(now) t1 enqueued #\(number) queue=q1 priority=0", "\(now) t1 ready #\(number)",
        "\(now) t2 started #\(number)",
        "\(now) t2 began #\(number)",
      ]
      now += number % 2 == 0 ? load : 5
      lines += ["\(now) t2 ended #\(number)", "\(now) t2 finished #\(number)", "\(now) t2 start-returned #\(number)"]
    }
    return try folder.write(name, Array(typed.text(lines.joined(separator: "\n"), in: .milliseconds).utf8))
  }

  private func export(_ traces: String..., into name: String) throws -> String {
    let result = try Command.run(arguments: ["export", "-o", folder.path(name)] + traces)
    #expect(result.status == 0, "\(result.errors)")
    return folder.path(name)
  }

  @Test("fleet schema prints a statement for each table, view, function and question")
  func schema() throws {
    let text = try Command.run("fleet", "schema").output
    #expect(text.contains("CREATE DATABASE IF NOT EXISTS optrace;"))
    #expect(text.contains("CREATE TABLE IF NOT EXISTS optrace.operations ("))
    #expect(text.contains("PARTITION BY toMonday(day) ORDER BY (`trace`, `id`)\nTTL day + INTERVAL 90 DAY"))
    #expect(text.contains("CREATE OR REPLACE VIEW optrace.question_hosts_that_differ AS"))
    let other = try Command.run("fleet", "schema", "--database", "runs", "--retention", "0", "--cluster", "main").output
    #expect(other.contains("CREATE TABLE IF NOT EXISTS runs.waits ON CLUSTER main ("))
    #expect(other.contains("ENGINE = ReplicatedReplacingMergeTree") && !other.contains("TTL "))
    for wrong in ["a;b", "", "1st", "x y"] {
      let result = try Command.run("fleet", "schema", "--database", wrong)
      #expect(result.status == 64 && result.errors.contains("is not a name"), "\(result.errors)")
    }
  }

  @Test("A trace is stored once, whatever fails on the way, and however often it is loaded")
  func loading() throws {
    let server = try ClickHouse()
    let lake = try export(try trace("a.txt", process: 1), try trace("b.txt", process: 2), into: "lake")
    func load(_ arguments: String...) throws -> ProgramResult {
      try Command.run(arguments: ["fleet", "load", lake, "--url", server.url, "--retention", "0"] + arguments)
    }
    let early = try load()
    #expect(early.status == 73)
    #expect(
      early.errors
        == "optrace: \(server.url)/ has no tables of optrace: add --create, or run the statements that 'optrace fleet schema' prints\n"
    )

    // A refused request, a missing answer, and an aborted load.
    try server.faults("fail=503&times=2&cut=1")
    let refused = try load("--create", "--retries", "0")
    #expect(refused.status == 73)
    #expect(refused.errors == "optrace: \(server.url)/ did not accept the request after 1 try: busy\n")
    #expect(try server.ask("SELECT count() FROM traces") == ["0"])
    let loaded = try load()
    #expect(loaded.status == 0, "\(loaded.errors)")
    #expect(loaded.output.split(separator: "\n").count == 2 && loaded.output.contains(" rows\n"))
    func counts() throws -> [String] {
      try server.ask(
        "SELECT (SELECT count() FROM traces), (SELECT count() FROM operations), (SELECT count() FROM queue_depth)")
    }
    let once = try counts()
    #expect(once.first?.hasPrefix("2\t40\t") == true)
    let again = try load()
    #expect(again.status == 0 && again.output.split(separator: "\n").allSatisfy { $0.hasSuffix(": already loaded") })
    #expect(try counts() == once)

    // Two loads of new traces at once.
    let more = try export(try trace("c.txt", process: 3), try trace("d.txt", process: 4), into: "more")
    try server.faults("delay=0.05")
    let both = try Command.run(
      arguments: ["fleet", "load", more, "--url", server.url],
      shell:
        "\"$optrace\" \"$@\" --day 2100-01-01 & \"$optrace\" \"$@\" --day 2100-01-01; status=$?; wait $!; exit $((status + $?))"
    )
    #expect(both.status == 0, "\(both.errors)")
    try server.faults("delay=0")
    #expect(try counts().first?.hasPrefix("4\t80\t") == true)

    // A changed trace replaces its earlier state.
    _ = try export(try trace("a.txt", process: 1, count: 30), into: "lake")
    #expect(try load().status == 0)
    #expect(try counts().first?.hasPrefix("4\t90\t") == true)
    // The earlier state replaces the changed one again.
    _ = try export(try trace("a.txt", process: 1, count: 20), into: "lake")
    #expect(try load().status == 0)
    #expect(try counts().first?.hasPrefix("4\t80\t") == true)

    // A changed trace fails to load at various steps. Then its earlier state is loaded.
    for step in [0, 1, 2, 4] {
      _ = try export(try trace("a.txt", process: 1, count: 30), into: "lake")
      try server.faults("skip=\(step)&fail=500&times=1")
      #expect(try load("--retries", "0").status == 73)
      // The server has its earlier state, or nothing.
      #expect(try counts().first?.hasPrefix(step == 0 ? "4\t" : "3\t") == true)
      _ = try export(try trace("a.txt", process: 1, count: 20), into: "lake")
      #expect(try load().status == 0)
      #expect(try counts().first?.hasPrefix("4\t80\t") == true)
    }

    _ = try server.ask("CREATE OR REPLACE VIEW schema_version AS SELECT 7 AS version")
    let newer = try load()
    #expect(newer.status == 73)
    // --create makes nothing if there are tables of another version.
    let made = try load("--create")
    #expect(made.status == 73 && made.errors == newer.errors)
    #expect(newer.errors.contains("has tables of version 7, but this optrace loads version 2"))
  }

  @Test("Each row is stored once, also with equal times, and after only one part has changed")
  func rows() throws {
    let server = try ClickHouse()
    let once = """
      0 t1 queue q1 limit=1 "work"
      1 t1 mark #0 "again"
      1 t1 mark #0 "again"
      2 t1 span #0 id=1 "again"
      2 t1 span #0 id=2 "again"
      3 t1 span-ended s2
      3 t1 span-ended s1
      """
    func export(_ text: String) throws -> String {
      try self.export(
        try folder.write("a.txt", Array(TypedTrace().text(text, in: .milliseconds).utf8)), into: "lake")
    }
    let lake = try export(once)
    func load(_ arguments: String...) throws -> ProgramResult {
      try Command.run(
        arguments: ["fleet", "load", lake, "--url", server.url, "--create", "--retention", "0"] + arguments)
    }
    let loaded = try load()
    #expect(loaded.status == 0, "\(loaded.errors)")
    func counts() throws -> [String] {
      try server.ask("SELECT (SELECT count() FROM marks FINAL), (SELECT count() FROM spans FINAL)")
    }
    #expect(try counts() == ["2\t2"])

    // Only the part of `spans` changes, as if a later version found others in the same trace.
    let spans = try #require(
      FileManager.default.subpaths(atPath: lake)?.first { $0.hasPrefix("spans/") && $0.hasSuffix(".parquet") })
    let one = try self.export(
      try folder.write(
        "b.txt",
        Array(
          TypedTrace().text(
            once.replacing("2 t1 span #0 id=2 \"again\"\n", with: "").replacing("3 t1 span-ended s2\n", with: ""),
            in: .milliseconds
          ).utf8)), into: "other")
    try FileManager.default.removeItem(atPath: "\(lake)/\(spans)")
    try FileManager.default.copyItem(atPath: "\(one)/\(spans)", toPath: "\(lake)/\(spans)")
    let again = try load()
    #expect(again.status == 0 && again.output.hasSuffix(" rows\n"), "\(again.output)\(again.errors)")
    #expect(try counts() == ["2\t1"])
    #expect(try load().output.hasSuffix(": already loaded\n"))

    // Two exports of one run, in folders of their own: the last one is loaded.
    let exports = folder.path("exports")
    for (name, source, date) in [("hour=1", lake, 2.0), ("hour=2", one, 1.0)] {
      let target = "\(exports)/\(name)"
      try FileManager.default.createDirectory(atPath: exports, withIntermediateDirectories: true)
      try FileManager.default.copyItem(atPath: source, toPath: target)
      let main = try #require(
        FileManager.default.subpaths(atPath: target)?.first { $0.hasPrefix("traces/") && $0.hasSuffix(".parquet") })
      try FileManager.default.setAttributes(
        [.modificationDate: Date(timeIntervalSince1970: date)], ofItemAtPath: "\(target)/\(main)")
    }
    let both = try Command.run("fleet", "load", exports, "--url", server.url)
    #expect(both.status == 0 && both.output.hasSuffix(": already loaded\n"), "\(both.output)")
    #expect(
      both.errors.contains("was exported 2 times: loading the last export, from '\(exports)/hour=1'"), "\(both.errors)")
  }

  @Test("A request without progress is given up; the password may be in a file")
  func patience() throws {
    let lake = try export(try trace("a.txt", process: 1), into: "lake")
    let server = try ClickHouse(password: "secret")
    let url = server.url.replacing("http://", with: "http://user@")
    func load(_ arguments: String...) throws -> ProgramResult {
      try Command.run(arguments: ["fleet", "load", lake, "--url", url, "--create", "--retention", "0"] + arguments)
    }
    let file = try folder.write("password", Array("secret\nand more".utf8))
    #expect(try load().errors.contains("Authentication failed"))
    try server.faults("delay=1000")
    let given = try load("--password-file", file, "--timeout", "1", "--retries", "0")
    #expect(given.status == 73 && given.errors.contains("did not accept the request after 1 try"), "\(given.errors)")
    try server.faults("delay=0")
    let loaded = try load("--password-file", file)
    #expect(loaded.status == 0, "\(loaded.errors)")
    for (arguments, words, status) in [
      (["--password-file", folder.path("none")], "cannot read the password in", 66),
      (["--password-file", folder.path("")], "it is a folder", 66),
      (["--password-file", try folder.write("empty", Array("\n".utf8))], "its first line is empty", 66),
      (["--timeout", "0"], "--timeout must be a number of seconds", 64),
      (
        ["--url", server.url.replacing("http://", with: "http://user:secret@"), "--password-file", file],
        "omit one", 64
      ),
    ] as [([String], String, Int32)] {
      let result = try Command.run(arguments: ["fleet", "load", lake, "--url", url] + arguments)
      #expect(result.status == status && result.errors.contains(words), "\(arguments) \(result.errors)")
    }
  }

  @Test("Questions have the same answers as in SQLite; a slow host is found, and since when")
  func questions() throws {
    let server = try ClickHouse()
    let sample = Repository.folder.appending(path: "traces/photo-import.optrace").path
    let lake = try export(sample, into: "one")
    let load = try Command.run("fleet", "load", lake, "--url", server.url, "--create", "--retention", "0")
    #expect(load.status == 0, "\(load.errors)")
    let compared = try RunningProgram.run(
      try Engines.python,
      [
        Repository.folder.appending(path: "Tests/Engines/questions.py").path,
        String(server.url.split(separator: ":")[2]),
        try Command.executable.path, sample,
      ])
    #expect(compared.output == "19 questions, 0 differences\n", "\(compared.errors)")

    for host in 1...4 {
      let name = try trace("host\(host).txt", process: host, load: host == 3 ? 40 : 10)
      _ = try export(name, into: "hosts/host=web-\(host)/version=1.\(host == 3 ? 1 : 0)")
    }
    func loadHosts(_ arguments: String...) throws -> ProgramResult {
      try Command.run(
        arguments: ["fleet", "load", folder.path("hosts"), "--url", server.url, "--database", "hosts", "--create"]
          + arguments)
    }
    #expect(try loadHosts("--retention", "0", "--label", "region=eu", "--day", "2026-11-01").status == 0)
    let slow = try server.ask("SELECT host, class, times FROM question_hosts_that_differ LIMIT 1", in: "hosts")
    #expect(slow == ["web-3\tLoad\t4"])
    #expect(
      try server.ask("SELECT version, class, times FROM question_versions_that_differ LIMIT 1", in: "hosts")
        == ["1.1\tLoad\t4"])
    #expect(try server.ask("SELECT DISTINCT labels['region'] FROM traces", in: "hosts") == ["eu"])
    #expect(try server.ask("SELECT count() FROM operations_at WHERE toYear(enqueued_at) = 2026", in: "hosts") == ["80"])
    // From the next day on all hosts are slow.
    _ = try export(try trace("late.txt", process: 99, load: 60), into: "late/host=web-1")
    let late = try Command.run(
      "fleet", "load", folder.path("late"), "--url", server.url, "--database", "hosts", "--day", "2026-11-02")
    #expect(late.status == 0, "\(late.errors)")
    #expect(
      try server.ask("SELECT class, day, times FROM question_since_when LIMIT 1", in: "hosts") == [
        "Load\t2026-11-02\t6"
      ])
  }

  @Test("Errors are reported: no server, no permission, no export, a truncated part, a clock far behind")
  func refused() throws {
    func load(_ arguments: [String], _ words: String, status: Int32) throws {
      let result = try Command.run(arguments: ["fleet", "load"] + arguments)
      #expect(result.status == status, "\(arguments) \(result.output)")
      #expect(result.errors.contains(words), "\(result.errors)")
      #expect(!result.errors.contains("secret"), "\(result.errors)")
    }
    let lake = try export(try trace("a.txt", process: 1), into: "lake")
    let nobody = "http://user:secret@127.0.0.1:1"
    try load(
      [lake, "--url", nobody, "--retries", "0"], "http://127.0.0.1:1/ did not accept the request after 1 try: ",
      status: 73)
    try load([lake, "--url", "ftp://user:secret@host"], "--url takes 'http://HOST:8123'", status: 64)
    try load([lake], "missing expected argument '--url <url>'", status: 64)
    try load([folder.path("none"), "--url", nobody], "no such file", status: 66)
    try load([folder.folder.path + "/a.txt", "--url", nobody], "it is not a folder", status: 66)
    let empty = folder.path("empty")
    try FileManager.default.createDirectory(atPath: empty, withIntermediateDirectories: true)
    try load([empty, "--url", nobody], "has no exported traces", status: 66)
    try load([lake, "--url", nobody, "--label", "x"], "--label takes KEY=VALUE", status: 64)
    try load([lake, "--url", nobody, "--day", "today"], "--day takes a day like", status: 64)
    try load([lake, "--url", nobody, "--day", "2026-02-30"], "--day takes a day like", status: 64)

    let server = try ClickHouse(password: "secret")
    let good = server.url.replacing("http://", with: "http://user:secret@")
    try load([lake, "--url", server.url, "--create"], "Authentication failed", status: 73)
    try load([lake, "--url", good.replacing("secret", with: "wrong"), "--create"], "Authentication failed", status: 73)
    // The traces of these tests began in 2026: too long ago for a retention of one day.
    try load(
      [lake, "--url", good, "--create", "--retention", "1"], "longer ago than the server keeps traces", status: 65)
    #expect(try Command.run("fleet", "load", lake, "--url", good, "--day", "2099-01-01").status == 0)

    let part = try #require(
      FileManager.default.subpaths(atPath: lake)?.first { $0.hasPrefix("operations/") && $0.hasSuffix(".parquet") })
    let whole = try Data(contentsOf: URL(fileURLWithPath: "\(lake)/\(part)"))
    try whole.prefix(whole.count / 2).write(to: URL(fileURLWithPath: "\(lake)/\(part)"))
    try load([lake, "--url", good], "is not a Parquet file, or it is truncated: export the trace again", status: 65)
    try FileManager.default.removeItem(atPath: "\(lake)/\(part)")
    try load([lake, "--url", good], "is missing, so the trace is incomplete: export it again", status: 65)
  }
}
