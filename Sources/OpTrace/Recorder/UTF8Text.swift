internal import COpTrace
internal import OpTraceFormat

/// Texts as they are stored in a record.
enum UTF8Text {
  /// Calls `body` with the text's bytes, cut to what a record holds. Allocates nothing for a native text.
  @inline(__always)
  static func with(_ text: String, _ body: (UnsafePointer<UInt8>?, Int) -> Void) {
    var text = text
    text.withUTF8 { bytes in
      let isWhole = bytes.count <= Layout.longestText
      body(bytes.baseAddress, isWhole ? bytes.count : optrace_text_length(bytes.baseAddress, bytes.count))
    }
  }

  /// The same of `key=value`, cut to `longest` bytes. A `=` in the key becomes `_`.
  static func with(
    key: String, value: String, longest: Int, _ body: (UnsafePointer<UInt8>?, Int) -> Void
  ) {
    withUnsafeTemporaryAllocation(of: UInt8.self, capacity: longest) { all in
      var end = 0
      // False: a part of it was cut off.
      func append(_ text: String, _ change: (UInt8) -> UInt8) -> Bool {
        var text = text
        return text.withUTF8 { bytes in
          var count = min(bytes.count, all.count - end)
          let isWhole = count == bytes.count
          // At the beginning of a character.
          while !isWhole, count > 0, bytes[count] & 0xC0 == 0x80 { count -= 1 }
          for index in 0..<count { all[end + index] = change(bytes[index]) }
          end += count
          return isWhole
        }
      }
      let equals = UInt8(ascii: "=")
      if append(key, { $0 == equals ? UInt8(ascii: "_") : $0 }), append("=", { $0 }) { _ = append(value) { $0 } }
      body(all.baseAddress, end)
    }
  }

  /// The same of a span's ids, in hexadecimal digits: `trace-span`, or `trace-span-remote`.
  static func with(_ ids: SpanIDs, remote: UInt64?, _ body: (UnsafePointer<UInt8>?, Int) -> Void) {
    withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 66) { all in
      var end = 0
      func append(_ number: UInt64) {
        for nibble in 0..<16 {
          let digit = UInt8(truncatingIfNeeded: number >> UInt64(60 - 4 * nibble)) & 15
          all[end] = digit + (digit < 10 ? UInt8(ascii: "0") : UInt8(ascii: "a") - 10)
          end += 1
        }
      }
      func dash() {
        all[end] = UInt8(ascii: "-")
        end += 1
      }
      append(ids.trace.high)
      append(ids.trace.low)
      dash()
      append(ids.span)
      if let remote {
        dash()
        append(remote)
      }
      body(all.baseAddress, end)
    }
  }
}
