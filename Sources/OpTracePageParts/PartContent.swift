package import OpTraceText

/// What a part shows on one page other than what it concludes from the trace: a drawing, for example, which is made elsewhere.
package struct PartContent: Sendable {
  /// The name of the part.
  package let part: String
  /// The content of its section, and the rules of a style sheet for that.
  package let html: String
  package let style: String
  /// Writes the part's data as one JSON value. `isNew`: the page does not have the HTML yet, so it comes with the data. If there is
  /// content, the part's conclusions have no data of their own.
  package let write: @Sendable (_ isNew: Bool, ByteWriter) -> Void

  package init(
    _ part: String, html: String, style: String, write: @escaping @Sendable (_ isNew: Bool, ByteWriter) -> Void
  ) {
    (self.part, self.html, self.style, self.write) = (part, html, style, write)
  }

  /// The part's section on the page; empty if there is nothing to put in it.
  package var section: String { html.isEmpty ? "" : "<section id=\"\(part)\" hidden>\(html)</section>" }
}
