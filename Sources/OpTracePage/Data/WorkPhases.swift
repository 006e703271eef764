import OpTracePageParts
import OpTraceKernel
import OpTraceModel

/// When the times of work that ``OperationTimes`` counts end, and when its own code ran.
///
/// These are moments, not durations: the durations of work that is not over depend on the end of the trace, which
/// grows, while a missing moment leaves the rows of a live page as they are. The page only computes differences.
struct WorkPhases {
  /// The end of its wait for dependencies, and of the wait for a slot or a thread after that. Nil: it still waits, or
  /// was never submitted.
  private var turned: Nanoseconds?
  private var got: Nanoseconds?
  /// When its own code began and ended. Nil: it has not.
  private var began: Nanoseconds?
  private var ended: Nanoseconds?
  /// The end of the time that counts as running, which starts at `began`. Nil: it still runs, or never began.
  private var over: Nanoseconds?

  /// - Parameter execution: when its own code ran.
  init(
    of work: borrowing some Work, _ execution: (begin: Nanoseconds, end: Nanoseconds, isOpen: Bool)?,
    traceEnd: Nanoseconds
  ) {
    let times = OperationTimes(of: work, traceEnd: traceEnd)
    let (isKnown, isOver, hasBegun) = (work.isOutcomeKnown, work.over != nil, work.began != nil)
    let isOpen = isKnown && !isOver
    if let submitted = work.submitted?.time {
      let (isWaiting, isRunnable) = (isOpen && !hasBegun, work.runnable != nil)
      let runnable = submitted + times.waitingForDependencies
      turned = isWaiting && !isRunnable ? nil : runnable
      got = isWaiting ? nil : runnable + times.waitingForSlot
    }
    guard let execution else { return }
    began = execution.begin
    ended = execution.isOpen ? nil : execution.end
    over = isOpen && hasBegun ? nil : execution.begin + times.running
  }

  /// The columns. Each is relative to the one before, which is usually near.
  static let columns = [
    ColumnEncoder("turned", base: "enqueued", .time), ColumnEncoder("got", base: "turned", .time),
    ColumnEncoder("began", base: "got", .time), ColumnEncoder("ended", base: "began", .time),
    ColumnEncoder("over", base: "ended", .time),
  ]

  func add(to values: inout [Int?]) {
    for moment in [turned, got, began, ended, over] { values.append(moment.map { Int($0) }) }
  }
}
