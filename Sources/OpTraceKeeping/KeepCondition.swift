package import OpTraceModel

/// When a ring is kept: a value of `--keep-when`.
package struct KeepCondition: Sendable, Hashable {
  package enum Rule: Sendable, Hashable {
    /// Work is open, nothing has moved for so long, and nothing from outside is known to move it.
    case stall(Nanoseconds)
    /// A unit of work took longer.
    case request(Nanoseconds)
    /// Of the units of one kind that ended in the last ten seconds, more than one in a hundred took longer. Nil: of any
    /// kind.
    case p99(Nanoseconds, kind: String?)
    /// The doctor has a finding of this severity or worse.
    case finding(Severity)
    /// Of all processors that the program may use, this share was used in the last ten seconds; 0 to 1.
    case cpu(Double)
    /// The process has so many bytes of memory in use.
    case rss(UInt64)
  }

  package enum Severity: String, Sendable, Hashable { case warning, error }

  /// Why a text is no condition: one sentence that says what is allowed.
  package struct Refusal: Error, Equatable {
    package var message: String
  }

  /// As it was given.
  package let text: String
  package let rule: Rule

  package static let examples =
    "stall=5s, request=1s, p99=200ms, p99(KIND)=200ms, finding=warning, finding=error, cpu=90%, rss=2G"

  package init(_ text: String) throws(Refusal) {
    self.text = text
    func refusal(_ why: String) -> Refusal { Refusal(message: "--keep-when \(why); it takes \(Self.examples)") }
    // A kind may have any character in its name.
    let closed = text.hasPrefix("p99(") ? text.lastIndex(of: "=") : nil
    guard let mark = closed ?? text.firstIndex(of: "=") else {
      throw refusal("needs a condition with '=', and '\(text)' has none")
    }
    let (name, value) = (String(text[..<mark]), String(text[text.index(after: mark)...]))
    func time() throws(Refusal) -> Nanoseconds {
      guard let time = KeepValues.time(value) else {
        throw refusal("needs a time above 0, such as 5s or 200ms, behind '\(name)='; '\(value)' is none")
      }
      return time
    }
    switch name {
    case "stall": rule = .stall(try time())
    case "request": rule = .request(try time())
    case "p99": rule = .p99(try time(), kind: nil)
    case _ where name.hasPrefix("p99(") && name.hasSuffix(")") && name.count > 5:
      rule = .p99(try time(), kind: String(name.dropFirst(4).dropLast()))
    case "finding":
      guard let severity = Severity(rawValue: value) else {
        throw refusal("needs 'warning' or 'error' behind 'finding='; '\(value)' is neither")
      }
      rule = .finding(severity)
    case "cpu":
      guard let share = KeepValues.share(value) else {
        throw refusal("needs a percentage above 0 and up to 100, such as 90%, behind 'cpu='; '\(value)' is none")
      }
      rule = .cpu(share)
    case "rss":
      guard let size = KeepValues.size(value) else {
        throw refusal("needs a size above 0, such as 512M or 2G, behind 'rss='; '\(value)' is none")
      }
      rule = .rss(size)
    default: throw refusal("does not know '\(name)='")
    }
  }

  /// The word for it in names of files.
  package var word: String {
    switch rule {
    case .stall: "stall"
    case .request: "request"
    case .p99: "p99"
    case .finding: "finding"
    case .cpu: "cpu"
    case .rss: "rss"
    }
  }

  /// Whether it is about units of work, of which a trace without tasks and blocks shows only operations.
  package var needsUnits: Bool {
    switch rule {
    case .request, .p99: true
    case .stall, .finding, .cpu, .rss: false
    }
  }
}

/// Values of conditions.
enum KeepValues {
  /// Seconds if it has no unit.
  static func time(_ text: String) -> Nanoseconds? {
    let units: [(String, Double)] = [
      ("ns", 1), ("us", 1e3), ("µs", 1e3), ("ms", 1e6), ("min", 60e9), ("s", 1e9), ("h", 3600e9),
    ]
    let unit = units.first { text.hasSuffix($0.0) }
    guard let value = number(text.dropLast(unit?.0.count ?? 0)) else { return nil }
    let time = (value * (unit?.1 ?? 1e9)).rounded()
    return time >= 1 && time <= 1e15 ? Nanoseconds(time) : nil
  }

  static func share(_ text: String) -> Double? {
    guard text.hasSuffix("%"), let value = number(text.dropLast()), value > 0, value <= 100 else { return nil }
    return value / 100
  }

  static func size(_ text: String) -> UInt64? {
    let units: [(Character, Double)] = [("K", 0x1p10), ("M", 0x1p20), ("G", 0x1p30), ("T", 0x1p40)]
    let unit = units.first { text.uppercased().last == $0.0 }
    guard let value = number(unit == nil ? text[...] : text.dropLast()) else { return nil }
    let size = (value * (unit?.1 ?? 1)).rounded()
    return size >= 1 && size <= 0x1p60 ? UInt64(size) : nil
  }

  /// `Double` would also accept hexadecimal numbers, exponents and infinity.
  private static func number(_ text: Substring) -> Double? {
    guard text.utf8.allSatisfy({ (0x30...0x39).contains($0) || $0 == UInt8(ascii: ".") }) else { return nil }
    return Double(text)
  }
}
