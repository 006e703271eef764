/// How far apart the means of two groups of numbers are, with the range in which the true difference lies in 95 of 100
/// cases (Welch 1947: the groups may be spread differently).
struct MeanDifference: Equatable {
  var difference: Double
  var low: Double
  var high: Double

  /// Nil where a group is empty. With one number in a group the spread is not known: the range is then the difference alone.
  init?(_ first: [Double], _ second: [Double]) {
    guard let one = Self.moments(first), let other = Self.moments(second) else { return nil }
    difference = other.mean - one.mean
    (low, high) = (difference, difference)
    guard first.count > 1, second.count > 1 else { return }
    let (a, b) = (one.variance / Double(first.count), other.variance / Double(second.count))
    guard a + b > 0 else { return }
    // Welch, Satterthwaite.
    let freedom = (a + b) * (a + b) / (a * a / Double(first.count - 1) + b * b / Double(second.count - 1))
    let margin = Self.quantile(freedom) * (a + b).squareRoot()
    (low, high) = (difference - margin, difference + margin)
  }

  /// With the range that 95 of 100 of these, which are in ascending order, lie in.
  func ranging(over values: [Double]) -> MeanDifference {
    guard let first = values.first, let last = values.last else { return self }
    let cut = values.count / 40
    var result = self
    result.low = min(difference, values.count > 2 * cut ? values[cut] : first)
    result.high = max(difference, values.count > 2 * cut ? values[values.count - 1 - cut] : last)
    return result
  }

  /// With a range that reaches at least so far to both sides.
  func reaching(_ margin: Double) -> MeanDifference {
    var result = self
    result.low = min(low, difference - margin)
    result.high = max(high, difference + margin)
    return result
  }

  /// The same in another measure.
  func mapped(_ measure: (Double) -> Double) -> MeanDifference {
    var result = self
    (result.difference, result.low, result.high) = (measure(difference), measure(low), measure(high))
    return result
  }

  private static func moments(_ values: [Double]) -> (mean: Double, variance: Double)? {
    guard !values.isEmpty else { return nil }
    let mean = values.reduce(0, +) / Double(values.count)
    let squares = values.reduce(0) { $0 + ($1 - mean) * ($1 - mean) }
    return (mean, values.count > 1 ? squares / Double(values.count - 1) : 0)
  }

  /// What Student's t stays below, in magnitude, in 95 of 100 cases. Tabled for whole degrees of freedom; between them the next lower.
  static func quantile(_ freedom: Double) -> Double {
    guard freedom >= 1 else { return table[0] }
    if freedom >= 31 { return 1.96 + 2.6 / freedom }
    return table[Int(freedom) - 1]
  }

  private static let table = [
    12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.160, 2.145, 2.131, 2.120,
    2.110, 2.101, 2.093, 2.086, 2.080, 2.074, 2.069, 2.064, 2.060, 2.056, 2.052, 2.048, 2.045, 2.042,
  ]
}
