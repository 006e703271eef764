import Foundation
import OpTraceFleet
import OpTraceFormat
import OpTraceModel
import OpTraceTables
import OpTraceText

/// Sends exported traces to a server, one after the other. Each one becomes visible when it is complete.
struct FleetLoader {
  let server: ClickHouseServer
  /// What an export has.
  private let tables = TableSet.command.inOrderOfWriting
  /// `2026-11-24`, instead of the day on which traces began.
  var day: String?

  enum Result: Equatable {
    /// So many rows were sent.
    case loaded(rows: Int)
    /// The server already has it in its current state.
    case there
  }

  /// Makes the tables if there are none. Throws ``Failure``, also if there are tables of another version.
  func create(_ schema: ClickHouseSchema) throws {
    if let version = try version() { try check(version) }
    try understood { try server.run(schema.databaseStatement, in: "default") }
    for statement in schema.statements { try understood { try server.run(statement) } }
  }

  /// Throws ``Failure`` if the server's tables have another version.
  func checkVersion() throws {
    guard let version = try version() else {
      throw Failure(
        message:
          "\(printable(server.name)) has no tables of optrace: add --create, or run the statements that 'optrace fleet schema' prints",
        status: .cannotWrite)
    }
    try check(version)
  }

  /// The version of the server's tables; nil: there are none. Throws ``Failure``.
  private func version() throws -> String? {
    do {
      return try server.run(LoadPlan.versionQuery).trimmingCharacters(in: .whitespacesAndNewlines)
    } catch let refusal as ClickHouseServer.Refusal {
      guard let code = refusal.code,
        [ClickHouseServer.Refusal.unknownTable, ClickHouseServer.Refusal.unknownDatabase].contains(code)
      else { throw failure(refusal) }
      return nil
    }
  }

  private func check(_ version: String) throws {
    guard version != String(ClickHouseSchema.version) else { return }
    throw Failure(
      message:
        "\(printable(server.name)) has tables of version \(printable(version)), but this optrace loads version "
        + "\(ClickHouseSchema.version): load into another --database with --create, or use the optrace that made them",
      status: .cannotWrite)
  }

  /// Sends what the server does not have. Throws ``Failure``.
  func load(_ trace: ExportedTrace) throws -> Result {
    let parts = try self.parts(of: trace)
    guard let main = parts.last?.part else { return .there }
    let plan = LoadPlan(trace, as: .command, content: try Self.checksum(of: parts), day: try day ?? main.day())
    if try understood({ try server.run(plan.knownQuery) }).split(separator: "\n").first.map(String.init)
      == plan.content
    {
      return .there
    }
    // The server would delete its rows soon, one table after the other.
    guard try understood({ try server.run(plan.ageQuery) }).isEmpty else { throw tooOld(plan) }
    let generation = try generation(of: plan)
    var rows = 0
    for (table, part) in parts where part.facts.rowCount > 0 {
      try understood {
        try server.run(plan.insertion(into: table, generation: generation), sending: part.descriptor)
      }
      rows += part.facts.rowCount
    }
    // The tables may have a shorter retention than they say.
    guard try !understood({ try server.run(plan.knownQuery) }).isEmpty else { throw tooOld(plan) }
    try check(plan, parts.first { $0.table.name == "operations" }?.part.facts.rowCount ?? 0, generation)
    if plan.day > Self.tomorrow {
      Console.warning(
        "trace \(trace.hash) begins on \(plan.day) by its host's clock, which is ahead; its retention is counted from that day"
      )
    }
    return .loaded(rows: rows)
  }

  private func tooOld(_ plan: LoadPlan) -> Failure {
    Failure(
      message:
        "trace \(plan.trace.hash) began on \(plan.day) by its host's clock, longer ago than the server keeps traces: "
        + "it would be deleted at once; load it with --day \(Self.today)", status: .badInput)
  }

  /// Opens all parts of one export. Throws ``Failure``.
  private func parts(of trace: ExportedTrace) throws -> [(table: TraceTable, part: ExportedPart)] {
    // An export removes the part of `traces` first and writes it last: if it is the same before and after, all parts are of one export.
    let before = try tables.last.map { try ExportedPart(trace, $0) }
    let parts = try tables.map { table in (table: table, part: try ExportedPart(trace, table)) }
    guard before?.identity == parts.last?.part.identity else {
      throw Failure(
        message: "trace \(trace.hash) is being exported again: load it when that is done", status: .badInput)
    }
    return parts
  }

  /// Over all bytes of all parts: any change makes it another state of the trace.
  private static func checksum(of parts: [(table: TraceTable, part: ExportedPart)]) throws -> String {
    var sum = Checksum()
    for (table, part) in parts {
      Array(table.name.utf8).withUnsafeBytes { sum.add($0) }
      try part.add(to: &sum)
    }
    let digits = String(sum.value, radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
  }

  /// The generation that its rows get. If the server has rows of another state of the trace, these are removed.
  private func generation(of plan: LoadPlan) throws -> Int {
    let noted = try understood { try server.run(plan.noteQuery) }.split(separator: "\n").first?.split(separator: "\t")
    let last = noted?.last.flatMap { Int($0) }
    if let last, noted?.first.map(String.init) == plan.content { return last }
    return try begin(plan, last.map { $0 + 1 } ?? 0)
  }

  /// Begins this generation, or the next one if old rows have to be removed first.
  private func begin(_ plan: LoadPlan, _ generation: Int) throws -> Int {
    guard generation > 0 else {
      try understood { try server.run(plan.note(generation: 0)) }
      return 0
    }
    try understood { try server.run(plan.note(generation: generation, isRemoving: true)) }
    for statement in plan.deletions { try understood { try server.run(statement) } }
    try understood { try server.run(plan.note(generation: generation + 1)) }
    return generation + 1
  }

  /// A load of another state of the same trace, running at the same time, may have removed rows that this one sent.
  private func check(_ plan: LoadPlan, _ count: Int, _ generation: Int) throws {
    let found = try understood { try server.run(plan.countQuery) }.trimmingCharacters(in: .whitespacesAndNewlines)
    guard found != String(count) else { return }
    _ = try begin(plan, generation + 1)
    throw Failure(
      message:
        "trace \(plan.trace.hash): the server has \(printable(found)) of \(counted(count, "operation")): the same trace was "
        + "being loaded by another command; load it again", status: .cannotWrite)
  }

  private static var today: String { Date().formatted(.iso8601.year().month().day()) }
  /// A host's time zone may be ahead of ours by up to a day.
  private static var tomorrow: String { Date(timeIntervalSinceNow: 86_400).formatted(.iso8601.year().month().day()) }

  @discardableResult
  private func understood<Value>(_ body: () throws -> Value) throws -> Value {
    do { return try body() } catch let refusal as ClickHouseServer.Refusal { throw failure(refusal) }
  }

  private func failure(_ refusal: ClickHouseServer.Refusal) -> Failure {
    Failure(message: "\(printable(server.name)) refuses: \(printable(refusal.message))", status: .cannotWrite)
  }
}

/// An open file of an export, after its checks.
private struct ExportedPart {
  let path: String
  let facts: ParquetFacts
  private let file: FileHandle
  var descriptor: Int32 { file.fileDescriptor }

  init(_ trace: ExportedTrace, _ table: TraceTable) throws {
    path = trace.path(of: table)
    func problem(_ what: String, _ status: ExitStatus = .badInput) -> Failure {
      Failure(message: "'\(printable(trace.path(of: table)))' \(what)", status: status)
    }
    let descriptor = open(path.asPath, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else {
      let why =
        errno == ENOENT
        ? "is missing, so the trace is incomplete: export it again" : "cannot be read: \(reason(errno))"
      throw problem(why, errno == ENOENT ? .badInput : .noInput)
    }
    file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
    var status = stat()
    fstat(descriptor, &status)
    let cut = "is not a Parquet file, or it is truncated: export the trace again"
    guard status.st_mode & S_IFMT == S_IFREG, status.st_size >= 12,
      let tail = Self.bytes(descriptor, Int(status.st_size) - ParquetFacts.tailSize, ParquetFacts.tailSize),
      let size = ParquetFacts.descriptionSize(tail: tail), size <= Int(status.st_size) - 12,
      let description = Self.bytes(descriptor, Int(status.st_size) - ParquetFacts.tailSize - size, size),
      let facts = ParquetFacts(description: description)
    else { throw problem(cut) }
    self.facts = facts
    guard facts.facts["optrace.table"] == table.name, facts.facts["optrace.trace"] == trace.hash else {
      throw problem("holds another table or trace than its path says: export the trace again")
    }
    guard facts.facts["optrace.schema"] == String(TraceTable.schemaVersion) else {
      throw problem(
        "has tables of version \(printable(facts.facts["optrace.schema"] ?? "")), but this optrace loads version "
          + "\(TraceTable.schemaVersion): export the trace again")
    }
  }

  /// The file and its size, to notice that another one got its name.
  var identity: [UInt64] {
    var status = stat()
    fstat(descriptor, &status)
    return [UInt64(status.st_dev), UInt64(status.st_ino), UInt64(status.st_size)]
  }

  /// Adds all bytes and their number.
  func add(to sum: inout Checksum) throws {
    var piece = [UInt8](repeating: 0, count: 1 << 20)
    var offset = 0
    while true {
      let count = pread(descriptor, &piece, piece.count, off_t(offset))
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else {
        throw Failure(message: "'\(printable(path))' cannot be read: \(reason(errno))", status: .noInput)
      }
      guard count > 0 else { break }
      piece[..<count].withUnsafeBytes { sum.add($0) }
      offset += count
    }
    sum.add(UInt64(offset))
  }

  /// The day on which the trace began, by its host's clock.
  func day() throws -> String {
    let nanoseconds = facts.facts["optrace.started_at"].flatMap { UInt64($0) } ?? 0
    let seconds = nanoseconds / 1_000_000_000
    // ClickHouse's days end in 2149.
    guard seconds < 5_600_000_000 else {
      throw Failure(
        message: "'\(printable(path))': its host's clock was past the year 2147 when the trace began: "
          + "choose a day with --day 2026-11-24", status: .badInput)
    }
    return Date(timeIntervalSince1970: TimeInterval(seconds)).formatted(.iso8601.year().month().day())
  }

  private static func bytes(_ descriptor: Int32, _ offset: Int, _ count: Int) -> [UInt8]? {
    guard count >= 0, count < 1 << 28 else { return nil }
    var result = [UInt8](repeating: 0, count: count)
    return pread(descriptor, &result, count, off_t(offset)) == count ? result : nil
  }
}
