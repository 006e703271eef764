import OpTraceKernel
import OpTraceModel
import OpTraceSamples
package import OpTraceText

/// What changed between two runs, for people.
package struct MemoryDifferenceText {
  private let difference: MemoryDifference
  private let most: Int
  private let style: TextStyle

  package init(_ difference: MemoryDifference, most: Int = 20, style: TextStyle = .plain) {
    (self.difference, self.most, self.style) = (difference, most, style)
  }

  /// Ends with a line end.
  package func text(_ names: (before: String, after: String)) -> String {
    let head = TerminalText.wrapped(
      "from \(TerminalText.printable(names.before)) to \(TerminalText.printable(names.after)): "
        + "allocated \(words(difference.allocated)), live at the end \(words(difference.live))", to: style.width)
    return head.map { style.paint(.strong, $0) + "\n" }.joined()
      + "  ~ before a change: chance explains it\n\n" + style.paint(.strong, "Functions") + "\n" + functions
      + "\n" + style.paint(.strong, "Types") + "\n" + types
  }

  /// A section of `optrace diff`: functions whose memory changes, with a title; ends with a line end.
  package var section: String {
    let sums = "allocated \(words(difference.allocated)), live at the end \(words(difference.live))"
    let title = style.paint(.strong, "Memory by function") + "\n"
    let lines = TerminalText.wrapped(sums, to: max(1, style.width - 2)).map { "  \($0)\n" }.joined()
    let more = difference.functions.count - most
    return title + lines + functions + (more > 0 ? "  and \(grouped(more)) more: optrace memory --compare\n" : "")
      + "  '~' is what chance explains: a change below two standard errors\n"
  }

  private func words(_ change: MemoryDifference.Change) -> String {
    "\(bytesText(change.before.bytes)) to \(bytesText(change.after.bytes)) (\(Self.change(change)))"
  }

  private static func change(_ change: MemoryDifference.Change) -> String {
    (change.isClear || change.bytes == 0 ? "" : "~") + (change.bytes > 0 ? "+" : "") + bytesText(change.bytes)
  }

  private func cells(_ allocated: MemoryDifference.Change, _ live: MemoryDifference.Change) -> [String] {
    [
      bytesText(allocated.before.bytes), bytesText(allocated.after.bytes), Self.change(allocated),
      bytesText(live.before.bytes), bytesText(live.after.bytes), Self.change(live),
    ]
  }

  private static let columns: [TextTable.Column] = [
    .number("allocated before"), .number("after"), .number("change"), .number("live before"), .number("after"),
    .number("change"),
  ]

  private var functions: String {
    var table = TextTable(Self.columns + [.text("function", widest: 60)])
    for row in difference.functions.prefix(most) { table.add(cells(row.allocated, row.live) + [row.function.name]) }
    return table.text(style)
  }

  private var types: String {
    var table = TextTable(Self.columns + [.text("type", widest: 60)])
    for row in difference.types.prefix(most) {
      table.add(cells(row.allocated, row.live) + [row.type ?? "no object, or not known"])
    }
    return table.text(style)
  }
}
