import OpTraceText

extension Output {
  /// How a text looks there: coloured on a terminal, where it is as wide as that, but not wider than one likes to read;
  /// plain in a file.
  var style: TextStyle {
    guard path == nil else { return .plain }
    let columns = Console.columns()
    return TextStyle(width: columns.map { min($0, 120) } ?? 100, cutsTexts: columns != nil, paint: Console.paint)
  }
}
