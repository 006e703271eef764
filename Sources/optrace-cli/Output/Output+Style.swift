import OpTraceText

extension Output {
  /// The style of texts there: on a terminal coloured, and as wide as the terminal up to a readable width; plain in a
  /// file.
  var style: TextStyle {
    guard path == nil else { return .plain }
    let columns = Console.columns()
    return TextStyle(width: columns.map { min($0, 120) } ?? 100, cutsTexts: columns != nil, paint: Console.paint)
  }
}
