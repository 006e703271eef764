/// The style sheet of an SVG picture.
enum SVGStyle {
  static func css(_ picture: GraphPicture, hasLanes: Bool) -> String {
    """
    .optrace-graph text{font-size:11.5px}
    .optrace-graph .title{font-size:19px;font-weight:700}
    .optrace-graph .subtitle,.optrace-graph .verdict{font-size:12px}
    .optrace-graph .lead{font-weight:700}
    .optrace-graph .lane-title{font-size:13px;font-weight:700}
    .optrace-graph .lane-caption,.optrace-graph .caption{font-size:10px}
    .optrace-graph .name{font-size:12px;font-weight:700;unicode-bidi:plaintext}
    .op .box{stroke-width:1.2}
    .op.executing .box,.op.deadlocked .box{stroke-width:1.8}
    .op.pending .box,.op.stalled .box{stroke-dasharray:4 3}
    .op.external .box,.op.unknown .box{stroke-dasharray:1.5 3}
    .op.critical .box{stroke-width:2.8}
    .op.culprit .box{stroke-width:2.8;stroke-dasharray:none}
    .queue.culprit .lane-box{stroke-width:2.4}
    .queue.culprit .lane-caption{font-weight:700}
    .op.cancelled .name{text-decoration:line-through}
    .op .sign{fill:none;stroke-width:1.7;stroke-linecap:round;stroke-linejoin:round}
    .op .gate{fill:none;stroke-width:1.6;stroke-linecap:round}
    .op{cursor:default;outline:none}
    .op .card{stroke-width:1.2}
    .dep .line{fill:none;stroke-width:1.2}
    .dep.open .line{stroke-dasharray:5 3.5}
    .dep.mixed .line{stroke-width:1.6;stroke-dasharray:0.1 4.5;stroke-linecap:round}
    .dep.critical .line{stroke-width:2.8}
    .dep.cycle .line{stroke-width:2.2;stroke-dasharray:none}
    .dep.slot .line,.dep.held-slot .line{stroke-dasharray:0.1 5.2;stroke-linecap:round}
    .dep.held-slot .line,.dep.wait .line,.dep.barrier .line,.dep.main-thread .line{stroke-width:1.6}
    .dep.wait .line,.dep.main-thread .line{stroke-dasharray:8 4}
    .dep.barrier .line{stroke-dasharray:3 3}
    .dep.submission .line{stroke-dasharray:2 2.5}
    .dep.awaited .line{stroke-dasharray:8 4}
    .dep.cycle.held-slot .line{stroke-width:3}
    .dep.cycle.wait .line,.dep.cycle.main-thread .line,.dep.cycle.barrier .line{stroke-width:2.2}
    .optrace-graph .words .label{font-size:10px;font-weight:700;text-anchor:middle}
    .op,.dep{transition:opacity .12s}
    .tracing .op[id]:not(.lit),.tracing .dep[id]:not(.lit),.tracing .words:not(.lit){opacity:.16}
    .tracing .op.here .box,.op:focus-visible .box{stroke-width:3.4}
    \(picture.isComparison ? comparisonShapes : "")\(colors(picture, hasLanes) { $0.light })
    @media screen and (prefers-color-scheme:dark){
    \(colors(picture, hasLanes) { $0.dark })
    }
    @media print{.optrace-graph{-webkit-print-color-adjust:exact;print-color-adjust:exact}}

    """
  }

  private static func stuckEdges(_ part: String, prefix: String = ".dep") -> String {
    ["cycle", "held-slot", "wait", "barrier", "main-thread"].map { "\(prefix).\($0)\(part)" }.joined(separator: ",")
  }

  private static let comparisonShapes = """
    .op.went .box{stroke-dasharray:4 3}
    .op.went .name{text-decoration:line-through}
    .dep.came .line,.dep.more .line,.dep.fewer .line{stroke-width:2.2}
    .dep.went .line{stroke-width:2.2;stroke-dasharray:5 3.5}

    """

  private static func comparisonColors(_ hex: (ColorPair) -> String) -> [String] {
    BoxDifference.allCases.flatMap { difference in
      let (look, style) = (difference.rawValue, difference.style)
      return [
        ".op.\(look) .box{fill:\(hex(style.fill));stroke:\(hex(style.border))}",
        ".optrace-graph .op.\(look) .name{fill:\(hex(style.text))}", ".op.\(look) .sign{stroke:\(hex(style.accent))}",
        ".dep.\(look) .line{stroke:\(hex(style.accent))}", ".dep.\(look) .tip{fill:\(hex(style.accent))}",
        ".optrace-graph .words.\(look) .label{fill:\(hex(style.accent))}",
      ]
    }
  }

  private static func colors(_ picture: GraphPicture, _ hasLanes: Bool, _ pick: (ColorPair) -> Color) -> String {
    func hex(_ pair: ColorPair) -> String { pick(pair).hex }
    var rules = [
      ".optrace-graph{background:\(hex(Palette.page))}", ".page{fill:\(hex(Palette.page))}",
      ".optrace-graph text{fill:\(hex(Palette.text))}",
      ".optrace-graph .subtitle,.optrace-graph .caption,.optrace-graph .count,.outside text{fill:\(hex(Palette.muted))}",
      ".dep .line{stroke:\(hex(Palette.edge))}", ".dep .tip{fill:\(hex(Palette.edge))}",
      ".track{fill:\(hex(Palette.track))}", ".blocked{fill:\(hex(Palette.waitsForDependencies))}",
      ".queued{fill:\(hex(Palette.waitsForSlot))}",
    ]
    for kind in [GraphPicture.Verdict.Kind.good, .note, .warning, .deadlock] {
      rules.append(".optrace-graph .verdict.\(kind.rawValue){fill:\(hex(kind.color))}")
    }
    for (number, lane) in picture.lanes.enumerated() where hasLanes && lane.isBoxed {
      rules.append(".lane-\(number) .lane-box{fill:\(hex(lane.style.fill));stroke:\(hex(lane.style.border))}")
      rules.append(".words.on-\(number) .ground{fill:\(hex(lane.style.fill))}")
      rules.append(".optrace-graph .lane-\(number) text{fill:\(hex(lane.style.text))}")
    }
    for state in ShownState.allCases {
      let style = state.style
      rules.append(
        ".op.\(state.rawValue) .box,.op.\(state.rawValue) .card{fill:\(hex(style.fill));stroke:\(hex(style.border))}")
      rules.append(".optrace-graph .op.\(state.rawValue) .name{fill:\(hex(style.text))}")
      rules.append(".op.\(state.rawValue) .sign,.op.\(state.rawValue) .gate{stroke:\(hex(style.accent))}")
      rules.append(".op.\(state.rawValue) .ran{fill:\(hex(style.accent))}")
    }
    rules.append(".op.executing .sign{fill:\(hex(ShownState.executing.style.accent))}")
    rules.append(".optrace-graph .op.deadlocked .caption{fill:\(hex(ShownState.deadlocked.style.text))}")
    if !hasLanes {
      // There are too many queues for lanes, so each queue has a tint, and the tooltip names it.
      for lane in picture.lanes where lane.isBoxed && !lane.nodeClass.isEmpty {
        rules.append(
          ".op.finished.\(lane.nodeClass) .box,.op.pending.\(lane.nodeClass) .box{fill:\(hex(lane.style.fill))}")
      }
    }
    rules += [
      ".op.critical .box,.op.critical .card{stroke:\(hex(Palette.critical))}",
      ".dep.critical .line{stroke:\(hex(Palette.critical))}",
      ".dep.critical .tip{fill:\(hex(Palette.critical))}",
      ".op.deadlocked .box{stroke:\(hex(ShownState.deadlocked.style.border))}",
      "\(stuckEdges(" .line")){stroke:\(hex(Palette.cycle))}", "\(stuckEdges(" .tip")){fill:\(hex(Palette.cycle))}",
      ".words .ground{fill:\(hex(Palette.page))}", ".optrace-graph .words .label{fill:\(hex(Palette.muted))}",
      ".optrace-graph .words.critical .label{fill:\(hex(Palette.critical))}",
      "\(stuckEdges(" .label", prefix: ".optrace-graph .words")){fill:\(hex(Palette.cycle))}",
      ".op.culprit .box,.optrace-graph .queue.culprit .lane-box{stroke:\(hex(Palette.cycle))}",
      ".optrace-graph .queue.culprit .lane-caption{fill:\(hex(Palette.cycle))}",
    ]
    if picture.isComparison { rules += comparisonColors(hex) }
    return rules.joined(separator: "\n")
  }
}
