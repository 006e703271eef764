/// The middle of several measurements, and how far they lie apart: half of them are between `low` and `high`.
public struct Spread: Codable, Sendable {
  public var median: Double
  public var low: Double
  public var high: Double
  public var count: Int

  public init(_ values: [Double]) {
    let sorted = values.sorted()
    func quantile(_ share: Double) -> Double {
      guard let last = sorted.last else { return .nan }
      let position = share * Double(sorted.count - 1)
      let below = Int(position)
      guard below + 1 < sorted.count else { return last }
      return sorted[below] + (sorted[below + 1] - sorted[below]) * (position - Double(below))
    }
    median = quantile(0.5)
    low = quantile(0.25)
    high = quantile(0.75)
    count = values.count
  }
}

/// Runs several kinds of work in turn, each round in the opposite order to the one before: what the machine does
/// meanwhile, and what the first leaves to the second, meets all of them alike. The results by kind, in the order of the rounds.
public func interleaved<Kind: Hashable, Result>(
  _ kinds: [Kind], rounds: Int, _ run: (Kind) throws -> Result
) rethrows -> [Kind: [Result]] {
  var results: [Kind: [Result]] = [:]
  for round in 0..<rounds {
    for kind in round.isMultiple(of: 2) ? kinds : kinds.reversed() { results[kind, default: []].append(try run(kind)) }
  }
  return results
}

/// The ratios of what was measured in the same round.
public func ratios(_ numerators: [Double], _ denominators: [Double]) -> Spread {
  Spread(zip(numerators, denominators).map { $0 / $1 })
}
