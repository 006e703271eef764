import OpTraceKernel
import OpTraceModel
import OpTraceText

/// Where tasks waited and ran, for people: tables by line.
struct TaskLinesText {
  /// More rows are only counted.
  private static let most = 12
  package let summary: Summary
  let style: TextStyle

  var waits: String {
    var table = TextTable([
      .text("function", widest: 44), .text("source", widest: 32), .number("waits"), .number("total"), .number("p50"),
      .number("p99"), .text("for", widest: 28), .text("mostly resumed by", widest: 32),
    ])
    for wait in summary.taskWaits.prefix(Self.most) {
      table.add([
        wait.location.function ?? "", wait.location.lineText ?? "", grouped(wait.waited.count),
        duration(wait.waited.total),
        duration(wait.waited.median), duration(wait.waited.p99),
        wait.isIdle ? "its next piece of work" : Self.words(wait.reason), wait.resumer ?? "",
      ])
    }
    return table.text(style) + rest(summary.taskWaits.count)
  }

  var runs: String {
    var table = TextTable([
      .text("function", widest: 44), .text("source", widest: 32), .number("runs"), .number("total"), .number("p50"),
      .number("p99"),
    ])
    for run in summary.taskRuns.prefix(Self.most) {
      table.add([
        run.location.function ?? "", run.location.lineText ?? "", grouped(run.ran.count), duration(run.ran.total),
        duration(run.ran.median), duration(run.ran.p99),
      ])
    }
    return table.text(style) + rest(summary.taskRuns.count)
  }

  private func rest(_ count: Int) -> String {
    count > Self.most ? style.paint(.faint, "  and \(grouped(count - Self.most)) more") + "\n" : ""
  }

  private static func words(_ reason: TaskRecord.Reason) -> String {
    switch reason {
    case .unknown: "something not known"
    case .task: "another task"
    case .continuation: "a continuation"
    case .group: "a child task"
    case .executor: "an actor"
    case .sleep: "a time"
    }
  }
}
