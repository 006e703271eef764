package import OpTraceModel

/// `1 record`, `2 records`; with `is`: `1 record is`, `2 records are`.
package func counted(
  _ number: some BinaryInteger, _ noun: String, plural: String? = nil, is verb: Bool = false
) -> String {
  let one = number == 1
  return "\(grouped(number)) \(one ? noun : plural ?? noun + "s")" + (verb ? (one ? " is" : " are") : "")
}

/// A duration in the largest unit that keeps it above one, three digits: `1.23 ms`, `45.6 s`, `0`; `unknown` in a core.
package func duration(_ nanoseconds: Nanoseconds) -> String {
  if nanoseconds == 0 { return "0" }
  if TraceOrigin.isUnknown(nanoseconds) { return "unknown" }
  let value = Double(nanoseconds)
  switch value.magnitude {
  case ..<999.5: return "\(nanoseconds) ns"
  case ..<999_500: return threeDigits(value / 1e3) + " µs"
  case ..<999_500_000: return threeDigits(value / 1e6) + " ms"
  default: return threeDigits(value / 1e9) + " s"
  }
}

/// `37 %`, and `<1 %` for little that is not nothing.
package func percent(_ share: Double) -> String {
  let value = share * 100
  if value > 0, value < 1 { return "<1 %" }
  return "\(Int(value.rounded())) %"
}

/// A number of times per second: `0`, `3.7`, `1,234`.
package func rate(_ value: Double) -> String {
  if value == 0 { return "0" }
  let tenths = Int((value * 10).rounded())
  return value < 9.95 ? "\(tenths / 10).\(tenths % 10)" : grouped(Int(value.rounded()))
}

private func threeDigits(_ value: Double) -> String {
  let decimals = value.magnitude < 9.995 ? 2 : value.magnitude < 99.95 ? 1 : 0
  let scale = decimals == 2 ? 100.0 : decimals == 1 ? 10.0 : 1.0
  let scaled = Int((value * scale).rounded())
  if decimals == 0 { return grouped(scaled) }
  let (whole, rest) = scaled.quotientAndRemainder(dividingBy: Int(scale))
  let digits = String(rest.magnitude)
  return "\(whole)." + String(repeating: "0", count: decimals - digits.count) + digits
}

/// `2026-01-02T03:04:05.678901234Z`: no Foundation, no locale. The calendar is the proleptic Gregorian one, reckoned in
/// eras of 400 years that begin on 1 March, so that the leap day comes last.
package func utcText(_ nanosecondsSince1970: UInt64) -> String {
  let (seconds, fraction) = nanosecondsSince1970.quotientAndRemainder(dividingBy: 1_000_000_000)
  let (days, second) = Int(seconds).quotientAndRemainder(dividingBy: 86_400)
  let sinceEra = days + 719_468
  let (era, dayOfEra) = sinceEra.quotientAndRemainder(dividingBy: 146_097)
  let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
  let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
  let shiftedMonth = (5 * dayOfYear + 2) / 153
  let day = dayOfYear - (153 * shiftedMonth + 2) / 5 + 1
  let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
  let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
  func padded(_ number: Int, _ width: Int) -> String {
    let digits = String(number)
    return String(repeating: "0", count: max(0, width - digits.count)) + digits
  }
  return "\(padded(year, 4))-\(padded(month, 2))-\(padded(day, 2))T\(padded(second / 3600, 2)):"
    + "\(padded(second / 60 % 60, 2)):\(padded(second % 60, 2)).\(padded(Int(fraction), 9))Z"
}
