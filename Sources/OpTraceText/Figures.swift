package import OpTraceModel

/// `1 record`, `2 records`; with `is`: `1 record is`, `2 records are`.
package func counted(
  _ number: some BinaryInteger, _ noun: String, plural: String? = nil, is verb: Bool = false
) -> String {
  let one = number == 1
  return "\(grouped(number)) \(one ? noun : plural ?? noun + "s")" + (verb ? (one ? " is" : " are") : "")
}

/// A duration in the largest unit that keeps it above one, three digits: `1.23 ms`, `45.6 s`, `0`.
package func duration(_ nanoseconds: Nanoseconds) -> String {
  if nanoseconds == 0 { return "0" }
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

private func threeDigits(_ value: Double) -> String {
  let decimals = value.magnitude < 9.995 ? 2 : value.magnitude < 99.95 ? 1 : 0
  let scale = decimals == 2 ? 100.0 : decimals == 1 ? 10.0 : 1.0
  let scaled = Int((value * scale).rounded())
  if decimals == 0 { return grouped(scaled) }
  let (whole, rest) = scaled.quotientAndRemainder(dividingBy: Int(scale))
  let digits = String(rest.magnitude)
  return "\(whole)." + String(repeating: "0", count: decimals - digits.count) + digits
}
