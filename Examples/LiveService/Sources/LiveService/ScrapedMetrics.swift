import CoreMetrics
import Foundation

/// A small backend of swift-metrics that Prometheus scrapes. A service takes its backend's own.
///
/// Sendable: `series` is only touched under `lock`.
final class ScrapedMetrics: MetricsFactory, @unchecked Sendable {
  private let lock = NSLock()
  private var series: [String: [String: Value]] = [:]

  private func value(_ label: String, _ dimensions: [(String, String)], _ kind: Value.Kind) -> Value {
    let labels = dimensions.map { "\($0.0)=\"\(Self.escaped($0.1))\"" }.joined(separator: ",")
    return lock.withLock {
      if let known = series[label]?[labels] { return known }
      let new = Value(kind)
      series[label, default: [:]][labels] = new
      return new
    }
  }

  private static func escaped(_ text: String) -> String {
    text.replacingOccurrences(of: "\\", with: "\\\\").replacingOccurrences(of: "\"", with: "\\\"")
      .replacingOccurrences(of: "\n", with: "\\n")
  }

  /// What Prometheus reads.
  var text: String {
    let all = lock.withLock { series }
    var lines: [String] = []
    for (label, values) in all.sorted(by: { $0.key < $1.key }) {
      guard let kind = values.values.first?.kind else { continue }
      lines.append("# HELP \(label) See Documentation/library.md.")
      lines.append("# TYPE \(label) \(kind.rawValue)")
      for (labels, value) in values.sorted(by: { $0.key < $1.key }) { lines += value.lines(label, labels) }
    }
    return lines.joined(separator: "\n") + "\n"
  }

  func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler {
    value(label, dimensions, .counter)
  }
  func makeRecorder(label: String, dimensions: [(String, String)], aggregate: Bool) -> any RecorderHandler {
    value(label, dimensions, aggregate ? .histogram : .gauge)
  }
  func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler {
    value(label, dimensions, .histogram)
  }
  func destroyCounter(_ handler: any CounterHandler) {}
  func destroyRecorder(_ handler: any RecorderHandler) {}
  func destroyTimer(_ handler: any TimerHandler) {}

  /// Sendable: all that changes is only touched under `lock`.
  private final class Value: CounterHandler, RecorderHandler, TimerHandler, @unchecked Sendable {
    enum Kind: String { case counter, gauge, histogram }
    private static let bounds = [0.0001, 0.001, 0.01, 0.1, 1, 10]

    let kind: Kind
    private let lock = NSLock()
    private var sum = 0.0
    private var buckets = [Int](repeating: 0, count: Value.bounds.count + 1)

    init(_ kind: Kind) { self.kind = kind }

    func increment(by amount: Int64) { lock.withLock { sum += Double(amount) } }
    func reset() { lock.withLock { sum = 0 } }
    func record(_ value: Int64) { record(Double(value)) }
    func recordNanoseconds(_ duration: Int64) { record(Double(duration) / 1e9) }
    func record(_ value: Double) {
      lock.withLock {
        sum = kind == .gauge ? value : sum + value
        buckets[Self.bounds.firstIndex { value <= $0 } ?? Self.bounds.count] += 1
      }
    }

    func lines(_ label: String, _ labels: String) -> [String] {
      lock.withLock {
        guard kind == .histogram else { return ["\(label){\(labels)} \(sum)"] }
        var count = 0
        let steps = zip(Self.bounds.map { "\($0)" } + ["+Inf"], buckets).map { bound, more in
          count += more
          return "\(label)_bucket{\(labels),le=\"\(bound)\"} \(count)"
        }
        return steps + ["\(label)_sum{\(labels)} \(sum)", "\(label)_count{\(labels)} \(count)"]
      }
    }
  }
}
