import OpTraceKernel
import OpTraceModel
import OpTraceSamples
import OpTraceText

/// Which functions take more processor time, for people.
struct FunctionDifferencesText {
  private static let mostRows = 20

  let differences: FunctionDifferences
  let style: TextStyle

  /// Ends with a line end.
  var text: String {
    let title = style.paint(.strong, "Processor time by function") + "\n"
    guard differences.isComparable else {
      let side = differences.base.runs == 0 ? "base" : "new version"
      return title + "  not compared: the \(side) has no samples of processor time; record both with --profile\n"
    }
    var text = title + line("base", differences.base) + line("new", differences.new)
    let total = differences.total
    text += "  all \(duration(total.base)) → \(duration(total.new)), \(change(total)) (\(range(total)))"
    text +=
      differences.isTested
      ? ", p \(total.p.map(ComparisonFigures.probability) ?? "1"): \(total.verdict.rawValue)\n" : "\n"
    guard differences.hasNames else {
      return text
        + "  functions are not compared: the code of some run has no names; 'optrace symbolicate' finds them\n"
    }
    return text + table + notes
  }

  private func line(_ name: String, _ side: FunctionDifferences.Side) -> String {
    let share = side.leastShare.map {
      ", which stand for \(side.runs > 1 ? "at least " : "")\(percent(min($0, 99))) of what was used"
    }
    return "  \(name): \(counted(side.samples, "sample")) in \(counted(side.runs, "run"))\(share ?? "")\n"
  }

  private var table: String {
    var table = TextTable([
      .text("function", widest: 60), .text("at", widest: 32), .number("base"), .number("new"), .number("change"),
      .text("range"), .number("p"), .text("verdict"),
    ])
    let compared = differences.rows.filter { !$0.change.isSmall }
    for row in compared.prefix(Self.mostRows) {
      let (function, one) = (row.function, row.change)
      table.add([
        function.name, function.lineText ?? function.module ?? "", duration(one.base), duration(one.new), change(one),
        range(one),
        differences.isTested ? one.p.map(ComparisonFigures.probability) ?? "" : "",
        differences.isTested ? one.verdict.rawValue : "",
      ])
    }
    let more = compared.count - Self.mostRows
    let small = differences.rows.count - compared.count
    return table.text(style) + (more > 0 ? "  and \(grouped(more)) more\n" : "")
      + (small > 0 ? "  and \(grouped(small)) with too little time to be compared\n" : "")
  }

  private var notes: String {
    var text =
      "  times are of one run, and of a function with the libraries that it calls; '~' is what chance explains:\n"
      + "  a change below twice what numbers of samples vary by, which is their square root\n"
    if !differences.isTested {
      text +=
        "  verdicts need at least \(counted(TimingRule.leastRuns, "sampled run")) of each side: "
        + "optrace record --profile --runs 10\n"
    } else if let needed = differences.runsNeeded {
      text +=
        "  with so many functions, verdicts need at least \(counted(needed, "sampled run")) of each side: "
        + "optrace record --profile --runs 10\n"
    }
    return text
  }

  private func change(_ change: FunctionDifferences.Change) -> String {
    (change.isClear || change.difference == 0 ? "" : "~ ") + signed(change.difference)
  }

  private func range(_ change: FunctionDifferences.Change) -> String {
    "\(signed(change.low)) to \(signed(change.high))"
  }

  private func signed(_ time: Nanoseconds) -> String { (time > 0 ? "+" : "") + duration(time) }
}
