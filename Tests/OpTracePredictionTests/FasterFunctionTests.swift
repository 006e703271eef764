import OpTraceModel
import TestSupport
import Testing

@testable import OpTracePrediction

@Suite("A function that is made faster")
struct FasterFunctionTests {
  /// Two operations of 100 ms on one thread. Only the first one runs `decode()`, for 40 ms of processor time.
  private func trace() throws -> Trace {
    var sampled = SampledTrace()
    sampled.unit = .milliseconds
    sampled.sampling(every: 1_000_000)
    let decode = sampled.stack(["main", "Import.main()", "decode()"])
    let other = sampled.stack(["main", "Import.main()", "store()"])
    for line in [
      "1 t1 queue q1 limit=1 \"work\"", "1 t1 created #1 class=\"Import\"", "1 t1 enqueued #1 queue=q1 priority=0",
      "1 t1 ready #1", "1 t1 created #2 class=\"Store\"", "1 t1 enqueued #2 queue=q1 priority=0", "1 t1 ready #2",
      "100 t2 started #1", "100 t2 began #1", "200 t2 ended #1", "200 t2 finished #1", "200 t2 start-returned #1",
      "200 t2 started #2", "200 t2 began #2", "300 t2 ended #2", "300 t2 finished #2", "300 t2 start-returned #2",
    ] { sampled.add(line) }
    for index in 0..<40 { sampled.sample(110 + index, 2, decode) }
    for index in 0..<60 { sampled.sample(210 + index, 2, other) }
    // Samples of no operation.
    sampled.sample(310, 2, sampled.stack(["main", "sort(_:)"]))
    sampled.sample(311, 2, sampled.stack(["main", "sort(_:by:)"]))
    return TraceBuilder.build(try TraceText.parse(sampled.text))
  }

  private func message(_ value: String) throws -> String {
    do {
      _ = try ChangeParser(try trace()).parse(.faster, value)
      return ""
    } catch let error as ChangeError {
      return error.description
    }
  }

  /// Checks `decode()` twice as fast, under this name.
  private func expectDecoding(_ name: String) throws {
    let change = try ChangeParser(try trace()).parse(.faster, name + "=2")
    guard case .fasterPart(let parts, 2) = change.effect else {
      Issue.record("\(change)")
      return
    }
    #expect(parts.map(\.operation) == [0])
    #expect(abs((parts.first?.share ?? 0) - 0.4) < 0.001)
    #expect(change.words == "function '\(name)' 2 times as fast, in 1 operation")
  }

  @Test("only the function's share of its operations is scaled")
  func part() throws {
    try expectDecoding("decode()")
    let whole = try ChangeParser(try trace()).parse(.faster, "store()=infinitely")
    #expect(whole.words == "function 'store()' in no time at all, in 1 operation")
  }

  @Test("the run gets shorter by the time that the function saves")
  func run() throws {
    let trace = try trace()
    let change = try ChangeParser(trace).parse(.faster, "decode()=2")
    let workload = WorkloadBuilder.build(trace)
    func running(_ workload: Workload) -> Nanoseconds {
      workload.steps.reduce(0) { sum, step in
        switch step {
        case .run(let time), .compute(let time): sum + time
        default: sum
        }
      }
    }
    #expect(running(workload) - running(workload.applying([change])) == 20_000_000)
  }

  @Test("a function's name needs no arguments if it is unique")
  func name() throws {
    try expectDecoding("decode")
    #expect(try message("sort=2") == "--faster: 'sort' may mean 'sort(_:)' or 'sort(_:by:)'")
    #expect(try message("dec=2") == "--faster: no class, function or operation is called 'dec'")
    #expect(try message("decode(=2") == "--faster: no class, function or operation is called 'decode('")
  }

  @Test("an unknown function is an error, and classes and operations still work")
  func unknown() throws {
    #expect(try message("encode()=2") == "--faster: no class, function or operation is called 'encode()'")
    #expect(try message("Import=2") == "")
    #expect(
      try message("decode()=0")
        == "--faster 'decode()=0': expected CLASS=K or FUNCTION=K, so many times as fast: above 0, or 'infinitely'"
    )
  }
}
