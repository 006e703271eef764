import Foundation
import TestSupport
import Testing

@Suite("optrace doctor --format and --annotations", .ownThread) struct DoctorFormatCommandTests {
  private let folder: Scratch
  private let trace: String

  init() throws {
    folder = try Scratch()
    trace = try folder.write("x.txt", Array(DoctorFixture.cycle.utf8))
  }

  @Test("each format gives the same status")
  func formats() throws {
    let plain = try Command.run("doctor", trace)
    #expect(try Command.run("doctor", trace, "--format", "text") == plain)
    let json = try Command.run("doctor", trace, "--json")
    #expect(try Command.run("doctor", trace, "--format", "json") == json)
    #expect(try Command.run("doctor", trace, "--json", "--format", "json") == json)
    let sarif = try Command.run("doctor", trace, "--format", "sarif")
    #expect([plain.status, json.status, sarif.status] == [1, 1, 1])
    let log = try #require(try JSONSerialization.jsonObject(with: Data(sarif.output.utf8)) as? [String: Any])
    let result = try #require(((log["runs"] as? [[String: Any]])?.first?["results"] as? [[String: Any]])?.first)
    #expect(result["ruleId"] as? String == "dependency-cycle" && result["level"] as? String == "error")
  }

  @Test("annotations follow the text, or are the only output if the findings go to a file")
  func annotations() throws {
    let line =
      "::error file=App/Login.swift,line=12,title=dependency-cycle::2 operations depend on each other in a cycle%0A"
    let plain = try Command.run("doctor", trace)
    let both = try Command.run("doctor", trace, "--annotations", "github")
    #expect(both.status == 1 && both.output.hasPrefix(plain.output + line), "\(both.output)")
    let file = folder.path("x.sarif")
    let alone = try Command.run("doctor", trace, "--annotations", "github", "--format", "sarif", "-o", file)
    #expect(alone.status == 1 && alone.output.hasPrefix(line), "\(alone)")
    #expect(try String(contentsOfFile: file, encoding: .utf8).contains(#""version": "2.1.0""#))
  }

  @Test("paths are relative to GITHUB_WORKSPACE")
  func roots() throws {
    let absolute = DoctorFixture.cycle.replacing("App/Login.swift:12", with: "\(folder.folder.path)/App/Login.swift:12")
    let trace = try folder.write("y.txt", Array(absolute.utf8))
    for (workspace, expected) in [(folder.folder.path, "App/Login.swift"), (folder.path("App"), "Login.swift")] {
      let result = try Command.run(
        "doctor", trace, "--annotations", "github", environment: ["GITHUB_WORKSPACE": workspace])
      #expect(result.output.contains("::error file=\(expected),line=12,"), "\(result.output)")
    }
  }

  @Test("contradicting options are refused")
  func usage() throws {
    for words in [
      ["--json", "--format", "text"], ["--json", "--format", "sarif"], ["--format", "yaml"], ["--format"],
      ["--annotations", "jenkins"], ["--annotations", "github", "--json"],
      ["--annotations", "github", "--format", "sarif", "-o", "-"],
    ] {
      let result = try Command.run(arguments: ["doctor", trace] + words)
      #expect(result.status == 64 && result.output == "", "\(words): \(result)")
    }
    #expect(try Command.run("doctor", "--list", "--format", "sarif").status == 64)
  }
}
