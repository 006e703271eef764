import Foundation
import Testing

/// All files name the same versions: `Documentation/library.md`, "Public API".
@Suite struct ReleaseTests {
  private func text(_ path: String) throws -> String {
    try String(contentsOf: Manifest.folder.appendingPathComponent(path), encoding: .utf8)
  }

  /// The captures of the first match of `pattern`, joined by points.
  private func number(_ pattern: String, in path: String) throws -> String {
    let match = try #require(try text(path).firstMatch(of: Regex(pattern)), "\(pattern) in \(path)")
    return match.output.dropFirst().compactMap { $0.substring.map(String.init) }.joined(separator: ".")
  }

  private func version() throws -> String {
    try number(#"OPTRACE_VERSION "(\d+\.\d+\.\d+)""#, in: "Sources/COpTrace/include/COpTraceVersion.h")
  }

  @Test func allFilesHaveTheSameVersion() throws {
    let version = try version()
    #expect(try number(#"\n## \[(\d+\.\d+\.\d+)\]"#, in: "CHANGELOG.md") == version)
    #expect(try number(#"^optrace \(([^)]+)\)"#, in: "debian/changelog") == version)
    #expect(try number(#"from: "(\d+\.\d+\.\d+)", traits: \["Tracing"#, in: "Documentation/library.md") == version)
  }

  /// Both changelogs list the same versions, newest first.
  @Test func changelogsListTheSameVersions() throws {
    let ours = try text("CHANGELOG.md").matches(of: /\n## \[(\d+\.\d+\.\d+)\]/).map { String($0.output.1) }
    let theirs = try text("debian/changelog").matches(of: /(?m)^optrace \(([^)]+)\)/).map { String($0.output.1) }
    #expect(ours == theirs)
    #expect(ours == ours.sorted { $0.compare($1, options: .numeric) == .orderedDescending })
  }

  @Test func documentsNameTheVersionsOfFormats() throws {
    let numbers = #"majorVersion: UInt16 = (\d+)[^=]*minorVersion: UInt16 = (\d+)"#
    let trace = try number(
      #"format_major_version = (\d+)[^=]*format_minor_version = (\d+)"#,
      in: "Sources/COpTrace/include/COpTraceFormat.h")
    #expect(try number(#"# The trace format, version (\d+\.\d+)"#, in: "Documentation/format.md") == trace)
    #expect(try number(#"\| traces \| major and minor, now (\d+\.\d+)"#, in: "Documentation/library.md") == trace)
    let packed = try number(numbers, in: "Sources/OpTracePacked/PackedLayout.swift")
    #expect(
      try number(#"\| packed traces \| major and minor, now (\d+\.\d+)"#, in: "Documentation/library.md") == packed)
    #expect(
      try number(#"`schemaVersion`, now (\d+)"#, in: "Documentation/library.md")
        == number(#"schemaVersion = (\d+)"#, in: "Sources/OpTraceTables/Tables.swift"))
  }
}
