/// `12,345`: how every sentence for people writes a count, a size or an offset, whatever the locale.
package func grouped(_ number: some BinaryInteger) -> String {
  let digits = String(number.magnitude)
  var result = ""
  for (index, digit) in digits.enumerated() {
    if index > 0, (digits.count - index) % 3 == 0 { result += "," }
    result.append(digit)
  }
  return (number < 0 ? "-" : "") + result
}
