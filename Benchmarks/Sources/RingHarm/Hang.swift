import BenchmarkSupport
import Foundation

/// A program that hangs: what led there must stay, however long it hangs.
enum Hang {
  static func run(_ bench: Bench) throws -> Bool {
    let options = bench.options
    var isGood = true
    say("ring  threads   after   of the requests before it   share of the last second   written an hour   doctor")
    for ring in options.rings {
      for threads in options.threads {
        let recording = try Recording(
          bench, .hang, threads, ring: ring, seconds: options.seconds(.ring(ring)), requests: 1 << 22,
          ["--hang", "\(options.hang + 120)"])
        let log = recording.log
        while log.hanging == 0, recording.isRunning { usleep(10_000) }
        var first: (time: Double, kept: Kept, written: UInt64)?
        for share in [0.2, 1.0] {
          let time = options.hang * share
          while recording.isRunning, LaneLog.now() < log.hanging + UInt64(time * 1e9) { usleep(20_000) }
          // As it is now, and not as it is while it is read.
          let copy = bench.file("copy.optrace")
          unlink(copy)
          try FileManager.default.copyItem(atPath: bench.file("run.optrace"), toPath: copy)
          guard let bytes = RingBytes(path: copy) else { throw Failed(what: "reading \(copy)") }
          let kept = try Kept(
            trace: copy, shape: .hang, log: log, claim: nil, optrace: options.optrace, output: bench.file("rows"))
          let codes = try Check.findings(bench, copy).map { "\($0.severity) \($0.code)" }
          var line = right("\(ring)M", 4) + right("\(threads)", 9) + right("\(Int(time)) s", 8)
          line += right("\(kept.requests)", 28) + right(String(format: "%.0f %%", kept.lastSecond * 100), 27)
          if let first {
            let hourly = Double(bytes.written - first.written) / (time - first.time) * 3600
            line += right(String(format: "%.1f MB", hourly / 1e6), 18)
            if kept.requests * 10 < first.kept.requests * 9 || hourly > 1e6 { isGood = false }
          } else {
            first = (time, kept, bytes.written)
            line += right("", 18)
          }
          say(line + "   " + codes.prefix(3).joined(separator: ", "))
        }
        if recording.isRunning { kill(log.process, SIGKILL) }
        recording.end(within: 60)
      }
    }
    return isGood
  }
}
