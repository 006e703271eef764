#if Tracing
  internal import OpTrace

  /// The context of a span, as services hand it on: `traceparent` and `tracestate` of the W3C's Trace Context.
  struct TraceParent: Sendable, Equatable {
    static let key = "traceparent"
    static let stateKey = "tracestate"

    var ids: SpanIDs
    var flags: UInt8 = 1
    /// As it came.
    var state: String?

    init(ids: SpanIDs) { self.ids = ids }

    /// Nil: it is none. Of a version that is not known yet, what is known of it counts.
    init?(_ text: String, state: String? = nil) {
      let all = Array(text.utf8.prefix(57))
      guard all.count >= 55, all[2] == Self.dash, all[35] == Self.dash, all[52] == Self.dash,
        let version = Self.number(all[0..<2]), version != 0xFF,
        all.count == 55 || version != 0 && all[55] == Self.dash,
        let high = Self.number(all[3..<19]), let low = Self.number(all[19..<35]), high != 0 || low != 0,
        let span = Self.number(all[36..<52]), span != 0, let flags = Self.number(all[53..<55])
      else { return nil }
      ids = SpanIDs(trace: .init(high: high, low: low), span: span)
      self.flags = UInt8(truncatingIfNeeded: flags)
      self.state = state
    }

    var text: String {
      "00-\(Self.hex(ids.trace.high))\(Self.hex(ids.trace.low))-\(Self.hex(ids.span))-\(Self.hex(UInt64(flags), digits: 2))"
    }

    private static let dash = UInt8(ascii: "-")

    /// Nil: other than lowercase hexadecimal digits.
    private static func number(_ digits: ArraySlice<UInt8>) -> UInt64? {
      var value: UInt64 = 0
      for digit in digits {
        switch digit {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): value = value << 4 | UInt64(digit - UInt8(ascii: "0"))
        case UInt8(ascii: "a")...UInt8(ascii: "f"): value = value << 4 | UInt64(digit - UInt8(ascii: "a") + 10)
        default: return nil
        }
      }
      return value
    }

    private static func hex(_ value: UInt64, digits: Int = 16) -> String {
      let text = String(value, radix: 16)
      return String(repeating: "0", count: max(0, digits - text.utf8.count)) + text
    }
  }

  /// Fields as they were injected, in their order.
  struct InjectedFields: Sendable {
    private(set) var all: [(key: String, value: String)] = []

    func has(_ key: String) -> Bool { all.contains { $0.key.lowercased() == key } }
    subscript(key: String) -> String? { all.last { $0.key.lowercased() == key }?.value }
    mutating func append(_ key: String, _ value: String) { all.append((key, value)) }
  }
#endif
