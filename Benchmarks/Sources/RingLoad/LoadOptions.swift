import BenchmarkSupport
import Foundation

struct LoadOptions: Sendable {
  var shape: RingShape
  var threads: Int
  var seconds: Double
  var log: String?
  var json: String?
  var measuresLatency = false
  /// What a request computes: so many steps of some 3 ns, in two parts.
  var work = 6_000
  /// How long it hangs until it ends itself; shape `hang`.
  var hang = 60.0

  /// Nil where the arguments cannot be understood.
  init?(_ words: [String]) {
    var words = Array(words.dropFirst())
    guard words.count >= 3, let shape = RingShape(rawValue: words[0]), let threads = Int(words[1]),
      (1...10_000).contains(threads), let seconds = Double(words[2]), seconds > 0, seconds < 1e6
    else { return nil }
    (self.shape, self.threads, self.seconds) = (shape, threads, seconds)
    words.removeFirst(3)
    while !words.isEmpty {
      let name = words.removeFirst()
      if name == "--latency" {
        measuresLatency = true
        continue
      }
      guard !words.isEmpty else { return nil }
      let value = words.removeFirst()
      switch name {
      case "--log": log = value
      case "--json": json = value
      case "--work":
        guard let steps = Int(value), (0...1 << 30).contains(steps) else { return nil }
        work = steps
      case "--hang":
        guard let seconds = Double(value), seconds > 0, seconds < 1e6 else { return nil }
        hang = seconds
      default: return nil
      }
    }
  }
}

/// What else a machine has to do.
struct Loops {
  private let count: Int

  init?(_ words: [String]) {
    guard words.count == 3, words[1] == "loops", let count = Int(words[2]), (1...1000).contains(count) else {
      return nil
    }
    self.count = count
  }

  func run() -> Never {
    let parent = getppid()
    for _ in 0..<count { Thread.detachNewThread { while true { _ = computed(1_000_000) } } }
    while getppid() == parent { usleep(100_000) }
    exit(0)
  }
}

/// Uses a processor for so many steps.
@inline(never)
func computed(_ steps: Int) -> UInt64 {
  var value = UInt64(truncatingIfNeeded: steps) | 1
  for _ in 0..<steps { value = (value &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407) ^ value >> 29 }
  return value
}
