import BenchmarkSupport
import Foundation

/// A busy server in a ring for long: what it takes must not grow, and it must not slow down.
enum Endurance {
  private struct Sample {
    var time: UInt64
    var requests: Int
    /// Memory of its own, and of the ring's pages; kilobytes.
    var memory: Int
    var commandMemory: Int
    var descriptors: Int
    /// Bytes, and how many of them are on the disk.
    var size: Int
    var allocated: Int
  }

  static func run(_ bench: Bench) throws -> Bool {
    let options = bench.options
    let minutes = options.minutes ?? 30
    let shape = options.shapes[0]
    let threads = options.threads.count == 1 ? options.threads[0] : 64
    let ring = options.rings.count == 1 ? options.rings[0] : 16
    // A tenth where it is short.
    let window = min(60, minutes * 60 / 10)
    say("\(shape.rawValue), \(threads) threads, a ring of \(ring) MB, \(minutes) minutes, in parts of \(Int(window)) s")
    let recording = try Recording(
      bench, shape, threads, ring: ring, seconds: minutes * 60, requests: 0, ["--json", bench.file("result")])
    let log = recording.log
    let command = parent(log.process)
    var samples: [Sample] = []
    let end = log.began + UInt64(minutes * 60e9)
    while recording.isRunning, LaneLog.now() + 500_000_000 < end {
      samples.append(sample(log, command, bench.file("run.optrace")))
      if samples.count.isMultiple(of: Int(window)) {
        say(line(samples, window))
      }
      usleep(1_000_000)
    }
    recording.end(within: 60)
    return try judge(samples, window, bench, shape, log)
  }

  private static func judge(
    _ samples: [Sample], _ window: Double, _ bench: Bench, _ shape: RingShape, _ log: LaneLog
  ) throws -> Bool {
    let length = UInt64(window * 1e9)
    guard let first = samples.first, let last = samples.last,
      let settled = samples.first(where: { $0.time >= first.time + length }),
      let before = samples.last(where: { $0.time + length <= last.time }), settled.time <= before.time
    else { throw Failed(what: "the load, which ended too early,") }
    let after = samples.filter { $0.time >= settled.time }
    func rate(_ from: Sample, _ to: Sample) -> Double {
      Double(to.requests - from.requests) / Double(to.time - from.time) * 1e9
    }
    func growth(_ what: KeyPath<Sample, Int>) -> Double {
      Double((after.map { $0[keyPath: what] }.max() ?? 0) - settled[keyPath: what])
    }
    // A file may be open for the moment of a sample: what stays open is there in each one.
    let earliest = samples.filter { $0.time <= settled.time }.map(\.descriptors).min() ?? 0
    let latest = samples.filter { $0.time >= before.time }.map(\.descriptors).min() ?? 0
    let check = try Check(bench, shape, log)
    let ratio = rate(before, last) / rate(first, settled)
    let rows = [
      Row("endure", "throughput of the last part / of the first", ratio, "x", atLeast: 0.97),
      Row("endure", "memory of the program, growth after the first part", growth(\.memory), "KB", atMost: 2048),
      Row("endure", "memory of the command, the same", growth(\.commandMemory), "KB", atMost: 2048),
      Row.gate("endure", "descriptors that stay open, the same", Double(latest - earliest), "", atMost: 0),
      Row.gate("endure", "file, the same", growth(\.size), "B", atMost: 0),
      Row.gate("endure", "file on the disk, the same", growth(\.allocated), "B", atMost: 65536),
      Row.gate("endure", "errors of the doctor", Double(check.errors.count), "", atMost: 0),
      Row.gate("endure", "not valid", check.isValid ? 0 : 1, "", atMost: 0),
      Row.gate("endure", "missing of what is said to be complete", Double(check.kept.missing), "requests", atMost: 0),
      // Of this long load the log knows only the last requests' times, so this is what the trace says; the row above checks it.
      Row("endure", "everything is said to be kept of the last", check.kept.claimed ?? 0, "s"),
      Row("endure", "the newest request that is kept: before the last", check.kept.behind, "s"),
      Row("endure", "records that were lost", Double(check.bytes.lost), ""),
    ]
    for row in rows { print(row.text(showsGoal: true)) }
    if !check.isValid { print(check.violation) }
    for code in check.errors + check.warnings { print("  doctor: \(code)") }
    return !rows.contains { $0.isGate && $0.verdict == .missed }
  }

  private static func line(_ samples: [Sample], _ window: Double) -> String {
    let now = samples[samples.count - 1]
    let then = samples[max(0, samples.count - Int(window))]
    let rate = Double(now.requests - then.requests) / max(1, Double(now.time - then.time)) * 1e9
    return String(
      format: "%6.0f s %10.0f requests/s %8d KB, command %8d KB %5d descriptors %12d bytes, %d on the disk",
      Double(now.time - samples[0].time) / 1e9, rate, now.memory, now.commandMemory, now.descriptors, now.size,
      now.allocated)
  }

  private static func sample(_ log: LaneLog, _ command: pid_t, _ trace: String) -> Sample {
    var information = stat()
    let isThere = stat(trace, &information) == 0
    let descriptors = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/\(log.process)/fd"))?.count ?? 0
    return Sample(
      time: LaneLog.now(), requests: log.requests, memory: number("VmRSS", log.process),
      commandMemory: number("VmRSS", command), descriptors: descriptors,
      size: isThere ? Int(information.st_size) : 0, allocated: isThere ? Int(information.st_blocks) * 512 : 0)
  }

  private static func parent(_ process: pid_t) -> pid_t { pid_t(number("PPid", process)) }

  /// Of a process's status file; 0: not there.
  private static func number(_ name: String, _ process: pid_t) -> Int {
    let text = (try? String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8)) ?? ""
    for line in text.split(separator: "\n") where line.hasPrefix(name + ":") {
      return line.split(whereSeparator: { $0 == " " || $0 == "\t" }).dropFirst().first.flatMap { Int($0) } ?? 0
    }
    return 0
  }
}
