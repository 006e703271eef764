internal import OpTraceFormat

/// Texts as they are stored in a record.
enum UTF8Text {
  /// The longest prefix of whole characters (code points) that takes at most so many bytes.
  static func prefix(of text: String, bytes: Int) -> [UInt8] {
    var utf8 = Array(text.utf8)
    guard utf8.count > bytes else { return utf8 }
    var end = bytes
    while end > 0, UTF8.isContinuation(utf8[end]) { end -= 1 }
    utf8.removeSubrange(end...)
    return utf8
  }

  /// Calls `body` with the text's bytes, cut to what a record holds. Allocates nothing for a native, short text.
  @inline(__always)
  static func with(_ text: String, _ body: (UnsafePointer<UInt8>?, Int) -> Void) {
    // Nil: its bytes are not contiguous.
    let done: Bool? = text.utf8.withContiguousStorageIfAvailable { bytes in
      guard bytes.count <= Layout.longestText else { return false }
      body(bytes.baseAddress, bytes.count)
      return true
    }
    if done != true {
      prefix(of: text, bytes: Layout.longestText).withUnsafeBufferPointer { body($0.baseAddress, $0.count) }
    }
  }
}
