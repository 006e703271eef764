import OpTraceAnalysis
import OpTraceComparison
import OpTraceModel
import TestSupport
import Testing

@Suite("Comparing runs")
struct ComparisonTests {
  private func compare(_ base: [Trace], _ new: [Trace]) -> Comparison {
    var comparer = Comparer(by: .all)
    for trace in base { comparer.add(trace, as: .base) }
    for trace in new { comparer.add(trace, as: .new) }
    return comparer.comparison()
  }

  @Test("a trace does not differ from itself")
  func same() throws {
    var random = SeededGenerator(1)
    let trace = RandomRun(&random, count: 40).trace(&random)
    let comparison = compare([trace], [trace])
    #expect(comparison.structure == compare([trace], [trace]).structure)
    #expect(!comparison.structure.isChanged)
    #expect(comparison.structure.findings.isEmpty)
    #expect(comparison.timings.allSatisfy { $0.ratio == 1 && $0.low == 1 && $0.high == 1 && $0.verdict == .unclear })
    #expect(comparison.timings.map(\.pattern.name).sorted() == comparison.timings.map(\.pattern.name).sorted())
    #expect(try #require(comparison.wall).ratio == 1)
  }

  @Test("the structure of two runs of one program never differs (500 pairs)")
  func structureHolds() {
    for seed in 0..<100 {
      var random = SeededGenerator(seed)
      let run = RandomRun(&random, count: 30 + seed)
      var traces = [run.trace(&random, noise: 0.3, drift: 0.3)]
      for _ in 0..<5 {
        traces.append(run.trace(&random, noise: 0.3, drift: 0.3))
        let structure = compare([traces[traces.count - 2]], [traces[traces.count - 1]]).structure
        #expect(!structure.isChanged, "seed \(seed)")
      }
    }
  }

  @Test("added and removed patterns are reported")
  func structure() {
    func trace(_ change: Bool) -> Trace {
      var make = HandmadeTrace()
      let net = make.queue("net", limit: change ? 1 : 4)
      let load = make.operation("load 1", on: net, began: 1.0, ended: 2.0)
      make.operation("load 2", on: net, after: change ? [load] : [], began: 2.0, ended: 3.0)
      if change {
        make.operation("check 7", on: make.queue("disk"), began: 3.0, ended: 4.0)
      } else {
        make.operation("log", on: net, began: 3.0, ended: 4.0)
      }
      make.operation("last", on: net, began: 4.0, ended: 5.0, error: change ? "no room" : nil)
      return make.trace
    }
    let structure = compare([trace(false)], [trace(true)]).structure
    #expect(structure.isChanged)
    #expect(
      structure.operations.map { "\($0.pattern.name) \($0.counts.base) \($0.counts.new)" } == [
        "check # 0...0 1...1", "log 1...1 0...0",
      ])
    #expect(
      structure.edges.map { "\($0.waiter.name) > \($0.dependency.name) \($0.counts.isMore)" } == [
        "load # > load # true"
      ])
    #expect(structure.queues.map(\.queue) == ["disk"])
    #expect(
      structure.limits.map { "\($0.queue) \($0.limit ?? -1) \($0.counts.isMore)" } == ["net 1 true", "net 4 false"])
    #expect(
      structure.ends.map { "\($0.pattern.name) \($0.state?.rawValue ?? "") \($0.counts.isMore)" } == [
        "last failed true", "last finished false",
      ])
  }

  @Test("counts whose ranges overlap are not a difference")
  func ranges() {
    func trace(_ count: Int) -> Trace {
      var make = HandmadeTrace()
      let queue = make.queue("work")
      for number in 0..<count { make.operation("retry \(number)", on: queue, began: 1.0, ended: 2.0) }
      return make.trace
    }
    #expect(!compare([trace(1), trace(3)], [trace(2), trace(5)]).structure.isChanged)
    #expect(!compare([trace(0), trace(1)], [trace(1), trace(1)]).structure.isChanged)
    let more = compare([trace(1), trace(3)], [trace(4), trace(5)]).structure
    #expect(more.operations.map(\.counts.base) == [1...3])
    #expect(more.operations.map(\.counts.new) == [4...5])
  }

  @Test("an unfinished operation has no time, and its state is a difference")
  func unfinished() {
    func trace(_ ends: Bool) -> Trace {
      var make = HandmadeTrace(end: 9)
      let queue = make.queue("work")
      make.operation("first", on: queue, began: 1.0, ended: 2.0)
      make.operation("second", on: queue, began: 2.0, ended: ends ? 3.0 : nil)
      return make.trace
    }
    let comparison = compare([trace(true)], [trace(false)])
    #expect(comparison.timings.map(\.pattern.name) == ["first"])
    #expect(comparison.structure.ends.map { $0.state } == [.executing, .finished])
  }

  @Test("traces without operations and sides without traces can be compared")
  func empty() {
    let nothing = HandmadeTrace().trace
    for comparison in [compare([nothing], [nothing]), compare([], []), compare([nothing], [])] {
      #expect(!comparison.structure.isChanged)
      #expect(comparison.timings.isEmpty)
      #expect(comparison.wall == nil)
    }
    var one = HandmadeTrace()
    one.operation("load", on: one.queue("net"), began: 1.0, ended: 2.0)
    #expect(compare([nothing], [one.trace]).structure.operations.count == 1)
    #expect(compare([one.trace], [nothing]).structure.queues.map(\.counts.new) == [0...0])
  }

  @Test("huge times do not trap")
  func extremes() {
    var one = HandmadeTrace()
    let id = one.operation("load", on: one.queue("net"), began: 1.0, ended: 2.0)
    var other = one
    other[id].executionBegan = Stamp(.min, ThreadID(2))
    other[id].finished = Stamp(.max, ThreadID(2))
    other[id].enqueued = Stamp(.min, ThreadID(1))
    #expect(compare([one.trace], [other.trace]).structure.isChanged == false)
    #expect(compare([other.trace], [one.trace]).timings.count <= 1)
  }

  @Test("fewer than five runs of a side give ratios but no verdict")
  func fewRuns() throws {
    var random = SeededGenerator(3)
    let run = RandomRun(&random, count: 40)
    func traces(_ count: Int, _ factor: Double) -> [Trace] {
      (0..<count).map { _ in run.trace(&random, noise: 0.02, drift: 0, factors: ["Load": factor]) }
    }
    let few = compare(traces(4, 1), traces(9, 2))
    #expect(few.timings.allSatisfy { $0.verdict == .unclear })
    let load = try #require(few.timings.first { $0.pattern.className == "Load" })
    #expect((1.9...2.1).contains(load.ratio))
    #expect(load.low < load.ratio && load.ratio < load.high)
    let enough = compare(traces(5, 1), traces(5, 2))
    #expect(enough.timings.filter { $0.verdict == .slower }.map(\.pattern.className) == ["Load"])
    let back = compare(traces(5, 2), traces(5, 1))
    #expect(back.timings.filter { $0.verdict == .faster }.map(\.pattern.className) == ["Load"])
  }

  @Test("ten runs of each side find most changes and cause few false alarms")
  func rates() {
    // The time of each operation varies by 15 %, and that of all operations of a run together by 2 %.
    func rounds(_ count: Int, factor: Double, drift: Double) -> (alarms: Int, caught: Int) {
      var result = (alarms: 0, caught: 0)
      for seed in 0..<count {
        var random = SeededGenerator(1000 + seed)
        let run = RandomRun(&random, count: 60)
        func traces(_ factor: Double) -> [Trace] {
          (0..<10).map { _ in run.trace(&random, noise: 0.15, drift: drift, factors: ["Resize": factor]) }
        }
        let slower = compare(traces(1), traces(factor)).timings.filter { $0.verdict == .slower }.map(
          \.pattern.className)
        if slower.contains("Resize") { result.caught += 1 }
        if slower.contains(where: { $0 != "Resize" }) || (factor == 1 && !slower.isEmpty) { result.alarms += 1 }
      }
      return result
    }
    // On average 2 of 100 comparisons are false alarms; some seeds give more.
    let nothing = rounds(400, factor: 1, drift: 0.02)
    #expect(nothing.alarms <= 12, "\(nothing)")
    let ten = rounds(100, factor: 1.1, drift: 0.02)
    #expect(ten.caught >= 80, "\(ten)")
    let twenty = rounds(100, factor: 1.2, drift: 0.02)
    #expect(twenty.caught >= 95, "\(twenty)")
    print("of 400 without a change and 100 with 10 and 20 %: \(nothing) \(ten) \(twenty)")
  }
}
