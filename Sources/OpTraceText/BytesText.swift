/// `1.2 MB`: decimal units, three digits at most, and whole bytes.
package func bytesText(_ bytes: Double) -> String {
  let units = ["kB", "MB", "GB", "TB", "PB"]
  guard bytes.isFinite, bytes < 1e18 else { return "?" }
  let size = abs(bytes), sign = bytes < 0 && bytes.rounded() != 0 ? "-" : ""
  if size < 999.5 { return sign + "\(Int(size.rounded())) B" }
  var value = size / 1000
  var unit = 0
  while value >= 999.5, unit + 1 < units.count {
    value /= 1000
    unit += 1
  }
  if value < 9.95 {
    let tenths = Int((value * 10).rounded())
    return sign + (tenths % 10 == 0 ? "\(tenths / 10)" : "\(tenths / 10).\(tenths % 10)") + " " + units[unit]
  }
  return sign + "\(Int(value.rounded())) \(units[unit])"
}

/// `1.2 MB ± 0.3 MB`; without an error where it is less than a hundredth.
package func bytesText(_ bytes: Double, error: Double) -> String {
  error * 100 < abs(bytes) || error == 0 ? bytesText(bytes) : "\(bytesText(bytes)) ± \(bytesText(error))"
}
