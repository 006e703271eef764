import BenchmarkSupport
import Foundation

/// Runs loads, plain and recorded.
final class Bench {
  let options: Options
  let folder: URL
  private let load: String
  private var loops: Process?

  init(_ options: Options) throws {
    self.options = options
    let here = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
    load = here.appendingPathComponent("RingLoad").path
    folder = FileManager.default.temporaryDirectory.appendingPathComponent("optrace-ring-\(getpid())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    if options.beside > 0 {
      let process = Process()
      process.executableURL = URL(fileURLWithPath: load)
      process.arguments = ["loops", "\(options.beside)"]
      try process.run()
      loops = process
    }
  }

  func end() {
    loops?.terminate()
    try? FileManager.default.removeItem(at: folder)
  }

  func file(_ name: String) -> String { folder.appendingPathComponent(name).path }

  /// A run's own words, with the recorder's in front of them.
  func words(
    _ shape: RingShape, _ threads: Int, _ recorder: Recorder, seconds: Double, _ more: [String] = []
  ) -> [String] {
    var words = [load, shape.rawValue, "\(threads)", "\(seconds)", "--log", file("log")] + more
    if options.measuresLatency { words.append("--latency") }
    if let work = options.work { words += ["--work", "\(work)"] }
    var record = [options.optrace, "record", "-o", file("run.optrace")]
    switch recorder {
    case .plain: return words
    case .file: break
    case .ring(let megabytes): record += ["--flight-recorder", "\(megabytes)M"]
    }
    return record + options.recordOptions(shape) + ["--"] + words
  }

  func run(_ shape: RingShape, _ threads: Int, _ recorder: Recorder) throws -> Run {
    let seconds = options.seconds(recorder)
    unlink(file("run.optrace"))
    unlink(file("result"))
    let log = try LaneLog(creatingFileAt: file("log"), lanes: shape.laneCount(threads: threads))
    let words = words(shape, threads, recorder, seconds: seconds, ["--json", file("result")])
    var atLimit: Int?
    // A load that hangs is counted as it is, and ended: the recorder's command then ends by itself. One that has its
    // result is over, and the command still looks up names.
    let child = try Child.run(words, showsErrors: false, limit: seconds + 15) {
      guard !FileManager.default.fileExists(atPath: self.file("result")) else { return }
      atLimit = log.requests
      if log.process > 0 { kill(log.process, SIGKILL) }
    }
    if let atLimit {
      return Run(
        log: log, requests: atLimit, seconds: seconds + 15, cpu: .nan, threads: log.threads, isFrozen: true)
    }
    guard child.status == 0, let data = FileManager.default.contents(atPath: file("result")) else {
      throw Failed(what: words.joined(separator: " ") + " (status \(child.status))")
    }
    let result = try JSONDecoder().decode(RingLoadResult.self, from: data)
    return Run(
      log: log, requests: result.requests, seconds: result.seconds, cpu: result.cpu, threads: result.threads,
      isFrozen: result.stuck > 0, latency: result.latency)
  }
}

/// One that is over.
struct Run {
  var log: LaneLog
  var requests: Int
  var seconds: Double
  /// Processor time, seconds.
  var cpu: Double
  /// In all.
  var threads: Int
  /// Some of its threads did not end, or none.
  var isFrozen: Bool
  var latency: Latencies.Figures?

  var rate: Double { Double(requests) / seconds }
  var cost: Double { cpu / Double(max(1, requests)) }
}
