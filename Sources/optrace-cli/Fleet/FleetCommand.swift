import OpTraceModel
import ArgumentParser
import Foundation
import OpTraceFleet
import OpTraceFormat
import OpTraceTables
import OpTraceText

/// Traces of many hosts in one database.
struct FleetCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "fleet",
    abstract: "Load exported traces of many hosts into ClickHouse.",
    discussion: """
      Hosts write traces, 'optrace export' turns them into Parquet, 'optrace fleet load' sends it. Documentation/data.md \
      describes the setup.

      Example: optrace fleet load lake --url http://localhost:8123 --create
      """,
    subcommands: [FleetSchemaCommand.self, FleetLoadCommand.self])
}

/// The database and its settings.
struct FleetDatabase: ParsableArguments {
  @Option(help: ArgumentHelp("The database.", valueName: "name"))
  var database = "optrace"

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("Days until a trace is deleted; 0: never.", valueName: "days"))
  var retention = 90

  @Option(
    help: ArgumentHelp("Make replicated tables on all nodes of this cluster.", valueName: "name"))
  var cluster: String?

  func validate() throws {
    for name in [database] + (cluster.map { [$0] } ?? []) where !ClickHouseSchema.isName(name) {
      throw ValidationError("'\(printable(name))' is not a name: use letters, digits and '_', and no digit first.")
    }
    if retention < 0 || retention > 36_500 {
      throw ValidationError("--retention must be a number of days from 0 to 36500.")
    }
  }

  var schema: ClickHouseSchema {
    var schema = ClickHouseSchema(of: .command)
    schema.database = database
    schema.retention = retention == 0 ? nil : retention
    schema.cluster = cluster
    return schema
  }
}

struct FleetSchemaCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "schema",
    abstract: "Print the SQL that makes the tables, views and questions.",
    discussion: """
      The questions of 'optrace sql --list', and more about hosts and versions, are views, as in: SELECT * FROM \
      question_hosts_that_differ.

      Example: optrace fleet schema --retention 30 | clickhouse-client --multiquery
      """)

  @OptionGroup var target: FleetDatabase

  @Option(
    name: .shortAndLong,
    help: ArgumentHelp("The file to write; '-' is standard output, and the default.", valueName: "file"),
    completion: .file(extensions: ["sql"]))
  var output: String?

  func run() throws { try Output(path: output).write(Array(target.schema.script.utf8)) }
}

struct FleetLoadCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "load",
    abstract: "Send exported Parquet to ClickHouse over HTTP.",
    discussion: """
      DIR is a folder that 'optrace export' wrote, or a folder of such folders; folders like 'host=web-17' above the \
      tables become labels. A trace that the server already has in its current state is not sent again. If a load fails on \
      the way, run it again: nothing is counted twice. A trace appears in the table 'traces' when all of it is loaded.

      Give the user in the URL (http://user@host:8123) or in CLICKHOUSE_USER, the password in --password-file, in \
      CLICKHOUSE_PASSWORD or in the URL. The requests are made by 'curl'.

      Exit status: 73 if the server does not answer or refuses, 65 if a part is missing or truncated; otherwise as for all \
      commands.

      Example: optrace fleet load lake --url http://localhost:8123 --label host=web-17 --label version=1.4.2
      """)

  @Argument(help: ArgumentHelp("What was exported.", valueName: "dir"), completion: .directory)
  var folder: String

  @Option(help: ArgumentHelp("ClickHouse's HTTP interface.", valueName: "url"))
  var url: String

  @OptionGroup var target: FleetDatabase

  @Flag(help: "Make the tables first if there are none.")
  var create = false

  @Option(
    help: ArgumentHelp(
      "A label for the traces: host=…, version=…, or any other; may be repeated.", valueName: "key=value"
    ))
  var label: [String] = []

  @Option(
    help: ArgumentHelp(
      "Store traces under this day, like 2026-11-24, whatever their hosts' clocks say.", valueName: "day"))
  var day: String?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("How often to repeat a request that may succeed later.", valueName: "n"))
  var retries = 5

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("Give up a request that makes no progress for so long, and repeat it.", valueName: "seconds"))
  var timeout = 600

  @Option(
    help: ArgumentHelp(
      "A file whose first line is the password, so that no list of processes shows it.", valueName: "file"),
    completion: .file())
  var passwordFile: String?

  /// Whether there is such a day in the calendar.
  private static func isDay(_ text: String) -> Bool {
    guard let parts = text.wholeMatch(of: #/([0-9]{4})-([0-9]{2})-([0-9]{2})/#)?.output,
      let year = Int(parts.1), let month = Int(parts.2), let day = Int(parts.3)
    else { return false }
    return DateComponents(year: year, month: month, day: day).isValidDate(in: Calendar(identifier: .gregorian))
  }

  func validate() throws {
    for text in label where ExportedTrace.label(text) == nil {
      throw ValidationError("--label takes KEY=VALUE, not '\(printable(text))'.")
    }
    if retries < 0 || retries > 100 { throw ValidationError("--retries must be a number from 0 to 100.") }
    if timeout < 1 || timeout > 86_400 {
      throw ValidationError("--timeout must be a number of seconds from 1 to 86400.")
    }
    if let day, !Self.isDay(day) {
      throw ValidationError("--day takes a day like 2026-11-24, not '\(printable(day))'.")
    }
  }

  func run() throws {
    guard isFolder(folder) else {
      let why = access(folder.asPath, F_OK) == 0 ? "it is not a folder" : reason(errno)
      throw Failure(message: "cannot read '\(printable(folder))': \(why)", status: .noInput)
    }
    let server = try ClickHouseServer(
      url: url, database: target.database, passwordFile: passwordFile, retries: retries, patience: timeout,
      environment: ProcessInfo.processInfo.environment)
    let traces = ExportedTrace.all(in: folder) { namesInFolder($0) }
    guard !traces.isEmpty else {
      throw Failure(
        message:
          "'\(printable(folder))' has no exported traces: write them with 'optrace export TRACE -o \(printable(folder))'",
        status: .noInput)
    }
    let loader = FleetLoader(server: server, day: day)
    if create { try withProgress("making tables") { try loader.create(target.schema) } }
    try loader.checkVersion()
    try load(traces, loader)
  }

  /// The last export of each run, by the time of the trace that was exported. Otherwise each call would load all exports of a run, one
  /// replacing the other.
  private func latest(_ traces: [ExportedTrace]) -> [ExportedTrace] {
    Dictionary(grouping: traces, by: \.hash).sorted { $0.key < $1.key }.compactMap { hash, exports in
      let dated = exports.map { export in
        (
          export: export,
          changed: TableSet.command.inOrderOfWriting.last.flatMap { stat.changed(export.path(of: $0)) } ?? timespec()
        )
      }
      guard let last = dated.max(by: { RunCopies.isLater($1.changed, $0.changed) }) else { return nil }
      if exports.count > 1 {
        Console.note(
          "trace \(hash) was exported \(exports.count) times: loading the last export, from '\(printable(last.export.folder))'"
        )
      }
      return last.export
    }
  }

  private func load(_ traces: [ExportedTrace], _ loader: FleetLoader) throws {
    var failed: ExitStatus?
    for trace in latest(traces) {
      var trace = trace
      for text in label {
        if let label = ExportedTrace.label(text) { trace.labels[label.key] = label.value }
      }
      do {
        let result = try withProgress("loading trace \(trace.hash)") { try loader.load(trace) }
        let what = if case .loaded(let rows) = result { counted(rows, "row") } else { "already loaded" }
        // It is loaded, even if standard output is closed.
        try? Output.standard.write("trace \(trace.hash): \(what)\n")
      } catch let failure as Failure where failure.status == .badInput {
        // Load the others all the same.
        Console.error("optrace: \(failure.message)")
        failed = .badInput
      }
    }
    if let failed { throw failed }
  }
}
