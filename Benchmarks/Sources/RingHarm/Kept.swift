import BenchmarkSupport
import Foundation

/// Which of a load's requests are in its trace, compared with what the load itself has told of them.
struct Kept {
  /// How many are in the trace, with their ends.
  var requests = 0
  /// Of these whose end is missing, though they had finished.
  var withoutEnd = 0
  /// From the newest request that the trace has to the newest that was made; seconds.
  var behind = Double.infinity
  /// For so long before the newest request every request of every lane is in the trace; seconds. At most as long as the load knows the
  /// times of its requests.
  var complete = 0.0
  /// The share of the last second's requests that are in the trace.
  var lastSecond = 0.0
  /// How long the trace says that it has everything; nil: it does not say. Seconds before the newest request.
  var claimed: Double?
  /// Requests of that time which it does not have.
  var missing = 0
  /// When the complete time begins, on the system's monotonic clock.
  var since: UInt64 = .max

  /// `claim`: from when on it is said to have everything.
  init(trace: String, shape: RingShape, log: LaneLog, claim: UInt64?, optrace: String, output: String) throws {
    let question =
      shape == .queuePerRequest
      ? "SELECT ended, queue FROM blocks WHERE queue LIKE 'request %'"
      : "SELECT finished, name FROM operations WHERE name LIKE 'request %'"
    let child = try Child.run(
      [optrace, "sql", trace, question, "--csv", "-o", output], showsErrors: false, limit: 120)
    guard child.status == 0, let text = FileManager.default.contents(atPath: output) else {
      throw Failed(what: "optrace sql \(trace) (status \(child.status))")
    }
    unlink(output)
    var numbers = [Set<Int>](repeating: [], count: log.laneCount)
    // Lines of CSV end with a carriage return and a line feed.
    for line in [UInt8](text).split(separator: UInt8(ascii: "\n")) {
      guard let comma = line.firstIndex(of: UInt8(ascii: ",")),
        let request = RingShape.request(named: line[(comma + 1)...].dropLast()),
        numbers.indices.contains(request.lane)
      else { continue }
      numbers[request.lane].insert(request.number)
      if comma == line.startIndex, request.number < log.finished(request.lane) { withoutEnd += 1 }
    }
    requests = numbers.reduce(0) { $0 + $1.count }
    compare(numbers, log, claim)
  }

  private mutating func compare(_ numbers: [Set<Int>], _ log: LaneLog, _ claim: UInt64?) {
    var newestMade: UInt64 = 0
    var newestKept: UInt64 = 0
    var newestMissing: UInt64 = 0
    var oldestKnown: UInt64 = 0
    for lane in 0..<log.laneCount {
      guard let known = log.known(lane) else { continue }
      newestMade = max(newestMade, log.time(known.upperBound, of: lane))
      // What is older has lost its time.
      if known.lowerBound > 1 { oldestKnown = max(oldestKnown, log.time(known.lowerBound, of: lane)) }
      if let kept = known.last(where: { numbers[lane].contains($0) }) {
        newestKept = max(newestKept, log.time(kept, of: lane))
      }
      if let gone = known.last(where: { !numbers[lane].contains($0) }) {
        newestMissing = max(newestMissing, log.time(gone, of: lane))
      }
    }
    if oldestKnown == 0 { oldestKnown = log.began }
    func age(_ time: UInt64) -> Double { newestMade > time ? Double(newestMade - time) / 1e9 : 0 }
    if newestKept > 0 { behind = age(newestKept) }
    since = max(newestMissing, oldestKnown)
    complete = age(since)
    // A millisecond for what two clocks differ.
    let begin = claim.map { max($0 + 1_000_000, oldestKnown) }
    claimed = claim.map { age($0) }
    let second = newestMade > 1_000_000_000 ? newestMade - 1_000_000_000 : 0
    var (madeLately, keptLately) = (0, 0)
    for lane in 0..<log.laneCount {
      guard let known = log.known(lane) else { continue }
      for number in known.reversed() {
        let time = log.time(number, of: lane)
        guard time >= second || begin.map({ time >= $0 }) == true else { break }
        let isKept = numbers[lane].contains(number)
        if let begin, time >= begin, !isKept { missing += 1 }
        if time >= second {
          madeLately += 1
          keptLately += isKept ? 1 : 0
        }
      }
    }
    lastSecond = madeLately > 0 ? Double(keptLately) / Double(madeLately) : .nan
  }
}
