public import Foundation
public import Testing

/// How long anything is waited for that has to come: so long that a busy machine is no failure, and a hang is one.
public let patience: TimeInterval = 300

/// Lets one through each time it is opened. A wait in vain is a failure of the test that made the gate, on whatever thread.
public final class Gate: Sendable {
  private let semaphore = DispatchSemaphore(value: 0)
  private let troubles = Troubles.current

  public init() {}

  public func open() { semaphore.signal() }

  public func wait(_ location: SourceLocation = #_sourceLocation) {
    OwnThread.isNeeded(for: "a gate", location)
    guard semaphore.wait(timeout: .now() + patience) == .timedOut else { return }
    if let troubles {
      troubles.add("waited in vain at a gate", location)
    } else {
      Issue.record("waited in vain at a gate")
    }
  }
}

/// Opens a gate when it is released.
public final class Token: Sendable {
  private let gate: Gate
  public init(_ gate: Gate) { self.gate = gate }
  deinit { gate.open() }
}

/// Looks again and again until something is so.
///
/// - Parameter whileRunning: without it there is nothing to wait for, once it has ended.
/// - Throws: when it does not come to be.
public func eventually(
  _ what: String, whileRunning program: RunningProgram? = nil, _ location: SourceLocation = #_sourceLocation,
  _ isSo: () throws -> Bool
) throws {
  OwnThread.isNeeded(for: "looking again and again", location)
  let end = Date(timeIntervalSinceNow: patience)
  while true {
    // Asked first: what a program did up to its end is there then.
    let isOver = Date() > end || program?.isRunning == false
    if try isSo() { return }
    try #require(!isOver, "in vain: \(what)", sourceLocation: location)
    usleep(2000)
  }
}
