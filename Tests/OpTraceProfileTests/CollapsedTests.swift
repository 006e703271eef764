import OpTraceAnalysis
import Testing

@testable import OpTraceProfile

@Suite struct CollapsedTests {
  private func collapsed(_ profile: Profile) -> String { text(exported { CollapsedExporter.write(profile, to: $0) }) }

  @Test func eachStackIsALine() {
    #expect(
      collapsed(.small) == """
        operation Load on network;start;main;load;parse 3
        operation Load on network;start;main;write;[kernel] 1
        task refresh;refresh;run;fetch 2
        thread main;[callers not known];free 1

        """)
  }

  @Test func waitsAreMicroseconds() {
    var maker = ProfileMaker(period: 0)
    maker.add("main@App;wait@App", times: 2, weight: 1_234_300)
    maker.add("main@App", weight: 3)
    #expect(collapsed(maker.profile) == "main 1\nmain;wait 2469\n")
  }

  @Test func equalLinesAreMerged() {
    var maker = ProfileMaker()
    maker.add("f@App:1")
    maker.add("f@Store:2")
    maker.add("f@App:3")
    #expect(collapsed(maker.profile) == "f 3\n")
  }

  @Test func namesCannotBreakALine() {
    let lines = collapsed(.hostile).split(separator: "\n", omittingEmptySubsequences: false)
    #expect(lines.last == "")
    for line in lines.dropLast() {
      let parts = line.split(separator: ";", omittingEmptySubsequences: false)
      #expect(parts.count == 2 || parts.count == 3 || parts.count == 14, "\(line.prefix(80))")
      #expect(parts.allSatisfy { !$0.isEmpty })
      #expect(line.unicodeScalars.allSatisfy { $0.properties.generalCategory != .control })
      #expect(line.split(separator: " ").last.flatMap { Int($0) } != nil)
    }
  }

  @Test func emptyAndDamagedProfilesAreWritten() {
    #expect(collapsed(Profile()) == "")
    #expect(collapsed(.broken).hasSuffix("[unknown] 3\n"))
  }
}
