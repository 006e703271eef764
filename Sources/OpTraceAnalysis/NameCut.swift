/// How a name that is too long is shown, in every output: both of its ends, and an ellipsis between them.
///
/// What tells names apart often stands at the end: `image.resize.large`, `closure #2 in load(_:)`.
package enum NameCut {
  /// Cut where it has more characters than `most`. O(most) behind the counting.
  package static func inside(_ text: String, _ most: Int) -> String {
    guard text.count > most else { return text }
    return inside(text, to: Double(most), ellipsis: 1) { _ in 1 }
  }

  /// Cut to a width, in any unit, wherever the characters have widths of their own. The text is known to be wider. No
  /// blanks stand beside the ellipsis. O(width).
  package static func inside(
    _ text: String, to widest: Double, ellipsis: Double, width: (Character) -> Double
  ) -> String {
    let room = max(0, widest - ellipsis)
    var used = 0.0
    var end = text.endIndex
    while end > text.startIndex {
      let before = text.index(before: end)
      let next = width(text[before])
      if used + next > min(room, widest / 2) { break }
      used += next
      end = before
    }
    var start = text.startIndex
    while start < end {
      let next = width(text[start])
      if used + next > room { break }
      used += next
      start = text.index(after: start)
    }
    while start > text.startIndex, text[text.index(before: start)] == " " { start = text.index(before: start) }
    while end < text.endIndex, text[end] == " " { end = text.index(after: end) }
    return text[..<start] + "…" + text[end...]
  }
}
