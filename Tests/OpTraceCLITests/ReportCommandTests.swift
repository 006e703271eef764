import Foundation
import TestSupport
import Testing

@Suite("optrace report", .ownThread)
struct ReportCommandTests {
  private let folder: Scratch
  private let small: String

  init() throws {
    folder = try Scratch()
    small = try folder.write("small.txt", Array(Fixture.small.utf8))
  }

  @Test("-o writes the complete page and prints nothing")
  func file() throws {
    let path = folder.path("report.html")
    #expect(try Command.run("report", small, "-o", path) == Command.Result(status: 0, output: "", errors: ""))
    let page = try String(contentsOfFile: path, encoding: .utf8)
    #expect(page.hasPrefix("<!doctype html>") && page.hasSuffix("</html>\n"))
    #expect(page.contains("<svg xmlns=") && page.contains("id=\"data\">{\"version\":1,"))
    #expect(try folder.names == ["report.html", "small.txt"])
    #expect(try Command.run("report", small).output == page)
  }

  @Test("the same trace gives the same page")
  func deterministic() throws {
    let many = try folder.write("many.txt", Array(Fixture.many(500).utf8))
    #expect(try Command.run("report", many).output == Command.run("report", many).output)
  }

  @Test("files that are not traces are refused, and no page is written")
  func refused() throws {
    let path = folder.path("report.html")
    let empty = try folder.write("empty", [])
    #expect(try Command.run("report", empty, "-o", path).status == 65)
    #expect(try Command.run("report", folder.path("nothing"), "-o", path).status == 66)
    #expect(try Command.run("report", small, "-o", folder.path("no/such/report.html")).status == 73)
    #expect(!FileManager.default.fileExists(atPath: path))
  }

  @Test("the page of a damaged trace says that it is incomplete, with status 65")
  func damaged() throws {
    var bytes = try Fixture.binary(Fixture.many(300))
    bytes.removeLast(bytes.count / 3)
    let cut = try folder.write("cut.optrace", bytes)
    let path = folder.path("report.html")
    let result = try Command.run("report", cut, "-o", path)
    #expect(result.status == 65 && result.errors.contains("is damaged"))
    #expect(try String(contentsOfFile: path, encoding: .utf8).contains("The trace is not complete"))
  }

  @Test("the trace itself is never overwritten")
  func traceItself() throws {
    let result = try Command.run("report", small, "-o", small)
    #expect(result.status == 64)
    #expect(result.errors == "optrace: '\(small)' is the trace itself: name another file with -o\n")
  }

  @Test("a closed pipe ends the command silently; a full disk gives status 73")
  func ends() throws {
    let closed = try Command.run(small, shell: #"{ "$optrace" report "$1"; echo $? >&2; } | head -c 10 > /dev/null"#)
    #expect(closed.errors == "0\n")
    let full = try Command.run(small, shell: #""$optrace" report "$1" > /dev/full"#)
    #expect(
      full.status == 73 && full.errors == "optrace: cannot write to standard output: no space left on the device\n")
  }
}
