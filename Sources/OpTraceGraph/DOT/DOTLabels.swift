import OpTraceText

/// The HTML-like labels of a DOT file. Graphviz knows tables, but no style sheets.
extension DOTWriter {
  /// Up to this many nodes get labels with a time bar. Laying out more such tables costs more than they are worth.
  static var mostTables: Int { 300 }

  func label(of node: GraphPicture.Node) -> String {
    let nameWidth = metrics.nodeWidth - 2 * GraphMetrics.padding - GraphMetrics.signWidth
    let name = TextMetrics.fitting(node.name, into: nameWidth, size: GraphMetrics.nameSize, bold: true)
    if picture.nodes.count > Self.mostTables {
      let times = node.fold.map { "\\n\(TextEscaping.dot($0.timesText))" } ?? ""
      let lane = laneName(of: node).map { "\\n\(TextEscaping.dot($0))" } ?? ""
      return "\"\(node.state.sign) \(TextEscaping.dot(name))\\n\(TextEscaping.dot(node.caption))\(times)\(lane)\""
    }
    let lines = [node.fold?.timesText, laneName(of: node)].compactMap(\.self).map { line in
      "<TR><TD ALIGN=\"LEFT\"><FONT POINT-SIZE=\"10\" COLOR=\"\(Palette.muted.light.hex)\">"
        + "\(TextEscaping.htmlLabel(line))</FONT></TD></TR>"
    }.joined()
    let style = node.state.style
    let shownName = TextEscaping.htmlLabel(name)
    let title = node.state == .cancelled ? "<S>\(shownName)</S>" : shownName
    let captionColor = node.state == .deadlocked ? style.text : Palette.muted
    return "<<TABLE BORDER=\"0\" CELLBORDER=\"0\" CELLSPACING=\"0\" CELLPADDING=\"1\">"
      + "<TR><TD ALIGN=\"LEFT\"><FONT COLOR=\"\(style.accent.light.hex)\">\(TextEscaping.htmlLabel(node.state.sign))</FONT> "
      + "<B>\(title)</B></TD></TR>"
      + "<TR><TD ALIGN=\"LEFT\"><FONT POINT-SIZE=\"10\" COLOR=\"\(captionColor.light.hex)\">"
      + "\(TextEscaping.htmlLabel(node.caption))</FONT></TD></TR>\(lines)"
      + "<TR><TD ALIGN=\"LEFT\" CELLPADDING=\"0\">\(barTable(node))</TD></TR></TABLE>>"
  }

  /// Returns the name of the node's queue, if no cluster shows it.
  func laneName(of node: GraphPicture.Node) -> String? {
    guard metrics.namesLanes else { return nil }
    let width = metrics.nodeWidth - 2 * GraphMetrics.padding
    return TextMetrics.fitting(picture.lanes[node.lane].title, into: width, size: GraphMetrics.captionSize)
  }

  private func barTable(_ node: GraphPicture.Node) -> String {
    let width = Int(metrics.nodeWidth - 2 * GraphMetrics.padding)
    var cells = ""
    var at = 0
    func cell(to end: Int, _ color: Color) {
      guard end > at else { return }
      cells += "<TD WIDTH=\"\(end - at)\" HEIGHT=\"4\" FIXEDSIZE=\"TRUE\" BGCOLOR=\"\(color.hex)\"></TD>"
      at = end
    }
    for part in node.bar {
      cell(to: Int((part.from * Double(width)).rounded()), Palette.track.light)
      let color =
        switch part.kind {
        case .blocked: Palette.waitsForDependencies.light
        case .queued: Palette.waitsForSlot.light
        case .ran: node.state.style.accent.light
        }
      // Anything that happened gets at least one point, so that it is visible.
      cell(to: min(width, max(at + 1, Int((part.to * Double(width)).rounded()))), color)
    }
    cell(to: width, Palette.track.light)
    return "<TABLE BORDER=\"0\" CELLBORDER=\"0\" CELLSPACING=\"0\" CELLPADDING=\"0\"><TR>\(cells)</TR></TABLE>"
  }

  func titleTable() -> String {
    var out = "<TABLE BORDER=\"0\" CELLBORDER=\"0\" CELLSPACING=\"0\" CELLPADDING=\"1\">"
    out += row(
      "<FONT POINT-SIZE=\"18\" COLOR=\"\(Palette.text.light.hex)\"><B>\(TextEscaping.htmlLabel(picture.title))</B></FONT>"
    )
    out += row("<FONT COLOR=\"\(Palette.muted.light.hex)\">\(TextEscaping.htmlLabel(picture.subtitle))</FONT>")
    for verdict in picture.verdicts {
      out += row(
        "<FONT COLOR=\"\(verdict.kind.color.light.hex)\"><B>\(TextEscaping.htmlLabel(verdict.lead))</B> "
          + "\(TextEscaping.htmlLabel(verdict.text))</FONT>")
    }
    return out + "</TABLE>"
  }

  private func row(_ content: String) -> String { "<TR><TD ALIGN=\"LEFT\">\(content)</TD></TR>" }

  func legendTable() -> String {
    var cells = ""
    for item in picture.legend {
      let mark: String
      switch item.mark {
      case .state, .unknown, .culprit, .difference:
        let style = item.mark.style
        mark =
          "<TD BORDER=\"1\" COLOR=\"\(style.border.light.hex)\" BGCOLOR=\"\(style.fill.light.hex)\" WIDTH=\"22\" "
          + "HEIGHT=\"16\" FIXEDSIZE=\"TRUE\"><FONT POINT-SIZE=\"9\" COLOR=\"\(style.accent.light.hex)\">"
          + "\(TextEscaping.htmlLabel(item.mark.sign))</FONT></TD>"
      case .line(let kind):
        let sign =
          switch kind.sample.stroke {
          case .solid: "━▶"
          case .dashed, .longDashed: "╌▶"
          case .dotted: "┅▶"
          }
        mark = "<TD><FONT COLOR=\"\(kind.sample.color.light.hex)\"><B>\(sign)</B></FONT></TD>"
      case .barrier: mark = "<TD>‖</TD>"
      case .fold: mark = "<TD>❐</TD>"
      case .many: mark = "<TD>×n</TD>"
      case .bar:
        let colors = [Palette.waitsForDependencies, Palette.waitsForSlot, ShownState.finished.style.accent]
        mark = colors.map { "<TD WIDTH=\"12\" HEIGHT=\"5\" FIXEDSIZE=\"TRUE\" BGCOLOR=\"\($0.light.hex)\"></TD>" }
          .joined()
      }
      let count = item.count.map { " <FONT COLOR=\"\(Palette.muted.light.hex)\">\($0)</FONT>" } ?? ""
      cells += mark + "<TD ALIGN=\"LEFT\">\(TextEscaping.htmlLabel(item.text))\(count)&#160;&#160;&#160;</TD>"
    }
    if cells.isEmpty { cells = "<TD></TD>" }
    return "<TABLE BORDER=\"0\" CELLBORDER=\"0\" CELLSPACING=\"2\" CELLPADDING=\"2\"><TR>\(cells)</TR></TABLE>"
  }
}
