import ArgumentParser
import OpTraceModel

/// A time on the command line: `1.5s`, `250ms`, `10us`, `800ns`; without a unit it is seconds.
struct TimeArgument: ExpressibleByArgument {
  var nanoseconds: Nanoseconds

  private static let units: [(name: String, size: Double)] = [
    ("ns", 1), ("us", 1e3), ("µs", 1e3), ("ms", 1e6), ("s", 1e9),
  ]

  init?(argument: String) {
    let text = argument.filter { $0 != " " }
    let unit = Self.units.first { text.hasSuffix($0.name) }
    guard let value = Double(text.dropLast(unit?.name.count ?? 0)), value.isFinite else { return nil }
    let nanoseconds = (value * (unit?.size ?? 1e9)).rounded()
    // About 290 years; even the sum of two such times fits.
    guard nanoseconds.magnitude < 4e18 else { return nil }
    self.nanoseconds = Nanoseconds(nanoseconds)
  }
}
