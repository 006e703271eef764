/// Traces in the text form without its boring parts.
public struct TypedTrace: Sendable {
  /// What the times of the lines count.
  public enum Unit: Int, Sendable { case nanoseconds = 1, microseconds = 1_000, milliseconds = 1_000_000 }

  /// What stands in the trace's header.
  public var process = "fixture"
  public var processID = 4711
  public var isClosed = true
  /// The recorder's last sign of life, in nanoseconds; nil: the last event.
  public var heartbeat: Int?
  /// More lines of the header, such as `lost no-space 3`.
  public var header = ""

  public init() {}

  /// The head, up to the first event.
  public var head: String {
    """
    optrace text 1
    process \(processID) "\(process)"
    writer "0.1.0"
    mode streaming
    wall 1790000000123456789
    monotonic 1000
    state \(isClosed ? "closed" : "open")
    \(heartbeat.map { "heartbeat \($0)\n" } ?? "")\(header)

    """
  }

  /// The whole text of lines `TIME tTHREAD EVENT …`. Threads 1 to 6 are defined: the main one, and workers with the system's
  /// numbers 102 to 106.
  public func text(_ lines: String, in unit: Unit) -> String {
    var text = head + "\n0 t1 thread t1 tid=\(processID) \"main\"\n"
    for thread in 2...6 { text += "0 t\(thread) thread t\(thread) tid=\(100 + thread) \"worker\"\n" }
    for line in lines.split(separator: "\n") {
      let words = line.split(separator: " ", maxSplits: 1)
      guard words.count == 2, let time = Int(words[0]) else { continue }
      text += "\(time * unit.rawValue) \(words[1])\n"
    }
    return text
  }
}
