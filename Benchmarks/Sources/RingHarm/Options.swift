import BenchmarkSupport
import Foundation

struct Options: Sendable {
  var optrace: String
  var threads = [16, 64, 116, 118, 128, 300, 1000]
  /// Megabytes.
  var rings = [1, 4, 16, 64]
  var shapes: [RingShape] = [.fixed, .bursts, .queuePerRequest, .ending]
  var rounds = 3
  /// Of a run. A recorded one lasts longer where its ring would not be full by then.
  var seconds = 5.0
  var fillsRings = true
  /// Busy loops beside it.
  var beside = 0
  /// In place of what each shape has recorded of it.
  var recordOptions: [String]?
  var isShort = false
  var measuresLatency = false
  /// Also into a file that grows, for comparison.
  var hasFile = false
  /// Of a request, in place of the load's own.
  var work: Int?
  var minutes: Double?
  var hang = 60.0
  var json: String?
  /// Where traces stay.
  var keep: String?

  static let usage = """
    usage: RingHarm OPTRACE [OPTION…]
      --short            a few runs of a second, for the checks of every change: ends with 1 where less than half is left
      --threads N,N…     16,64,116,118,128,300,1000
      --rings MB,MB…     1,4,16,64
      --shapes NAME,…    fixed,bursts,queue-per-request,ending; also tasks, idle, names, classes, and by itself: hang
      --rounds N         3
      --seconds S        5; longer for a large ring, unless --exactly
      --exactly          not longer
      --beside N         so many busy loops beside it
      --record 'WORDS'   options for 'optrace record' in place of each shape's own
      --file             a row into a file that grows, too, for comparison
      --work STEPS       6000: what a request computes, some 3 ns a step
      --latency          what a call takes that submits a request, too
      --endure MINUTES   one run: memory, descriptors, file and throughput from its first minute to its last
      --hang SECONDS     60: how long the shape 'hang' hangs
      --json FILE        the results as JSON
      --keep FOLDER      keep the last trace of each row

    """

  /// Nil where the arguments cannot be understood.
  init?(_ words: [String]) {
    var words = Array(words.dropFirst())
    guard let optrace = words.first, !optrace.hasPrefix("-") else { return nil }
    self.optrace = optrace
    words.removeFirst()
    while !words.isEmpty {
      let name = words.removeFirst()
      switch name {
      case "--short": becomeShort()
      case "--exactly": fillsRings = false
      case "--latency": measuresLatency = true
      case "--file": hasFile = true
      default:
        guard !words.isEmpty, set(name, words.removeFirst()) else { return nil }
      }
    }
    if shapes.contains(.hang), shapes.count > 1 { return nil }
  }

  private mutating func becomeShort() {
    isShort = true
    (threads, rings, rounds, seconds, fillsRings) = ([16, 120], [1], 2, 1, false)
    shapes = [.bursts, .queuePerRequest, .ending, .tasks]
  }

  private mutating func set(_ name: String, _ value: String) -> Bool {
    func numbers(_ range: ClosedRange<Int>) -> [Int]? {
      let numbers = value.split(separator: ",").map { Int($0) }
      let good = numbers.compactMap { $0 }.filter { range.contains($0) }
      return good.isEmpty || good.count < numbers.count ? nil : good
    }
    let seconds = Double(value).flatMap { $0 > 0 && $0 < 1e6 ? $0 : nil }
    switch name {
    case "--threads":
      guard let numbers = numbers(1...10_000) else { return false }
      threads = numbers
    case "--rings":
      guard let numbers = numbers(1...65_536) else { return false }
      rings = numbers
    case "--shapes":
      let named = value.split(separator: ",").map { RingShape(rawValue: String($0)) }
      shapes = named.compactMap { $0 }
      guard !shapes.isEmpty, shapes.count == named.count else { return false }
    case "--rounds":
      guard let number = Int(value), (1...1000).contains(number) else { return false }
      rounds = number
    case "--work":
      guard let number = Int(value), (0...1 << 30).contains(number) else { return false }
      work = number
    case "--beside":
      guard let number = Int(value), (0...1000).contains(number) else { return false }
      beside = number
    case "--seconds":
      guard let seconds else { return false }
      self.seconds = seconds
    case "--endure":
      guard let seconds else { return false }
      minutes = seconds
    case "--hang":
      guard let seconds else { return false }
      hang = seconds
    case "--record": recordOptions = value.split(separator: " ").map(String.init)
    case "--json": json = value
    case "--keep": keep = value
    default: return false
    }
    return true
  }

  func recordOptions(_ shape: RingShape) -> [String] { recordOptions ?? shape.recordOptions }

  /// A busy program writes some 3 MB a second: its ring is to be full before its end.
  func seconds(_ recorder: Recorder) -> Double {
    guard fillsRings, case .ring(let megabytes) = recorder else { return seconds }
    return max(seconds, Double(megabytes) / 2)
  }
}
