public import OpTraceModel

/// Times as people read them: at most three significant digits, and a unit.
public enum DurationText {
  /// `0 ms`, `850 ns`, `12.3 µs`, `50 ms`, `1.23 s`, `2 min 05 s`, `1 h 02 min`; `an unknown time` in a core, which has no times.
  public static func text(_ time: Nanoseconds) -> String {
    let sign = time < 0 ? "−" : ""
    let value = time.magnitude
    if value == 0 { return "0 ms" }
    if TraceOrigin.isUnknown(time) { return "an unknown time" }
    if value < 1000 { return "\(sign)\(value) ns" }
    for (unit, size, next) in [
      ("µs", 1000, 1_000_000), ("ms", 1_000_000, 1_000_000_000), ("s", 1_000_000_000, 60_000_000_000),
    ] as [(String, UInt64, UInt64)] {
      // A value that would round up to the next unit is shown in that unit.
      guard value < next, let digits = threeDigits(value, unit: size, below: next / size) else { continue }
      return "\(sign)\(digits) \(unit)"
    }
    let seconds = (value + 500_000_000) / 1_000_000_000
    if seconds < 3600 { return "\(sign)\(seconds / 60) min \(twoDigits(seconds % 60)) s" }
    return "\(sign)\(seconds / 3600) h \(twoDigits(seconds % 3600 / 60)) min"
  }

  private static func threeDigits(_ value: UInt64, unit: UInt64, below limit: UInt64) -> String? {
    if value < unit * 10 {
      let hundredths = (value + unit / 200) / (unit / 100)
      if hundredths < 1000 { return decimal(hundredths, fraction: 2) }
    }
    if value < unit * 100 {
      let tenths = (value + unit / 20) / (unit / 10)
      if tenths < 1000, tenths < limit * 10 { return decimal(tenths, fraction: 1) }
      if tenths >= limit * 10 { return nil }
    }
    let whole = (value + unit / 2) / unit
    return whole < limit ? "\(whole)" : nil
  }

  private static func decimal(_ value: UInt64, fraction: Int) -> String {
    let scale: UInt64 = fraction == 2 ? 100 : 10
    let rest = value % scale
    if rest == 0 { return "\(value / scale)" }
    return "\(value / scale).\(fraction == 2 ? twoDigits(rest) : "\(rest)")"
  }

  private static func twoDigits(_ value: UInt64) -> String { value < 10 ? "0\(value)" : "\(value)" }
}
