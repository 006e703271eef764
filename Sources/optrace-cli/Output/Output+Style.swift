import OpTraceText

extension Output {
  /// How a text looks there: coloured on a terminal, where it is as wide as that, but not wider than one likes to read;
  /// plain in a file.
  var style: TextStyle {
    guard path == nil else { return .plain }
    let columns = Console.columns()
    return TextStyle(width: columns.map { min($0, 120) } ?? 100, cutsTexts: columns != nil) { role, text in
      switch role {
      case .error: Console.heading(Console.bad(text))
      case .warning: Console.heading(Console.caution(text))
      case .note: Console.heading(Console.accent(text))
      case .good: Console.good(text)
      case .strong: Console.heading(text)
      case .faint: Console.faint(text)
      }
    }
  }
}
