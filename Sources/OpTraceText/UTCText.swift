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
