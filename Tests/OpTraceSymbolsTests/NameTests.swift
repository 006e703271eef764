import OpTraceSymbols
import Testing

@Suite struct NameTests {
  @Test func one() { #expect(FunctionName(mangled: "main").short == "main") }
}
