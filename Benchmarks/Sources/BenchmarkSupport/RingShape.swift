/// What a load does whose flight recorder is measured. `RingLoad` runs it, and `RingHarm` records that.
public enum RingShape: String, CaseIterable, Codable, Sendable {
  /// Each thread submits one request after another to a few fixed queues, and waits for it.
  case fixed
  /// The same with twenty operations for each request, of which the last depends on all others: many are unfinished at any time.
  case bursts
  /// Each request has a dispatch queue of its own, as a connection of many servers has.
  case queuePerRequest = "queue-per-request"
  /// Each thread ends after ten requests, and another one takes its place.
  case ending
  /// Swift tasks, with two children for each request.
  case tasks
  /// Threads that record once and stay, while four others work.
  case idle
  /// An operation queue with a new name for each request.
  case names
  /// 8,000 classes of operations in turn.
  case classes
  /// Four threads work; then so many others wait for ever.
  case hang

  /// Beside operations, what `optrace record` has to record of it.
  public var recordOptions: [String] {
    switch self {
    case .queuePerRequest: ["--dispatch"]
    case .tasks: ["--tasks"]
    default: []
    }
  }

  /// How many work one after another, where so many threads are asked for.
  public func laneCount(threads: Int) -> Int {
    switch self {
    case .idle: threads + 4
    case .hang: 4
    default: threads
    }
  }

  /// Each request is an operation, or a block, with this name: what a trace has of it is found again.
  public static func name(lane: Int, number: Int) -> String { "request \(lane) \(number)" }

  /// The lane and the number of a name, as UTF-8; nil where it is no request's.
  public static func request(named name: ArraySlice<UInt8>) -> (lane: Int, number: Int)? {
    guard name.starts(with: Array("request ".utf8)) else { return nil }
    let parts = name.dropFirst(8).split(separator: UInt8(ascii: " "), omittingEmptySubsequences: false)
    guard parts.count == 2, let lane = decimal(parts[0]), let number = decimal(parts[1]) else { return nil }
    return (lane, number)
  }

  private static func decimal(_ digits: ArraySlice<UInt8>) -> Int? {
    guard (1...15).contains(digits.count) else { return nil }
    var value = 0
    for digit in digits {
      guard (48...57).contains(digit) else { return nil }
      value = value * 10 + Int(digit - 48)
    }
    return value
  }
}

/// What `RingLoad` writes at its end, as one line of JSON.
public struct RingLoadResult: Codable, Sendable {
  /// Completed within `seconds`.
  public var requests: Int
  public var seconds: Double
  /// Processor time of the whole process in that time, seconds.
  public var cpu: Double
  /// How many threads worked, in all.
  public var threads: Int
  /// Lanes that did not end in time, so their threads hang.
  public var stuck: Int
  /// Of the call that submits a request, with `--latency`.
  public var latency: Latencies.Figures?

  public init(requests: Int, seconds: Double, cpu: Double, threads: Int, stuck: Int, latency: Latencies.Figures?) {
    self.requests = requests
    self.seconds = seconds
    self.cpu = cpu
    self.threads = threads
    self.stuck = stuck
    self.latency = latency
  }
}
