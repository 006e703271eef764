import BenchmarkSupport
import Foundation

/// A load that knows nothing of OpTrace, to be run plain and recorded:
/// `RingLoad SHAPE THREADS SECONDS [--log FILE] [--json FILE] [--latency] [--work STEPS] [--hang SECONDS]`.
///
/// Prints how many requests it completed, as a line of JSON. With `--latency` it adds how long the call took that submits a request.
/// `--log` is a file that `LaneLog` made, in which the load tells of each request. `RingLoad loops N` keeps N processors busy until its parent ends.
@main
enum RingLoad {
  static func main() throws {
    if let loops = Loops(CommandLine.arguments) { loops.run() }
    guard let options = LoadOptions(CommandLine.arguments) else {
      let shapes = RingShape.allCases.map(\.rawValue).joined(separator: ", ")
      let usage = """
        usage: RingLoad SHAPE THREADS SECONDS [--log FILE] [--json FILE] [--latency] [--work STEPS] [--hang SECONDS]
               RingLoad loops N
        shapes: \(shapes)

        """
      FileHandle.standardError.write(Data(usage.utf8))
      exit(64)
    }
    let lanes = options.shape.laneCount(threads: options.threads)
    let log =
      try options.log.map { try LaneLog(openingFileAt: $0) }
      ?? LaneLog(creatingFileAt: nil, lanes: lanes, requests: 0)
    guard log.laneCount == lanes else { throw Failed(what: "the log, which is for \(log.laneCount) lanes,") }

    log.beginProcess()
    let load = Load(options, log)
    let begin = LaneLog.now()
    let before = processorTime()
    load.start()
    sleep(until: begin + UInt64(options.seconds * 1e9))
    let requests = log.requests
    let seconds = Double(LaneLog.now() - begin) / 1e9
    let cpu = processorTime() - before
    log.stop()
    if options.shape == .hang { load.hang() }

    // Who cannot end is not waited for: that is what is looked for here.
    let patience = LaneLog.now() + 5_000_000_000
    while log.ended < lanes, LaneLog.now() < patience { usleep(5_000) }
    let result = RingLoadResult(
      requests: requests, seconds: seconds, cpu: cpu, threads: log.threads, stuck: lanes - log.ended,
      latency: options.measuresLatency ? load.latencies.sum.figures : nil)
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    let line = try encoder.encode(result) + Data("\n".utf8)
    if let file = options.json { try line.write(to: URL(fileURLWithPath: file)) }
    FileHandle.standardOutput.write(line)
    exit(0)
  }

  /// Of all threads, seconds.
  private static func processorTime() -> Double {
    var time = timespec()
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }

  /// In the main thread, and by the system's own call: nothing that is recorded.
  private static func sleep(until end: UInt64) {
    while true {
      let now = LaneLog.now()
      guard now < end else { return }
      usleep(UInt32(clamping: min(end - now, 500_000_000) / 1000))
    }
  }
}
