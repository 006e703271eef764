extension SVGStyle {
  /// Returns the additional rules for the lean form. The regular rules set colours for `.box` and `.line`, which the
  /// lean form does not have: it has `.boxes`, many in one path, and the paths in `.op`, which the script makes. Only
  /// elements made by the script have dashes and dots, because a hundred thousand dashed lines keep a browser busy for
  /// seconds at each move. Long lines a little wider than a pixel are just as slow; so, close up (`.near`), lines that
  /// do not belong to a tile in sight are one pixel wide.
  static func lean(_ picture: GraphPicture, hasLanes: Bool) -> String {
    func boxes(_ looks: String...) -> String {
      looks.map { ".lean .\($0) path,.lean .boxes.\($0)" }.joined(separator: ",")
    }
    func colors(_ pick: (ColorPair) -> Color) -> String {
      func hex(_ pair: ColorPair) -> String { pick(pair).hex }
      var rules = [".lean .dep{stroke:\(hex(Palette.edge))}", ".lean .heads{fill:\(hex(Palette.edge))}"]
      for state in ShownState.allCases {
        rules.append("\(boxes(state.rawValue)){fill:\(hex(state.style.fill));stroke:\(hex(state.style.border))}")
        rules.append(".optrace-graph .lean .\(state.rawValue) text{fill:\(hex(state.style.text))}")
      }
      for lane in picture.lanes where !hasLanes && lane.isBoxed && !lane.nodeClass.isEmpty {
        rules.append(
          "\(boxes("finished.\(lane.nodeClass)", "pending.\(lane.nodeClass)")){fill:\(hex(lane.style.fill))}")
      }
      rules += [
        "\(boxes("critical")),.lean .dep.critical{stroke:\(hex(Palette.critical))}",
        "\(boxes("culprit", "deadlocked")),.lean .dep.cycle{stroke:\(hex(Palette.cycle))}",
        ".lean .heads.critical{fill:\(hex(Palette.critical))}", ".lean .heads.cycle{fill:\(hex(Palette.cycle))}",
        ".lean .here path,.lean .traced{stroke:\(hex(Palette.text))}",
        ".find{color:\(hex(Palette.muted))}",
        ".pointer-tip{color:\(hex(Palette.text));background:\(hex(Palette.page));border-color:\(hex(Palette.waitsForDependencies))}",
        ".find input::placeholder{color:\(hex(Palette.muted));opacity:1}",
        ".find input{color:\(hex(Palette.text));background:\(hex(Palette.page));"
          + "border:1px solid \(hex(Palette.waitsForDependencies))}",
        ".find input:focus-visible{outline:2px solid \(hex(Palette.critical))}",
      ]
      return rules.joined(separator: "\n")
    }
    // From afar, a border with a width of its own is hardly visible.
    let farBoxes = ["critical", "culprit", "deadlocked"].map { ".lean.far .boxes.\($0)" }.joined(separator: ",")
    return """
      .lean .dep{fill:none;stroke-width:1.2}
      .near .dep[data-ids]{stroke-width:1;vector-effect:non-scaling-stroke}
      .lean .op path,.lean .boxes{stroke-width:1.2}
      \(boxes("critical", "culprit")),.lean .dep.critical{stroke-width:2.8}
      .lean .pending path,.lean .stalled path{stroke-dasharray:4 3}
      .lean .unknown path{stroke-dasharray:1.5 3}
      .lean .open[id]{stroke-dasharray:5 3.5}
      .lean .submission[id]{stroke-dasharray:2 2.5}
      .lean .awaited[id]{stroke-dasharray:8 4}
      .lean .slot[id],.lean .held-slot[id]{stroke-dasharray:0.1 5.2;stroke-linecap:round}
      .lean .dep.cycle{stroke-width:2.2}
      .lean .here path{stroke-width:3.4;stroke-dasharray:none}
      .lean .traced{fill:none;stroke-width:3;pointer-events:none}
      .far .heads{display:none}
      .lean.far .boxes{stroke-width:6}
      .lean.far .dep.critical,.lean.far .dep.cycle,\(farBoxes){stroke-width:10}
      .optrace-graph .lean text{font-size:12px;font-weight:700}
      .viewer{display:block;touch-action:none;cursor:grab;-webkit-user-select:none;user-select:none}
      .viewer .op{cursor:pointer}
      .pointer-tip{display:grid;width:max-content;max-width:460px;padding:6px 9px;border:1px solid;border-radius:6px;\
      font-size:12px;line-height:1.45;overflow-wrap:anywhere;box-shadow:0 2px 10px rgb(0 0 0/.18)}
      .pointer-tip[hidden]{display:none}
      .find{font-size:11.5px;text-align:right}
      .find input{font:inherit;font-size:12px;box-sizing:border-box;width:100%;padding:5px 8px;border-radius:6px;margin-bottom:4px}
      \(colors { $0.light })
      @media screen and (prefers-color-scheme:dark){
      \(colors { $0.dark })
      }

      """
  }
}
