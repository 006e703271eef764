import OpTraceAnalysis
import OpTraceModel
import OpTraceText
import TestSupport
import Testing

@testable import OpTraceComparison

@Suite("Which functions take more processor time")
struct FunctionDifferencesTests {
  /// A run with these numbers of samples in each function. `names`: whether its code has names.
  private func trace(
    _ counts: KeyValuePairs<String, Int>, every period: Int = 1_000_000, names: Bool = true, more: String = ""
  ) throws -> Trace {
    var trace = SampledTrace()
    trace.sampling(every: period, more)
    var time = 0
    for (name, count) in counts {
      let stack = trace.stack(["main", name])
      for _ in 0..<count {
        trace.sample(time, 2, stack)
        time += 1
      }
    }
    let lines = trace.text.split(separator: "\n", omittingEmptySubsequences: false).filter {
      names || !$0.contains(" symbol ")
    }
    return TraceBuilder.build(try TraceText.parse(lines.joined(separator: "\n")))
  }

  private func compared(_ base: [Trace], _ new: [Trace]) -> Comparison {
    var comparer = Comparer(by: .all)
    for trace in base { comparer.add(trace, as: .base) }
    for trace in new { comparer.add(trace, as: .new) }
    return comparer.comparison()
  }

  private func differences(_ base: [Trace], _ new: [Trace]) throws -> FunctionDifferences {
    try #require(compared(base, new).functions)
  }

  private func verdicts(_ differences: FunctionDifferences) -> [String] {
    differences.rows.map { "\($0.function.name) \($0.change.verdict.rawValue)" }
  }

  @Test("one run of each side sorts functions by change, without verdicts; small changes are within sampling error")
  func single() throws {
    let result = try differences(
      [try trace(["load": 100, "parse": 30, "gone": 20])], [try trace(["load": 104, "parse": 70, "came": 3])])
    #expect(!result.isTested && result.isComparable)
    #expect(result.rows.map(\.function.name) == ["parse", "gone", "load", "came"])
    #expect(result.rows.map(\.change.isClear) == [true, true, false, false])
    #expect(result.rows.map(\.change.difference) == [40_000_000, -20_000_000, 4_000_000, 3_000_000])
    #expect(result.rows.allSatisfy { $0.change.verdict == .unclear })
    // The range is twice the square root of 100 samples.
    #expect(result.rows[0].change.low == 20_000_000 && result.rows[0].change.high == 60_000_000)
    #expect(result.total.base == 150_000_000 && result.total.new == 177_000_000 && !result.total.isClear)
  }

  @Test("five runs of each side give verdicts: a function that takes more time is slower")
  func several() throws {
    let base = try (0..<5).map { try trace(["load": 200 + $0, "parse": 100 - $0, "rest": 50]) }
    let new = try (0..<5).map { try trace(["load": 200 + $0, "parse": 160 + $0, "rest": 20 + $0]) }
    let result = try differences(base, new)
    #expect(result.isTested && result.runsNeeded == nil)
    #expect(verdicts(result) == ["parse slower", "rest faster", "load unclear"])
    #expect(result.total.verdict == .slower)
    #expect(verdicts(try differences(new, base)) == ["rest slower", "parse faster", "load unclear"])
  }

  @Test("without a change at most 6 of 100 comparisons, of five runs of each side, have a verdict")
  func falseAlarms() throws {
    var random = SeededGenerator(11)
    func run() throws -> Trace {
      var counts = [0, 0, 0, 0]
      for _ in 0..<random.number(280..<320) { counts[[0, 0, 0, 0, 1, 1, 1, 2, 2, 3][random.number(0..<10)]] += 1 }
      return try trace(["one": counts[0], "two": counts[1], "three": counts[2], "four": counts[3]])
    }
    var alarms = 0
    for _ in 0..<100 {
      let result = try differences(try (0..<5).map { _ in try run() }, try (0..<5).map { _ in try run() })
      if result.rows.contains(where: { $0.change.verdict == .slower || $0.change.verdict == .faster }) { alarms += 1 }
    }
    #expect(alarms <= 6, "\(alarms)")
  }

  @Test("a change within sampling error gets no verdict, even if p is small")
  func counting() throws {
    let base = try (0..<5).map { _ in try trace(["load": 500, "parse": 3]) }
    let new = try (0..<5).map { _ in try trace(["load": 500, "parse": 4]) }
    let parse = try #require(try differences(base, new).rows.first { $0.function.name == "parse" })
    #expect(parse.change.p.map { $0 < 0.04 } == true)
    #expect(!parse.change.isClear && parse.change.verdict == .unclear)
  }

  @Test("sides may differ in their number of runs and sampling rate; runs without samples do not count")
  func uneven() throws {
    let slow = try trace(["load": 30], every: 10_000_000)
    let fast = try trace(["load": 300])
    let result = try differences([slow], [fast, fast, HandmadeTrace().trace])
    #expect(result.base.runs == 1 && result.new.runs == 2 && result.new.samples == 600)
    #expect(result.rows.map(\.change.difference) == [0])
    #expect(compared([HandmadeTrace().trace], [HandmadeTrace().trace]).functions == nil)
    let one = try differences([fast], [HandmadeTrace().trace])
    #expect(!one.isComparable && one.rows.isEmpty)
    let refused = try differences([fast], [try trace([:], more: "refused=13")])
    #expect(refused.new.runs == 0)
    #expect(try differences([fast], [try trace([:])]).total.difference == -300_000_000)
  }

  @Test("a function with little time is not tested, comes last, and is only counted in the text")
  func small() throws {
    let base = try (0..<5).map { _ in try trace(["load": 1000, "parse": 500, "tiny": 1]) }
    let new = try (0..<5).map { _ in try trace(["load": 1000, "parse": 520, "tiny": 9]) }
    let comparison = compared(base, new)
    let rows = try #require(comparison.functions).rows
    #expect(rows.map(\.function.name) == ["parse", "load", "tiny"])
    #expect(rows.map(\.change.isSmall) == [false, false, true])
    let text = ComparisonText(comparison).text
    #expect(text.contains("\n  and 1 with too little time to be compared\n") && !text.contains("tiny"))
  }

  @Test("functions are not compared if the code of some run has no names")
  func nameless() throws {
    let result = try differences([try trace(["load": 30])], [try trace(["load": 60], names: false)])
    #expect(!result.hasNames && result.rows.isEmpty)
    #expect(result.total.difference == 30_000_000)
  }

  @Test("many functions need more runs, and the comparison says how many")
  func runsNeeded() throws {
    let names = "abcdefgh".map { String($0) }
    func run(_ first: Int) throws -> Trace {
      var trace = SampledTrace()
      trace.sampling(every: 1_000_000)
      for (index, name) in names.enumerated() {
        let stack = trace.stack(["main", name])
        for time in 0..<(index == 0 ? first : 50) { trace.sample(time, 2, stack) }
      }
      return TraceBuilder.build(try TraceText.parse(trace.text))
    }
    let few = try differences(try (0..<5).map { _ in try run(50) }, try (0..<5).map { _ in try run(150) })
    #expect(few.runsNeeded == 6)
    #expect(few.rows.allSatisfy { $0.change.verdict != .slower })
    let enough = try differences(try (0..<6).map { _ in try run(50) }, try (0..<6).map { _ in try run(150) })
    #expect(enough.runsNeeded == nil && verdicts(enough).first == "a slower")
  }

  @Test("the text has samples, times, changes, ranges and verdicts of functions")
  func text() throws {
    let base = try trace(["load": 100, "parse": 30])
    let new = try trace(["load": 104, "parse": 70])
    #expect(
      ComparisonText(compared([base], [new])).text.contains(
        """
        Processor time by function
          base: 130 samples in 1 run
          new: 174 samples in 1 run
          all 130 ms → 174 ms, +44.0 ms (+9.13 ms to +78.9 ms)
          function  at               base      new      change  range                 p  verdict
          parse     main.swift:3  30.0 ms  70.0 ms    +40.0 ms  +20.0 ms to +60.0 ms
          load      main.swift:2   100 ms   104 ms  ~ +4.00 ms  -24.6 ms to +32.6 ms
          times are of one run, and of a function with the libraries that it calls; '~' is what chance explains:
          a change below twice what numbers of samples vary by, which is their square root
          verdicts need at least 5 sampled runs of each side: optrace record --profile --runs 10

        """))
    let one = ComparisonText(compared([base], [HandmadeTrace().trace])).text
    #expect(
      one.contains("  not compared: the new version has no samples of processor time; record both with --profile\n"))
    let nameless = ComparisonText(compared([base], [try trace(["load": 60], names: false)])).text
    #expect(
      nameless.contains(
        "  functions are not compared: the code of some run has no names; 'optrace symbolicate' finds them\n"))
    let several = compared([base, base, base, base, base], [new, new, new, new, new])
    #expect(ComparisonText(several).text.contains("p 0.008: slower\n"))
  }

  @Test("the keys are a contract: Documentation/json.md")
  func json() throws {
    func members(_ value: JSONValue?) -> [JSONValue.Member] {
      if case .object(let members) = value { return members }
      return []
    }
    let json = compared([try trace(["load": 100])], [try trace(["load": 10])]).json()
    let part = members(members(json).first { $0.key == "processorTime" }?.value)
    #expect(part.map(\.key) == ["base", "new", "total", "named", "functions"])
    #expect(members(part[0].value).map(\.key) == ["runs", "samples", "sampledShare"])
    let change = ["baseSeconds", "newSeconds", "lowSeconds", "highSeconds", "p", "clear", "verdict"]
    #expect(members(part[2].value).map(\.key) == change)
    guard case .array(let functions) = part[4].value else {
      Issue.record("no functions")
      return
    }
    #expect(members(functions.first).map(\.key) == ["function", "module", "file", "line"] + change)
    let without = compared([HandmadeTrace().trace], [try trace(["load": 10])]).json()
    #expect(!members(without).contains { $0.key == "processorTime" })
  }
}
