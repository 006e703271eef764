import OpTraceKernel
import OpTraceModel
import OpTraceText

/// Where processor time went, as tables of a summary.
struct ProcessorTimeText {
  let time: Summary.ProcessorTime
  let style: TextStyle

  /// How much of running was processor time, and in what.
  var work: String {
    var table = TextTable([
      .text("work"), .text("kind"), .number("running"), .number("processor"), .number("share"), .text("mostly in"),
    ])
    for work in time.work {
      table.add([
        work.name, work.kind, work.running.map(duration) ?? "", duration(work.used), percent(share(work.used)),
        work.function ?? "",
      ])
    }
    return head + table.text(style) + more(time.moreWork)
  }

  var functions: String {
    // The last column, so it may be as long as it is.
    let at = TextTable.Column.text("at", widest: style.cutsTexts ? 40 : .max)
    var table = TextTable([.text("function"), .number("self"), .number("share"), .number("total"), at])
    for function in time.functions {
      table.add([
        function.name, duration(function.own), percent(share(function.own)), duration(function.total),
        function.lineText ?? function.module ?? "",
      ])
    }
    return table.text(style) + more(time.moreFunctions)
  }

  private var head: String {
    let share = time.share.map { ", which stand for \(percent($0)) of what the program used" } ?? ""
    return "  \(duration(time.sampled)) in \(counted(time.samples, "sample"))\(share)\n"
  }

  private func share(_ used: Nanoseconds) -> Double { time.sampled > 0 ? Double(used) / Double(time.sampled) : 0 }

  private func more(_ count: Int) -> String { count > 0 ? "  and \(grouped(count)) more: optrace profile\n" : "" }
}
