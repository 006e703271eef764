import OpTraceKernel
package import OpTraceModel

extension Requests {
  /// Work that is done again and again, each time after the same time.
  package struct Beat: Sendable, Equatable {
    /// Between two begins: the median.
    package var period: Nanoseconds
    /// How long it lasts each time: the median.
    package var length: Nanoseconds
  }
}

extension Requests.Beat {
  private static let leastTimes = 3
  /// The part of the period by which a time between two begins may differ from it.
  private static let unevenness = 0.15
  /// What lasts longer than this part of the period does not come back, but goes on.
  private static let longest = 0.6

  /// The beat of what was done at these times; nil: they have none. O(n log n).
  package init?(_ times: [(began: Nanoseconds, length: Nanoseconds)]) {
    let begins = times.map(\.began).sorted()
    let gaps = zip(begins, begins.dropFirst()).map { $1 - $0 }.sorted()
    guard times.count >= Self.leastTimes, let least = gaps.first, let most = gaps.last else { return nil }
    let period = gaps[gaps.count / 2]
    let length = times.map(\.length).sorted()[times.count / 2]
    let mostOff = Double(period) * Self.unevenness
    guard period > 0, Double(most - period) <= mostOff, Double(period - least) <= mostOff,
      Double(length) <= Double(period) * Self.longest
    else { return nil }
    self.init(period: period, length: length)
  }
}
