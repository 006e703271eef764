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
      var end = append(key, to: all, at: 0)
      for index in 0..<end where all[index] == UInt8(ascii: "=") { all[index] = UInt8(ascii: "_") }
      // Unless the key was cut.
      if end == key.utf8.count, end < all.count {
        all[end] = UInt8(ascii: "=")
        end = append(value, to: all, at: end + 1)
      }
      body(all.baseAddress, end)
    }
  }

  /// Whole characters, as far as there is room. Returns their end.
  private static func append(_ text: String, to all: UnsafeMutableBufferPointer<UInt8>, at start: Int) -> Int {
    var text = text
    return text.withUTF8 { bytes in
      var count = min(bytes.count, all.count - start)
      while count < bytes.count, count > 0, bytes[count] & 0xC0 == 0x80 { count -= 1 }
      for index in 0..<count { all[start + index] = bytes[index] }
      return start + count
    }
  }

  /// The same of a span's ids, in hexadecimal digits: `trace-span`, or `trace-span-remote`.
  static func with(_ ids: SpanIDs, remote: UInt64?, _ body: (UnsafePointer<UInt8>?, Int) -> Void) {
    withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 66) { all in
      var end = append(ids.trace.high, to: all, at: 0)
      end = append(ids.trace.low, to: all, at: end)
      all[end] = UInt8(ascii: "-")
      end = append(ids.span, to: all, at: end + 1)
      if let remote {
        all[end] = UInt8(ascii: "-")
        end = append(remote, to: all, at: end + 1)
      }
      body(all.baseAddress, end)
    }
  }

  private static func append(_ number: UInt64, to all: UnsafeMutableBufferPointer<UInt8>, at start: Int) -> Int {
    for nibble in 0..<16 {
      let digit = UInt8(truncatingIfNeeded: number >> UInt64(60 - 4 * nibble)) & 15
      all[start + nibble] = digit + (digit < 10 ? UInt8(ascii: "0") : UInt8(ascii: "a") - 10)
    }
    return start + 16
  }
}
