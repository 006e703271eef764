import OpTraceModel
import TestSupport

/// A program that runs repeatedly: layers of operations on some queues, each with its own time, which varies from
/// run to run as real ones do.
struct RandomRun {
  struct Step {
    var name: String?
    var className: String
    var queue: Int
    var after: [Int]
    /// Milliseconds.
    var time: Double
  }

  var steps: [Step] = []
  var limits: [Int] = []

  static let classes = ["Load", "Decode", "Resize", "Store"]

  /// Names such as `decode 17`, or no names.
  init(_ random: inout SeededGenerator, count: Int) {
    limits = (0..<3).map { _ in random.number(1..<5) }
    for index in 0..<count {
      let kind = Self.classes[index % Self.classes.count]
      let after = (0..<random.number(0..<3)).compactMap { _ in
        index > 0 ? random.number(max(0, index - 12)..<index) : nil
      }
      steps.append(
        Step(
          name: "\(kind.lowercased()) \(index)", className: kind, queue: index % limits.count,
          after: Array(Set(after)).sorted(), time: 1 + Double(random.number(0..<1000)) / 100))
    }
  }

  /// One run. Each time varies by `noise` (standard deviation of its logarithm). All times of the run vary together by
  /// `drift`, as on a busy machine. The order in which operations get a free thread varies, too.
  func trace(
    _ random: inout SeededGenerator, noise: Double = 0.1, drift: Double = 0.02, factors: [String: Double] = [:],
    renamed: Bool = false, order: [Int]? = nil
  ) -> Trace {
    var make = HandmadeTrace("run")
    let queues = limits.enumerated().map { make.queue("queue \($0.offset)", limit: $0.element) }
    let slow = Self.exponential(drift * Self.normal(&random))
    var free = limits.map { [Double](repeating: 0, count: $0) }
    var ends = [Double](repeating: 0, count: steps.count)
    var ids = [Int](repeating: 0, count: steps.count)
    var rows: [(begin: Double, ready: Double, end: Double)] = []
    for step in steps {
      let ready = step.after.map { ends[$0] }.max() ?? 0
      let slot = free[step.queue].indices.min { free[step.queue][$0] < free[step.queue][$1] } ?? 0
      let begin = max(ready, free[step.queue][slot])
      let jitter = Self.exponential(noise * Self.normal(&random))
      let end = begin + step.time * slow * jitter * (factors[step.className] ?? 1)
      free[step.queue][slot] = end
      ends[rows.count] = end
      rows.append((begin, ready, end))
    }
    let indexes = order ?? Array(steps.indices)
    for (number, index) in indexes.enumerated() { ids[index] = number + 1 }
    for index in indexes {
      let step = steps[index]
      let name = renamed ? step.name.map { _ in "\(step.className.lowercased()) \(Self.uuid(&random))" } : step.name
      let id = make.operation(
        name, on: queues[step.queue], thread: UInt32(2 + index % 2), after: step.after.map { ids[$0] }, enqueued: 0.0,
        ready: rows[index].ready, began: rows[index].begin, ended: rows[index].end)
      make[id].className = step.className
    }
    return make.trace
  }

  static func uuid(_ random: inout SeededGenerator) -> String {
    let digits = (0..<32).map { _ in String(random.number(0..<16), radix: 16) }.joined()
    var text = ""
    for (index, digit) in digits.enumerated() {
      if [8, 12, 16, 20].contains(index) { text += "-" }
      text.append(digit)
    }
    return text
  }

  /// A normally distributed number: the sum of twelve uniform ones.
  static func normal(_ random: inout SeededGenerator) -> Double {
    (0..<12).reduce(-6) { sum, _ in sum + Double(random.number(0..<100_000)) / 100_000 }
  }

  /// e to the power of a small number.
  static func exponential(_ power: Double) -> Double {
    let part = 1 + power / 1024
    return (0..<10).reduce(part) { result, _ in result * result }
  }
}
