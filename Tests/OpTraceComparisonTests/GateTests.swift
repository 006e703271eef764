import OpTraceComparison
import Testing

@Suite("Gates")
struct GateTests {
  @Test("a gate has its conditions in fixed order, each once")
  func conditions() throws {
    let gate = try Gate("slower=7.5%,structure,slower,findings")
    #expect(gate.conditions == [.structure, .findings, .slower])
    #expect(gate.slowerThreshold == 0.075)
    #expect(try Gate("slower=3").slowerThreshold == 0.03)
    #expect(try Gate("slower").slowerThreshold == nil)
    #expect(try Gate("structure").conditions == [.structure])
  }

  @Test(
    "an invalid gate gives an error that says what to write",
    arguments: [
      ("", "'' is not a condition: use structure, findings or slower, separated by commas"),
      ("faster", "'faster' is not a condition: use structure, findings or slower, separated by commas"),
      ("structure,", "'' is not a condition: use structure, findings or slower, separated by commas"),
      ("findings=3", "'findings' takes no value: only slower does, as in slower=3%"),
      ("slower=", "'' is not a percentage from 0 to 1000, such as 3% or 7.5%"),
      ("slower=-3%", "'-3%' is not a percentage from 0 to 1000, such as 3% or 7.5%"),
      ("slower=nan", "'nan' is not a percentage from 0 to 1000, such as 3% or 7.5%"),
      ("slower=1e3", "'1e3' is not a percentage from 0 to 1000, such as 3% or 7.5%"),
    ])
  func refused(_ text: String, _ message: String) {
    let problem = #expect(throws: Gate.Problem.self) { try Gate(text) }
    #expect(problem?.description == message)
  }

  @Test("the condition slower needs five runs of each side")
  func runs() throws {
    let gate = try Gate("slower=3%")
    try gate.check(baseRuns: 5, newRuns: 5)
    let problem = #expect(throws: Gate.Problem.self) { try gate.check(baseRuns: 10, newRuns: 4) }
    #expect(
      problem?.description
        == "slower needs at least 5 runs of each side, and there are 10 and 4: with fewer, any difference may be chance; "
        + "record more with 'optrace record --runs 10'")
    try Gate("structure,findings").check(baseRuns: 1, newRuns: 1)
  }
}
