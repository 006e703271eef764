import OpTraceAnalysis
import OpTraceProfile
import Testing

@Suite struct ProfileFormatTests {
  @Test(arguments: [
    ("run.svg", ProfileFormat.flameGraph), ("/a.b/run.pb.gz", .pprof), ("RUN.Collapsed", .collapsed),
    ("a.speedscope.json", .speedscope), ("a.firefox.json", .firefox),
  ])
  func theFileNamesEndingSelectsTheFormat(name: String, format: ProfileFormat) {
    #expect(ProfileFormat(fileName: name) == format)
  }

  @Test(arguments: ["run.json", "run", "", "run.pb", "svg", ".svg", "a/.svg", "run.svg.txt"])
  func otherNamesSelectNoFormat(name: String) {
    #expect(ProfileFormat(fileName: name) == nil)
  }

  @Test func eachFormatWritesItsOwnFile() {
    let starts: [ProfileFormat: String] = [
      .flameGraph: "<?xml", .pprof: "\n", .collapsed: "operation Load on network;",
      .speedscope: "{\"$schema\":\"https://www.speedscope.app/", .firefox: "{\"meta\":{",
    ]
    for format in ProfileFormat.allCases {
      let written = text(exported { format.write(.small, to: $0) })
      #expect(starts[format].map { written.hasPrefix($0) } == true, "\(format)")
      #expect(format.isGzipped == (format == .pprof))
    }
    let compared = text(exported { ProfileFormat.flameGraph.write(.small, against: .small, to: $0) })
    #expect(compared.contains("no change"))
  }
}
