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
}
