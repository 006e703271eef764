import OpTraceAnalysis
import OpTraceModel
import TestSupport
import Testing

@Suite("A second reading of a running process")
struct SecondReadingTests {
  @Test("An operation that waits in one reading only is recorded in part")
  func waitingInOneReadingOnly() {
    func reading(_ names: [String], end: Double) -> Trace {
      var make = HandmadeTrace(end: end)
      let queue = make.queue("q", limit: 1)
      for name in names { make.operation(name, on: queue, enqueued: 1, ready: 1) }
      return make.trace
    }
    var later = reading(["stuck", "passing", "passing too"], end: 2000)
    later.doubtWhatOpened(since: reading(["stuck"], end: 1000))
    #expect(later.operations.map(\.coverage) == [.full, .partial, .partial])
    let summary = Summary(of: later)
    #expect(summary.states[.ready] == 1 && summary.unknown == 2)
  }

  @Test("An operation that has begun keeps its coverage")
  func begunOperation() {
    var make = HandmadeTrace(end: 2000)
    make.operation("runs", on: make.queue("q", limit: 1), began: 10)
    var later = make.trace
    later.doubtWhatOpened(since: HandmadeTrace(end: 1000).trace)
    #expect(later == make.trace)
  }
}
