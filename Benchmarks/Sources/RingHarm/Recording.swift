import BenchmarkSupport
import Foundation

/// A recorded load that still runs.
final class Recording {
  let log: LaneLog
  private let process = Process()

  /// Waits until the load has begun.
  init(
    _ bench: Bench, _ shape: RingShape, _ threads: Int, ring: Int, seconds: Double, requests: Int, _ more: [String]
  ) throws {
    unlink(bench.file("run.optrace"))
    log = try LaneLog(
      creatingFileAt: bench.file("log"), lanes: shape.laneCount(threads: threads), requests: requests)
    let words = bench.words(shape, threads, .ring(ring), seconds: seconds, more)
    process.executableURL = URL(fileURLWithPath: words[0])
    process.arguments = Array(words.dropFirst())
    process.standardOutput = FileHandle.nullDevice
    process.standardError = FileHandle.nullDevice
    try process.run()
    while log.process == 0 {
      guard process.isRunning else { throw Failed(what: words.joined(separator: " ")) }
      usleep(5_000)
    }
  }

  var isRunning: Bool { process.isRunning }

  /// The load is killed where it is not over; the command then ends by itself.
  func end(within seconds: Double) {
    let limit = LaneLog.now() + UInt64(seconds * 1e9)
    while process.isRunning, LaneLog.now() < limit { usleep(20_000) }
    if process.isRunning { kill(log.process, SIGKILL) }
    process.waitUntilExit()
  }
}
