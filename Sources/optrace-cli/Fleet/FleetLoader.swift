import Foundation
import OpTraceFleet
import OpTraceFormat
import OpTraceModel
import OpTraceTables
import OpTraceText

/// Sends exported traces to a server, one after the other, so that each is there whole or not seen.
struct FleetLoader {
  let server: ClickHouseServer
  /// `2026-11-24` in place of the day on which traces began.
  var day: String?

  enum Result: Equatable {
    /// So many rows were sent.
    case loaded(rows: Int)
    /// It is there already, as it is now.
    case there
  }

  /// Makes the tables where they are not there, and nothing where they are of another version. Throws ``Failure``.
  func create(_ schema: ClickHouseSchema) throws {
    if let version = try version() { try check(version) }
    try understood { try server.run(schema.databaseStatement, in: "default") }
    for statement in schema.statements { try understood { try server.run(statement) } }
  }

  /// Throws ``Failure`` where the server's tables are not those of this version.
  func checkVersion() throws {
    guard let version = try version() else {
      throw Failure(
        message:
          "\(printable(server.name)) has no tables of optrace: add --create, or run what 'optrace fleet schema' prints",
        status: .cannotWrite)
    }
    try check(version)
  }

  /// Of the server's tables; nil: there are none. Throws ``Failure``.
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
        "\(printable(server.name)) has tables of version \(printable(version)), and this optrace loads version "
        + "\(ClickHouseSchema.version): load into another --database, made by --create, or use the optrace that made them",
      status: .cannotWrite)
  }

  /// Sends what is not there. Throws ``Failure``.
  func load(_ trace: ExportedTrace) throws -> Result {
    let parts = try self.parts(of: trace)
    guard let main = parts.last?.part else { return .there }
    let plan = LoadPlan(trace, content: try Self.checksum(of: parts), day: try day ?? main.day())
    if try understood({ try server.run(plan.knownQuery) }).split(separator: "\n").first.map(String.init)
      == plan.content
    {
      return .there
    }
    // The server would remove its rows one table after the other, in its own time.
    guard try understood({ try server.run(plan.ageQuery) }).isEmpty else { throw tooOld(plan) }
    let generation = try generation(of: plan)
    var rows = 0
    for (table, part) in parts where part.facts.rowCount > 0 {
      try understood {
        try server.run(plan.insertion(into: table, generation: generation), sending: part.descriptor)
      }
      rows += part.facts.rowCount
    }
    // The tables may be kept for a time of which they do not say so.
    guard try !understood({ try server.run(plan.knownQuery) }).isEmpty else { throw tooOld(plan) }
    try check(plan, parts.first { $0.table.name == "operations" }?.part.facts.rowCount ?? 0, generation)
    if plan.day > Self.tomorrow {
      Console.warning(
        "trace \(trace.hash) begins on \(plan.day) by its host's clock; the server keeps it from there on")
    }
    return .loaded(rows: rows)
  }

  private func tooOld(_ plan: LoadPlan) -> Failure {
    Failure(
      message:
        "trace \(plan.trace.hash) began on \(plan.day) by its host's clock, longer ago than the server keeps traces: "
        + "it would be gone at once; --day \(Self.today) loads it as of today", status: .badInput)
  }

  /// All of one export, open. Throws ``Failure``.
  private func parts(of trace: ExportedTrace) throws -> [(table: TraceTable, part: ExportedPart)] {
    // An export removes the part of `traces` first and writes it last: where it is the same before and after, so are all.
    let before = try LoadPlan.order.last.map { try ExportedPart(trace, $0) }
    let parts = try LoadPlan.order.map { table in (table: table, part: try ExportedPart(trace, table)) }
    guard before?.identity == parts.last?.part.identity else {
      throw Failure(
        message: "trace \(trace.hash) is being exported anew: load it again when that is done", status: .badInput)
    }
    return parts
  }

  /// Of all bytes of all parts: what changes in any of them makes another state of the trace.
  private static func checksum(of parts: [(table: TraceTable, part: ExportedPart)]) throws -> String {
    var sum = Checksum()
    for (table, part) in parts {
      Array(table.name.utf8).withUnsafeBytes { sum.add($0) }
      try part.add(to: &sum)
    }
    let digits = String(sum.value, radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
  }

  /// Of which generation its rows are. Where another state of the trace was begun, that is removed.
  private func generation(of plan: LoadPlan) throws -> Int {
    let noted = try understood { try server.run(plan.noteQuery) }.split(separator: "\n").first?.split(separator: "\t")
    let last = noted?.last.flatMap { Int($0) }
    if let last, noted?.first.map(String.init) == plan.content { return last }
    return try begin(plan, last.map { $0 + 1 } ?? 0)
  }

  /// What follows is of this generation, or of the one behind it where rows have to go first.
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

  /// Another call that removed what this one sent, of another state of the trace, would leave less than there was.
  private func check(_ plan: LoadPlan, _ count: Int, _ generation: Int) throws {
    let found = try understood { try server.run(plan.countQuery) }.trimmingCharacters(in: .whitespacesAndNewlines)
    guard found != String(count) else { return }
    _ = try begin(plan, generation + 1)
    throw Failure(
      message:
        "trace \(plan.trace.hash): the server has \(printable(found)) of \(counted(count, "operation")): another load of "
        + "the same trace was under way; load it again", status: .cannotWrite)
  }

  private static var today: String { Date().formatted(.iso8601.year().month().day()) }
  /// Hosts are ahead of us by up to a day.
  private static var tomorrow: String { Date(timeIntervalSinceNow: 86_400).formatted(.iso8601.year().month().day()) }

  @discardableResult
  private func understood<Value>(_ body: () throws -> Value) throws -> Value {
    do { return try body() } catch let refusal as ClickHouseServer.Refusal { throw failure(refusal) }
  }

  private func failure(_ refusal: ClickHouseServer.Refusal) -> Failure {
    Failure(message: "\(printable(server.name)) refuses: \(printable(refusal.message))", status: .cannotWrite)
  }
}

/// A file of an export, open, and found to be what it should be.
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
        ? "is missing, so the trace is not whole: export it again" : "cannot be read: \(reason(errno))"
      throw problem(why, errno == ENOENT ? .badInput : .noInput)
    }
    file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
    var status = stat()
    fstat(descriptor, &status)
    let cut = "is no Parquet file, or was cut: export the trace again"
    guard status.st_mode & S_IFMT == S_IFREG, status.st_size >= 12,
      let tail = Self.bytes(descriptor, Int(status.st_size) - ParquetFacts.tailSize, ParquetFacts.tailSize),
      let size = ParquetFacts.descriptionSize(tail: tail), size <= Int(status.st_size) - 12,
      let description = Self.bytes(descriptor, Int(status.st_size) - ParquetFacts.tailSize - size, size),
      let facts = ParquetFacts(description: description)
    else { throw problem(cut) }
    self.facts = facts
    guard facts.facts["optrace.table"] == table.name, facts.facts["optrace.trace"] == trace.hash else {
      throw problem("is not what its path says: export the trace again")
    }
    guard facts.facts["optrace.schema"] == String(TraceTable.schemaVersion) else {
      throw problem(
        "has tables of version \(printable(facts.facts["optrace.schema"] ?? "")), and this optrace loads version "
          + "\(TraceTable.schemaVersion): export the trace again")
    }
  }

  /// Which file it is, and of which size: not the one that stands under its name later.
  var identity: [UInt64] {
    var status = stat()
    fstat(descriptor, &status)
    return [UInt64(status.st_dev), UInt64(status.st_ino), UInt64(status.st_size)]
  }

  /// All bytes, and how many there are.
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

  /// On which the trace began, by its host's clock.
  func day() throws -> String {
    let nanoseconds = facts.facts["optrace.started_at"].flatMap { UInt64($0) } ?? 0
    let seconds = nanoseconds / 1_000_000_000
    // ClickHouse's days end in 2149.
    guard seconds < 5_600_000_000 else {
      throw Failure(
        message: "'\(printable(path))': its host's clock was past the year 2147 when the trace began: "
          + "name a day with --day 2026-11-24", status: .badInput)
    }
    return Date(timeIntervalSince1970: TimeInterval(seconds)).formatted(.iso8601.year().month().day())
  }

  private static func bytes(_ descriptor: Int32, _ offset: Int, _ count: Int) -> [UInt8]? {
    guard count >= 0, count < 1 << 28 else { return nil }
    var result = [UInt8](repeating: 0, count: count)
    return pread(descriptor, &result, count, off_t(offset)) == count ? result : nil
  }
}
