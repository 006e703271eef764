import OpTraceComparison
import Testing

@Suite("Gates")
struct GateTests {
  @Test("conditions, in their order, each once")
  func conditions() throws {
    let gate = try Gate("slower=7.5%,structure,slower,findings")
    #expect(gate.conditions == [.structure, .findings, .slower])
    #expect(gate.slowerThreshold == 0.075)
    #expect(try Gate("slower=3").slowerThreshold == 0.03)
    #expect(try Gate("slower").slowerThreshold == nil)
    #expect(try Gate("structure").conditions == [.structure])
  }

  @Test(
    "what is no gate is refused with what to write",
    arguments: [
      ("", "'' is nothing to fail on: name structure, findings or slower, with commas between them"),
      ("faster", "'faster' is nothing to fail on: name structure, findings or slower, with commas between them"),
      ("structure,", "'' is nothing to fail on: name structure, findings or slower, with commas between them"),
      ("findings=3", "'findings' has no value: only slower has, as slower=3%"),
      ("slower=", "'' is no percentage of 0 to 1000 %, as 3% or 7.5%"),
      ("slower=-3%", "'-3%' is no percentage of 0 to 1000 %, as 3% or 7.5%"),
      ("slower=nan", "'nan' is no percentage of 0 to 1000 %, as 3% or 7.5%"),
      ("slower=1e3", "'1e3' is no percentage of 0 to 1000 %, as 3% or 7.5%"),
    ])
  func refused(_ text: String, _ message: String) {
    let problem = #expect(throws: Gate.Problem.self) { try Gate(text) }
    #expect(problem?.description == message)
  }

  @Test("slower needs five runs of each side")
  func runs() throws {
    let gate = try Gate("slower=3%")
    try gate.check(baseRuns: 5, newRuns: 5)
    let problem = #expect(throws: Gate.Problem.self) { try gate.check(baseRuns: 10, newRuns: 4) }
    #expect(
      problem?.description
        == "slower needs 5 runs of each side at least, and there are 10 and 4: with fewer, chance alone makes any difference; "
        + "record more with 'optrace record --runs 10'")
    try Gate("structure,findings").check(baseRuns: 1, newRuns: 1)
  }
}
