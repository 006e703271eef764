import BenchmarkSupport
import Foundation

/// One row of the table: a shape with so many threads in a ring, against the same without a recorder in the same rounds.
struct Cell: Codable {
  var shape: RingShape
  var threads: Int
  /// `16M` is a ring of so many megabytes, `file` a file that grows.
  var recorder: String
  /// Requests a second.
  var plain: Spread
  var recorded: Spread
  var ratio: Spread
  /// Processor time for a request, recorded / plain: says more where the machine has other work to do.
  var cost: Spread
  /// Rounds in which it did not come to its end.
  var frozen = 0
  /// Threads that came and went in the last run.
  var threadsInAll = 0
  /// For so long before the last request everything is in the trace: the least of the rounds, seconds.
  var complete: Double?
  /// What the trace says of itself; nil: nothing.
  var claimed: Double?
  var missing = 0
  var behind: Double?
  var lastSecond: Double?
  var share: Double?
  var lost: UInt64 = 0
  var faults: [String] = []
  var warnings: [String] = []
  var plainLatency: Latencies.Figures?
  var latency: Latencies.Figures?

  init(_ shape: RingShape, _ threads: Int, _ recorder: Recorder, plain: [Run], recorded: [Run]) {
    (self.shape, self.threads, self.recorder) = (shape, threads, recorder.name)
    self.plain = Spread(plain.map(\.rate))
    self.recorded = Spread(recorded.map(\.rate))
    ratio = ratios(recorded.map(\.rate), plain.map(\.rate))
    // What froze does not say what it used.
    let costs = zip(recorded, plain).map { $0.cost / $1.cost }.filter(\.isFinite)
    cost = Spread(costs)
    frozen = recorded.filter(\.isFrozen).count
    if frozen > 0 { faults.append("froze in \(frozen) of \(recorded.count) rounds") }
    threadsInAll = recorded.last?.threads ?? 0
    plainLatency = plain.last?.latency
    latency = recorded.last?.latency
  }

  mutating func add(_ check: Check) {
    let kept = check.kept
    complete = min(complete ?? .infinity, kept.complete)
    if let claim = kept.claimed { claimed = min(claimed ?? .infinity, claim) }
    missing += kept.missing
    behind = max(behind ?? 0, kept.behind.isFinite ? kept.behind : 1e9)
    lastSecond = min(lastSecond ?? 1, kept.lastSecond)
    share = min(share ?? 1, check.share)
    lost = max(lost, check.bytes.lost)
    if !check.isValid { faults.append("not valid: " + check.violation) }
    if !check.errors.isEmpty { faults.append("doctor: " + check.errors.joined(separator: ", ")) }
    if kept.missing > 0 { faults.append("\(kept.missing) requests missing of the time that is said to be complete") }
    for code in check.warnings where !warnings.contains(code) { warnings.append(code) }
  }

  static let header =
    "shape              threads   ring     plain/s  recorded/s        ratio (quartiles)    CPU   complete   said     newest  last 1 s"
    + "  bytes      lost  faults"

  var text: String {
    func seconds(_ value: Double?) -> String {
      guard let value else { return "-" }
      return value >= 1e6 ? "none" : value >= 10 ? String(format: "%.0f s", value) : String(format: "%.2f s", value)
    }
    func percent(_ value: Double?) -> String { value.map { String(format: "%.0f %%", $0 * 100) } ?? "-" }
    let spread = String(format: "%.3f (%.2f to %.2f)", ratio.median, ratio.low, ratio.high)
    var line = shape.rawValue.padding(toLength: 18, withPad: " ", startingAt: 0)
    line += right("\(threads)", 8) + right(recorder, 7) + right(String(format: "%.0f", plain.median), 12)
    line += right(String(format: "%.0f", recorded.median), 12) + "   " + right(spread, 22)
    line += right(cost.median.isFinite ? String(format: "%.2f", cost.median) : "-", 7)
    line += right(seconds(complete), 11) + right(seconds(claimed), 7) + right(seconds(behind), 11)
    line += right(percent(lastSecond), 9) + right(percent(share), 7) + right("\(lost)", 10) + "  "
    line += (faults + warnings.map { "(\($0))" }).joined(separator: "; ")
    if let plainLatency, let latency {
      func figures(_ latency: Latencies.Figures) -> String {
        [latency.p50, latency.p99, latency.p999, latency.longest].map { String(format: "%.1f", $0 / 1000) }
          .joined(separator: ", ")
      }
      line +=
        "\n    submitting, p50, p99, p99.9, most, µs: plain \(figures(plainLatency)); recorded \(figures(latency))"
    }
    return line
  }
}

func right(_ text: String, _ width: Int) -> String { String(repeating: " ", count: max(0, width - text.count)) + text }
