import Foundation
import OpTraceModel
import OpTraceSQL
import OpTraceTables

/// A query on a thread of its own, whose rows another thread takes. So that thread can continue even if the query does
/// not end.
///
/// `lock` guards everything that both threads use. The database belongs to the query until that has ended, and is then
/// handed back.
final class RunningQuery: @unchecked Sendable {
  /// The most rows that wait to be taken: enough that the threads do not wait for each other at each row.
  private static let most = 1024

  private struct GivenUp: Error {}

  private let lock = NSCondition()
  private let database: TraceDatabase
  private let wake: WakePipe
  private var columns: [String]?
  private var rows: [[TableValue]] = []
  private var result: Result<Void, any Error>?
  private var isGivenUp = false

  /// Starts the query.
  init(_ query: String, _ database: TraceDatabase) throws {
    self.database = database
    guard let wake = WakePipe() else {
      throw Failure(message: "cannot make a pipe: \(reason(errno))", status: .cannotWrite)
    }
    self.wake = wake
    let thread = Thread { [self] in run(query) }
    // Queries, and what SQLite makes of them, may nest deeply.
    thread.stackSize = 8 << 20
    thread.start()
  }

  // MARK: On the query's thread

  private func run(_ query: String) {
    let result = Result {
      try database.run(
        query, isOver: { [self] in lock.withLock { isGivenUp } },
        columns: { names in lock.withLock { columns = names } }, row: { try add($0) })
    }
    lock.withLock { self.result = result }
    wake.signal()
  }

  private func add(_ row: [TableValue]) throws {
    lock.lock()
    while rows.count >= Self.most, !isGivenUp { lock.wait() }
    let hasEnded = isGivenUp
    if !hasEnded { rows.append(row) }
    let isFirst = rows.count == 1
    lock.unlock()
    if hasEnded { throw GivenUp() }
    if isFirst { wake.signal() }
  }

  // MARK: On the thread that takes the rows

  /// The database for the next query; nil: this query has not ended.
  var freeDatabase: TraceDatabase? { lock.withLock { result == nil ? nil : database } }

  /// Calls back with the rows until the query has ended. If this throws, the query runs on until it notices that it was
  /// given up.
  func rows(
    until timeout: Double?, endedBy signals: SignalPipe?, columns: ([String]) throws -> Void,
    row: ([TableValue]) throws -> Void
  ) throws {
    defer { giveUp() }
    let deadline = timeout.map { ContinuousClock.now.advanced(by: .seconds($0)) }
    while true {
      let isLate = !wake.wait(until: deadline, or: signals)
      let (names, found, result) = take()
      if signals?.take() != nil { throw SQLError.interrupted }
      if isLate, result == nil { throw SQLError.timeout }
      if let names { try columns(names) }
      for one in found { try row(one) }
      if let result { return try result.get() }
    }
  }

  private func take() -> (columns: [String]?, rows: [[TableValue]], result: Result<Void, any Error>?) {
    wake.clear()
    lock.lock()
    defer { lock.unlock() }
    let taken = (columns, rows, result)
    (columns, rows) = (nil, [])
    lock.broadcast()
    return taken
  }

  private func giveUp() {
    lock.lock()
    isGivenUp = true
    lock.broadcast()
    lock.unlock()
  }
}

extension WakePipe {
  /// Waits for something from the query. False: the time is over.
  func wait(until deadline: ContinuousClock.Instant?, or signals: SignalPipe?) -> Bool {
    var wanted = [pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)]
    if let signals { wanted.append(pollfd(fd: signals.descriptor, events: Int16(POLLIN), revents: 0)) }
    while true {
      let rest = deadline.map { ContinuousClock.now.duration(to: $0) / .milliseconds(1) }
      if let rest, rest <= 0 { return false }
      // Rounded up; limited, because poll can wait for only some days.
      if poll(&wanted, nfds_t(wanted.count), rest.map { Int32(min($0.rounded(.up), 1e8)) } ?? -1) > 0 { return true }
    }
  }
}
