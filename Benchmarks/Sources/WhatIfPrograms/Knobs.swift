import Foundation

/// What a change says of this run: the options of `optrace whatif`, in the environment's `WHATIF_CHANGES`. The programs ask here for
/// every number that a change may be about, so that a change is done for real.
struct Knobs: Sendable {
  private var limits: [String: Int] = [:]
  private var speeds: [String: Double] = [:]
  private var moves: [String: String] = [:]
  private var merges: [String: String] = [:]
  private var priorities: [String: Operation.QueuePriority] = [:]
  private var without: Set<String> = []

  static let shared = Knobs(ProcessInfo.processInfo.environment["WHATIF_CHANGES"] ?? "")

  private init(_ text: String) {
    let words = text.split(separator: " ").map(String.init)
    for (option, value) in zip(words, words.dropFirst()) where option.hasPrefix("--") {
      let parts = value.split(separator: "=").map(String.init)
      guard let first = parts.first else { continue }
      let last = parts.count > 1 ? parts[1] : ""
      switch option {
      case "--limit": limits[first] = last == "unlimited" ? -1 : Int(last)
      case "--faster": speeds[first] = Double(last)
      case "--move": moves[first] = last
      case "--merge": merges[first] = last
      case "--priority":
        priorities[first] = ["veryHigh": .veryHigh, "high": .high, "low": .low, "veryLow": .veryLow][last] ?? .normal
      case "--without": without.insert(value.replacingOccurrences(of: "'", with: ""))
      default: break
      }
    }
  }

  func limit(_ queue: String, _ value: Int) -> Int { limits[queue] ?? value }
  func milliseconds(_ kind: String, _ value: Double) -> Double { value / (speeds[kind] ?? 1) }
  func queue(of kind: String, _ value: String) -> String {
    let queue = moves[kind] ?? value
    return merges[queue] ?? queue
  }
  func priority(_ kind: String, _ value: Operation.QueuePriority) -> Operation.QueuePriority {
    priorities[kind] ?? value
  }
  func keeps(_ kind: String, waitingFor other: String) -> Bool {
    without.isDisjoint(with: ["\(kind)>\(other)", "*>\(other)", "\(kind)>*"])
  }
}
