/// What names that only count have in common: "Download" of "Download 12", "part … of …" of "part 3 of 40".
package enum NameStem {
  /// Every number becomes an ellipsis (``NamePattern``); what is at an end goes, with the marks beside it.
  package static func of(_ name: String) -> String {
    var text = Substring(NamePattern.of(String(decoding: name.utf8.prefix(300), as: UTF8.self), mark: "…"))
    while let last = text.last, " …-_.#:/([".contains(last) { text.removeLast() }
    while let first = text.first, " …-_.#:/)]".contains(first) { text.removeFirst() }
    return String(text)
  }
}
