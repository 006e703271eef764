import Foundation
import OpTraceTables
import TestSupport
import Testing

@testable import optrace_cli

@Suite("optrace export", .ownThread)
struct ExportCommandTests {
  private let folder: Scratch
  private let trace: String

  init() throws {
    folder = try Scratch()
    trace = try folder.write("run.txt", Array(Self.text(process: 7).utf8))
  }

  private static func text(process: Int) -> String {
    var trace = TypedTrace()
    trace.processID = process
    return trace.text(
      """
      0 t1 queue q1 limit=1 "work"
      0 t1 created #1 class="Load"
      0 t1 named #1 "=cmd|'/C calc'!A0, \\"b\\""
      0 t1 enqueued #1 queue=q1 priority=0
      0 t1 ready #1
      0 t2 started #1
      0 t2 began #1
      40 t2 ended #1
      40 t2 finished #1
      40 t2 start-returned #1
      """, in: .milliseconds)
  }

  /// All files below a folder, by their paths in it.
  private func files(_ name: String) -> [String] {
    let all = FileManager.default.enumerator(atPath: folder.path(name))?.compactMap { $0 as? String } ?? []
    return all.filter { $0.contains(".") }.sorted()
  }

  /// The id of the exported trace in the command's output.
  private func hash(_ output: String) throws -> String {
    try #require(output.firstMatch(of: #/trace ([0-9a-f]{16})/#).map { String($0.1) })
  }

  @Test("each table has a folder with one folder per trace; only the path names the trace")
  func layout() throws {
    for format in ["parquet", "csv"] {
      let result = try Command.run("export", trace, "-o", folder.path(format), "--format", format)
      #expect(result.status == 0 && result.errors == "", "\(result.errors)")
      let hash = try hash(result.output)
      #expect(result.output.hasPrefix("\(trace): trace \(hash), 1 operation, "))
      let found = files(format)
      #expect(found.contains("operations/trace=\(hash)/part-0.\(format)"))
      #expect(found.contains("finding_operations/trace=\(hash)/part-0.\(format)"))
      #expect(
        found.count == TableSet.command.tables.count
          && found.allSatisfy { $0.hasSuffix("/trace=\(hash)/part-0.\(format)") })
    }
    let header = try #require(files("csv").first { $0.hasPrefix("marks/") })
    #expect(
      try String(contentsOfFile: folder.path("csv/" + header), encoding: .utf8) == "name,operation,thread,time\r\n")
    let row = try #require(files("csv").first { $0.hasPrefix("operations/") })
    #expect(
      try String(contentsOfFile: folder.path("csv/" + row), encoding: .utf8)
        .contains("\r\n1,\"=cmd|'/C calc'!A0, \"\"b\"\"\",Load,"))
  }

  @Test("the default is Parquet; SQLite and OTLP write one file per trace")
  func singleFiles() throws {
    let hash = try hash(Command.run("export", trace, "-o", folder.path("lake")).output)
    #expect(files("lake").contains("traces/trace=\(hash)/part-0.parquet"))
    #expect(try Command.run("export", trace, "-o", folder.path("one"), "--format", "sqlite").status == 0)
    #expect(files("one") == ["\(hash).sqlite"])
    #expect(try Command.run("export", trace, "-o", folder.path("two"), "--format", "otlp").status == 0)
    #expect(files("two") == ["\(hash).jsonl"])
  }

  @Test("complete and current files are not written again")
  func resumed() throws {
    for format in ["parquet", "csv", "sqlite", "otlp"] {
      func export(_ names: String...) throws -> [String] {
        let result = try Command.run(arguments: ["export", "-o", folder.path(format), "--format", format] + names)
        #expect(result.status == 0 && result.errors == "", "\(result.errors)")
        return result.output.split(separator: "\n").map { $0.hasSuffix("there already") ? "there" : "written" }
      }
      let other = try folder.write("other.txt", Array(Self.text(process: 8).utf8))
      #expect(try export(trace) == ["written"])
      #expect(try export(trace, other) == ["there", "written"])
      #expect(try export(trace, other) == ["there", "there"])
      // An export that was interrupted before its last part.
      let last = try #require(files(format).last { $0.hasPrefix("traces/") || !$0.contains("/") })
      try FileManager.default.removeItem(atPath: folder.path("\(format)/\(last)"))
      #expect(try export(trace, other).sorted() == ["there", "written"])
      // A part that was removed, or is empty.
      let first = try #require(files(format).first)
      try FileManager.default.removeItem(atPath: folder.path("\(format)/\(first)"))
      #expect(try export(trace, other).sorted() == ["there", "written"])
      #expect(FileManager.default.createFile(atPath: folder.path("\(format)/\(first)"), contents: nil))
      #expect(try export(trace, other).sorted() == ["there", "written"])
      #expect(try export(trace, other) == ["there", "there"])
      // A trace that has changed.
      try FileManager.default.setAttributes([.modificationDate: Date(timeIntervalSince1970: 1)], ofItemAtPath: other)
      #expect(try export(trace, other) == ["there", "written"])
    }
  }

  @Test("only the latest of several traces of one run is exported, in any order")
  func looks() throws {
    let later = try folder.write("later.txt", Array((Self.text(process: 7) + "99 t1 mark #0 \"end\"\n").utf8))
    try FileManager.default.setAttributes([.modificationDate: Date(timeIntervalSince1970: 1)], ofItemAtPath: trace)
    for (number, names) in [[trace, later], [later, trace]].enumerated() {
      func export() throws -> [String] {
        let result = try Command.run(arguments: ["export", "-o", folder.path("\(number)"), "--format", "csv"] + names)
        #expect(result.status == 0 && result.errors == "", "\(result.errors)")
        return result.output.split(separator: "\n").map(String.init).sorted()
      }
      let first = try export()
      #expect(first.count == 2 && first[1].hasSuffix("the same run as '\(later)', which is later"), "\(first)")
      let marks = try #require(files("\(number)").first { $0.hasPrefix("marks/") })
      #expect(try String(contentsOfFile: folder.path("\(number)/" + marks), encoding: .utf8).contains("end"))
      #expect(try export()[0].hasSuffix("there already"))
    }
  }

  @Test("an unreadable trace does not keep others from being exported")
  func unreadable() throws {
    let empty = try folder.write("empty.optrace", [])
    let gone = folder.path("gone.optrace")
    let result = try Command.run("export", empty, trace, gone, "-o", folder.path("lake"))
    #expect(result.status == 65)
    #expect(result.output.hasPrefix("\(trace): trace "))
    #expect(
      result.errors == """
        optrace: '\(empty)' is empty: the program that should have written it recorded nothing
        optrace: cannot read '\(gone)': no such file

        """)
    #expect(try Command.run("export", gone, trace, "-o", folder.path("lake")).status == 66)
    #expect(try Command.run("export", gone, "-o", folder.path("none")).status == 66)
    #expect(!FileManager.default.fileExists(atPath: folder.path("none")))
  }

  @Test("the readable part of a damaged trace is exported, with status 65")
  func damaged() throws {
    let sample = try Data(contentsOf: Repository.folder.appending(path: "traces/photo-import.optrace"))
    let cut = try folder.write("cut.optrace", Array(sample.prefix(sample.count / 2)))
    let result = try Command.run("export", cut, "-o", folder.path("lake"))
    #expect(result.status == 65)
    #expect(result.output.hasPrefix("\(cut): trace "))
    #expect(result.errors.contains("is damaged"))
    #expect(files("lake").count == TableSet.command.tables.count)
    // A second export still gives status 65.
    #expect(try Command.run("export", cut, "-o", folder.path("lake")).status == 65)
  }

  @Test("a target that is no folder and a full disk give a message, and no partial file stays")
  func refused() throws {
    func refused(_ arguments: [String], _ words: String, status: Int32, shell: String? = nil) throws {
      let result = try Command.run(arguments: arguments, shell: shell)
      #expect(result.status == status, "\(arguments)")
      #expect(result.errors.contains(words), "\(result.errors)")
      #expect(result.output == "")
    }
    try refused(["export", trace, "-o", "-"], "-o takes a folder", status: 64)
    try refused(["export", trace], "missing expected argument '--output <dir>'", status: 64)
    try refused(["export", trace, "-o", "x", "--format", "xml"], "'xml'", status: 64)
    try refused(["export", "-", "-", "-o", "x"], "'-' is named twice", status: 64)
    try refused(["export", trace, "-o", trace], "cannot write '\(trace)': '\(trace)' is not a folder", status: 73)
    try refused(["export", trace, "-o", "/proc/lake"], "cannot write '/proc/lake': ", status: 73)
    // With a limit of file sizes a write fails as on a full disk.
    try refused(
      ["export", trace, "-o", folder.path("full"), "--format", "sqlite"], "cannot write '\(folder.path("full"))/",
      status: 73, shell: "trap '' XFSZ; ulimit -f 1; exec \"$optrace\" \"$@\"")
    #expect(files("full").isEmpty)
  }

  @Test("standard input can be exported; a closed pipe changes nothing")
  func streams() throws {
    let result = try Command.run(
      "export", "-", "-o", folder.path("lake"), input: Array(Self.text(process: 7).utf8))
    #expect(result.status == 0)
    #expect(result.output.hasPrefix("-: trace "))
    let closed = try Command.run(
      arguments: ["export", trace, "-o", folder.path("other")], shell: "\"$optrace\" \"$@\" | true")
    #expect(closed.errors == "")
    #expect(files("other").count == TableSet.command.tables.count)
  }
}
